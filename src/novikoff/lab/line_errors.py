"""How many rows of two classes a line has on its wrong side."""

from __future__ import annotations

from typing import Any


def line_errors(X: Any, y: Any, lines: Any) -> list[int]:
    """Of each line, weights with the bias last: the rows that it predicts wrongly.  +1 if the score is positive, else -1."""
    import numpy as np

    lines = np.atleast_2d(lines)
    scores = X @ lines[:, :-1].T + lines[:, -1]
    errors: list[int] = ((scores > 0) != (y == 1)[:, None]).sum(axis=0).tolist()
    return errors
