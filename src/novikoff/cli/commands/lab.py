"""``novikoff lab``."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from ..errors import tell


def lab(
    scene: Annotated[
        str | None,
        typer.Argument(help="What to show: a scene file, the name of a demonstration, or the link of a view."),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option("--export", help="Write the page to one file, which needs no Python and no network."),
    ] = None,
    host: Annotated[
        str,
        typer.Option("--host", help="Address to listen on; with another address, other machines can reach the page."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0: any that is free.")] = 0,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            "--data",
            help="A data file of any size, shown under My data. Can be repeated.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open a browser.")] = True,
) -> None:
    """Open a page to watch algorithms step by step.

    You draw, drag or load the data. The page is served to the browser on this machine, until Ctrl-C. With --export it is written to
    a file instead, which works anywhere: on a web server, in a learning management system, on a phone (My data only in part).

    Example: novikoff lab perceptron --export perceptron.html
    """
    if export is not None:
        from ...lab.page_export import export_page, find_scene  # when it runs, as all commands do

        size = export_page(export, None if scene is None else find_scene(scene))
        tell(f"{export}: {size:,} bytes. It works without Python and without a network.")
        return
    fragment = "#d=" if data else ""
    if scene is not None:
        from ...lab.page_export import find_scene, fragment_of  # likewise

        fragment = fragment_of(find_scene(scene))
    from ...lab.starting import LOOPBACK, run  # likewise

    if host not in LOOPBACK:
        tell(f"Warning: {host} can be reached from other machines. Anyone who has the address below can use the page.")

    def opened(address: str) -> None:
        tell(f"The lab is at {address}")
        tell("The address works once, in one browser. Ctrl-C ends the lab.")
        if browser:
            webbrowser.open(address)

    run(host, port, opened, fragment, data or [])
