"""How the lab starts: its address is told at once, so that a browser opens while the server is still imported."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from importlib.util import find_spec

from ..report.words import installing
from .doors import Doors

LOOPBACK = ("127.0.0.1", "localhost", "::1")
INSTALL = f"The lab needs more packages: {installing('lab')}"


def run(
    host: str,
    port: int,
    on_address: Callable[[str], None],
    fragment: str = "",
    data: Sequence[str | os.PathLike[str]] = (),
) -> None:
    """Serve the page until Ctrl-C; ``on_address`` is told where.  ``data`` are files that the page may ask about."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ImportError(INSTALL)
    with listening(host, port) as listener:
        real = listener.getsockname()[1]
        doors = Doors(host, real)
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        on_address(f"http://{shown}:{real}/?token={doors.token}{fragment}")
        from .server import serve  # and starlette: who asks meanwhile, waits

        serve(listener, doors, data)


def listening(host: str, port: int) -> socket.socket:
    """A socket at this port; 0: any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(f"port {port} of {host} cannot be used ({error.strerror}): choose another port") from None
    listener.listen(128)
    return listener
