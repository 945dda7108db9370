"""Support vector machines: weights, dual points, objectives and gaps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import novikoff

from .cases import GAP, Case
from .fit_cases import FORMATS, NUMBERS, ROWS, answers, data, separable


def cases() -> Iterator[Case]:
    for numbers, kind, n_classes in product(NUMBERS, FORMATS, (2, 3)):
        for C, loss, intercept in product((0.1, 1.0, 1e4), ("hinge", "squared_hinge"), (True, False)):
            for rule in ("ovr", "crammer_singer")[: 1 + (n_classes == 3 and loss == "hinge")]:
                chosen = {"C": C, "loss": loss, "tol": 1e-6, "fit_intercept": intercept, "multiclass": rule}
                text = f"{numbers} {kind} {n_classes} classes C={C} {loss} {rule}" + " no intercept" * (not intercept)
                yield Case("LinearSVM", text, partial(linear, numbers, kind, n_classes, chosen), GAP)
        for kernel, C in product(("linear", "poly", "rbf"), (0.1, 10.0)):
            text = f"{numbers} {kind} {n_classes} classes C={C} {kernel}"
            yield Case(
                "KernelSVM", text, partial(kernel_svm, numbers, kind, n_classes, {"C": C, "kernel": kernel}), GAP
            )
    for kind, n_classes in product(FORMATS, (2, 3)):
        yield Case("LinearSVM", f"{kind} {n_classes} hard margin", partial(hard, kind, n_classes), GAP)
        yield Case("svm_path", f"{kind} {n_classes}", partial(path, kind, n_classes), GAP)


def linear(numbers: str, kind: str, n_classes: int, chosen: dict[str, Any]) -> Any:
    """A fit, the same weighted and balanced, and what their conditions say."""
    X, y = data(numbers, kind, n_classes)
    weight = np.random.default_rng(3).integers(0, 3, ROWS)
    plain = novikoff.LinearSVM(random_state=0, **chosen).fit(X, y)
    weighted = novikoff.LinearSVM(random_state=0, class_weight="balanced", **chosen).fit(X, y, sample_weight=weight)
    return {"plain": answers(plain, X), "weighted": answers(weighted, X), "kkt": novikoff.svm_kkt(plain, X, y)}


def kernel_svm(numbers: str, kind: str, n_classes: int, chosen: dict[str, Any]) -> Any:
    X, y = data(numbers, kind, n_classes)
    machine = novikoff.KernelSVM(**chosen).fit(X, y)
    return answers(machine, X) | {"kkt": novikoff.svm_kkt(machine, X, y)}


def hard(kind: str, n_classes: int) -> Any:
    X, y = separable(kind, n_classes)
    return answers(novikoff.LinearSVM(C=np.inf, random_state=0).fit(X, y), X)


def path(kind: str, n_classes: int) -> Any:
    return novikoff.svm_path(*data("floats", kind, n_classes), random_state=0)
