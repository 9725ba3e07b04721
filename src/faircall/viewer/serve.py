"""The server: loopback only, one thread per request, silent."""

from __future__ import annotations

import errno
from typing import Any

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from faircall.errors import UsageError
from faircall.viewer.places import Place
from faircall.viewer.site import Site

ADDRESS = "127.0.0.1"


class _Quiet(WSGIRequestHandler):
    """Requests are no news."""

    def log(self, type: str, message: str, *args: Any) -> None:
        """Say nothing."""


def make_local_server(place: Place, *, port: int = 0) -> BaseWSGIServer:
    """A server that is bound and not started yet; port 0 takes a free one.

    Raises:
        UsageError: the port is taken.
    """
    import socket

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError as error:
            reason = "is taken" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
            raise UsageError(f"port {port} {reason}", hint="--port 0 takes a free one") from None
    return make_server(ADDRESS, port, Site(place), threaded=True, request_handler=_Quiet)
