"""The live demo with a stand-in for the model: project, pace, all stages, going on, what is missing."""

import importlib.util
import json
from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml

from faircall.config import load_config
from faircall.demo import live, project
from faircall.errors import DependencyMissing
from faircall.generating.backend import BACKENDS
from faircall.records import Generation

ROOT = Path(__file__).parents[2]
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


class StandIn:
    """Answers with the gold call when it has an adapter, else in prose; the French of `en` is prose, too."""

    def __init__(self, request):
        self.request, self.answered = request, 0

    def describe(self):
        source = self.request.adapter.location if self.request.adapter else "none"
        return {
            "model": {"base": "stand-in"},
            "adapter": {
                "source": {"kind": "local", "name": Path(source).name} if source != "none" else source
            },
            "decoding": self.request.decoding.to_dict(),
            "backend": {"engine": "stand-in", "device": "cpu", "threads": 1},
        }

    def check(self, prompts):
        assert all("You call tools. Tools:\n{" in prompt.prompt_text for prompt in prompts)

    def generate(self, prompt):
        name = Path(self.request.adapter.location).name if self.request.adapter else None
        knows = name == "en_fr" or (name == "en" and prompt.language == "en")
        return Generation(
            prompt.example_id,
            prompt.target_text if knows else "I cannot do that.",
            language=prompt.language,
            prompt_sha256=prompt.prompt_sha256,
            decoding=self.request.decoding.to_dict(),
            finish_reason="stop",
            prompt_tokens=1,
            new_tokens=1,
        )

    def close(self):
        pass


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    model = tmp_path / "cache" / "model"
    model.mkdir(parents=True)
    (model / "chat_template.jinja").write_text(TEMPLATE)
    (model / "tokenizer_config.json").write_text(json.dumps({"bos_token": "<|im_start|>"}))
    (model / "tokenizer.json").write_text(json.dumps({"post_processor": None, "added_tokens": []}))
    monkeypatch.setattr(live, "ensure_embedded_model", lambda: model)
    monkeypatch.setattr(live, "require_demo_dependencies", lambda: None)
    BACKENDS.register("transformers", StandIn)
    yield model
    BACKENDS.restore()


def run(folder, *, everything=False):
    news = []
    finished = live.run_live(
        folder,
        everything=everything,
        tell=news.append,
        listener_for=lambda arm: nullcontext(lambda answered: None),
    )
    return finished, news


def test_brief_demo_compares_base_and_adapter(stand_in, tmp_path, monkeypatch):
    monkeypatch.setattr(live, "measure_seconds_per_answer", lambda config: 10.0)
    finished, news = run(tmp_path / "demo")
    metric = finished.report["overall"]["metrics"]["full_call_exact_match"]
    assert (metric["baseline"]["numerator"], metric["candidate"]["numerator"]) == (0, 15)
    assert metric["baseline"]["denominator"] == 15
    assert [claim["verdict"] for claim in finished.report["claims"]] == ["established"]
    assert "15 of 120 English requests for each of 2 arms" in news[-1]
    assert finished.report_file.is_file()


def test_a_demo_that_goes_on_keeps_its_roots_and_generates_nothing_twice(stand_in, tmp_path, monkeypatch):
    monkeypatch.setattr(live, "measure_seconds_per_answer", lambda config: 10.0)
    first, _ = run(tmp_path / "demo")
    monkeypatch.setattr(live, "measure_seconds_per_answer", lambda config: 1.0)
    second, _ = run(tmp_path / "demo")
    assert second.run == first.run
    assert [outcome.generated for outcome in second.arms.values()] == [0, 0]
    assert second.report == first.report


def test_full_demo_has_three_arms_and_both_languages(stand_in, tmp_path):
    finished, _ = run(tmp_path / "demo", everything=True)
    verdicts = {claim["id"]: claim["verdict"] for claim in finished.report["claims"]}
    assert verdicts == dict.fromkeys(("en_learns", "fr_learns", "fr_needs_fr", "en_kept"), "established")
    slices = finished.report["arms"]["en"]["slices"]
    assert {name: part["examples"] for name, part in slices.items()} == {"en": 120, "fr": 120}


def test_pace_is_measured_on_answers_after_a_warm_up(stand_in, tmp_path, monkeypatch):
    ticks = iter([100.0, 106.0])
    monkeypatch.setattr(live, "monotonic", lambda: next(ticks))
    project.link_model(project.create_project(tmp_path / "demo"), stand_in)
    assert live.measure_seconds_per_answer(load_config(tmp_path / "demo" / "quick.yaml")) == 2.0


def test_missing_libraries_are_named_with_the_command(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "peft" else object())
    with pytest.raises(DependencyMissing, match="needs peft") as caught:
        live.require_demo_dependencies()
    assert "pip install 'faircall[demo]'" in caught.value.hint
    assert "--replay" in caught.value.hint


def test_configs_use_the_prompt_that_the_adapters_were_trained_with():
    trained = (ROOT / "examples" / "demo" / "system_prompt.txt").read_text(encoding="utf-8").strip()
    for name in ("quick.yaml", "full.yaml"):
        config = yaml.safe_load((project.PACKAGED / name).read_text(encoding="utf-8"))
        assert config["formatting"]["system_prompt"] == trained


def test_model_is_copied_where_links_are_not_allowed(tmp_path, monkeypatch):
    def refuse(self, target, target_is_directory=False):
        raise OSError("no links here")

    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text("{}")
    monkeypatch.setattr(Path, "symlink_to", refuse)
    (tmp_path / "demo").mkdir()
    link = project.link_model(tmp_path / "demo", model)
    assert not link.is_symlink()
    assert (link / "config.json").read_text() == "{}"


def test_adapters_name_no_path_and_stay_small():
    for name in ("en", "en_fr"):
        folder = project.PACKAGED / "adapters" / name
        config = json.loads((folder / "adapter_config.json").read_text())
        assert config["base_model_name_or_path"] == "smollm2-135m-instruct"
        assert (folder / "adapter_model.safetensors").stat().st_size < 5_000_000
        assert {path.name for path in folder.iterdir()} == {
            "adapter_config.json",
            "adapter_model.safetensors",
        }
