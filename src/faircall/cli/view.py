"""`faircall view`: reports and running evaluations in a browser, on this machine only."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from faircall.cli.console import new_app, print_json, print_text

app = new_app(help="Show reports and running evaluations in a browser, on this machine only.")

PathTo = Annotated[
    Path, typer.Argument(metavar="PATH", help="A run, an artifact root, a report, or rows of outputs.")
]
Port = Annotated[int, typer.Option(min=0, max=65_535, help="The port on 127.0.0.1; 0 takes a free one.")]
Open = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]

StateFlag = Annotated[
    bool, typer.Option("--json", help="Print how far the arms are as JSON for machines, and serve nothing.")
]


@app.command(epilog="Example: faircall view artifacts")
def view(path: PathTo, port: Port = 0, open_browser: Open = False, as_json: StateFlag = False) -> None:
    """Show reports and running evaluations in a browser, on this machine only.

    Pages of a run in progress keep themselves current. Nothing is written; Ctrl-C ends it.
    """
    from faircall.viewer.places import find_place, state_of
    from faircall.viewer.serve import make_local_server

    if as_json:
        print_json(state_of(find_place(path)))
        return
    server = make_local_server(find_place(path), port=port)
    address = f"http://127.0.0.1:{server.server_port}/"
    print_text(f"serving {path} on {address} (Ctrl-C ends it)")
    if open_browser:
        webbrowser.open(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        return
    finally:
        server.server_close()
