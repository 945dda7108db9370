"""Whole numbers as people read them."""

from __future__ import annotations

WRITTEN_OUT = 10**6  # up to here bounds are given digit by digit


def count(number: int) -> str:
    """A whole number."""
    return f"{number:,}"


def at_most(bound: int) -> str:
    """A bound that is not exceeded: a large one by its first two digits, rounded up, such as 1.5e16."""
    if bound <= WRITTEN_OUT:
        return count(bound)
    power = len(str(bound)) - 1
    first = -(-bound // 10 ** (power - 1))
    return f"{first / 10:.1f}e{power}" if first < 100 else f"1.0e{power + 1}"
