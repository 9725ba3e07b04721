"""Rules that tie the sections of a config to each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from faircall.config.complaints import complain
from faircall.config.experiment import arms_of, is_about, pairs_of
from faircall.config.schema import OVERALL, Claim, ConfigFile, Experiment
from faircall.config.yaml_lines import Location, YamlValue

_RESERVED: Final = ("messages", "tools", "documents", "add_generation_prompt")
_NEEDS_MARGIN: Final = ("non_inferiority", "equivalence")


def check_sections(config: ConfigFile, document: YamlValue) -> None:
    """Raise a ConfigError for the first rule that does not hold."""
    _check_datasets(config, document)
    _check_arms(config, document)
    _check_data(config, document)
    _check_template_source(config, document)
    _check_template_options(config, document)
    _check_slices(config, document)
    _check_sampling(config, document)
    _check_unique([claim.id for claim in config.claims], "claims", key="id", document=document)
    for index, claim in enumerate(config.claims):
        _check_claim(claim, config, location=("claims", index), document=document)
    if config.experiment is not None:
        _check_experiment(config, config.experiment, document)
    _check_pairs_of_claims(config, document)


def slices_of(config: ConfigFile) -> tuple[str, ...]:
    """The declared slices; without a declaration every language of the datasets, in their order."""
    return config.eval.slices or tuple(dataset.language for dataset in config.datasets)


def _check_unique(values: Sequence[str], section: str, *, key: str, document: YamlValue) -> None:
    for index, value in enumerate(values):
        if value in values[:index]:
            location: Location = (section, index, key)
            raise complain(document, location, f"repeats {value!r}")


def _check_datasets(config: ConfigFile, document: YamlValue) -> None:
    _check_unique([one.language for one in config.datasets], "datasets", key="language", document=document)
    roots = [index for index, dataset in enumerate(config.datasets) if not dataset.paired]
    if len(roots) != 1:
        problem = f"must hold exactly one root dataset (without `paired: true`), not {len(roots)}"
        raise complain(document, ("datasets",), problem, hint="translations are `paired: true`")
    for index, dataset in enumerate(config.datasets):
        if dataset.language == OVERALL:
            raise complain(
                document, ("datasets", index, "language"), f"{OVERALL!r} means all slices together"
            )


def _check_arms(config: ConfigFile, document: YamlValue) -> None:
    for name, arm in config.arms.items():
        if arm.revision is not None and arm.adapter is None:
            raise complain(document, ("arms", name, "revision"), "is given without an adapter")
    _check_served_names(config, document)
    if config.server is not None and config.server.base_url and config.server.base_urls:
        raise complain(document, ("server", "base_urls"), "is given beside server.base_url", hint="give one")


def _check_served_names(config: ConfigFile, document: YamlValue) -> None:
    """Two arms that a server cannot tell apart would be one arm under two names."""
    seen: dict[tuple[str | None, str], str] = {}
    for name, arm in config.arms.items():
        if arm.served_as is None:
            continue
        other = seen.setdefault((arm.base_url, arm.served_as), name)
        if other != name:
            problem = f"is {arm.served_as!r}, under which the arm {other!r} is served as well"
            raise complain(document, ("arms", name, "served_as"), problem)


def _check_template_source(config: ConfigFile, document: YamlValue) -> None:
    source = config.formatting.chat_template_from
    if source != "base" and source in config.arms and config.arms[source].adapter is None:
        location = ("formatting", "chat_template_from")
        raise complain(document, location, f"names the arm {source!r}, which has no adapter")


def _check_data(config: ConfigFile, document: YamlValue) -> None:
    data = config.data
    if data.max_query_chars < data.min_query_chars:
        raise complain(document, ("data", "max_query_chars"), "is smaller than data.min_query_chars")
    if data.count(config.eval.split) == 0:
        problem = f"is 0, but eval.split is {config.eval.split!r}"
        raise complain(document, ("data", f"n_{config.eval.split}"), problem, hint="give the split some rows")


def _check_template_options(config: ConfigFile, document: YamlValue) -> None:
    policy = config.formatting
    if policy.template_policy == "server_chat_template" and policy.chat_template_kwargs:
        raise complain(
            document,
            ("formatting", "chat_template_kwargs"),
            "is for templates that are rendered here",
            hint="server.extra_body may hold chat_template_kwargs",
        )
    for key in config.formatting.chat_template_kwargs:
        if key in _RESERVED:
            location = ("formatting", "chat_template_kwargs", key)
            raise complain(document, location, "is set by the formatter and cannot be given")


def _check_slices(config: ConfigFile, document: YamlValue) -> None:
    languages = [dataset.language for dataset in config.datasets]
    for index, name in enumerate(config.eval.slices):
        if name not in languages:
            raise _unknown(document, ("eval", "slices", index), name, known=languages)
    if len(set(config.eval.slices)) != len(config.eval.slices):
        raise complain(document, ("eval", "slices"), "names a slice twice")


def _check_sampling(config: ConfigFile, document: YamlValue) -> None:
    if config.eval.sampling is not None and config.eval.batch_size > 1:
        raise complain(document, ("eval", "sampling"), "gives each answer a seed of its own; a batch has one")


def _check_claim(claim: Claim, config: ConfigFile, *, location: Location, document: YamlValue) -> None:
    known = (OVERALL, *slices_of(config))
    if claim.slice not in known:
        raise _unknown(document, (*location, "slice"), claim.slice, known=known)
    for role, arm in (("baseline", claim.baseline), ("candidate", claim.candidate)):
        if arm is not None and arm not in config.arms:
            raise _unknown(document, (*location, role), arm, known=config.arms)
    if claim.baseline is not None and claim.baseline == claim.candidate:
        raise complain(document, (*location, "candidate"), "is the baseline as well")
    if claim.kind in _NEEDS_MARGIN and claim.margin is None:
        raise complain(document, location, f"is a claim of {claim.kind} and needs a margin")
    if claim.kind not in _NEEDS_MARGIN and claim.margin is not None:
        hint = f"leave it out, or declare {' or '.join(_NEEDS_MARGIN)}"
        raise complain(document, (*location, "margin"), f"has no meaning for {claim.kind}", hint=hint)


def _check_experiment(config: ConfigFile, experiment: Experiment, document: YamlValue) -> None:
    """Every arm is there, every pair is of two of them, and every claim is about one of the pairs."""
    for index, name in enumerate(experiment.arms):
        if name not in config.arms:
            raise _unknown(document, ("experiment", "arms", index), name, known=config.arms)
        if name in experiment.arms[:index]:
            raise complain(document, ("experiment", "arms", index), f"repeats {name!r}")
    arms = arms_of(config)
    if len(arms) < 2:
        raise complain(document, ("experiment",), "compares at least two arms")
    for index, pair in enumerate(experiment.pairs):
        location: Location = ("experiment", "pairs", index)
        for name in pair:
            if name not in arms:
                raise _unknown(document, location, name, known=arms)
        if pair[0] == pair[1]:
            raise complain(document, location, f"pairs {pair[0]!r} with itself")
        if pair in experiment.pairs[:index]:
            raise complain(document, location, f"repeats {pair[0]} -> {pair[1]}")


def _check_pairs_of_claims(config: ConfigFile, document: YamlValue) -> None:
    """A claim that no comparison decides would be passed over. One arm is compared with others later."""
    arms = arms_of(config)
    if len(arms) < 2:
        return
    pairs = pairs_of(config, arms)
    for index, claim in enumerate(config.claims):
        if not any(is_about(claim, pair, reference=arms[0]) for pair in pairs):
            hint = "add its pair to experiment.pairs, or name its baseline and candidate"
            problem = (
                f"is about no pair of the experiment ({', '.join(' -> '.join(pair) for pair in pairs[:4])})"
            )
            raise complain(document, ("claims", index), problem, hint=hint)


def _unknown(document: YamlValue, location: Location, name: str, *, known: Iterable[str]) -> Exception:
    return complain(document, location, f"names {name!r}", hint=f"known here: {', '.join(known)}")
