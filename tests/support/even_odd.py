"""Whether a place lies inside closed lines: an odd number of them are crossed on the way out."""

from __future__ import annotations


def inside(place, loops):
    """Whether a place lies inside an odd number of loops of corners."""
    x, y = place
    odd = False
    for loop in loops:
        for (x1, y1), (x2, y2) in zip(loop, [*loop[1:], loop[0]], strict=True):
            if (y1 > y) != (y2 > y) and x < x1 + (y - y1) / (y2 - y1) * (x2 - x1):
                odd = not odd
    return odd
