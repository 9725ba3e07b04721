"""Every form that a report can take, read back by somebody else's reader where there is one."""

import csv
import io
import json
import re
from xml.etree import ElementTree

import pytest
import yaml
from huggingface_hub import ModelCard, parse_eval_result_entries
from pyarrow import parquet

import faircall
from faircall.errors import ConfigError, DependencyMissing, UsageError
from faircall.records import METRIC_NAMES
from faircall.reporting import to_plot
from faircall.reporting.renderers import RENDERERS, Renderer, Subject, read_forms, redact, render, subject_of
from faircall.reporting.to_card import LIMIT

SECRET = "Secretville"
GOLD = [{"name": "wx", "arguments": {"city": city}} for city in (SECRET, "Wien", "Linz", "Steyr")]
RIGHT = [json.dumps(call) for call in GOLD]
HOSTILE = [
    "=HYPERLINK(1)",
    "</testcase>\x00\x1b ]]>",
    '{"name": "wx", "arguments": {"city": "\\ud800"}}\ud800',
]


@pytest.fixture(scope="module")
def arms():
    shape = {"ids": ["=1+1", "b", "c", "d"], "slices": ["de", "de", "$x^$", "$x^$"]}
    before = faircall.score(GOLD, [*HOSTILE, RIGHT[3]], name="be|fore", **shape)
    return before, faircall.score(GOLD, RIGHT, name="after", **shape)


@pytest.fixture(scope="module")
def comparison(arms):
    claims = [
        {"id": "better", "kind": "superiority"},
        {"id": "same", "kind": "equivalence", "margin": 0.01, "slice": "de"},
    ]
    report = faircall.compare(*arms, resamples=399, claims=claims).to_dict()
    report["conditions"] = [{"text": "argument_f1.delta > 0", "value": 0.75, "holds": True}]
    return subject_of(report)


@pytest.fixture(scope="module")
def evaluation(arms):
    return subject_of(arms[0].to_dict())


def forms_of(subject, **changes):
    changed = Subject(**{**{name: getattr(subject, name) for name in Subject.__slots__}, **changes})
    return {
        name: render(changed, name)
        for name in RENDERERS.names()
        if subject.kind in RENDERERS.get(name).kinds
        and (changed.examples is not None or not RENDERERS.get(name).needs_examples)
    }


@pytest.mark.parametrize("kind", ["comparison", "evaluation"])
def test_the_same_report_gives_the_same_bytes_in_every_form(kind, request):
    subject = request.getfixturevalue(kind)
    assert forms_of(subject, dataset="a/b") == forms_of(subject, dataset="a/b")


def test_redacted_forms_hold_no_text(evaluation):
    forms = forms_of(evaluation, dataset="a/b", redacted=True)
    assert set(forms) >= {"csv", "parquet", "junit", "card", "md"}
    for name, data in forms.items():
        if name != "json":
            assert SECRET.encode() not in data, name
            assert b"HYPERLINK" not in data, name


# --- Tables


def table(subject):
    return list(csv.DictReader(io.StringIO(render(subject, "csv").decode("utf-8"), newline="")))


def test_the_csv_gives_every_component_back(evaluation, arms):
    for row, record in zip(table(evaluation), arms[0].records, strict=True):
        components = [
            [int(row[f"{name}_numerator"]), int(row[f"{name}_denominator"])] for name in METRIC_NAMES
        ]
        assert components == record["components"]
        assert json.loads(row["gold"]) == record["gold"]
        assert row["cause"] == (record["cause"] or "")


def test_no_cell_of_the_csv_starts_a_formula(evaluation):
    cells = [cell for row in table(evaluation) for cell in row.values()]
    assert "'=HYPERLINK(1)" in cells
    assert "'=1+1" in cells
    assert not [cell for cell in cells if re.match(r"[=+\-@\t\r\n＝＋－＠]", cell)]


def test_parquet_keeps_types_and_texts(evaluation):
    rows = parquet.read_table(io.BytesIO(render(evaluation, "parquet"))).to_pylist()
    assert [row["raw_text"] for row in rows[:2]] == HOSTILE[:2]
    assert rows[0]["truncated"] is False
    assert rows[3]["full_call_exact_match_numerator"] == 1
    assert rows[0]["call"] is None
    assert [row["id"] for row in rows] == ["=1+1", "b", "c", "d"]


def test_a_comparison_without_examples_has_no_table(comparison):
    with pytest.raises(UsageError, match="lists examples"):
        render(comparison, "csv")


# --- JUnit


def check_junit(data):
    """The rules of the schema that Jenkins and pytest share (junit-10.xsd), as far as they concern us."""
    root = ElementTree.fromstring(data)
    assert root.tag == "testsuites"
    (suite,) = root
    assert {"name", "tests", "failures", "errors"} <= suite.attrib.keys()
    assert {child.tag for child in suite} <= {"properties", "testcase", "system-out", "system-err"}
    cases = suite.findall("testcase")
    assert int(suite.get("tests")) == len(cases)
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
    for case in cases:
        assert {"name", "classname"} <= case.attrib.keys()
        assert {child.tag for child in case} <= {"failure", "error", "skipped", "system-out", "system-err"}
    return suite


