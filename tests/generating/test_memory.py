"""Peaks of memory: they grow with what is held, and those of an arm start at the arm."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from faircall.generating import memory

SCRIPT = """
from faircall.generating.memory import watch_memory
earlier = b"x" * 96_000_000
del earlier
watch = watch_memory()
before = watch.measure()["process_peak_bytes"]
held = b"x" * 64_000_000
print(watch.measure()["process_peak_bytes"] - before, watch.since, len(held))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="no other system lets a process reset its peak")
def test_the_peak_of_an_arm_is_not_that_of_what_came_before():
    """In a process of its own: 96 MB were held and given back, then 64 MB are held."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    grown, since = done.stdout.split(maxsplit=1)
    assert int(grown) >= 60_000_000
    assert since.startswith("the start of the arm")


def test_where_the_peak_cannot_be_reset_it_is_the_one_of_the_process(monkeypatch):
    monkeypatch.setattr(memory, "_reset_process_peak", lambda: False)
    assert memory.watch_memory().measure()["since"] == "the start of the process"


class Devices:
    """Stands in for `torch.accelerator` or `torch.cuda`: two devices, each with a peak that can be reset."""

    def __init__(self, available=True):
        self.peaks, self.available = [100, 23], available

    def is_available(self):
        return self.available

    def device_count(self):
        return len(self.peaks)

    def max_memory_allocated(self, index):
        return self.peaks[index]

    def reset_peak_memory_stats(self, index):
        self.peaks[index] = 0


@pytest.mark.parametrize("kind", ["accelerator", "cuda"])
def test_devices_are_added_up_and_reset_for_each_arm(monkeypatch, kind):
    devices = Devices()
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(**{kind: devices}))
    assert memory.MemoryWatch("now").measure()["device_peak_bytes"] == 123
    watch = memory.watch_memory()
    assert watch.measure()["device_peak_bytes"] == 0
    devices.peaks[1] = 7
    assert watch.measure()["device_peak_bytes"] == 7


def test_an_accelerator_that_tells_no_memory_leaves_it_to_cuda(monkeypatch):
    general = SimpleNamespace(is_available=lambda: True)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(accelerator=general, cuda=Devices()))
    assert memory.MemoryWatch("now").measure()["device_peak_bytes"] == 123


def test_without_a_device_or_without_torch_nothing_is_told(monkeypatch):
    absent = Devices(available=False)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(accelerator=absent, cuda=absent))
    assert memory.watch_memory().measure()["device_peak_bytes"] is None
    monkeypatch.delitem(sys.modules, "torch")
    assert memory.watch_memory().measure()["device_peak_bytes"] is None
