"""Logic gates
===========

AND and OR can be separated by a line, XOR cannot, nor can {a, b} from {c, d} when the four points lie on one line.

::

    python examples/logic_gates.py [folder for the picture]

Read in a fixed order with exact arithmetic, the perceptron either separates the classes or comes back to weights it has
had before.  The updates of such a round add up to zero, and that is a proof that no line separates the classes.
"""

from __future__ import annotations

import sys
import warnings
from itertools import product
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.exceptions import ConvergenceWarning

from novikoff import Perceptron
from novikoff.plots import plot_regions
from novikoff.plots.drawing import INK
from pictures import save

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
ON_A_LINE = np.array([[0, 0], [2, 2], [1, 1], [3, 3]])  # a, b, c, d: b lies between c and d
PROBLEMS = {
    "AND": (CORNERS, np.array([0, 0, 0, 1])),
    "OR": (CORNERS, np.array([0, 1, 1, 1])),
    "XOR": (CORNERS, np.array([0, 1, 1, 0])),
    "{a, b} | {c, d}": (ON_A_LINE, np.array([1, 1, 0, 0])),
}


def fit(X: np.ndarray, y: np.ndarray) -> Perceptron:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the cycle is what this example is about
        return Perceptron(order="cyclic").fit(X, y)


def meeting_point(clf: Perceptron, X: np.ndarray) -> np.ndarray:
    """A point in the convex hulls of both classes: the weighted mean of the mistaken rows of either class."""
    steps = clf.cycle_.steps[:, 0]
    positive = steps > 0
    return steps[positive] @ X[clf.cycle_.rows[positive]] / steps[positive].sum()


def report(name: str, clf: Perceptron, X: np.ndarray) -> None:
    if clf.stop_reason_ == "separated":
        (w1, w2), b = clf.coef_[0], clf.intercept_[0]
        print(f"{name}: separated after {clf.n_mistakes_} updates by {w1:g} x1 {w2:+g} x2 {b:+g} > 0\n")
        return
    cycle = clf.cycle_
    print(f"{name}: a cycle, found in pass {clf.n_iter_}; the updates of one cycle, each row with its constant 1:")
    for row, step in zip(cycle.rows, cycle.steps[:, 0], strict=True):
        print(f"    {step:+g} x ({X[row, 0]}, {X[row, 1]}, 1)")
    total = cycle.steps[:, 0] @ np.column_stack([X[cycle.rows], np.ones(len(cycle.rows))])
    where = ", ".join(f"{v:g}" for v in meeting_point(clf, X))
    print(
        f"    sum: ({', '.join(f'{v:g}' for v in total)}); proves the classes inseparable: {cycle.proves_inseparable}"
    )
    print(f"    So the point ({where}) is a mixture of the rows of either class: the convex hulls meet there.\n")


def count_dichotomies(X: np.ndarray) -> int:
    """How many of the 16 ways to split four points in two can be done by a line; all of one class always can."""
    count = 2
    for labels in product([0, 1], repeat=len(X)):
        if 0 < sum(labels) < len(X):
            clf = fit(X, np.array(labels))
            if clf.stop_reason_ != "separated" and not (clf.stop_reason_ == "cycle" and clf.cycle_.proves_inseparable):
                raise RuntimeError(f"undecided: {labels}")
            count += clf.stop_reason_ == "separated"
    return count


def draw(fits: dict[str, Perceptron], folder: Path) -> Path:
    figure = Figure(figsize=(8, 8.4), dpi=110, layout="constrained")
    for ax, (name, clf) in zip(figure.subplots(2, 2).flat, fits.items(), strict=True):
        X, y = PROBLEMS[name]
        plot_regions(clf, X, y, ax)
        if clf.stop_reason_ == "separated":
            ax.set_title(f"{name}: separated after {clf.n_mistakes_} updates", fontsize=11)
        else:
            show_meeting(ax, clf, X, y)
            ax.set_title(f"{name}: a cycle proves it inseparable", fontsize=11)
        if name.startswith("{"):
            for letter, point in zip("abcd", X, strict=True):
                ax.annotate(letter, point, (9, -12), textcoords="offset points", fontsize=12, style="italic")
        ax.set_xticks(np.unique(X[:, 0]))
        ax.set_yticks(np.unique(X[:, 1]))
        ax.get_legend().remove()
    figure.suptitle("What one perceptron can and cannot learn", fontsize=14)
    handles = {
        label: handle for ax in figure.axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    wanted = [label for label in handles if not label.startswith("margin")]
    figure.legend([handles[label] for label in wanted], wanted, loc="outside lower center", ncols=4, frameon=False)
    return save(figure, folder / "logic_gates.png")


def show_meeting(ax, clf: Perceptron, X: np.ndarray, y: np.ndarray) -> None:
    """White out the answer of weights that go round in a circle, and mark where the hulls meet."""
    for artist in [*ax.images, *ax.lines]:
        artist.remove()
    rows = clf.cycle_.rows
    for label, style in ((0, "-"), (1, "--")):
        part = X[rows][y[rows] == label]
        ax.plot(part[:, 0], part[:, 1], color=("#0072B2", "#D55E00")[label], linestyle=style, linewidth=2.5, zorder=1)
    point = meeting_point(clf, X)
    ax.plot(
        *point, "*", color="#E69F00", markeredgecolor=INK, markersize=20, linestyle="", label="hulls meet", zorder=6
    )


def main(folder: Path) -> None:
    fits = {name: fit(*data) for name, data in PROBLEMS.items()}
    for name, clf in fits.items():
        report(name, clf, PROBLEMS[name][0])
    print("Ways to split four points in two that a line can make, each one found or refuted by the perceptron:")
    print(f"    in general position (corners of a square): {count_dichotomies(CORNERS)} of 16, as Cover's theorem says")
    print(f"    on one line (not in general position):     {count_dichotomies(ON_A_LINE)} of 16")
    print(f"Picture: {draw(fits, folder).name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