def test_a_comparison_has_a_test_case_per_claim_and_condition(comparison):
    suite = check_junit(render(comparison, "junit"))
    failed = {case.get("name"): case.find("failure") is not None for case in suite.iter("testcase")}
    assert failed == {
        "the arms may be compared": False,
        "better": True,
        "same": True,
        "argument_f1.delta > 0": True,
    }
    assert suite.find(".//testcase[@name='same']/failure").get("type") == "not_established"
    assert "holds: it is 0.75" in suite.findall(".//failure")[-1].get("message")


def test_an_evaluation_has_a_test_case_per_example(evaluation):
    suite = check_junit(render(evaluation, "junit"))
    assert (suite.get("tests"), suite.get("failures")) == ("4", "3")
    assert "\\x00\\x1b ]]>" in suite.find(".//testcase[@name='b']/failure").text


# --- The Hub


def test_the_model_index_is_one_that_the_hub_reads(comparison):
    card = ModelCard(f"---\n{render(comparison, 'hf').decode()}---\n")
    results = {(one.dataset_config, one.metric_type): one for one in card.data.eval_results}
    assert len(results) == 3 * len(METRIC_NAMES)
    whole = results["overall", "full_call_exact_match"]
    assert (card.data.model_name, whole.metric_value) == ("after", 1.0)
    assert (whole.metric_args["numerator"], whole.metric_args["denominator"]) == (4, 4)
    assert results["de", "full_call_exact_match"].metric_args["denominator"] == 2


def test_eval_results_are_ones_that_the_hub_reads(evaluation):
    named = forms_of(evaluation, dataset="me/calls@abc", task="english")["eval_results"]
    (entry,) = parse_eval_result_entries(yaml.safe_load(named))
    assert (entry.dataset_id, entry.task_id, entry.dataset_revision) == ("me/calls", "english", "abc")
    assert entry.value == 0.25
    assert "1/4" in entry.notes


@pytest.mark.parametrize("dataset", [None, "calls", "a/b/c", "a/b@"])
def test_eval_results_need_a_dataset_of_the_hub(evaluation, dataset):
    with pytest.raises(UsageError, match="of the Hub"):
        forms_of(evaluation, dataset=dataset)


# --- Text and pictures


def test_the_card_is_a_section_and_fits_a_job_summary(comparison):
    card = render(comparison, "card").decode()
    assert card.startswith("## Tool calls: be\\|fore against after\n")
    assert "\n# " not in card
    assert "### Metrics" in card
    assert "### Declared claims" in card
    assert "Signature: " in card
    assert "Causes" not in card
    many = {
        f"slice {n} {'x' * 200}": scope for n in range(4000) for scope in comparison.report["slices"].values()
    }
    huge = subject_of({**comparison.report, "slices": many})
    text = render(huge, "card")
    assert len(text) <= LIMIT
    assert b"4000 rows, left out" in text


def test_pictures_are_pictures_and_draw_what_the_report_says(comparison, evaluation):
    assert render(comparison, "png").startswith(b"\x89PNG")
    assert b"<svg" in render(evaluation, "svg")
    delta = comparison.report["overall"]["metrics"]["valid_json_rate"]
    row = to_plot.plot_rows(comparison)[0]
    interval = delta.get("guarded") or delta["interval"]
    assert (row.value, row.lower, row.upper) == (delta["delta"], interval["lower"], interval["upper"])
    assert [row.label for row in to_plot.plot_rows(comparison)[5:]] == [
        "$x^$: full_call_exact_match",
        "de: full_call_exact_match",
    ]


@pytest.mark.parametrize(("form", "library"), [("png", "matplotlib"), ("parquet", "pyarrow")])
def test_a_missing_library_is_named_with_its_install_command(evaluation, monkeypatch, form, library):
    monkeypatch.setitem(__import__("sys").modules, library, None)
    with pytest.raises(DependencyMissing, match=library) as raised:
        render(evaluation, form)
    assert "pip install 'faircall[" in raised.value.hint


# --- The table


def test_names_of_forms_are_checked_before_any_work():
    assert read_forms("md,csv, md") == ("md", "csv")
    with pytest.raises(ConfigError, match="did you mean 'junit'"):
        read_forms("md,junitt")
    with pytest.raises(UsageError):
        read_forms(" , ")


def test_a_form_of_a_third_party_is_one_registration(evaluation):
    RENDERERS.register("tex", Renderer(".tex", lambda subject: subject.report["name"].encode()))
    try:
        assert render(evaluation, "tex") == b"be|fore"
        RENDERERS.register("only", Renderer(".x", lambda _: b"", kinds=frozenset(("comparison",))))
        with pytest.raises(UsageError, match="form of a comparison"):
            render(evaluation, "only")
    finally:
        RENDERERS.restore()


def test_what_is_no_report_is_refused(evaluation):
    for value in ([], {"schema_version": "faircall.other.v1"}):
        with pytest.raises(UsageError, match="no report"):
            subject_of(value)
    assert redact(evaluation).redacted
