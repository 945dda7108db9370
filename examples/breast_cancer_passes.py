"""How many passes?
================

Real data, raw and scaled, last weights and averaged weights.

::

    python examples/breast_cancer_passes.py [folder for the picture]

569 tumours, 30 measurements each (scikit-learn's copy of the Wisconsin data).  The columns' largest values differ by a
factor of more than 100,000, which is what makes the raw data hard for a perceptron.
"""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from novikoff import Perceptron
from novikoff.studies.curves import PassesCurve, passes_curve
from pictures import save

PASSES = 40


def curves() -> dict[tuple[str, str], PassesCurve]:
    X, y = load_breast_cancer(return_X_y=True)
    found = {}
    for keep in ("last", "average"):
        for scale, steps in (("raw", []), ("scaled", [StandardScaler()])):
            learner = make_pipeline(*steps, Perceptron(keep=keep))
            found[keep, scale] = passes_curve(learner, X, y, passes=PASSES, cv=5, random_state=0)
    return found


def report(found: dict[tuple[str, str], PassesCurve]) -> None:
    print(f"Mean accuracy on held-out rows of 5 folds    1 pass   {PASSES} passes   lowest and highest after pass 10")
    for (keep, scale), curve in found.items():
        mean = curve.held_out_scores.mean(axis=1)
        late = f"{mean[10:].min():.3f} to {mean[10:].max():.3f}"
        print(f"{scale:>8} columns, keep={keep!r:<10} {mean[0]:>20.3f} {mean[-1]:>11.3f} {late:>20}")
    best = {scale: found["average", scale].best_passes for scale in ("raw", "scaled")}
    steady = found["average", "scaled"]
    print(
        f"""
The last weights depend on the rows that happened to come last, so their score jumps from pass to pass, on raw columns
most of all; the average of all weights is calm.  Scaling helps more than any number of passes.
Enough passes for averaged weights (best_passes, within one standard error of the best): raw {best["raw"]}, scaled {best["scaled"]}.
On scaled columns more of them raise only the training score, from {steady.train_scores[0].mean():.3f} to {steady.train_scores[-1].mean():.3f}; held out it goes
from {steady.held_out_scores[0].mean():.3f} to {steady.held_out_scores[-1].mean():.3f}."""
    )


def draw(found: dict[tuple[str, str], PassesCurve], folder: Path) -> Path:
    figure = Figure(figsize=(9.2, 7.6), dpi=110, layout="constrained")
    grid = figure.subplots(2, 2, sharex=True, sharey=True)
    for ax, ((keep, scale), curve) in zip(grid.flat, found.items(), strict=True):
        curve.plot(ax)
        ax.set_title(f'{scale} columns, keep="{keep}"', fontsize=11)
        ax.label_outer()
        ax.legend(loc="lower right", fontsize="small", framealpha=0.9)
    figure.suptitle("Breast cancer data: accuracy against passes", fontsize=14)
    return save(figure, folder / "breast_cancer_passes.png")


def main(folder: Path) -> None:
    found = curves()
    report(found)
    print(f"Picture: {draw(found, folder).name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
