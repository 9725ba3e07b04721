"""The Python API: score texts or files, compare two results.

gold, raw texts --> score --> Evaluation --+
                                           +--> compare --> Comparison --> to_dict() is the report
file of rows --> load_evaluation ----------+
"""

from __future__ import annotations

from faircall.api.comparison import Comparison, build_comparison_report, compare
from faircall.api.evaluation import Evaluation
from faircall.api.load import load_evaluation, score_file
from faircall.api.prepared_gold import PreparedGold, prepare_gold
from faircall.api.score_texts import score

__all__ = [
    "Comparison",
    "Evaluation",
    "PreparedGold",
    "build_comparison_report",
    "compare",
    "load_evaluation",
    "prepare_gold",
    "score",
    "score_file",
]
