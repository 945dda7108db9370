"""Learners: every order, batch, keep and multi-class rule, dense and sparse, float32 and float64; weights of rows and
classes, early stopping, warm starts, streams."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

import novikoff

from .cases import BITS, DIGITS, Case, Rule

ORDERS = ("cyclic", "shuffle", "blocks", "random", "worst", "alternate")
BATCHES = (1, 7, "all")
FORMATS = ("dense64", "dense32", "csr64", "csr32")
NUMBERS = ("integers", "floats")
ROWS, COLUMNS, CHUNK = 40, 5, 6


class Choices(NamedTuple):
    """What a learner offers."""

    keep: tuple[str, ...]
    multiclass: tuple[str, ...] = ()


CLASSIFIERS = {
    "Perceptron": Choices(("last", "average", "vote", "pocket", "run", "ratchet"), ("worst", "all", "uniform", "ovr")),
    "Adaline": Choices(("last", "average", "pocket")),
    "LogisticNeuron": Choices(("last", "average", "pocket"), ("softmax", "ovr")),
    "HingeSGD": Choices(("last", "average"), ("worst", "ovr")),
    "PassiveAggressiveClassifier": Choices(("last", "average", "vote", "pocket"), ("worst", "ovr")),
}
REGRESSORS = {name: Choices(("last", "average")) for name in ("AdalineRegressor", "PassiveAggressiveRegressor")}
OPTIONS: dict[str, dict[str, Any]] = {
    "balanced": {"class_weight": "balanced"},
    "class_weight": {"class_weight": {0: 2, 1: 3, 2: 1}},
    "early_stopping": {"early_stopping": True, "validation_fraction": 0.25, "n_iter_no_change": 2},
    "tol": {"tol": 0.05},
    "no_intercept": {"fit_intercept": False},
    "radius": {"intercept_scaling": "radius"},
    "scaled": {"intercept_scaling": 2.0},
    "random_start": {"init": "random"},
    "few_votes": {"keep": "vote", "max_votes": 3},
    "all_votes": {"keep": "vote", "max_votes": None},
    "eta": {"eta": 0.25},
    "lam": {"lam": 0.1},
    "PA": {"variant": "PA"},
    "PA-II": {"variant": "PA-II", "C": 0.5},
    "epsilon": {"epsilon": 1.0},
    "direct": {"solver": "direct"},
    "squared": {"loss": "squared_error", "slope": 2.0},
    "separation": {"on_separation": "ignore"},
    "long": {"max_iter": 60, "history": "full"},
    "cyclic": {"max_iter": 60, "order": "cyclic"},
}


def cases() -> Iterator[Case]:
    yield from grid()
    yield from options()
    yield from streams()
    yield from ends()
    yield from kernel_learners()


def data(numbers: str, kind: str, n_classes: int, seed: int = 0) -> tuple[Any, np.ndarray]:
    """Rows that no line separates; ``n_classes`` 0: numbers instead of classes."""
    rng = np.random.default_rng([seed, n_classes])
    X = (
        rng.integers(-3, 4, (ROWS, COLUMNS)).astype(float)
        if numbers == "integers"
        else rng.normal(size=(ROWS, COLUMNS))
    )
    scores = X @ rng.integers(-2, 3, (COLUMNS, max(n_classes, 1))) + rng.integers(-2, 3, (ROWS, max(n_classes, 1)))
    y = scores[:, 0] if n_classes == 0 else scores.argmax(axis=1)
    X = X.astype(np.float32 if kind.endswith("32") else np.float64)
    return (sparse.csr_matrix(X) if kind.startswith("csr") else X), y


def answers(learner: Any, X: Any) -> dict[str, Any]:
    """The learner, and what it says of rows."""
    said = {"fitted": learner}
    for name in ("decision_function", "signed_distance", "predict_proba"):
        if hasattr(learner, name):
            said[name] = getattr(learner, name)(X)
    return said | {"predict": learner.predict(X)}


def make(name: str, **parameters: Any) -> Any:
    return getattr(novikoff, name)(**{"random_state": 0, "max_iter": 3} | parameters)


def rule_of(name: str, numbers: str) -> Rule:
    """Bit for bit where all weights are sums of whole numbers."""
    return BITS if name == "Perceptron" and numbers == "integers" else DIGITS


def setups() -> Iterator[tuple[str, str, str, str, int, dict[str, Any]]]:
    """Every learner with every keep and multi-class rule, on every kind of data."""
    for name, choices in {**CLASSIFIERS, **REGRESSORS}.items():
        classes: list[tuple[int, dict[str, Any]]] = [(2, {}), (3, {})]
        if name in REGRESSORS:
            classes = [(0, {})]
        elif choices.multiclass:
            classes = [(2, {}), *((3, {"multiclass": rule}) for rule in choices.multiclass)]
        for numbers, kind, keep, (n_classes, chosen) in product(NUMBERS, FORMATS, choices.keep, classes):
            rule = chosen.get("multiclass", f"{n_classes} classes")
            yield name, numbers, kind, f"{kind} {keep} {rule}", n_classes, {"keep": keep, **chosen}


def grid() -> Iterator[Case]:
    """All orders and batches of every setup, or all orders row by row; batches of 7 with a full history."""
    for name, numbers, kind, text, n_classes, parameters in setups():
        for order, batch in product(ORDERS, BATCHES if kind in ("dense64", "csr32") else BATCHES[:1]):
            chosen = parameters | {"order": order, "batch_size": batch, "history": "full" if batch == 7 else "basic"}
            run = partial(fit, name, numbers, kind, n_classes, chosen)
            yield Case(f"{name}, {numbers}", f"{text} {order} {batch}", run, rule_of(name, numbers))


def fit(name: str, numbers: str, kind: str, n_classes: int, parameters: dict[str, Any], **weights: Any) -> Any:
    X, y = data(numbers, kind, n_classes)
    return answers(make(name, **parameters).fit(X, y, **weights), X)


def options() -> Iterator[Case]:
    """Each option that a learner has; weights of rows; going on from a fit."""
    rng = np.random.default_rng(1)
    weights = {"whole weights": rng.integers(0, 4, ROWS), "weights": rng.random(ROWS)}
    for name, numbers, kind, n_classes in product({**CLASSIFIERS, **REGRESSORS}, NUMBERS, FORMATS, (0, 2, 3)):
        if (n_classes == 0) != (name in REGRESSORS):
            continue
        known = make(name).get_params()
        common = (name, numbers, kind, n_classes)
        kind_of, text = f"{name}, options", f"{numbers} {kind} {n_classes} classes"
        for option, chosen in OPTIONS.items():
            if set(chosen) <= set(known):
                chosen = ({"max_iter": 20} if "max_iter" not in chosen else {}) | chosen
                yield Case(kind_of, f"{text} {option}", partial(fit, *common, chosen))
        for option, weight in weights.items():
            for batch in (1, 7):
                run = partial(fit, *common, {"batch_size": batch}, sample_weight=weight)
                yield Case(kind_of, f"{text} {option} batch {batch}", run)
        yield Case(kind_of, f"{text} warm start", partial(warm_start, *common))


def warm_start(name: str, numbers: str, kind: str, n_classes: int) -> Any:
    """Three fits, each from where the last one ended; one from given weights."""
    X, y = data(numbers, kind, n_classes)
    learner, seen = make(name, warm_start=True), []
    for passes in (2, 1, 3):
        learner.set_params(max_iter=passes).fit(X, y)
        seen.append({"coef": learner.coef_.copy(), "intercept": np.copy(learner.intercept_), "passes": learner.n_iter_})
    weights = np.column_stack([np.atleast_2d(learner.coef_), learner.intercept_])
    given = make(name, init=weights).fit(X, y)
    return {"seen": seen, "last": answers(learner, X), "given": answers(given, X)}


def streams() -> Iterator[Case]:
    """``partial_fit``, a few rows a call, weighted or not."""
    for name, numbers, kind, text, n_classes, parameters in setups():
        for batch, weighted in ((1, False), (4, True)):
            run = partial(stream, name, numbers, kind, n_classes, parameters | {"batch_size": batch}, weighted)
            yield Case(f"{name}, streams", f"{numbers} {text} batch {batch}", run, rule_of(name, numbers))


def stream(name: str, numbers: str, kind: str, n_classes: int, parameters: dict[str, Any], weighted: bool) -> Any:
    X, y = data(numbers, kind, n_classes)
    weight = np.random.default_rng(2).integers(0, 3, ROWS)
    learner, seen = make(name, **parameters), []
    for start in (*range(0, ROWS, CHUNK), *range(0, ROWS, 2 * CHUNK)):
        part = slice(start, start + CHUNK)
        named = {} if n_classes == 0 else {"classes": np.arange(n_classes)}
        learner.partial_fit(X[part], y[part], sample_weight=weight[part] if weighted else None, **named)
        seen.append(learner.coef_.copy())
    return {"seen": seen, "last": answers(learner, X)}


def ends() -> Iterator[Case]:
    """Every reason to stop: separable rows, weights that come back, errors that no longer fall."""
    xor = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    for name, choices in CLASSIFIERS.items():
        for keep in choices.keep:
            learner = make(name, max_iter=400, keep=keep, order="cyclic")
            yield Case("ends", f"{name} {keep} XOR", partial(fit_and_answer, learner, xor, np.array([0, 1, 1, 0])))
            for kind, n_classes in product(FORMATS, (2, 3)):
                X, y = separable(kind, n_classes)
                learner = make(name, max_iter=400, keep=keep)
                yield Case(
                    "ends", f"{name} {keep} {kind} {n_classes} separable", partial(fit_and_answer, learner, X, y)
                )


def fit_and_answer(learner: Any, X: Any, y: np.ndarray) -> Any:
    return answers(learner.fit(X, y), X)


def separable(kind: str, n_classes: int) -> tuple[Any, np.ndarray]:
    X, _ = data("integers", kind, n_classes)
    steep = np.arange(1, COLUMNS + 1)[:, None] * np.arange(n_classes) - np.arange(n_classes) ** 2
    return X, np.asarray(X @ steep).argmax(axis=1)


def kernel_learners() -> Iterator[Case]:
    """``KernelPerceptron``: kernels, keeps, budgets, streams."""
    kernels: tuple[dict[str, Any], ...] = (
        {"kernel": "linear"},
        {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0},
        {"kernel": "rbf"},
    )
    keeps, rules = ("last", "average", "vote"), ("worst", "all", "uniform", "ovr")
    for kernel, numbers, kind, keep in product(kernels, NUMBERS, FORMATS, keeps):
        judged = BITS if numbers == "integers" and kernel["kernel"] != "rbf" else DIGITS
        for n_classes, rule in ((2, "worst"), *((3, rule) for rule in rules)):
            for order, (batch, budget) in product(("shuffle", "worst"), ((1, None), (1, 10), (7, None))):
                chosen = {**kernel, "keep": keep, "multiclass": rule, "order": order, "batch_size": batch}
                text = f"{kernel['kernel']} {kind} {keep} {n_classes} {rule} {order} {batch} {budget}"
                run = partial(fit, "KernelPerceptron", numbers, kind, n_classes, chosen | {"budget": budget})
                yield Case(f"KernelPerceptron, {numbers}", text, run, judged)
            text = f"{numbers} {kernel['kernel']} {kind} {keep} {n_classes} {rule}"
            run = partial(kernel_stream, numbers, kind, n_classes, {**kernel, "keep": keep, "multiclass": rule})
            yield Case("KernelPerceptron, streams", text, run, judged)


def kernel_stream(numbers: str, kind: str, n_classes: int, parameters: dict[str, Any]) -> Any:
    X, y = data(numbers, kind, n_classes)
    learner = make("KernelPerceptron", gamma=0.5) if "gamma" not in parameters else make("KernelPerceptron")
    learner.set_params(**parameters)
    for start in range(0, ROWS, CHUNK):
        learner.partial_fit(X[start : start + CHUNK], y[start : start + CHUNK], classes=np.arange(n_classes))
    return answers(learner, X)
