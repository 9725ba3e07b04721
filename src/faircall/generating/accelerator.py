"""Devices that work behind the caller's back: they are waited for before the clock is read.

A CPU has finished when a call returns. A GPU has only been told what to do, so a clock that is read without
waiting measures how fast work is handed over.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from faircall.generating.backend import Backend, DeviceBackend

ON_CPU: Final = "none needed: on a CPU a call returns when its work is done"


@dataclass(frozen=True, slots=True)
class Accelerators:
    """The devices beside the CPU that hold a model; none when it lies in the CPU's memory alone."""

    torch: Any
    devices: tuple[Any, ...] = ()

    @property
    def synchronisation(self) -> str:
        """How the clock waits for them, in the words of the telemetry."""
        if not self.devices:
            return ON_CPU
        names = ", ".join(dict.fromkeys(_waiting(self.torch, device)[0] for device in self.devices))
        return f"explicit: {names} before each reading of the clock"

    def synchronise(self) -> None:
        """Wait until they have done all work. An error of a device is told by the answer that it spoilt."""
        for device in self.devices:
            with contextlib.suppress(RuntimeError):
                _waiting(self.torch, device)[1](device)


def accelerators_of(torch: Any, model: Any) -> Accelerators:
    """The accelerators that hold a parameter of `model`, in the order of the parameters."""
    devices = dict.fromkeys(parameter.device for parameter in model.parameters())
    return Accelerators(torch, tuple(device for device in devices if device.type not in ("cpu", "meta")))


def _waiting(torch: Any, device: Any) -> tuple[str, Callable[[Any], None]]:
    """The function of torch that waits for `device`, with its name.

    `torch.accelerator` knows the kinds of devices that it was built for, since torch 2.6; before, each kind
    has a module of its own, of which those of Apple's devices take no device.
    """
    general = getattr(torch, "accelerator", None)
    if general is not None and general.is_available():
        return "torch.accelerator.synchronize", general.synchronize
    own = getattr(torch, device.type)
    if device.type == "mps":
        return "torch.mps.synchronize", lambda _: own.synchronize()
    return f"torch.{device.type}.synchronize", own.synchronize


def synchronised(backend: Backend, clock: Callable[[], int]) -> Callable[[], int]:
    """The clock, read after the backend's device has done all work, where the backend can wait for it."""
    if not isinstance(backend, DeviceBackend):
        return clock
    wait = backend.synchronise

    def read() -> int:
        wait()
        return clock()

    return read


def tell_synchronisation(backend: Backend) -> str | None:
    """How the backend's device is waited for, in the words of the telemetry; None where it cannot be."""
    return backend.synchronisation if isinstance(backend, DeviceBackend) else None
