"""Messages of the page as the server takes them: JSON of bounded size."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

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
