"""Watch a perceptron learn
========================

Every update as a line of a table, and as a line in the plane.

::

    python examples/moving_line.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from novikoff import Perceptron
from novikoff.plots import plot_trace
from novikoff.studies.tracing import Trace, trace
from pictures import save

CATS = np.array([[0, -3], [-4, 1], [-3, 0], [-4, -4], [-2, -4]])
DOGS = np.array([[0, 4], [4, 4], [2, 3], [4, -2], [-3, 3]])
X = np.vstack([CATS, DOGS])
Y = np.array(["cat"] * len(CATS) + ["dog"] * len(DOGS))


def check(steps: Trace) -> None:
    """Every update is the definition: w + y x and b + y, with y = +1 for a dog and -1 for a cat."""
    for step in steps:
        y = 1 if Y[step.row] == "dog" else -1
        if not np.array_equal(step.after - step.before, [[*(y * X[step.row]), y]]):
            raise RuntimeError(f"update of row {step.row} is not y x")


def draw(steps: Trace, folder: Path) -> Path:
    figure = Figure(figsize=(7, 6.4), dpi=110, layout="constrained")
    plot_trace(steps, X, Y, figure.subplots())
    return save(figure, folder / "moving_line.png")


def main(folder: Path) -> None:
    steps = trace(Perceptron(order="alternate"), X, Y)
    print(steps)
    check(steps)
    counts = np.bincount(steps.row, minlength=len(X))
    print(f"\nEvery update added y (x, 1), exactly. Updates by row: {counts.tolist()}, {len(steps)} in all;")
    signed = np.where(Y == "dog", 1, -1) * counts
    w1, w2, b = signed @ np.column_stack([X, np.ones(len(X))])
    print(
        f"the counts alone give the answer back, the sum of count y (x, 1): {w1:g} x1 {w2:+g} x2 {b:+g} > 0 says dog."
    )
    print(f"Picture: {draw(steps, folder).name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
