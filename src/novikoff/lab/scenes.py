"""A scene: a demonstration, its data and parameters and what is shown of them, as JSON and as text for an address."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass
from math import isfinite
from typing import Any

MOST_ROWS = 500  # of a scene
MOST_FEATURES = 20
MOST_CLASSES = 10
MOST_LETTERS = 60  # of a name
MOST_BYTES = 200_000  # of a scene as JSON
LARGEST = 1e9  # of a number in the data
VERSION = 1


@dataclass(frozen=True)
class Data:
    """Rows, the class number of each, and what columns and classes are called."""

    X: list[list[float]]
    y: list[int]
    names: list[str]
    classes: list[str]

    def as_dict(self) -> dict[str, Any]:
        """As a scene holds it."""
        return {"X": self.X, "y": self.y, "names": self.names, "classes": self.classes}

    def arrays(self) -> tuple[Any, Any]:
        """X and y as arrays, for answers that need rows of at least two classes."""
        import numpy as np

        if len(set(self.y)) < 2:
            raise ValueError("All rows have the same class: turn the label of one.")
        return np.array(self.X), np.array(self.y)


def read_data(given: Any) -> Data:
    """The data of a scene, checked: nothing is taken on trust that comes from a page or a link."""
    if not isinstance(given, dict):
        raise ValueError("A scene has data: X, y, names and classes.")
    X, y = given.get("X"), given.get("y")
    if not isinstance(X, list) or not isinstance(y, list) or len(X) != len(y) or not 1 <= len(X) <= MOST_ROWS:
        raise ValueError(f"X and y of a scene have one entry for each row, and from 1 to {MOST_ROWS} rows.")
    names, classes = _texts(given.get("names"), MOST_FEATURES), _texts(given.get("classes"), MOST_CLASSES)
    if len(classes) < 2:
        raise ValueError("A scene has at least two classes.")
    for number, row in enumerate(X):
        if not isinstance(row, list) or len(row) != len(names) or not all(map(_is_number, row)):
            raise ValueError(f"Row {number} of the scene is not {len(names)} numbers between -1e9 and 1e9.")
    for number, label in enumerate(y):
        if isinstance(label, bool) or not isinstance(label, int) or not 0 <= label < len(classes):
            raise ValueError(
                f"The class of row {number} is {label!r}; give a whole number from 0 to {len(classes) - 1}."
            )
    return Data([[float(value) for value in row] for row in X], y, names, classes)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and abs(value) <= LARGEST


def _texts(given: Any, most: int) -> list[str]:
    short = isinstance(given, list) and 1 <= len(given) <= most
    if not short or not all(isinstance(text, str) and 0 < len(text) <= MOST_LETTERS for text in given):
        raise ValueError(f"Names in a scene are at most {most} texts of at most {MOST_LETTERS} letters.")
    return list(given)


def read_scene(given: Any) -> dict[str, Any]:
    """A scene, checked but for its parameters, which its demonstration knows."""
    if not isinstance(given, dict) or given.get("version") != VERSION:
        raise ValueError(f"This is no scene of version {VERSION}: the page writes one with 'Save this scene'.")
    view = given.get("view", {})
    if not isinstance(given.get("demo"), str) or not isinstance(view, dict):
        raise ValueError("A scene names its demonstration, and has a view.")
    return {
        "version": VERSION,
        "demo": given["demo"],
        "data": read_data(given.get("data")).as_dict(),
        "parameters": given.get("parameters", {}),
        "view": view,
    }


def packed(given: dict[str, Any]) -> str:
    """A scene, or anything else, as it stands in an address: JSON, compressed (raw deflate), in letters that addresses may have."""
    text = json.dumps(given, separators=(",", ":"), allow_nan=False).encode()
    press = zlib.compressobj(9, wbits=-15)
    return base64.urlsafe_b64encode(press.compress(text) + press.flush()).decode().rstrip("=")


def unpacked(text: str) -> dict[str, Any]:
    """The scene of an address, checked."""
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
