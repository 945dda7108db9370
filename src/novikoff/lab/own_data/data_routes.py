"""The server's part of the user's own data: files come in, and work on them goes out line by line, until it is cancelled."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ...models.languages import LANGUAGES
from ...tables.learner_choices import CHOICES
from ..worker import Worker
from .file_shelf import Shelf, TooLarge

# Messages of the page as the server takes them: JSON of bounded size.

LARGEST = 2_000_000  # bytes of a message


async def message_of(request: Request) -> Any:
    """The message, or the response that refuses it."""
    if request.headers.get("content-type", "").split(";")[0] != "application/json":
        return JSONResponse({"error": "Messages are JSON."}, 415)
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST:
            return JSONResponse({"error": f"A message has at most {LARGEST:,} bytes."}, 413)
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return JSONResponse({"error": "This message is not JSON."}, 400)


SECONDS = 3600.0  # for one piece of work, which can be cancelled at any time
BEAT = 0.25  # seconds between two looks whether the page is still there
PROCESS = "novikoff.lab.own_data.work_process"


class OwnData:
    """Files of the user's, and the process that works on them."""

    def __init__(self, shelf: Shelf, worker: Worker | None = None) -> None:
        self.shelf, self.worker = shelf, worker or Worker(SECONDS, PROCESS)

    @property
    def routes(self) -> list[Route]:
        """``POST /data?name=...`` takes a file; ``POST /work`` a message, and answers with lines of JSON: news, then the answer."""
        return [Route("/data", self._take, methods=["POST"]), Route("/work", self._work, methods=["POST"])]

    async def close(self) -> None:
        """End the process and remove the files."""
        await self.worker.stop()
        self.shelf.close()

    async def _take(self, request: Request) -> Response:
        if request.headers.get("content-type") != "application/octet-stream":
            return JSONResponse({"error": "Files are sent as bytes."}, 415)
        try:
            return JSONResponse(
                {"answer": await self.shelf.take(request.query_params.get("name", ""), request.stream())}
            )
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 413 if isinstance(error, TooLarge) else 400)

    async def _work(self, request: Request) -> Response:
        message = await message_of(request)
        if isinstance(message, Response):
            return message
        if not isinstance(message, dict):
            return JSONResponse({"error": "A message says what it asks."}, 400)
        if message.get("ask") == "files":
            known = await asyncio.to_thread(self.shelf.all_files)
            files = [file.described(key) for key, file in known.items()]
            learners = [{"name": each.name, "task": each.task, "linear": each.linear} for each in CHOICES]
            known_here = {"files": files, "problems": self.shelf.problems}
            return JSONResponse({"answer": {**known_here, "learners": learners, "languages": list(LANGUAGES)}})
        try:
            file = self.shelf.find(message.get("file"))
        except ValueError as error:
            return JSONResponse({"error": str(error)})
        asked = {name: message[name] for name in ("ask", "settings", "more") if name in message}
        return StreamingResponse(
            self._lines(request, {**asked, "path": str(file.path), "name": file.name}),
            media_type="application/x-ndjson",
        )

    async def _lines(self, request: Request, message: dict[str, Any]) -> AsyncIterator[str]:
        """News while the work goes on, then the answer; if the page is gone, so is the work."""
        news: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        task = asyncio.create_task(self.worker.ask(message, news.put_nowait))
        try:
            while not task.done():
                await asyncio.wait([task], timeout=BEAT)
                while not news.empty():
                    yield json.dumps({"news": news.get_nowait()}) + "\n"
                if await request.is_disconnected():
                    return
            yield json.dumps(task.result()) + "\n"
        finally:
            task.cancel()
