"""The most memory that this process has held: its own, and that of its device where torch knows one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def measure_peaks() -> dict[str, int | None]:
    """Peaks in bytes since the process started, None where the system does not tell.

    A server's memory is not in it, and torch is only asked if it was loaded anyway.
    """
    return {"process_peak_bytes": process_peak(), "device_peak_bytes": _device_peak(sys.modules.get("torch"))}


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


def _device_peak(torch: Any) -> int | None:
    if torch is None or not torch.cuda.is_available():
        return None
    return int(torch.cuda.max_memory_allocated())
