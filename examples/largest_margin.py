"""The largest margin
==================

The lines of the perceptron, the online and the exact support vector machine side by side, and what C does to the exact
one.

::

    python examples/largest_margin.py [folder for the picture]

First two classes that many lines separate.  The perceptron stops at any of them, ``HingeSGD`` walks towards the one in the
middle, and ``LinearSVM`` finds it and proves it.  Then two classes that overlap, where C says what a slack costs.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from novikoff import HingeSGD, LinearSVM, Perceptron, separability, svm_kkt
from novikoff.plots import plot_svm
from novikoff.plots.drawing import COLOURS, INK, MARKERS
from pictures import save

SEED = 4
LOOKS = {
    "perceptron": {"color": "#009E73", "linestyle": (0, (1, 1))},
    "HingeSGD": {"color": "#CC79A7", "linestyle": (0, (6, 2))},
    "LinearSVM": {"color": INK, "linestyle": "-"},
}


def data(gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Two clouds, the farther apart the larger the gap."""
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(40, 2))
    y = np.repeat([0, 1], 20)
    return X + np.outer(2 * y - 1, [gap, gap / 2]), y


def compare(X: np.ndarray, y: np.ndarray) -> dict[str, object]:
    """Three learners on classes that a line separates."""
    learners = {
        "perceptron": Perceptron(random_state=SEED).fit(X, y),
        "HingeSGD": HingeSGD(1e-3, max_iter=300, random_state=SEED).fit(X, y),
        "LinearSVM": LinearSVM(np.inf).fit(X, y),
    }
    signs = np.where(y == 1, 1, -1)
    print("Two classes that many lines separate       distance of the closest row")
    for name, learner in learners.items():
        print(f"  {name:<40} {(signs * learner.signed_distance(X)).min():.4f}")
    _, high = separability(X, y, max_margin=True).margin_bounds
    print(f"No line does better than {high:.4f}; LinearSVM(C=inf) reaches {learners['LinearSVM'].margin_:.4f}.")
    return learners


def soften(X: np.ndarray, y: np.ndarray) -> list[LinearSVM]:
    """What C does where classes overlap."""
    machines = [LinearSVM(C, loss="hinge").fit(X, y) for C in (100.0, 0.05)]
    print("\nTwo classes that overlap    margin   support vectors   slack in all   relative gap   conditions hold")
    for machine in machines:
        proved = f"{machine.duality_gap_:.0e}   {svm_kkt(machine, X, y).holds()}"
        row = f"{machine.margin_:>8.3f} {machine.support_.size:>17} {machine.slack_.sum():>14.2f} {proved:>20}"
        print(f"  LinearSVM(C={machine.C:<6g})      {row}")
    print("The smaller C, the wider the band, and the more rows are allowed into it.")
    return machines


def draw(apart: tuple, learners: dict, mixed: tuple, machines: list[LinearSVM], folder: Path) -> Path:
    figure = Figure(figsize=(15, 6), dpi=100, layout="constrained")
    left, *others = figure.subplots(1, 3)
    X, y = apart
    for name, learner in learners.items():
        w, b = learner.coef_[0], learner.intercept_[0]
        foot = X.mean(axis=0) - (w @ X.mean(axis=0) + b) / (w @ w) * w
        left.axline(foot, foot + np.array([-w[1], w[0]]), linewidth=2, label=name, **LOOKS[name])
    for k in (0, 1):
        left.scatter(*X[y == k].T, s=70, color=COLOURS[k], marker=MARKERS[k], edgecolors="white", label=f"class {k}")
    left.set_aspect("equal")
    left.set_title("Three lines that separate")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, frameon=False, fontsize="small")
    for ax, machine in zip(others, machines, strict=True):
        plot_svm(machine, *mixed, ax)
    return save(figure, folder / "largest_margin.png")


def main(folder: Path) -> None:
    apart, mixed = data(2.2), data(0.9)
    learners, machines = compare(*apart), soften(*mixed)
    print(f"\nPicture: {draw(apart, learners, mixed, machines, folder).name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
