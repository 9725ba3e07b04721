"""Peaks of memory: they grow with what is held, and never shrink."""

import subprocess
import sys
from types import SimpleNamespace

from faircall.generating import memory

SCRIPT = """
from faircall.generating.memory import process_peak
before = process_peak()
held = b"x" * 64_000_000
print(process_peak() - before, len(held))
"""


def test_the_peak_grows_with_what_is_held():
    """In a process of its own, so that nothing has been held before."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[0]) >= 60_000_000


def test_a_device_is_asked_only_where_there_is_one(monkeypatch):
    cuda = SimpleNamespace(is_available=lambda: True, max_memory_allocated=lambda: 123)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    assert memory.measure_peaks()["device_peak_bytes"] == 123
    cuda.is_available = lambda: False
    assert memory.measure_peaks()["device_peak_bytes"] is None
    monkeypatch.delitem(sys.modules, "torch")
    assert memory.measure_peaks()["device_peak_bytes"] is None
