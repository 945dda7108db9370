"""Whether an answer is the right one, and if not, whether a known slip explains it."""

from __future__ import annotations

from typing import Any

from .answer_reading import Wrong


def expect(answer: Any, right: Any, slips: list[tuple[Any, str]], message: str, hint: str) -> None:
    """``Wrong`` unless the answer is right: with the hint of the first slip that leads to it, else the general one."""
    if same(answer, right):
        return
    raise Wrong(message, next((text for value, text in slips if same(answer, value)), hint))


def same(one: Any, other: Any) -> bool:
    """Whether two answers are equal, part by part: numbers to rounding."""
    if isinstance(one, list | tuple):
        alike = isinstance(other, list | tuple) and len(one) == len(other)
        return alike and all(same(a, b) for a, b in zip(one, other, strict=True))
    return not isinstance(other, list | tuple) and close(one, other)


def close(one: Any, other: Any) -> bool:
    """Equal but for rounding: within a billionth of the larger, or of 1."""
    return bool(abs(one - other) <= 1e-9 * max(1, abs(one), abs(other)))


def readable(value: Any) -> Any:
    """Fractions as ints or floats, to show them."""
    if isinstance(value, list | tuple):
        return [readable(part) for part in value]
    return int(value) if value == int(value) else float(value)
