"""Every error that faircall raises on purpose, with its code and exit status.

    FaircallError
    ├── AnswerNo               1   the question was answered, and the answer is "no"
    │   ├── ConditionFailed        --fail-if held, or a declared claim failed
    │   └── VerifyMismatch         a file is not what its manifest says
    ├── InputError             2   the input, the flags or the config
    │   ├── UsageError             flags that do not fit together
    │   ├── ConfigError            a config key or value
    │   ├── FileUnreadable         missing, empty, a folder, not text, not gzip
    │   ├── RowInvalid             one line of a file (always names file and line)
    │   ├── DuplicateId            one id on two rows
    │   ├── IdMismatch             ids that only one side has
    │   ├── GoldMissing            rows without a gold call
    │   ├── ColumnUnknown          a column that --map or the reader cannot find
    │   ├── DataError              rows that are valid alone and wrong together
    │   └── ArtifactInvalid        a run artifact of an unknown or broken form
    ├── EnvironmentProblem     3   a dependency or the machine
    │   └── DependencyMissing      an extra is not installed
    ├── EvaluationRefused      4   it could run, and must not
    │   ├── EvaluationError        decoding that is not greedy, an adapter that does not fit
    │   ├── Incomparable           the gate: arms differ where they may not
    │   └── ResourceExhausted      disk full, memory
    └── InvariantViolation     5   a promise that faircall makes about its own artifacts is broken

`faircall: <code>: <message>` and `hint: <hint>` are what the command line prints.
"""

from __future__ import annotations

from typing import ClassVar


class FaircallError(Exception):
    """Base class: a one-line message, a one-line hint, a code and an exit status."""

    code: ClassVar[str] = "ERROR"
    exit_status: ClassVar[int] = 5

    def __init__(self, message: str, *, hint: str = "") -> None:
        """Keep `message` (what is wrong, where) and `hint` (what to do) apart."""
        super().__init__(message)
        self.message = message
        self.hint = hint


class AnswerNo(FaircallError):
    """The question was answered and the answer is no (exit 1)."""

    code = "ANSWER_NO"
    exit_status = 1


class ConditionFailed(AnswerNo):
    """A `--fail-if` expression held, or a declared claim was not established."""

    code = "CONDITION_FAILED"


class VerifyMismatch(AnswerNo):
    """A stored file differs from what its manifest recorded."""

    code = "VERIFY_MISMATCH"


class InputError(FaircallError):
    """The input, the flags or the config are at fault (exit 2)."""

    code = "INPUT"
    exit_status = 2


class UsageError(InputError):
    """Flags or arguments that do not fit together."""

    code = "USAGE"


class ConfigError(InputError):
    """A config key or value that cannot be used."""

    code = "CONFIG"


class FileUnreadable(InputError):
    """A file that is missing, empty, a folder, not UTF-8 or not what its name says."""

    code = "FILE"


class RowInvalid(InputError):
    """One line of a file cannot be used; file and line are part of the message."""

    code = "ROW"


class DuplicateId(InputError):
    """Two rows carry one id, so a join would be ambiguous."""

    code = "DUPLICATE_ID"


class IdMismatch(InputError):
    """Ids that only one side has."""

    code = "ID_MISMATCH"


class GoldMissing(InputError):
    """Rows that carry no gold call where one is needed."""

    code = "GOLD_MISSING"


class ColumnUnknown(InputError):
    """A column that was asked for, or is needed, and is not there."""

    code = "COLUMN"


class DataError(InputError):
    """Rows that are valid alone and wrong together (too few, unpaired, leaking)."""

    code = "DATA"


class ArtifactInvalid(InputError):
    """An artifact whose schema version or form is not one that this version reads."""

    code = "ARTIFACT"


class EnvironmentProblem(FaircallError):
    """A dependency or the machine is at fault (exit 3)."""

    code = "ENVIRONMENT"
    exit_status = 3


class DependencyMissing(EnvironmentProblem):
    """An optional dependency is not installed; the hint is the install command."""

    code = "DEPENDENCY"


class EvaluationRefused(FaircallError):
    """Evaluation could run and must not (exit 4)."""

    code = "REFUSED"
    exit_status = 4


class EvaluationError(EvaluationRefused):
    """Decoding, model or adapter settings that would make the result dishonest."""

    code = "EVALUATION"


class Incomparable(EvaluationRefused):
    """The comparison gate: the arms differ in fields that the treatment does not release."""

    code = "INCOMPARABLE"


class ResourceExhausted(EvaluationRefused):
    """Disk, memory or another resource ran out."""

    code = "RESOURCE"


class InvariantViolation(FaircallError):
    """A promise about faircall's own artifacts is broken (exit 5)."""

    code = "INVARIANT"
