"""What a failure looks like: two lines on standard error and an exit status by whose fault it was."""

from __future__ import annotations

import errno
import os
import sys
from typing import Final

from faircall.credentials import redact
from faircall.errors import EnvironmentProblem, FaircallError, FileUnreadable, ResourceExhausted, UsageError

INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
_PATH: Final = (
    errno.EEXIST, errno.ENOENT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR,
    errno.ENAMETOOLONG, errno.ELOOP,
)  # fmt: skip


class Bug(FaircallError):
    """An exception that faircall did not expect: a fault of faircall (exit 5)."""

    code = "BUG"


def report(error: BaseException, *, command: str) -> int:
    """Print `error`, which ended `command`, in two lines and return the exit status."""
    if isinstance(error, KeyboardInterrupt):
        print("faircall: INTERRUPTED: stopped before the end", file=sys.stderr)
        print("hint: what was finished is kept; run the same command again", file=sys.stderr)
        return INTERRUPTED
    failure = as_failure(error, command=command)
    print(f"faircall: {failure.code}: {_one_line(failure.message)}", file=sys.stderr)
    if failure.hint:
        print(f"hint: {_one_line(failure.hint)}", file=sys.stderr)
    return failure.exit_status


def as_failure(error: BaseException, *, command: str) -> FaircallError:
    """Any exception as one of faircall's own."""
    if isinstance(error, FaircallError):
        return error
    if isinstance(error, MemoryError):
        return ResourceExhausted("out of memory", hint="use fewer rows, or a machine with more memory")
    if isinstance(error, OSError):
        return _system_failure(error)
    if _is_usage_error(error):
        return UsageError(
            _usage_message(error), hint=f"`{_command_path(error) or command} --help` shows the arguments"
        )
    kind = type(error).__name__
    return Bug(f"{kind}: {error}", hint="this is a fault of faircall; --debug shows the traceback to report")


def _system_failure(error: OSError) -> FaircallError:
    """What the operating system refused: a resource, a path that was given, or something of the machine."""
    message = f"{error.filename or 'the system'}: {error.strerror or error}"
    if error.errno in _FULL:
        hint = "free some of it and run the command again; files that were written before are intact"
        return ResourceExhausted(message, hint=hint)
    if error.errno in _PATH:
        return FileUnreadable(message, hint="give a path that can be read or written")
    return EnvironmentProblem(message, hint="--debug shows where")


def leave_quietly() -> int:
    """The reader of standard output is gone: say nothing, and keep the interpreter from saying it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED


def _is_usage_error(error: BaseException) -> bool:
    """Whether typer refused the arguments; some releases carry their own click, hence the descent."""
    if type(error).__module__.partition(".")[0] not in ("typer", "click"):
        return False
    import typer

    return isinstance(error, typer.BadParameter.__mro__[1])


def _usage_message(error: BaseException) -> str:
    return str(error.format_message()).rstrip(".")  # type: ignore[attr-defined]


def _command_path(error: BaseException) -> str:
    context = getattr(error, "ctx", None)
    return str(context.command_path) if context else ""


def _one_line(text: str) -> str:
    """The text on one line, control characters spelt out, credentials masked: messages quote input."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in redact(text))
