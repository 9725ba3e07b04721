"""The new process of a repeat check does not outlive the command that asked for it."""

import pickle
import subprocess
import sys
import time

CHILD = "from faircall.generating.repeating.fresh_process import main; main({!r})"
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', {!r}])"


class Endless:
    """A task that takes for ever to read; it leaves a sign when the reading begins."""

    def __init__(self, sign):
        self.sign = sign

    def __reduce__(self):
        program = f"import pathlib, time; pathlib.Path({str(self.sign)!r}).touch(); time.sleep(120)"
        return exec, (program,)


def wait_for(condition):
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def test_it_ends_when_the_command_is_killed_and_leaves_nothing(tmp_path):
    folder, sign = tmp_path / "task", tmp_path / "sign"
    folder.mkdir()
    (folder / "task.pickle").write_bytes(pickle.dumps(Endless(sign)))
    with subprocess.Popen([sys.executable, "-c", PARENT.format(CHILD.format(str(folder)))]) as parent:
        assert wait_for(sign.exists)
        parent.kill()
    assert wait_for(lambda: not folder.exists())
