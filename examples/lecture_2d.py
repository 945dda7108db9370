"""Eight points, nine perceptrons, nine answers
============================================

Why the start and the step decide the line, and which line is best.

::

    python examples/lecture_2d.py [folder for the picture]

The exercise of every first lecture on perceptrons: [1,1] [1,3] [2,1] [2,2] against their mirror images.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from novikoff import Perceptron
from novikoff.plots import plot_regions
from novikoff.plots.drawing import INK
from pictures import save

POSITIVE = np.array([[1, 1], [1, 3], [2, 1], [2, 2]])
X = np.vstack([POSITIVE, -POSITIVE])
Y = np.array([1, 1, 1, 1, -1, -1, -1, -1])

STARTS = [(-1.0, 2.0, 0.0), (3.0, -2.0, 1.0), (-2.0, -1.0, 3.0)]  # w1, w2, b
STEPS = [0.125, 1.0, 8.0]  # powers of two, so that every sum is exact


def margin(w: np.ndarray, b: float) -> float:
    """The distance of the closest row from the line, negative if some row is on the wrong side."""
    return float(np.min(Y * (X @ w + b)) / np.linalg.norm(w))


def fit_all() -> list[tuple[tuple[float, ...], float, Perceptron]]:
    """One fit for each start and step; every start errs, as the exercise demands."""
    runs = []
    for start in STARTS:
        if margin(np.array(start[:2]), start[2]) > 0:
            raise ValueError(f"{start} separates the rows already: nothing would be learned from it.")
        runs += [(start, eta, Perceptron(eta=eta, init=[start], order="cyclic").fit(X, Y)) for eta in STEPS]
    return runs


def margin_of(clf: Perceptron) -> float:
    return margin(clf.coef_[0], float(clf.intercept_[0]))


def report(runs: list, best: Perceptron) -> None:
    print("  start w1, w2, b   step  updates      answer w1, w2, b   margin")
    for start, eta, clf in runs:
        answer = ", ".join(f"{v:.4g}" for v in (*clf.coef_[0], clf.intercept_[0]))
        first = ", ".join(f"{v:g}" for v in start)
        mark = "  <- best of these" if clf is best else ""
        print(f"{first:>17} {eta:>6g} {clf.n_mistakes_:>8} {answer:>21} {margin_of(clf):>8.4f}{mark}")
    separated = sum(clf.stop_reason_ == "separated" for _, _, clf in runs)
    print(
        f"""
The classes are linearly separable: {separated} of {len(runs)} runs ended with every row right.
Why the answers differ: an answer is the start plus the step times the signed rows that were mistaken on the way, and
the perceptron is content with the first line that separates.  A step that is small beside the start leaves most of the
start in the answer; a large step forgets it.  Start and step multiplied by the same factor give the same line.
Which is best: the line with the largest margin, farthest from its closest row; of these, the one with {margin_of(best):.4f}.
No line can do better than {2**0.5:.4f}: [1,1] and [-1,-1] are 2 x {2**0.5:.4f} apart and a line has to pass between
them.  The line x1 + x2 = 0 reaches it: margin {margin(np.array([1, 1]), 0):.4f}."""
    )


def draw(runs: list, best: Perceptron, folder: Path) -> Path:
    figure = Figure(figsize=(8.4, 9.2), dpi=110, layout="constrained")
    grid = figure.subplots(len(STARTS), len(STEPS), sharex=True, sharey=True)
    for ax, (start, eta, clf) in zip(grid.flat, runs, strict=True):
        plot_regions(clf, X, Y, ax)
        w, b = np.array(start[:2]), start[2]
        foot = -b / (w @ w) * w
        ax.axline(foot, foot + np.array([-w[1], w[0]]), color="#888888", linestyle=":", linewidth=1.6, label="start")
        ax.set_title(f"step {eta:g}, margin {margin_of(clf):.3f}", fontsize=10)
        ax.label_outer()
        ax.get_legend().remove()
        if clf is best:
            ax.set_title(ax.get_title() + " (best)", fontsize=10, fontweight="bold")
            for spine in ax.spines.values():
                spine.set(visible=True, color=INK, linewidth=2)
    for ax, start in zip(grid[:, 0], STARTS, strict=True):
        ax.set_ylabel(f"start w = ({start[0]:g}, {start[1]:g}), b = {start[2]:g}\n$x_2$")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    labels = ["margin band" if label.startswith("margin") else label for label in labels]
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.suptitle("One data set, three starts, three steps: nine separating lines", fontsize=14)
    return save(figure, folder / "lecture_2d.png")


def main(folder: Path) -> None:
    runs = fit_all()
    best = max((clf for _, _, clf in runs), key=margin_of)
    report(runs, best)
    print(f"Picture: {draw(runs, best, folder).name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
