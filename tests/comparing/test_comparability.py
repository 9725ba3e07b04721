"""The gate: what it refuses, what each declaration releases, and what it calls the treatment."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from comparing.arms import languages
from faircall.comparing.comparability import DECLARABLE, check
from faircall.comparing.identity import (
    IDENTITY_FIELDS,
    altered_sections,
    attest,
    identify,
    section_digests,
)
from faircall.digest import sha256_json
from faircall.errors import Incomparable, UsageError
from faircall.records import Arm, Parsed, Scores, ToolCall

STATED = {
    "data": {"test_split_sha256": "s0"},
    "prompt": {"policy": "tokenizer_chat_template", "template_sha256": "t0"},
    "model": {
        "base_model_id": "smol",
        "base_model_revision": "r0",
        "tokenizer_revision": "r0",
        "dtype": "float32",
        "quantization": "none",
    },
    "adapter": {"source": "none"},
    "decoding": {"temperature": 0.0, "do_sample": False, "max_new_tokens": 64},
    "backend": {"engine": "transformers", "version": "5", "device": "cpu", "batch_plan": "single"},
    "reader": {"name": "sommelier.parser.v1", "decisions": "D1-D4"},
    "metrics": {"protocol": "five.v1", "names": ["a", "b"]},
    "config": {"config_sha256": "c0"},
}
OBSERVED = {
    "data.example_ids": lambda s: replace(s, ids=("a", "b", "z")),
    "data.gold": lambda s: replace(s, gold_sha256=("g0", "g1", "other")),
    "data.pair_sets": lambda s: replace(s, roots=("a", "b", "b")),
    "data.slices": lambda s: replace(s, labels=("en", "en", "en"), prompt_sha256=(None, None, None)),
    "tasks.tasks_sha256": lambda s: replace(s, tasks_sha256=("k0", "k1", "other")),
    "prompt.prompt_sets": lambda s: replace(s, prompt_sha256=("p0", "p1", "other")),
}
STATED_PATHS = [f"{section}.{name}" for section, fields in STATED.items() for name in fields]
PATHS = [*STATED_PATHS, *OBSERVED]
# What section 6 of the contract says that each declaration releases; the config's digest follows any of them.
RELEASES = {
    "adapter": set(),
    "model": {path for path in PATHS if path.startswith("model.")} | {"prompt.prompt_sets"},
    "prompt": {path for path in PATHS if path.startswith("prompt.")},
    "quantization": {"model.quantization"},
    "decoding": {path for path in PATHS if path.startswith("decoding.")},
    "backend": {path for path in PATHS if path.startswith("backend.")},
    "reader": {path for path in PATHS if path.startswith("reader.")},
}


def scores(**changes):
    ok = Parsed(call=ToolCall("f", {}), status="ok", reason=None)
    columns = {
        "ids": ("a", "b", "c"),
        "roots": ("a", "b", "a"),
        "labels": ("en", "en", "fr"),
        "components": np.zeros((3, 5, 2), dtype=np.int64),
        "parsed": (ok, ok, ok),
        "causes": (None, None, None),
        "gold_sha256": ("g0", "g1", "g2"),
        "tasks_sha256": ("k0", "k1", "k2"),
        "prompt_sha256": ("p0", "p1", "p2"),
    }
    return Scores(**{**columns, **changes})


def arm(name="base", *, stated=STATED, **changes):
    return Arm(name=name, scores=scores(**changes), identity=stated)


def arm_changed_in(path, value="changed"):
    """The arm of `arm()` with exactly one field of its identity changed."""
    base = arm("candidate")
    if path in OBSERVED:
        changed = OBSERVED[path](base.scores)
        return replace(base, scores=changed)
    section, name = path.split(".")
    return replace(base, identity={**STATED, section: {**STATED[section], name: value}})


def differing(left, right):
    a, b = attest(left), attest(right)
    return {path for path in {*a, *b} if a.get(path) != b.get(path)}


def test_the_paths_of_this_test_are_all_that_can_be_attested():
    declared = {f"{section}.{name}" for section, names in IDENTITY_FIELDS.items() for name in names}
    assert set(PATHS) == declared
    assert None not in attest(arm()).values()


@pytest.mark.parametrize("path", [path for path in PATHS if not path.startswith("adapter.")])
def test_each_field_changed_alone_is_refused_and_named(path):
    with pytest.raises(Incomparable) as refusal:
        check(arm(), arm_changed_in(path))
    assert path in refusal.value.message
    assert refusal.value.exit_status == 4
    assert refusal.value.hint


@pytest.mark.parametrize("path", [path for path in STATED_PATHS if not path.startswith("adapter.")])
@pytest.mark.parametrize("swapped", [False, True], ids=["candidate", "baseline"])
def test_a_field_known_on_one_side_only_is_refused_and_both_values_are_shown(path, swapped):
    arms = [arm(), arm_changed_in(path, value=None)]
    shown = ["unknown", "|"]
    with pytest.raises(Incomparable) as refusal:
        check(*(reversed(arms) if swapped else arms))
    assert path in refusal.value.message
    assert all(part in refusal.value.message for part in shown)


@pytest.mark.parametrize(("name", "path"), list(product(DECLARABLE, PATHS)))
def test_each_declaration_releases_its_own_fields_and_nothing_else(name, path):
    """The declared section differs, and one more field: the pair passes exactly when the tables say so."""
    first = (
        "model.quantization" if name == "quantization" else next(p for p in PATHS if p.startswith(f"{name}."))
    )
    section, field = first.split(".")
    other = arm_changed_in(path)
    if path != first:
        stated = {**other.identity, section: {**other.identity[section], field: "declared"}}
        other = replace(other, identity=stated)
    allowed = RELEASES[name] | {"adapter.source"} | ({"config.config_sha256"} if name != "adapter" else set())
    changed = differing(arm(), other)
    if changed <= allowed:
        treatment = check(arm(), other, vary=[name])
        assert {*treatment.differs, *treatment.released} == changed
    else:
        with pytest.raises(Incomparable) as refusal:
            check(arm(), other, vary=[name])
        assert all(p in refusal.value.message for p in changed - allowed)
        assert not any(f"{p} (" in refusal.value.message for p in changed & allowed)


@pytest.mark.parametrize("name", DECLARABLE)
def test_a_declared_section_must_differ(name):
    with pytest.raises(UsageError, match=f"nothing differs in {name}"):
        check(arm(), arm("candidate"), vary=[name])


@pytest.mark.parametrize("name", ["data", "tasks", "metrics", "config", "modle", ""])
def test_other_names_cannot_be_varied(name):
    with pytest.raises(UsageError, match="cannot be varied"):
        check(arm(), arm(), vary=[name])


def test_the_adapter_alone_is_the_default_treatment():
    treatment = check(arm(), arm_changed_in("adapter.source", "adapters/demo"))
    assert (treatment.kind, treatment.name) == ("declared", "adapter")
    assert treatment.to_dict() == {
        "kind": "declared",
        "sections": ["adapter"],
        "differs": {"adapter.source": {"baseline": "none", "candidate": "adapters/demo"}},
        "released": {},
    }
    assert treatment.not_attested == ()
    assert treatment.shared["model.dtype"] == "float32"
    assert "adapter.source" not in treatment.shared


def test_equal_arms_are_an_a_a_comparison():
    assert check(arm(), arm("again")).name == "A/A"


def test_arms_of_which_nothing_is_known_are_not_attested():
    treatment = check(arm(stated={}), arm(stated={}))
    assert treatment.name == "not_attested"
    assert set(treatment.not_attested) == set(STATED_PATHS)


def test_unknown_arms_that_wrote_the_same_texts_are_an_a_a_comparison_in_any_order():
    columns = ("ids", "roots", "labels", "parsed", "gold_sha256", "tasks_sha256", "prompt_sha256")
    first = scores()
    second = replace(first, **{name: getattr(first, name)[::-1] for name in columns})
    left, right = Arm("x", first, {}, raw_texts=("p", "q", "r")), Arm("y", second, {})
    assert check(left, replace(right, raw_texts=("r", "q", "p"))).name == "A/A"
    assert check(left, replace(right, raw_texts=("p", "q", "r"))).name == "not_attested"
    assert check(left, right).name == "not_attested"


def test_other_texts_that_are_read_alike_are_no_a_a_comparison():
    prose = (Parsed(call=None, status="no_json", reason="no_bracket"),) * 3
    left, right = (
        replace(without_ids(stated={}, parsed=prose), raw_texts=(t,) * 3) for t in ("No.", "Sunny.")
    )
    assert check(left, right).name == "not_attested"
    assert check(left, left).name == "A/A"


def test_another_model_lists_the_prompts_that_it_released():
    other = replace(arm_changed_in("model.base_model_id"), scores=scores(prompt_sha256=("q0", "q1", "q2")))
    treatment = check(arm(), other, vary=["model"])
    assert treatment.name == "model"
    assert list(treatment.released) == ["prompt.prompt_sets"]


def test_another_models_prompts_need_known_tasks():
    unknown = (None, None, None)
    left = arm(tasks_sha256=unknown)
    right = replace(
        arm_changed_in("model.base_model_id"),
        scores=scores(tasks_sha256=unknown, prompt_sha256=("q", "r", "s")),
    )
    with pytest.raises(Incomparable, match="nothing shows that both arms had the same tasks"):
        check(left, right, vary=["model"])


def test_a_refusal_names_every_field_with_both_values():
    other = arm_changed_in("model.dtype", "bfloat16")
    other = replace(
        other, identity={**other.identity, "decoding": {**STATED["decoding"], "max_new_tokens": 32}}
    )
    with pytest.raises(Incomparable) as refusal:
        check(arm(), other)
    assert "model.dtype (float32 | bfloat16)" in refusal.value.message
    assert "decoding.max_new_tokens (64 | 32)" in refusal.value.message
    assert refusal.value.hint.endswith("declare it: --vary model --vary decoding")


def test_the_hint_offers_the_narrowest_declaration():
    with pytest.raises(Incomparable) as refusal:
        check(arm(), arm_changed_in("model.quantization", "int8"))
    assert refusal.value.hint.endswith("declare it: --vary quantization")


def test_ids_on_one_side_only_are_counted_and_the_first_is_named():
    with pytest.raises(Incomparable) as refusal:
        check(arm(), arm_changed_in("data.example_ids"))
    assert "1 only in the baseline, first 'c'" in refusal.value.message
    assert "1 only in the candidate, first 'z'" in refusal.value.message


def test_a_changed_gold_call_is_named_by_its_id():
    with pytest.raises(Incomparable, match="1 changed, first 'c'"):
        check(arm(), arm_changed_in("data.gold"))


def under(config, digest):
    return replace(arm(stated={**STATED, "config": {"config_sha256": digest}}), config=config)


@pytest.mark.parametrize(
    ("other", "told", "hint"),
    [
        ({"claims": [{"id": "a"}]}, "; only claims differ", "claims are declared before a run"),
        ({"claims": [1], "eval": {"threads": 2}}, "; claims, eval.threads differ", "compare arms that"),
        ({"inputs": ["x"]}, "; only inputs differ", "compare arms that"),
    ],
)
def test_another_config_is_refused_with_what_differs_in_it(other, told, hint):
    config = {"config": {"claims": [], "eval": {"threads": 1}}, "inputs": []}
    changed = {
        "config": {**config["config"], **{key: value for key, value in other.items() if key != "inputs"}},
        "inputs": other.get("inputs", []),
    }
    with pytest.raises(Incomparable) as refusal:
        check(under(config, "c0"), under(changed, "c1"))
    assert f"config.config_sha256 (c0 | c1{told})" in refusal.value.message
    assert refusal.value.hint.startswith(hint)


def test_of_a_config_that_is_not_at_hand_only_the_digest_is_told():
    with pytest.raises(Incomparable, match=r"config\.config_sha256 \(c0 \| c1\)"):
        check(under(None, "c0"), under({"config": {}, "inputs": []}, "c1"))


def without_ids(**changes):
    return replace(arm(**changes), ids_given=False)


def test_rows_without_ids_are_compared_when_their_gold_calls_agree_in_order():
    assert check(without_ids(), without_ids()).name == "A/A"
    with pytest.raises(Incomparable, match=r"data\.gold"):
        check(without_ids(), without_ids(gold_sha256=("g1", "g0", "g2")))


def test_ids_on_one_arm_only_are_refused():
    with pytest.raises(Incomparable, match=r"data\.example_ids \(.* \| 3 rows without ids"):
        check(arm(), without_ids())


def test_a_field_beyond_the_table_is_compared_too():
    other = {**STATED, "decoding": {**STATED["decoding"], "stop": ["\n"]}}
    with pytest.raises(Incomparable, match=r"decoding\.stop"):
        check(arm(), arm(stated=other))


@pytest.mark.parametrize(("left", "right"), [(1, 1.0), (True, 1), ("1", 1), (0.0, False)])
def test_values_that_python_calls_equal_are_not(left, right):
    """Source: canonical JSON, decision D6."""
    arms = [
        arm(stated={**STATED, "decoding": {**STATED["decoding"], "temperature": v}}) for v in (left, right)
    ]
    with pytest.raises(Incomparable, match=r"decoding\.temperature"):
        check(*arms)


def test_every_section_has_its_digest():
    digests, other = section_digests(arm()), section_digests(arm_changed_in("model.dtype"))
    assert set(digests) == set(IDENTITY_FIELDS)
    assert {section for section in digests if digests[section] != other[section]} == {"model"}
    assert digests["adapter"] == sha256_json({"source": "none"})


def test_equal_digests_are_equal_sections_and_unknown_has_none():
    treatment = check(arm(), arm_changed_in("adapter.source"))
    first, second = treatment.digests
    assert {section for section in first if first[section] != second[section]} == {"adapter"}
    assert (first, second) == (section_digests(arm()), section_digests(arm_changed_in("adapter.source")))
    unknown = section_digests(arm(stated={**STATED, "model": {"dtype": None}, "backend": {}}))
    assert (unknown["model"], unknown["backend"]) == (None, None)


@pytest.mark.parametrize("path", PATHS)
def test_an_altered_section_no_longer_fits_its_digest(path):
    stored, section = section_digests(arm()), path.partition(".")[0]
    assert altered_sections(identify(arm()), stored) == []
    altered = altered_sections(identify(arm_changed_in(path)), stored)
    # without its slices, the prompts of an arm fall into other sets as well
    assert altered == (["data", "prompt"] if path == "data.slices" else [section])
    without = {name: digest for name, digest in stored.items() if name not in altered}
    assert altered_sections(identify(arm_changed_in(path)), without) == []


def test_rows_that_one_arm_lacks_are_told_once():
    whole, short = (languages([(("right", "right"), ("right", "none"))] * n) for n in (3, 2))
    with pytest.raises(Incomparable) as refusal:
        check(whole, short)
    assert "2 only in the baseline" in refusal.value.message
    assert "data.gold" not in refusal.value.message
    assert "data.pair_sets" not in refusal.value.message
    relabelled = replace(short, scores=replace(short.scores, labels=("xx", *short.scores.labels[1:])))
    with pytest.raises(Incomparable, match=r"data\.slices"):
        check(whole, relabelled)
