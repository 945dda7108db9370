"""One row at a time, and one pass: rows a second against River and scikit-learn, and accuracy after one pass against Vowpal Wabbit.

``python -m benchmarks.online [FOLDER]`` prints both tables; ``FOLDER`` has the data sets of the second one, which is left out without it.
Peers that are not installed are left out (``pip install river vowpalwabbit``).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from novikoff import AdaGradClassifier, AROWClassifier, PassiveAggressiveClassifier, Perceptron, online
from novikoff.compiled.jit import compiling

from .measure import Benchmark, Result, Settings, at_least
from .solvers import Split, census, mnist, words

ROWS, ROUNDS = 1000, 7  # of a round; rounds, which models take in turn


CASES = {  # columns with numbers, classes, of how many columns in all; 0: the same, and rows are arrays as well as mappings
    "20-columns": (20, 2, 0),
    "200-columns": (200, 2, 0),
    "10-classes": (20, 10, 0),
    "names": (30, 2, 1 << 20),
    "sparse": (30, 2, 10_000),
}
COUNTERPARTS = {  # of River, and of scikit-learn
    Perceptron: ("River Perceptron", "scikit-learn Perceptron"),
    AdaGradClassifier: ("River LogisticRegression, AdaGrad", "scikit-learn SGDClassifier, log_loss"),
    PassiveAggressiveClassifier: ("River PAClassifier", "scikit-learn SGDClassifier, pa1"),
    AROWClassifier: ("River Perceptron", "scikit-learn Perceptron"),  # neither has AROW
}
LEAST = {("20-columns", "arrays"): 3.0}  # times the rows a second of the counterpart; elsewhere 1
AIMS = {"arrays": 8.0, "mappings": 1.4, "sparse rows": 1.4}
SLOWER = 20  # scikit-learn has so many rows less, since it takes about so many times as long


def forms(case: str) -> tuple[str, ...]:
    """What rows of a case are given as."""
    return {"names": ("mappings",), "sparse": ("sparse rows",)}.get(case, ("arrays", "mappings"))


@cache
def rows_a_second(case: str) -> dict[str, float]:
    """Predict, then learn: of arrays, mappings and sparse rows, ours, River's and scikit-learn's."""
    columns, classes, wide = CASES[case]
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS * (ROUNDS + 1), columns))
    y = (X @ rng.standard_normal((columns, classes)) + rng.standard_normal((len(X), classes))).argmax(1).tolist()
    places = [rng.choice(wide, columns, replace=False) if wide else np.arange(columns) for _ in X]
    rows: dict[str, list[Any]] = {"arrays": list(X)}
    rows["mappings"] = [
        {f"f{j}": v for j, v in zip(at, x, strict=True)} for at, x in zip(places, X.tolist(), strict=True)
    ]
    if "sparse rows" in forms(case):
        rows["sparse rows"] = [
            sparse.csr_matrix((x, at, [0, columns]), (1, wide)) for at, x in zip(places, X, strict=True)
        ]
    models: dict[str, tuple[Any, list[Any]]] = {}
    for kind in COUNTERPARTS:
        for form in forms(case):
            hashed = wide if case == "names" else None
            models[f"{kind.__name__}, {form}"] = online(kind(), hashed=hashed), rows[form]
    models |= {name: (model, rows["mappings"]) for name, model in river_models(classes)}
    if case != "names":
        models |= {name: (model, rows[forms(case)[0]]) for name, model in sklearn_models(classes)}
    with compiling():  # as in a stream that has gone on for some thousand rows
        return rates(models, y)


def online_rows() -> Iterator[Benchmark]:
    """One row a case, form of rows and learner."""

    def measure(case: str, kind: type, form: str) -> Callable[[Settings], Result]:
        def one(settings: Settings) -> Result:
            found, ours = rows_a_second(case), f"{kind.__name__}, {form}"
            river, other = (found.get(name) for name in COUNTERPARTS[kind])
            beside = f"scikit-learn's partial_fit {other:,.0f}" if other else ""
            if river is None:
                return Result(f"{found[ours]:,.0f}", "-", float("nan"), "River is not installed")
            return Result(f"{found[ours]:,.0f} rows/s", f"{river:,.0f} rows/s", found[ours] / river, beside)

        return one

    for case in CASES:
        for form in forms(case):
            for kind, (peer, _) in COUNTERPARTS.items():
                work = f"predict, then learn, {form}: `online({kind.__name__}())` against {peer} of mappings"
                limit = at_least(LEAST.get((case, form), 1.0), AIMS[form])
                yield Benchmark(
                    f"online-{case}-{form.split()[0]}-{kind.__name__}", work, limit, measure(case, kind, form)
                )


class RowByRow:
    """A learner of scikit-learn, as it is given single rows."""

    def __init__(self, learner: Any, classes: int) -> None:
        self._learner, self._classes, self._begun = learner, np.arange(classes), False

    def predict_one(self, x: Any) -> Any:
        row = x if sparse.issparse(x) else x[None]
        return self._learner.predict(row)[0] if self._begun else None

    def learn_one(self, x: Any, y: int) -> None:
        row = x if sparse.issparse(x) else x[None]
        self._learner.partial_fit(row, [y], None if self._begun else self._classes)
        self._begun = True


def sklearn_models(classes: int) -> Iterator[tuple[str, Any]]:
    """Scikit-learn's."""
    from sklearn import linear_model

    kinds = {
        "Perceptron": linear_model.Perceptron(),
        "SGDClassifier, log_loss": linear_model.SGDClassifier(loss="log_loss"),
        "SGDClassifier, pa1": linear_model.SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0),
    }
    for name, kind in kinds.items():
        yield f"scikit-learn {name}", RowByRow(kind, classes)


