"""Reaching a Ray cluster, or making a small one on this machine that goes away again.

A cluster made here listens on loopback only, shows no dashboard, sends no usage statistics, keeps its token
in the environment of its own processes and its files in a folder that is removed with it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from faircall.errors import EnvironmentProblem, UsageError
from faircall.generating.extras import load_library

ADDRESS_VARIABLE: Final = "RAY_ADDRESS"
_STORE_BYTES: Final = 128 * 1024 * 1024
_REACH_SECONDS: Final = 5.0
_CLIENT: Final = "ray://"
_HERE: Final = "a cluster on this machine"
_HERE_HINT: Final = "look at the memory of this machine and the room in its temporary folder ($TMPDIR)"
_ADDRESS_HINT: Final = (
    "check the address, that Ray and Python have the same versions on all machines, and that a cluster "
    "with a token has RAY_AUTH_MODE=token here, too"
)
_QUIET: Final = {"logging_level": "ERROR", "configure_logging": False, "log_to_driver": False}
# Ray reads these while it is imported. The second: after its end nothing may start Ray again by itself. The
# third: what Ray says of a dead worker would land in our standard output; the pool says it, if it matters.
# The fourth: what answers at an address and is no Ray is asked for a minute, not for a quarter of an hour.
_SETTINGS: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_AUTO_CONNECT": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
    "RAY_NUM_REDIS_GET_RETRIES": "2",
}
# Keeps a node on loopback, as on macOS and Windows.
_LOOPBACK: Final = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
_LOCAL_SETTINGS: Final = {
    **_LOOPBACK,
    "RAY_AUTH_MODE": "token",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that this process is connected to. `ours` says that it is closed with us.

    `folder` holds the files of a cluster that was made here.
    """

    ray: Any
    ours: bool
    folder: str | None = None

    @property
    def resources(self) -> Mapping[str, float]:
        """Everything that the cluster has, busy or not: CPU, GPU, memory."""
        found: Mapping[str, float] = self.ray.cluster_resources()
        return found

    @property
    def machines(self) -> list[Mapping[str, float]]:
        """What each machine of the cluster has, busy or not."""
        return [node["Resources"] for node in self.ray.nodes() if node["Alive"]]

    def close(self) -> None:
        """Leave the cluster, and end it if it was made here."""
        if self.ours:
            self.ray.shutdown()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def connect(address: str | None = None, *, cpus: int = 1, purpose: str) -> Cluster:
    """The cluster at `address`, else that of $RAY_ADDRESS, else a new one; or the one we are connected to.

    Args:
        address: `HOST:PORT`, `ray://HOST:PORT`, or `auto` for the cluster of this machine.
        cpus: how many CPUs a new cluster counts.
        purpose: what needs it, for the message when Ray is not installed.

    Raises:
        DependencyMissing: Ray is not installed.
        EnvironmentProblem: there is no such cluster, or it runs other versions.
    """
    wanted = address or os.environ.get(ADDRESS_VARIABLE) or None
    if wanted is not None and wanted != "local":
        host_port = _require_reachable(wanted)
        on_loopback = host_port is not None and _is_on_loopback_only(*host_port)
        ray = _load({**_SETTINGS, **(_LOOPBACK if on_loopback else {})}, purpose)
        if ray.is_initialized():
            return Cluster(ray, ours=False)
        with _connecting(wanted):
            ray.init(address=wanted, **_QUIET)
        return Cluster(ray, ours=True)
    return _start_here(cpus, purpose)


def _start_here(cpus: int, purpose: str) -> Cluster:
    ray = _load({**_SETTINGS, **_LOCAL_SETTINGS}, purpose)
    if ray.is_initialized():
        return Cluster(ray, ours=False)
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    folder = tempfile.mkdtemp(prefix="fc-ray-", dir=_short_folder())
    try:
        with _connecting(_HERE):
            ray.init(
                address="local",
                num_cpus=cpus,
                include_dashboard=False,
                object_store_memory=_STORE_BYTES,
                _temp_dir=folder,
                **_QUIET,
            )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Cluster(ray, ours=True, folder=folder)


def _load(settings: Mapping[str, str], purpose: str) -> Any:
    for name, value in settings.items():
        os.environ.setdefault(name, value)
    return load_library("ray", purpose=purpose)


def _short_folder() -> str | None:
    """Ray puts sockets into it, and the path of a socket may have some 100 characters only."""
    return "/tmp" if len(tempfile.gettempdir()) > 20 and os.path.isdir("/tmp") else None


@contextlib.contextmanager
def _connecting(place: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # Ray raises what it likes, a bare Exception where a node does not come up
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
        raise EnvironmentProblem(
            f"Ray cannot use {place}: {reason}",
            hint=_HERE_HINT if place == _HERE else _ADDRESS_HINT,
        ) from error


def _require_reachable(address: str) -> tuple[str, int] | None:
    """Ray itself would look for an unknown address for minutes, and then end the process."""
    if address == "auto":
        return None
    host, _, port = address.removeprefix(_CLIENT).rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise UsageError(
            f"{address!r} is no address of a Ray cluster", hint="HOST:PORT, ray://HOST:PORT or auto"
        )
    place = host.strip("[]"), int(port)
    try:
        socket.create_connection(place, timeout=_REACH_SECONDS).close()
    except OSError as error:
        raise EnvironmentProblem(
            f"no Ray cluster answers at {address} ({error.strerror or error})",
            hint="`ray status` on the head node shows its address; leave --ray-address out to run here",
        ) from None
    return place


def _is_on_loopback_only(host: str, port: int) -> bool:
    """Ray takes a loopback address for the machine's own, where a cluster on loopback does not answer."""
    if host not in ("127.0.0.1", "localhost", "::1"):
        return False
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: it only finds the way out
            own = probe.getsockname()[0]
        socket.create_connection((own, port), timeout=_REACH_SECONDS).close()
    except OSError:
        return True
    return False
