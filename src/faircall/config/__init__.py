"""The one YAML of a run: strict, with every default written out, and its digest.

file --> yaml_lines (values, lines) --> schema (types) --> crosscheck (sections) --> load (Config, digests)
                                                 '-- complaints (file:line: dotted.key ...)
"""

from faircall.config.crosscheck import slices_of
from faircall.config.experiment import arms_of, every_pair, is_about, pairs_of
from faircall.config.load import Config, InputFile, load_config, load_resolved
from faircall.config.schema import (
    OVERALL,
    ArmPlan,
    Claim,
    DataPolicy,
    Dataset,
    EvalPolicy,
    Experiment,
    FormattingPolicy,
    Model,
    Project,
    SamplingPolicy,
    Server,
    Vllm,
)

__all__ = [
    "OVERALL",
    "ArmPlan",
    "Claim",
    "Config",
    "DataPolicy",
    "Dataset",
    "EvalPolicy",
    "Experiment",
    "FormattingPolicy",
    "InputFile",
    "Model",
    "Project",
    "SamplingPolicy",
    "Server",
    "Vllm",
    "arms_of",
    "every_pair",
    "is_about",
    "load_config",
    "load_resolved",
    "pairs_of",
    "slices_of",
]