def river_models(classes: int) -> Iterator[tuple[str, Any]]:
    """River's, if it is installed."""
    try:
        from river import linear_model, multiclass, optim
    except ImportError:
        return
    kinds = {kind.__name__: kind for kind in (linear_model.Perceptron, linear_model.LogisticRegression)}
    kinds["LogisticRegression, AdaGrad"] = lambda: linear_model.LogisticRegression(optimizer=optim.AdaGrad())
    kinds["PAClassifier"] = linear_model.PAClassifier
    for name, kind in kinds.items():
        yield f"River {name}", kind() if classes == 2 else multiclass.OneVsRestClassifier(kind())


def rates(models: dict[str, tuple[Any, list[Any]]], y: list[int]) -> dict[str, float]:
    """Rows a second of processor time, the median of rounds that models take in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in models}
    for first in range(0, len(y), ROWS):
        for name, (model, rows) in models.items():
            number = ROWS // SLOWER if isinstance(model, RowByRow) else ROWS
            start = time.process_time()
            for i in range(first, first + number):
                model.predict_one(rows[i])
                model.learn_one(rows[i], y[i])
            seconds[name].append((time.process_time() - start) / number)
    return {name: 1 / float(np.median(some[1:])) for name, some in seconds.items()}


def cover_types(folder: Path | None, rows: int = 60_000) -> Split:
    """Made rows like those of cover types: ten numbers of very different scales, 44 indicators, seven classes."""
    rng = np.random.default_rng(0)
    scale = np.array([280.0, 100, 7, 210, 58, 1550, 27, 20, 38, 1320])
    Z = rng.normal(size=(rows, 10))
    area, soil = (
        rng.choice(4, rows, p=[0.45, 0.05, 0.44, 0.06]),
        rng.choice(40, rows, p=rng.dirichlet(np.full(40, 0.5))),
    )
    scores = Z @ rng.normal(size=(10, 7)) * 1.2 + rng.normal(size=(40, 7))[soil] + rng.normal(size=(4, 7))[area]
    scores += Z[:, :3] ** 2 @ rng.normal(size=(3, 7)) + rng.gumbel(size=scores.shape)
    X = sparse.csr_matrix(np.column_stack([Z * scale + 10 * scale, np.eye(4)[area], np.eye(40)[soil]]))
    cut, y = rows - 10_000, scores.argmax(1)
    return Split(X[:cut], y[:cut], X[cut:], y[cut:])


def digits(folder: Path) -> Split:
    """Handwritten digits, sparse."""
    rows = mnist(folder, 60_000)
    return Split(
        sparse.csr_matrix(rows.X, dtype=float), rows.y, sparse.csr_matrix(rows.new_rows, dtype=float), rows.new_labels
    )


SETS: dict[str, Callable[[Any], Split]] = {
    "clinc150": partial(words, name="clinc150", trained=15_000),
    "pros-cons": partial(words, name="nltk_pros_cons", trained=None),
    "a9a": census,
    "rcv1": partial(words, name="rcv1_small", trained=1_000),
    "mnist": digits,
    "cover types, made": cover_types,
}


def one_pass(folder: Path, seeds: int = 5) -> None:
    """Accuracy on new rows after one pass over shuffled rows: mean and standard error over seeds."""
    for name, read in SETS.items():
        data = read(folder)
        classes, y = np.unique(data.y, return_inverse=True)
        new = np.searchsorted(classes, data.new_labels)
        X, T = sparse.csr_matrix(data.X, dtype=float), sparse.csr_matrix(data.new_rows, dtype=float)
        orders = [np.random.default_rng(seed).permutation(len(y)) for seed in range(seeds)]
        factors = sparse.diags(np.where(np.random.default_rng(9).random(X.shape[1]) < 0.5, 1e3, 1.0))
        told = {}
        for title, scaled in (("AdaGradClassifier()", None), ("columns x 1e3", factors)):
            A, B = (X, T) if scaled is None else ((X @ scaled).tocsr(), (T @ scaled).tocsr())
            told[title] = [
                AdaGradClassifier().partial_fit(A[order], y[order], classes=range(len(classes))).score(B, new)
                for order in orders
            ]
        told["AROWClassifier()"] = [
            AROWClassifier().partial_fit(X[order], y[order], classes=range(len(classes))).score(T, new)
            for order in orders
        ]
        with suppress(ImportError):
            told["Vowpal Wabbit"] = [vowpal(X[order], y[order], T, new, len(classes)) for order in orders]
        for title, scores in told.items():
            print(
                f"{name:20s} {title:22s} {np.mean(scores):.4f} +- {np.std(scores, ddof=1) / seeds**0.5:.4f}", flush=True
            )


def vowpal(X: Any, y: np.ndarray, T: Any, new: np.ndarray, classes: int) -> float:
    """The accuracy of Vowpal Wabbit with its defaults."""
    from vowpalwabbit import Workspace

    def lines(rows: Any, labels: Any) -> Iterator[str]:
        for i, label in enumerate(labels):
            places = range(rows.indptr[i], rows.indptr[i + 1])
            yield f"{label} | " + " ".join(f"{rows.indices[q]}:{rows.data[q]:.9g}" for q in places)

    learner = Workspace("--quiet -b 22" + (f" --oaa {classes}" if classes > 2 else ""))
    for line in lines(X, y + 1 if classes > 2 else 2 * y - 1):
        learner.learn(line)
    answers = np.array([learner.predict(line) for line in lines(T, [""] * len(new))])
    learner.finish()
    return float(np.mean((answers - 1 == new) if classes > 2 else ((answers > 0) == (new == 1))))


if __name__ == "__main__":
    for case in CASES:
        for name, rate in rows_a_second(case).items():
            print(f"{case:16s} {name:40s} {rate:12,.0f} rows/s", flush=True)
    if len(sys.argv) > 1:
        one_pass(Path(sys.argv[1]))
