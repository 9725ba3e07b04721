"""The verdict of a comparison in sentences that a person can repeat, and the limits that belong to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

from markupsafe import Markup

from faircall.records import HEADLINE
from faircall.reporting.evidence import few_words
from faircall.reporting.figures import Figures, at
from faircall.reporting.to_terminal import clean
from faircall.stats.intervals import deciding_interval

Json = Mapping[str, Any]
Word: TypeAlias = Literal["better", "worse", "open", "equal arms"]

_TITLES: Final[Mapping[Word, str]] = {
    "better": "{candidate} is better than {baseline}.",
    "worse": "{candidate} is worse than {baseline}.",
    "open": "No difference between {candidate} and {baseline} is shown.",
    "equal arms": "{candidate} and {baseline} are equal in all that is recorded.",
}
_ADVICE: Final[Mapping[Word, str]] = {
    "better": "The interval lies above zero.",
    "worse": "The interval lies below zero.",
    "open": "The interval holds zero: the candidate may be better, worse or the same.",
    "equal arms": "This is an A/A comparison: it shows how far equal arms differ by themselves.",
}


def judge(delta: Json) -> Word:
    """What the deciding interval of one difference says; zero at its edge decides nothing."""
    bounds = deciding_interval(delta)
    if bounds["lower"] is None:
        return "open"
    return "better" if bounds["lower"] > 0 else "worse" if bounds["upper"] < 0 else "open"


def word_of(comparison: Json) -> Word:
    """What a comparison says on the strictest metric."""
    if comparison["treatment"]["kind"] == "A/A":
        return "equal arms"
    return judge(comparison["overall"]["metrics"][HEADLINE])


def title(comparison: Json) -> Markup:
    """The verdict as one short sentence."""
    return _name_arms(_TITLES[word_of(comparison)], comparison)


def tell_counts(comparison: Json, figures: Figures, base: str = "") -> Markup:
    """What the verdict rests on: counts of both arms, the difference and its interval."""
    place = base + at("overall", "metrics", HEADLINE)
    delta = figures.find(place)
    deciding = place + at("guarded" if delta.get("guarded") else "interval")
    sentence = _name_arms(
        "{candidate} answers {after} requests exactly right, {baseline} {before}: a difference of {points} "
        "points, {level} confidence interval {interval}. ",
        comparison,
        after=figures.show(place + "/candidate", "spoken"),
        before=figures.show(place + "/baseline", "spoken"),
        points=figures.show(place + "/delta", "points"),
        level=figures.show(deciding + "/level", "level"),
        interval=figures.show(deciding, "spoken interval" if delta["delta"] is not None else "interval"),
    )
    return sentence + _ADVICE[word_of(comparison)]


def tell_evidence(comparison: Json, figures: Figures, base: str = "") -> Markup | None:
    """That few roots differ, where fewer differ than the minimum evidence."""
    words = few_words(comparison["overall"])
    if words is None:
        return None
    place = base + at("overall")
    found = place + at("metrics", HEADLINE, "discordant_roots")
    return Markup("{}.").format(
        Markup(words[0].upper() + words[1:]).format(
            found=figures.show(found, "count"), roots=figures.show(place + "/roots", "count")
        )
    )


def tell_split(figures: Figures, base: str = "") -> Markup:
    """How much of the gain, and of the loss, is format and how much content."""
    place = base + at("overall", "metrics", HEADLINE, "decomposition")
    parts = figures.find(place)
    gained = parts["gained_by_parsing"] + parts["gained_by_content"]
    sentence = Markup(_split_words(parts, gained)).format(
        **{name: figures.show(f"{place}/{name}", "count") for name in parts}
    )
    if parts["lost_by_parsing"] + parts["lost_by_content"] == 0:
        return sentence + Markup(" Nothing was lost.")
    return sentence + Markup(
        " Lost: {lost_by_parsing} by format (the candidate did not parse), {lost_by_content} by content."
    ).format(**{name: figures.show(f"{place}/{name}", "count") for name in parts})


def _split_words(parts: Json, gained: int) -> str:
    if gained == 0:
        return "Nothing was gained."
    if parts["gained_by_content"] == 0:
        return (
            "All of the gain is format: the {gained_by_parsing} gained examples had no valid call before, "
            "so how far the content got better cannot be told."
        )
    if parts["gained_by_parsing"] == 0:
        return "None of the gain is format: the {gained_by_content} gained examples parsed before as well."
    return (
        "Gained: {gained_by_parsing} by format (no valid call before), "
        "{gained_by_content} by content (a valid call before, but a wrong one)."
    )


def tell_limits(comparison: Json, figures: Figures, base: str = "") -> Iterator[Markup]:
    """What the verdict does not say; the weightiest first."""
    place = base + at("overall")
    if comparison["treatment"]["kind"] == "not_attested":
        yield Markup("The files do not record what differs between the arms: the reason is not shown.")
    if comparison["overall"]["metrics"][HEADLINE].get("guarded"):
        yield Markup("Few examples differ, so the interval is the guarded one, which is wider.")
    yield from _warn_of_slices(comparison, figures, base)
    yield from _warn_of_failures(comparison, figures, base)
    yield Markup("It speaks of requests like these {} ({} independent ones), and of no others.").format(
        figures.show(place + "/examples", "count"), figures.show(place + "/roots", "count")
    )
    if comparison.get("not_attested"):
        yield Markup(
            'Not attested by either arm: {} conditions, listed under <a href="#identity">Identity</a>.'
        ).format(figures.show(base + "/not_attested", "size"))


def _warn_of_slices(comparison: Json, figures: Figures, base: str) -> Iterator[Markup]:
    """Slices that go against the verdict."""
    for name, scope in (comparison.get("slices") or {}).items():
        if judge(scope["metrics"][HEADLINE]) == "worse" != word_of(comparison):
            place = base + at("slices", name, "metrics", HEADLINE, "delta")
            yield Markup("In the slice <bdi>{}</bdi> the candidate is worse ({} points).").format(
                clean(name), figures.show(place, "points")
            )


def _warn_of_failures(comparison: Json, figures: Figures, base: str) -> Iterator[Markup]:
    for side in ("baseline", "candidate"):
        diagnosis = (comparison.get("diagnosis") or {}).get(side)
        if diagnosis and diagnosis.get("backend_failed"):
            place = base + at("diagnosis", side, "backend_failed")
            yield _name_arms(
                "Examples on which the backend of {" + side + "} failed: {count}; they count as wrong.",
                comparison,
                count=figures.show(place, "count"),
            )


def _name_arms(sentence: str, comparison: Json, **figures: Markup) -> Markup:
    names = {
        side: Markup("<bdi>{}</bdi>").format(clean(comparison[side]["arm"]))
        for side in ("baseline", "candidate")
    }
    return Markup(sentence).format(**names, **figures)
