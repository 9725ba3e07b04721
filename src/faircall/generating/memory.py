"""The most memory that an arm has held: of its process, and of its devices where torch knows any."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_RESET_PEAK: Final = "5"  # what proc(5) calls for in clear_refs; Linux only


@dataclass(frozen=True, slots=True)
class MemoryWatch:
    """Peaks since the start of the arm where the system forgets earlier ones, else of the process."""

    since: str

    def measure(self) -> dict[str, Any]:
        """Peaks in bytes, None where the system does not tell; a server's memory is not in them."""
        return {
            "process_peak_bytes": process_peak(),
            "device_peak_bytes": _device_peak(sys.modules.get("torch")),
            "since": self.since,
        }


def watch_memory() -> MemoryWatch:
    """Forget the peaks of whatever this process did before, as far as the system can."""
    _reset_device_peaks(sys.modules.get("torch"))
    return MemoryWatch("the start of the arm" if _reset_process_peak() else "the start of the process")


def process_peak() -> int | None:
    """The peak of the resident set of this process.

    Linux tells it in /proc; what `getrusage` tells there is inherited from whoever started the process.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        lines = status.read_text("ascii", "replace").splitlines()
        found = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
        return int(found[0]) * 1024 if found else None
    try:
        import resource
    except ImportError:  # Windows has no such module
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS


def _reset_process_peak() -> bool:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text(_RESET_PEAK, "ascii")
        return True
    return False


def _device_peak(torch: Any) -> int | None:
    """What torch, if it was loaded anyway, has allocated at most on its devices, added up."""
    devices = _devices(torch)
    if devices is None:
        return None
    return sum(int(devices.max_memory_allocated(index)) for index in range(devices.device_count()))


def _reset_device_peaks(torch: Any) -> None:
    devices = _devices(torch)
    for index in range(devices.device_count() if devices is not None else 0):
        devices.reset_peak_memory_stats(index)


def _devices(torch: Any) -> Any:
    """What of torch tells the memory of its devices: of any kind in new versions, else of CUDA's."""
    for name in ("accelerator", "cuda"):
        module: Any = getattr(torch, name, None)
        if hasattr(module, "max_memory_allocated") and module.is_available():
            return module
    return None
