"""The Python that makes what the page shows: for those who want to go on in a program."""

from __future__ import annotations

from .scenes import Data


def number(value: float) -> str:
    """A number as Python writes it, whole ones without a point."""
    return str(int(value)) if value == int(value) else repr(value)


def numbers(values: list[float]) -> str:
    """A list of numbers."""
    return f"[{', '.join(map(number, values))}]"


def data_code(data: Data) -> str:
    """``X`` and ``y``."""
    rows = ",\n     ".join(numbers(row) for row in data.X)
    return f"X = [{rows}]\ny = {data.y}\n\n"
