"""Devices are waited for before each reading of the clock, and the telemetry says how.

No machine with a GPU runs these tests: torch and its devices are stood in for.
"""

from types import SimpleNamespace
from typing import NamedTuple

import pytest

from faircall.generating.accelerator import ON_CPU, Accelerators, accelerators_of
from faircall.generating.answering import answer_prompts
from faircall.generating.journal import open_journal
from faircall.generating.telemetry import UNSTATED, Allocation, build_telemetry
from faircall.records import Generation, Prompt


class Device(NamedTuple):
    type: str
    index: int = 0


CUDA, SECOND, MPS, XPU, CPU = Device("cuda"), Device("cuda", 1), Device("mps"), Device("xpu"), Device("cpu")
SLICES = {
    "en": [Prompt(name, "en", None, text, "", "p", "m", "t", ()) for name, text in (("a", "xx"), ("b", "x"))]
}


class Devices:
    """Stands in for a module of torch that waits for devices."""

    def __init__(self, log, available=True):
        self.log, self.available = log, available

    def is_available(self):
        return self.available

    def synchronize(self, device=None):
        self.log.append("wait" if device is None else f"wait for {device.type}")


class Backend:
    """Writes down when it is asked and when it is waited for."""

    def __init__(self, log, accelerators, batch_size=1):
        self.log, self.accelerators, self.batch_size = log, accelerators, batch_size

    def describe(self):
        return {}

    def check(self, prompts):
        pass

    def close(self):
        pass

    def prompt_length(self, prompt):
        return len(prompt.prompt_text)

    def generate(self, prompt):
        self.log.append(f"generate {prompt.example_id}")
        return Generation(prompt.example_id, "", language="en")

    def generate_batch(self, prompts):
        self.log.append("generate " + "+".join(prompt.example_id for prompt in prompts))
        return [Generation(prompt.example_id, "", language="en") for prompt in prompts]

    @property
    def synchronisation(self):
        return self.accelerators.synchronisation

    def synchronise(self):
        self.accelerators.synchronise()


def run(path, backend, log):
    def clock():
        log.append("clock")
        return len(log)

    with open_journal(path, {"x": 1}) as journal:
        return answer_prompts(backend, SLICES, journal=journal, clock=clock)


def stated(finished):
    telemetry = build_telemetry(finished, allocation=Allocation("cuda:0", threads=1), decoding={})
    return telemetry["contract"]["device_synchronisation"]


def test_the_device_is_waited_for_before_both_readings_of_each_interval(tmp_path):
    log = []
    torch = SimpleNamespace(accelerator=Devices(log))
    finished = run(tmp_path / "j", Backend(log, Accelerators(torch, (CUDA,))), log)
    interval = ["wait for cuda", "clock", "generate {}", "wait for cuda", "clock"]
    each = [step.format(name) for name in "ab" for step in interval]
    assert log == ["generate a", *each]  # the warm-up call is not timed
    assert stated(finished) == "explicit: torch.accelerator.synchronize before each reading of the clock"


def test_a_batch_is_timed_in_the_same_way(tmp_path):
    log = []
    torch = SimpleNamespace(accelerator=Devices(log))
    finished = run(tmp_path / "j", Backend(log, Accelerators(torch, (CUDA, SECOND)), batch_size=2), log)
    wait = ["wait for cuda", "wait for cuda", "clock"]
    assert log == [*wait, "generate a+b", *wait]
    assert stated(finished).startswith("explicit: ")


def test_on_a_cpu_there_is_nothing_to_wait_for(tmp_path):
    log = []
    torch = SimpleNamespace(accelerator=Devices(log, available=False))
    finished = run(tmp_path / "j", Backend(log, Accelerators(torch)), log)
    assert log == ["generate a", "clock", "generate a", "clock", "clock", "generate b", "clock"]
    assert stated(finished) == ON_CPU


def test_a_backend_that_cannot_be_waited_for_is_not_said_to_have_been(tmp_path):
    class Plain:
        describe, check, close = Backend.describe, Backend.check, Backend.close

        def generate(self, prompt):
            return Generation(prompt.example_id, "", language="en")

    assert stated(run(tmp_path / "j", Plain(), [])) == UNSTATED


@pytest.mark.parametrize(
    ("device", "module", "name"),
    [(CUDA, "cuda", "torch.cuda"), (XPU, "xpu", "torch.xpu"), (MPS, "mps", "torch.mps")],
)
def test_before_torch_has_its_general_module_the_kind_of_the_device_has_one(device, module, name):
    log = []
    accelerators = Accelerators(SimpleNamespace(**{module: Devices(log)}), (device,))
    accelerators.synchronise()
    assert log == ["wait" if device is MPS else f"wait for {device.type}"]
    assert accelerators.synchronisation == f"explicit: {name}.synchronize before each reading of the clock"


def test_the_devices_are_those_of_the_parameters_without_the_cpu():
    model = SimpleNamespace(
        parameters=lambda: [SimpleNamespace(device=device) for device in (CPU, SECOND, CUDA, SECOND)]
    )
    assert accelerators_of(None, model).devices == (SECOND, CUDA)


def test_an_error_of_the_device_is_left_to_the_answer():
    def fail(device):
        raise RuntimeError("an illegal memory access was encountered")

    torch = SimpleNamespace(accelerator=SimpleNamespace(is_available=lambda: True, synchronize=fail))
    Accelerators(torch, (CUDA,)).synchronise()
