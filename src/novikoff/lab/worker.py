"""The process that works out answers, and how the server talks to it.

Answers are worked out in a process beside the server's, so that one that takes too long can be ended.  They talk in lines of
JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

FIRST_SECONDS = 180.0  # for a new process to get ready
LONGEST = 64_000_000  # bytes of an answer


class Worker:
    """A process that answers one message after the other; it is started again when one took too long."""

    def __init__(self, seconds: float, module: str) -> None:
        self._seconds, self._module = seconds, module
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self.ready = False

    async def start(self) -> None:
        """Start the process and wait until it is ready to answer."""
        async with self._turn:
            await self._begin()

    async def ask(
        self, message: dict[str, Any], on_news: Callable[[dict[str, Any]], None] | None = None
    ) -> dict[str, Any]:
        """The answer; an error if there is none in time.  Lines before it, which have "news", are told to ``on_news``.

        To cancel the task that waits for it ends the process.
        """
        if self._turn.locked() and on_news is not None:
            on_news({"title": "Python works for another page or result, and this waits", "share": None})
        async with self._turn:
            try:
                process = await self._begin()
                assert process.stdin is not None
                process.stdin.write(json.dumps(message).encode() + b"\n")
                await process.stdin.drain()
                async with asyncio.timeout(self._seconds):
                    while True:
                        found: dict[str, Any] = json.loads(await self._line(process))
                        if "news" not in found:
                            return found
                        if on_news is not None:
                            on_news(found["news"])
            except TimeoutError:
                await self._end()
                return {"error": f"No answer within {self._seconds:g} seconds, so it was given up. Try fewer rows."}
            except asyncio.CancelledError:
                await self._end()
                raise
            except (OSError, ValueError):
                await self._end()
                return {"error": "The process that works out answers ended. It is started again: try once more."}

    async def stop(self) -> None:
        """End the process."""
        await self._end()

    async def _begin(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                self._module,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LONGEST,
            )
            try:
                async with asyncio.timeout(FIRST_SECONDS):
                    await self._line(self._process)
            except (TimeoutError, asyncio.CancelledError):  # else the line would be taken for the next answer
                await self._end()
                raise
            self.ready = True
        return self._process

    @staticmethod
    async def _line(process: asyncio.subprocess.Process) -> bytes:
        assert process.stdout is not None
        return await process.stdout.readline()

    async def _end(self) -> None:
        process, self._process, self.ready = self._process, None, False
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def answers_to() -> BinaryIO:
    """Where a process of a ``Worker`` writes its lines; what else is printed goes to standard error from now on."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers
