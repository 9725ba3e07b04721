"""The frame of the command line: listing, dispatch, errors, exit statuses."""

import errno
import importlib
import pkgutil
import subprocess
import sys
import types
from typing import Annotated

import pytest
import typer

import faircall
import faircall.cli
from faircall import errors
from faircall.cli import console, main, verbs


@pytest.fixture
def verb(monkeypatch):
    """Register a throw-away verb `probe` that does what the test says."""

    def register(action):
        app = console.new_app(help="A probe.")

        @app.command()
        def probe(name: str = "x", count: Annotated[int, typer.Option()] = 1) -> None:
            action()

        module = types.ModuleType("probe_verb")
        module.app = app
        monkeypatch.setitem(sys.modules, "probe_verb", module)
        monkeypatch.setitem(verbs.VERBS, "probe", verbs.Verb("probe_verb:app", "A probe."))

    return register


def fail_with(error):
    def action():
        raise error

    return action


def every_error_class(root=errors.FaircallError):
    for child in root.__subclasses__():
        yield child
        yield from every_error_class(child)


def test_help_lists_every_verb_with_its_own_first_line():
    for name, entry in verbs.VERBS.items():
        assert f"  {name}" in verbs.listing()
        assert verbs.load(name).help.strip().splitlines()[0] == entry.summary, name


def test_every_verb_module_is_listed():
    listed = {entry.target.partition(":")[0] for entry in verbs.VERBS.values()}
    for info in pkgutil.iter_modules(faircall.cli.__path__, "faircall.cli."):
        if hasattr(importlib.import_module(info.name), "app"):
            assert info.name in listed


def leaves(name):
    command = verbs.load(name)
    subcommands = getattr(command, "commands", None)
    return [[name]] if subcommands is None else [[name, child] for child in subcommands]


@pytest.mark.parametrize("path", [leaf for name in verbs.VERBS for leaf in leaves(name)], ids=" ".join)
def test_every_verb_shows_one_example_and_takes_json(path, capsys):
    assert main([*path, "--help"]) == 0
    text = capsys.readouterr().out
    assert text.count("Example: faircall ") == 1
    assert "--json" in text


def test_no_credential_reaches_an_error(capsys):
    """Source: section 9 of the contract."""
    assert main(["score", "https://user:hunter2@127.0.0.1:1/sk-abcdefghijklmnop1234.jsonl"]) in (2, 3)
    err = capsys.readouterr().err
    assert "hunter2" not in err
    assert "sk-abc" not in err
    assert "[redacted]" in err


@pytest.mark.parametrize("argv", [[], ["--help"], ["-h"], ["help"]])
def test_asking_for_help_is_no_error(argv, capsys):
    assert main(argv) == 0
    assert "Usage: faircall VERB" in capsys.readouterr().out


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"faircall {faircall.__version__}\n"


def test_unknown_verb_suggests_the_near_one(verb, capsys):
    verb(lambda: None)
    assert main(["prob"]) == 2
    assert capsys.readouterr().err == (
        "faircall: USAGE: there is no verb 'prob'\nhint: did you mean `faircall probe`?\n"
    )


@pytest.mark.parametrize("argv", [["--count", "many"], ["--nope"], ["extra"], ["--count"]])
def test_wrong_arguments_are_two_lines_and_exit_2(verb, capsys, argv):
    verb(lambda: None)
    assert main(["probe", *argv]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("faircall: USAGE: ")
    assert lines[1] == "hint: `faircall probe --help` shows the arguments"


@pytest.mark.parametrize("kind", sorted(set(every_error_class()), key=lambda c: c.code))
def test_every_error_prints_its_code_and_exits_with_its_status(verb, capsys, kind):
    verb(fail_with(kind("it broke\nbadly", hint="mend it")))
    assert main(["probe"]) == kind.exit_status
    out, err = capsys.readouterr()
    assert err == f"faircall: {kind.code}: it broke\\nbadly\nhint: mend it\n"
    assert out == ""


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (MemoryError(), 4, "RESOURCE"),
        (OSError(errno.ENOSPC, "No space left on device"), 4, "RESOURCE"),
        (ZeroDivisionError("division by zero"), 5, "BUG"),
        (OSError(errno.EIO, "Input/output error"), 3, "ENVIRONMENT"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), 3, "ENVIRONMENT"),
        (FileExistsError(errno.EEXIST, "File exists", "out"), 2, "FILE"),
        (PermissionError(errno.EACCES, "Permission denied", "out"), 2, "FILE"),
        (KeyboardInterrupt(), 130, "INTERRUPTED"),
    ],
)
def test_foreign_exceptions(verb, capsys, error, status, code):
    verb(fail_with(error))
    assert main(["probe"]) == status
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(f"faircall: {code}: ")
    assert lines[1].startswith("hint: ")


def test_exit_statuses_of_a_verb_pass_through(verb):
    verb(fail_with(typer.Exit(1)))
    assert main(["probe"]) == 1


@pytest.mark.parametrize("argv", [["--debug", "probe"], ["probe", "--debug"]])
def test_debug_shows_the_traceback(verb, argv):
    verb(fail_with(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        main(argv)


def test_debug_by_environment(verb, monkeypatch):
    verb(fail_with(errors.DataError("x")))
    monkeypatch.setenv("FAIRCALL_DEBUG", "1")
    with pytest.raises(errors.DataError):
        main(["probe"])


def test_control_characters_in_a_message_are_spelt_out(verb, capsys):
    verb(fail_with(errors.RowInvalid("odd \x1b[31mname\ud800")))
    main(["probe"])
    assert capsys.readouterr().err == "faircall: ROW: odd \\x1b[31mname\\ud800\n"


@pytest.mark.parametrize("text", ["lone \ud800 surrogate", "é ≥ 語"])
def test_any_text_can_be_printed(text, capsys):
    console.print_text(text)
    assert capsys.readouterr().out.rstrip("\n") in (text, "lone \\ud800 surrogate")


def test_help_and_import_stay_off_the_heavy_path():
    code = (
        "import sys, faircall, faircall.cli; faircall.cli.main(['--help']); "
        "heavy = {'typer', 'rich', 'numpy', 'pydantic', 'torch', 'transformers', 'pandas', 'scipy', 'yaml'};"
        "sys.exit(str(sorted(heavy & set(sys.modules))) if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_closed_pipe_is_quiet():
    code = "import sys; from faircall.cli import *; verbs.listing = lambda: 'x' * 200000; sys.exit(main([]))"
    pipeline = f'{sys.executable} -c "{code}" | head -c 1'
    done = subprocess.run(pipeline, shell=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("x", "")
