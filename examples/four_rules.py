"""Four losses, five learners
==========================

How each treats a row far on the wrong side, and rows far on the right side.

::

    python examples/four_rules.py [folder for the picture]

Two classes that overlap a little.  Then one row more, far on the wrong side; or, in its place, a few rows far on the
right side.  A loss says how much a row may pull at the line, and every learner descends on its own.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from novikoff import Adaline, HingeSGD, LogisticNeuron, PassiveAggressiveClassifier, Perceptron
from novikoff.plots.drawing import COLOURS, INK, MARKERS
from pictures import save

SEED = 1
PASSES = 300
LEARNERS = {
    "perceptron": Perceptron(keep="average", max_iter=PASSES, random_state=SEED),
    "Adaline": Adaline(solver="direct", l2=0),
    "logistic neuron": LogisticNeuron(solver="steps", batch_size="all", max_iter=20 * PASSES),
    "hinge": HingeSGD(0.01, max_iter=PASSES, random_state=SEED),
    "passive-aggressive": PassiveAggressiveClassifier(0.1, keep="average", max_iter=PASSES, random_state=SEED),
}
LOSSES = {  # by z = y a, the label times the score; passive-aggressive steps have the loss of the hinge
    "perceptron": lambda z: np.maximum(0, -z),
    "Adaline": lambda z: (1 - z) ** 2 / 2,
    "logistic neuron": lambda z: np.logaddexp(0, -z),
    "hinge": lambda z: np.maximum(0, 1 - z),
}
LOOKS = {
    "perceptron": {"color": INK, "linestyle": "-"},
    "Adaline": {"color": "#009E73", "linestyle": (0, (6, 2))},
    "logistic neuron": {"color": "#CC79A7", "linestyle": (0, (1, 1))},
    "hinge": {"color": "#E69F00", "linestyle": "-."},
    "passive-aggressive": {"color": "#56B4E9", "linestyle": (0, (4, 1.5, 1, 1.5, 1, 1.5))},
}
REACH = 6.8  # of the picture

Rows = tuple[np.ndarray, np.ndarray]


def problems() -> dict[str, Rows]:
    rng = np.random.default_rng(SEED)
    X = np.vstack([rng.normal((-1.2, 0), 0.8, (30, 2)), rng.normal((1.2, 0), 0.8, (30, 2))])
    y = np.repeat([0, 1], 30)
    wrong = np.array([[-6.0, 3.0]])
    right = np.array([4.5, 5.0]) + rng.normal(scale=0.5, size=(8, 2))
    return {
        "two classes that overlap a little": (X, y),
        "one row of class 1 far on the wrong side": (np.vstack([X, wrong]), np.append(y, 1)),
        "eight rows of class 1 far on the right side": (np.vstack([X, right]), np.append(y, np.ones(8, int))),
    }


def fit_all(found: dict[str, Rows]) -> dict[str, dict]:
    """Every learner on every problem."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the perceptron cannot separate classes that overlap
        return {
            problem: {name: clone(learner).fit(*rows) for name, learner in LEARNERS.items()}
            for problem, rows in found.items()
        }


def angle(clf) -> float:
    """The direction of the weights in degrees."""
    return float(np.degrees(np.arctan2(*clf.coef_[0, ::-1])))


def report(found: dict[str, Rows], fits: dict[str, dict]) -> None:
    X, y = next(iter(found.values()))
    first, *others = fits
    for problem in fits:
        print(f"{problem}:")
        for name, clf in fits[problem].items():
            wrong = int(np.count_nonzero(clf.predict(X) != y))
            turned = f", turned by {angle(clf) - angle(fits[first][name]):+.0f} degrees" if problem != first else ""
            print(f"    {name:<18} {wrong:>2} of the first {len(y)} rows wrong{turned}")
    turns = {name: [abs(angle(fits[p][name]) - angle(clf)) for p in others] for name, clf in fits[first].items()}
    farthest = [max(turns, key=lambda name: turns[name][k]) for k in range(2)]
    calm = max(turns[name][1] for name in turns if name != farthest[1])
    print(
        f"""
The loss of a row far on the wrong side grows with its distance, and the square grows fastest: {farthest[0]} turns most.
Far on the right side perceptron, hinge and passive-aggressive learning have no loss at all, the logistic neuron hardly
any; Adaline wants the score 1 from every row, so rows that are too right pull as well: {farthest[1]} turns by
{turns[farthest[1]][1]:.0f} degrees, no other by more than {calm:.0f}."""
    )


def draw(found: dict[str, Rows], fits: dict[str, dict], folder: Path) -> Path:
    figure = Figure(figsize=(9.4, 9.8), dpi=110, layout="constrained")
    losses, *planes = figure.subplots(2, 2).flat
    z = np.linspace(-3, 4, 400)
    for name, loss in LOSSES.items():
        losses.plot(z, loss(z), linewidth=2.2, **LOOKS[name])
    losses.set(xlabel="label times score, $y\\,a$", ylabel="loss of the row", ylim=(0, 4.5), xlim=(-3, 4))
    losses.axvline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
    losses.text(-0.1, 4.25, "wrong side", ha="right", fontsize=9, color="#555555")
    losses.text(0.1, 4.25, "right side", ha="left", fontsize=9, color="#555555")
    losses.set_title("four losses (passive-aggressive steps have the hinge's)", fontsize=11)
    losses.spines[["top", "right"]].set_visible(False)
    for ax, (problem, (X, y)) in zip(planes, found.items(), strict=True):
        show(ax, X, y, fits[problem])
        ax.set_title(problem, fontsize=11)
    figure.suptitle("What a loss does to a line", fontsize=14)
    handles, labels = planes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return save(figure, folder / "four_rules.png")


def show(ax, X: np.ndarray, y: np.ndarray, learned: dict) -> None:
    """The rows and every learner's line."""
    for name, clf in learned.items():
        w, b = clf.coef_[0], float(clf.intercept_[0])
        foot = -b / (w @ w) * w
        ax.axline(foot, foot + np.array([-w[1], w[0]]), linewidth=2.2, label=name, zorder=3, **LOOKS[name])
    for k in (0, 1):
        own = X[y == k]
        look = {"color": COLOURS[k], "marker": MARKERS[k], "edgecolors": "white", "linewidths": 0.6}
        ax.scatter(*own.T, s=45, label=f"class {k}", zorder=4, **look)
    added = X[60:]
    if len(added):
        ax.scatter(*added.T, s=170, facecolors="none", edgecolors=INK, linewidths=1.0, zorder=5)
    ax.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    ax.spines[["top", "right"]].set_visible(False)


def main(folder: Path) -> None:
    found = problems()
    fits = fit_all(found)
    report(found, fits)
    print(f"Picture: {draw(found, fits, folder).name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
