"""Is it separable?
================

Three popular tools fail on data that a hyperplane separates; a proof says so, and why they fail.

::

    python examples/is_it_separable.py [folder for the picture]

569 tumours, 30 measurements each (scikit-learn's copy of the Wisconsin data), as they are.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from novikoff import separability
from pictures import save

SPECIES = ["setosa", "versicolor", "virginica"]  # each has one colour in both halves of the picture


def errors_of_popular_tools(X: np.ndarray, y: np.ndarray) -> None:
    print("Training errors of three classifiers that should have none if the classes are separable:")
    for name, tool in {
        "LinearSVC(C=1e10)": LinearSVC(C=1e10, random_state=0),
        "LogisticRegression(C=inf)": LogisticRegression(C=np.inf),
        "Perceptron()": Perceptron(random_state=0),
    }.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            errors = int(np.count_nonzero(tool.fit(X, y).predict(X) != y))
        print(f"  {name:<26} {errors:>3} of {len(y)}   {'a warning' if caught else 'no warning'}")


def proof_of_the_contrary(X: np.ndarray, y: np.ndarray) -> None:
    proof = separability(X, y, max_margin=True)
    print(f"\nRaw columns.\n{proof}")
    print(f"  checked again in exact arithmetic: {proof.verify(X, y)}")
    scaled = StandardScaler().fit_transform(X)
    again = separability(scaled, y, max_margin=True)
    print(f"\nStandardised columns.\n{again}")
    print(
        f"""
So a hyperplane separates the classes, but on raw columns only by {proof.margin:.1e}, where rows are up to {np.linalg.norm(X, axis=1).max():.0f} long:
a perceptron may make {proof.mistake_bound:.1e} mistakes before it is right, more than any budget of passes allows.
Standardising the columns lowers that bound by a factor of {proof.mistake_bound / again.mistake_bound:.0e}."""
    )


def what_no_line_separates() -> tuple[object, object]:
    """Two irises that a line separates, two that none does."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    X, y = X[["sepal length (cm)", "petal width (cm)"]], np.array(SPECIES)[y]
    apart = separability(X[y != "virginica"], y[y != "virginica"], max_margin=True)
    mixed = separability(X[y != "setosa"], y[y != "setosa"])
    print(f"\nTwo other irises, two measurements.\n{mixed}")
    return apart, mixed


def draw(apart, mixed, folder: Path) -> Path:
    figure = Figure(figsize=(10, 4.8), dpi=110, layout="constrained")
    left, right = figure.subplots(1, 2)
    apart.plot(left, palette=SPECIES)
    mixed.plot(right, palette=SPECIES)
    figure.suptitle("Irises: why a line separates two species, and why none separates the other two", fontsize=13)
    return save(figure, folder / "is_it_separable.png")


def main(folder: Path) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    errors_of_popular_tools(X, y)
    proof_of_the_contrary(X, y)
    print(f"\nPicture: {draw(*what_no_line_separates(), folder).name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
