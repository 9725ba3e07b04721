"""Build the reports of the shipped reference run again from its raw text, after a change of their form.

    PYTHONPATH=src python examples/demo/rebuild_reports.py

Generations, telemetry and prompts stay as they are: numbers change only where a definition changed.
"""

from __future__ import annotations

from faircall.demo.replay import reference_run
from faircall.pipeline.arms import load_config_of
from faircall.pipeline.experiment import build_experiment_report, write_experiment
from faircall.pipeline.finish_arm import rebuild_evaluation_report

if __name__ == "__main__":
    run = reference_run()
    config = load_config_of(run)
    for arm in config.arms:
        rebuild_evaluation_report(run, config, arm)
    print("wrote", write_experiment(run, build_experiment_report(run, list(config.arms))).name)
