"""A name has one digest, whatever stands beside it."""

from faircall.api.name_digests import digest_names


def test_the_digest_of_a_name_does_not_depend_on_the_others():
    names = ["a", "row-0000001", "é\ud83d", "x" * 64, "x" * 65, "x" * 5000, "a\0", "\0", "12"]
    together = digest_names(names).tolist()
    assert together == [digest_names([name])[0] for name in names]
    assert len(set(together)) == len(names)
    assert digest_names([]).tolist() == []


def test_ids_that_differ_in_little_have_digests_of_their_own():
    names = [f"row-{number:06}{letter}" for number in range(30_000) for letter in ("", "a", "\0")]
    assert len(set(digest_names(names).tolist())) == len(names)
