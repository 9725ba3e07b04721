"""A backend that is installed like a package of somebody else, and does what a file beside the answers says.

`told.json`: `pause` seconds per prompt; `die_once` and `die_always`: ids over which the process kills itself;
`device_of_second`: what every replica but the first states as its device; `die_on_open`.
"""

import json
import os
import signal
import time
from pathlib import Path

from msgspec.structs import replace

from faircall.generating.replay import open_replay


def die():
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def first_time(path):
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def open_told(request):
    folder = Path(request.options["generations"]).parent
    told = json.loads((folder / "told.json").read_text())
    (folder / f"pid-{os.getpid()}").touch()
    if told.get("die_on_open"):
        die()
    return Told(open_replay(request), folder, told)


class Told:
    def __init__(self, inner, folder, told):
        self.inner, self.folder, self.told = inner, folder, told
        self.batch_size = told.get("batch_size", 1)
        self.first = first_time(folder / "first")

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def describe(self):
        stated = self.inner.describe()
        device = "cpu" if self.first else self.told.get("device_of_second", "cpu")
        return {**stated, "backend": {**stated["backend"], "device": device}}

    def prompt_length(self, prompt):
        return len(prompt.prompt_text)

    def generate_batch(self, prompts):
        """Who shares a batch can be told from every answer."""
        company = "+".join(prompt.example_id for prompt in prompts)
        return [replace(self.generate(p), raw_text=f"{p.example_id} among {company}") for p in prompts]

    def generate(self, prompt):
        time.sleep(self.told.get("pause", 0.0))
        name = prompt.example_id
        once = name in self.told.get("die_once", ()) and first_time(self.folder / f"died-{name}")
        if once or name in self.told.get("die_always", ()):
            die()
        return self.inner.generate(prompt)
