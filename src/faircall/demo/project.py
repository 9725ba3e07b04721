"""Lay the demo out in a folder: configs, requests and adapters as a user would have them, and the model."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

PACKAGED: Final = Path(__file__).parent
REFERENCE: Final = PACKAGED / "reference"
LANGUAGES: Final = ("en", "fr")
MODEL_LINK: Final = "model"


def create_project(folder: Path) -> Path:
    """Write configs, requests and adapters into `folder`; files of the same names are replaced.

    A run found there later goes on: the files are the same, so the config's digest is, too.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("quick.yaml", "full.yaml"):
        shutil.copyfile(PACKAGED / name, folder / name)
    for language in LANGUAGES:
        shutil.copyfile(PACKAGED / "data" / f"test.{language}.jsonl", folder / f"requests.{language}.jsonl")
    shutil.copytree(PACKAGED / "adapters", folder / "adapters", dirs_exist_ok=True)
    return folder


def link_model(folder: Path, model: Path) -> Path:
    """Make `folder/model` stand for the converted model, so that configs need no path of this machine.

    A link where the system allows one, else a copy.
    """
    link = folder / MODEL_LINK
    if link.is_symlink():
        link.unlink()
    if not link.exists():
        try:
            link.symlink_to(model.absolute(), target_is_directory=True)
        except OSError:
            shutil.copytree(model, link)
    return link
