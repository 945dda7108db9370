"""A scene: a demonstration, its data and parameters and what is shown of them, as JSON and as text for an address.

The page checks the rest of a scene: it knows what its demonstrations take.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

MOST_LETTERS = 60  # of a name
MOST_BYTES = 200_000  # of a scene as JSON
VERSION = 1


def read_scene(given: Any) -> dict[str, Any]:
    """A scene; ``ValueError`` if it is something else."""
    if not isinstance(given, dict) or given.get("version") != VERSION or not isinstance(given.get("demo"), str):
        raise ValueError(f"This is no scene of version {VERSION}: the page writes one with 'Save this scene'.")
    return given


def packed(given: dict[str, Any]) -> str:
    """A scene, or anything else, as it stands in an address: JSON, compressed (raw deflate), in letters that addresses may have."""
    text = json.dumps(given, separators=(",", ":"), allow_nan=False).encode()
    press = zlib.compressobj(9, wbits=-15)
    return base64.urlsafe_b64encode(press.compress(text) + press.flush()).decode().rstrip("=")


def unpacked(text: str) -> dict[str, Any]:
    """The scene of an address."""
    try:
        pressed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        whole = zlib.decompressobj(wbits=-15)
        plain = whole.decompress(pressed, MOST_BYTES)
        if not whole.eof:
            raise ValueError("it is too long, or cut off")
        given = json.loads(plain)
    except (ValueError, zlib.error, RecursionError) as error:
        raise ValueError(f"This address has no scene in it: {error}.") from None
    return read_scene(given)
