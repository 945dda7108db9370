"""Probabilities from a support vector machine
===========================================

scikit-learn's ``CalibratedClassifierCV`` around ``LinearSVM``.

::

    python examples/calibrated_svm.py [folder for the picture]

A support vector machine has scores, no probabilities.  A sigmoid of the score, learned on rows that the machine did not see
(Platt 1999), makes them probabilities; a curve of what happened against what was said shows how good they are.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.datasets import make_classification
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import train_test_split

from novikoff import LinearSVM
from novikoff.plots.drawing import COLOURS, INK
from pictures import save


def data() -> list[np.ndarray]:
    X, y = make_classification(
        6000, n_features=10, n_informative=5, n_redundant=2, n_clusters_per_class=1, class_sep=0.6, random_state=1
    )
    return train_test_split(X, y, test_size=0.5, random_state=0)


def main(folder: Path) -> None:
    X, X_test, y, y_test = data()
    machine = LinearSVM().fit(X, y)
    print(f"LinearSVM: gap {machine.duality_gap_:.0e}, {machine.score(X_test, y_test):.1%} of fresh rows right")
    print(f"It has no predict_proba: {not hasattr(machine, 'predict_proba')}")
    calibrated = CalibratedClassifierCV(LinearSVM(), method="sigmoid", cv=5).fit(X, y)
    said = calibrated.predict_proba(X_test)[:, 1]
    scores = machine.decision_function(X_test)
    naive = (scores - scores.min()) / (scores.max() - scores.min())
    loss, naive_loss = brier_score_loss(y_test, said), brier_score_loss(y_test, naive)
    print(
        f"Mean squared error of the probabilities (Brier): calibrated {loss:.3f}, scores squeezed to 0..1 {naive_loss:.3f}"
    )
    print(f"Calibrated probabilities are better: {loss < naive_loss}")
    figure = Figure(figsize=(6, 5), dpi=100, layout="constrained")
    ax = figure.subplots()
    for number, (name, values) in enumerate({"calibrated": said, "scores squeezed to 0..1": naive}.items()):
        happened, mean = calibration_curve(y_test, values, n_bins=10, strategy="quantile")
        ax.plot(mean, happened, marker="oX"[number], color=COLOURS[number], label=name)
    ax.plot([0, 1], [0, 1], color=INK, linestyle=":", label="perfect")
    ax.set_xlabel("probability that was said")
    ax.set_ylabel("share of class 1 that there was")
    ax.set_title("Probabilities from a support vector machine")
    ax.legend(frameon=False)
    print(f"\nPicture: {save(figure, folder / 'calibrated_svm.png').name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
