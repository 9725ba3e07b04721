"""Run one arm with a replay backend that takes a little time per prompt: something to kill."""

import sys
import time
from pathlib import Path

from faircall.generating.backend import BACKENDS
from faircall.generating.replay import open_replay
from faircall.pipeline.arm_request import plan_arm
from faircall.pipeline.evaluate import evaluate_arm
from faircall.pipeline.runs import open_run_with_config


class Slow:
    def __init__(self, inner, pause):
        self.inner, self.pause = inner, pause

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def generate(self, prompt):
        time.sleep(self.pause)
        return self.inner.generate(prompt)


if __name__ == "__main__":
    config_path, pause = Path(sys.argv[1]), float(sys.argv[2])
    BACKENDS.register("replay", lambda request: Slow(open_replay(request), pause))
    run, config = open_run_with_config(config_path)
    print("started", flush=True)
    evaluate_arm(run, config, plan_arm(config, "base"))
