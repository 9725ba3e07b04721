"""docs/config.md: the example is the one that ships, and every key is explained."""

import re
from pathlib import Path

from faircall.cli.init import example_bytes
from faircall.config import schema

PAGE = Path(__file__).parents[2].joinpath("docs/config.md").read_text(encoding="utf-8")
SECTIONS = {
    "project": schema.Project,
    "model": schema.Model,
    "arms": schema.ArmPlan,
    "datasets": schema.Dataset,
    "data": schema.DataPolicy,
    "formatting": schema.FormattingPolicy,
    "eval": schema.EvalPolicy,
    "server": schema.Server,
    "vllm": schema.Vllm,
    "claims": schema.Claim,
    "experiment": schema.Experiment,
}


def test_the_example_is_the_one_that_init_writes():
    shown = re.search(r"<!-- example -->\n```yaml\n(.*?)```\n<!-- end of example -->", PAGE, re.DOTALL)
    assert shown[1].encode() == example_bytes("faircall.yaml")


def test_every_key_has_a_row_in_the_table_of_its_section():
    assert set(SECTIONS) | {"schema_version"} == set(schema.ConfigFile.model_fields)
    for name, section in SECTIONS.items():
        table = re.search(rf"### `{name}`\n(.*?)(?=\n###|\Z)", PAGE, re.DOTALL)[1]
        explained = set()
        for line in table.splitlines():
            if line.startswith("| `"):
                explained.update(re.findall(r"`(\w+)`", line.split("|")[1]))
        assert explained == set(section.model_fields), name
