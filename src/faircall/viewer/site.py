"""The WSGI application: few addresses, reading only, for the browser on this machine and nobody else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.routing import Map, Rule
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from faircall.errors import FaircallError
from faircall.pipeline.arms import evaluated_arms
from faircall.store.layout import RunFolder, list_runs
from faircall.viewer import places
from faircall.viewer.places import Place

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")

_RULES: Final = Map(
    [
        Rule("/", endpoint="home"),
        Rule("/part", endpoint="home_part"),
        Rule("/runs/<run_id>/", endpoint="run"),
        Rule("/runs/<run_id>/part", endpoint="run_part"),
        Rule("/runs/<run_id>/<any(comparison, experiment):name>", endpoint="report"),
        Rule("/runs/<run_id>/pairs/<int:place>", endpoint="pair"),
        Rule("/runs/<run_id>/arms/<arm>", endpoint="arm"),
    ]
)
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_POLICY: Final = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


class Site:
    """The pages of one place. A request under another host name than loopback's is refused.

    Without that a page of a stranger, its name rebound to 127.0.0.1, could read what is shown here.
    """

    def __init__(self, place: Place) -> None:
        self._place = place

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """WSGI."""
        return self._answer(Request(environ))(environ, start_response)

    def _answer(self, request: Request) -> Response:
        refusal = _refuse(request)
        if refusal is not None:
            return _finish(refusal)
        try:
            endpoint, values = _RULES.bind_to_environ(request.environ).match()
            response = self._page(str(endpoint), values)
        except HTTPException as error:
            response = Response(f"{error.code} {error.name}\n", status=error.code)
        except FaircallError as error:
            response = Response(f"{error.code}: {error.message}\n{error.hint}\n", status=404)
        return _finish(response)

    def _page(self, endpoint: str, values: Mapping[str, Any]) -> Response:
        if endpoint.startswith("home"):
            return self._home(part_only=endpoint == "home_part")
        run = self._find_run(values["run_id"])
        if endpoint == "report":
            return _html(places.report_page(run, values["name"]))
        if endpoint == "pair":
            return _html(_found(places.pair_page(run, values["place"])))
        if endpoint == "arm":
            return _html(places.arm_page(run, _known_arm(run, values["arm"])))
        up = "" if self._place.run else "../../"
        return _html(places.overview_page(run, up=up, part_only=endpoint == "run_part"))

    def _home(self, *, part_only: bool) -> Response:
        if self._place.run is not None:
            return redirect(f"/runs/{self._place.run.run_id}/", Response=Response)
        if self._place.root is not None:
            return _html(places.list_page(self._place.root, part_only=part_only))
        return _html(places.file_page(self._place.file or Path()))

    def _find_run(self, run_id: str) -> RunFolder:
        """A run that is listed: an address never becomes a path."""
        single, root = self._place.run, self._place.root
        runs = [single] if single is not None else list_runs(root) if root is not None else []
        for run in runs:
            if run.run_id == run_id:
                return run
        raise NotFound


def _found(page: str | None) -> str:
    if page is None:
        raise NotFound
    return page


def _known_arm(run: RunFolder, arm: str) -> str:
    if arm not in evaluated_arms(run):
        raise NotFound
    return arm


def _refuse(request: Request) -> Response | None:
    host = request.headers.get("Host", "")
    name = host.rpartition(":")[0] if re.search(r":\d+$", host) else host
    if name not in LOOPBACK:
        return Response("403: this server answers to loopback names only\n", status=403)
    if request.method not in ("GET", "HEAD"):
        return Response("405: this server is read only\n", status=405, headers={"Allow": "GET, HEAD"})
    return None


def _html(text: str) -> Response:
    response = Response(text.encode("utf-8"), mimetype="text/html")
    policy = _POLICY.search(text[:2000])
    if policy is not None:
        found = policy[1].replace("&#39;", "'")
        response.headers["Content-Security-Policy"] = f"{found}; frame-ancestors 'none'"
    return response


def _finish(response: Response) -> Response:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    if "Content-Security-Policy" not in response.headers:
        response.headers["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'"
    return response
