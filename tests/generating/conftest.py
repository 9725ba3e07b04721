"""Tiny models shared by the tests of this folder; saved once."""

import pytest


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A folder with a tiny model that does not add a BOS."""
    from generating import tiny_model

    return tiny_model.save_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def adapters(tiny, tmp_path_factory):
    """A folder with the adapters `live` (changes logits) and `idle` (all lora_B zero)."""
    from generating import tiny_model

    folder = tmp_path_factory.mktemp("adapters")
    tiny_model.save_adapter(folder / "live", model=tiny, scale=0.5)
    tiny_model.save_adapter(folder / "idle", model=tiny, scale=0.0)
    return folder
