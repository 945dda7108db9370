"""The lab's server, on this machine only unless told otherwise."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from .doors import HEADERS, Doors
from .own_data.data_routes import OwnData
from .own_data.file_shelf import Shelf
from .page_files import page_files

REFUSED = "This page belongs to another browser. Open the address that `novikoff lab` printed, or start it again.\n"
REQUEST_SECONDS = 20.0  # for the headers of a request, and between two pieces of its body; a browser takes milliseconds
MOST_CONNECTIONS = 100  # at a time; a browser opens six


class BoundedConnection(H11Protocol):
    """A connection that is closed when the rest of a request does not come, or when there are too many.

    uvicorn itself waits without end for the rest of a request.  Headers have a time as a whole: a stranger may send them letter
    by letter.  A body may be long, so only the time between two pieces of it is bounded.
    """

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A browser has come."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        """More of a request."""
        headers = self.conn.their_state is h11.IDLE
        super().data_received(data)
        if not (headers and self.conn.their_state is h11.IDLE):
            self._wait()

    def on_response_complete(self) -> None:
        """The next request may begin."""
        self._wait()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """The browser is gone."""
        if self._late:
            self._late.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._late:
            self._late.cancel()
        self._late = self.loop.call_later(REQUEST_SECONDS, self._close_if_incomplete)

    def _close_if_incomplete(self) -> None:
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self.transport.abort()


class Guard:
    """Refuses requests that do not come from the lab's own page, and adds the headers that keep the page safe."""

    def __init__(self, app: Any, doors: Doors) -> None:
        self._app, self._doors = app, doors

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", []),
                    *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
                ]
            await send(message)

        answer = self._refusal(Request(scope))
        await (answer or self._app)(scope, receive, send_guarded)

    def _refusal(self, request: Request) -> Response | None:
        if not self._doors.known_place(request.headers, request.method not in ("GET", "HEAD")):
            return PlainTextResponse("This server answers only its own page.\n", 403)
        token = request.query_params.get("token")
        if request.url.path == "/" and token and self._doors.use_token(token):
            return RedirectResponse("/", 303, {"Set-Cookie": self._doors.cookie})
        if not self._doors.has_cookie(request.cookies):
            return PlainTextResponse(REFUSED, 403)
        return None


def make_app(doors: Doors, own: OwnData | None = None) -> Starlette:
    """The server: files of the page, and the addresses of the user's own data."""

    async def page(request: Request) -> Response:
        found = page_files().get(request.path_params.get("name", "") or "index.html")
        if found is None:
            return PlainTextResponse("There is no such file.\n", 404)
        return Response(found.content, media_type=found.kind)

    async def nobody_there(request: Request, error: Exception) -> Response:
        return Response(status_code=400)  # to a connection that was closed before the request was complete

    @asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        yield
        if own:
            await own.close()

    return Starlette(
        routes=[*(own.routes if own else []), Route("/{name:path}", page)],
        middleware=[Middleware(Guard, doors=doors)],
        exception_handlers={ClientDisconnect: nobody_there},
        lifespan=living,
    )


def serve(listener: socket.socket, doors: Doors, data: Sequence[str | os.PathLike[str]] = ()) -> None:
    """Serve the page until Ctrl-C.  ``data`` are files that the page may ask about."""
    server_of(make_app(doors, OwnData(Shelf(data)))).run(sockets=[listener])


def server_of(app: Starlette) -> uvicorn.Server:
    """What serves the page."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=BoundedConnection,
            log_level="warning",
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=2,
        )
    )
