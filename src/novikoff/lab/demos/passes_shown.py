"""How many passes, and in which order: under- and over-fitting, and rows that are noise (L2, L4)."""

from __future__ import annotations

from typing import Any

from ..contour_lines import contour_lines
from ..demonstration import Ask, Control, Demonstration, Parameters, Preset
from ..point_sets import BENT, NOISE, OVERLAP
from ..scenes import Data

RUNS = 5  # shuffles that a curve is the mean of
SHOWN = (1, 2, 4, 8, 16, 32, 64, 100)  # passes whose line is drawn
GRID = 44  # points on each side, of a line that is not straight
ORDERS = ("sorted", "cyclic", "alternate", "shuffle")


def curve(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """Rows that are predicted rightly after every pass, of those learned from and of those held out."""
    import numpy as np

    from ...studies.curves import PassesCurve, Stop  # when asked: scikit-learn takes long to import

    X, y = np.array(data.X), np.array(data.y)
    learn, held = _parts(data, parameters["order"])
    features = _features(parameters["degree"]).fit(X[learn])
    A, B, grid, xs, ys = features.transform(X[learn]), features.transform(X[held]), *_grid(X, features)
    passes, columns, stops, lines = parameters["passes"], [], [], []
    for run, seed in enumerate(_seeds(parameters)):
        weights, learner = _weights(parameters, parameters["order"], seed, A, y[learn])
        columns.append([(_right(A, y[learn], w), _right(B, y[held], w)) for w in weights])
        stops.append(Stop(learner.n_iter_, learner.stop_reason_))
        if run == 0:
            for number in sorted({*(k for k in SHOWN if k < passes), passes}):
                w = weights[number - 1]
                values = (grid @ w[:-1] + w[-1]).reshape(len(ys), len(xs))
                share = dict(zip(("train", "held_out"), columns[0][number - 1], strict=True))
                lines.append({"pass": number, "lines": contour_lines(xs, ys, values, 0.0), **share})
    scores = np.array(columns).transpose(2, 1, 0)
    found = PassesCurve(np.arange(1, passes + 1), scores[0], scores[1], tuple(stops))
    train, held_out = found.train_scores.mean(axis=1), found.held_out_scores.mean(axis=1)
    return {
        "held": held.tolist(),
        "passes": found.passes.tolist(),
        "train": train.tolist(),
        "held_out": held_out.tolist(),
        "best": found.best_passes,
        "at_best": float(held_out[found.best_passes - 1]),
        "at_end": float(held_out[-1]),
        "train_at_end": float(train[-1]),
        "lines": lines,
        "said": _said(found.best_passes, train, held_out),
    }


def orders(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """Errors after every pass over all rows, for four orders; straight lines."""
    import numpy as np

    X, y = data.arrays()
    passes = parameters["passes"]
    found: dict[str, Any] = {"passes": list(range(1, passes + 1)), "rows": len(y), "mean": {}, "after": {}}
    for order in ORDERS:
        place = _sorted(np.arange(len(y)), y) if order == "sorted" else np.arange(len(y))
        runs = []
        for seed in _seeds(parameters | {"order": order}):
            weights, _ = _weights(parameters, order, seed, X[place], y[place])
            runs.append([round(len(y) * (1 - _right(X, y, w))) for w in weights])
            found["after"].setdefault(order, weights[-1].tolist())
        found[order] = np.mean(runs, axis=0).tolist()
        found["mean"][order] = float(np.mean(runs))
    return found


def _weights(parameters: Parameters, order: str, seed: int, X: Any, y: Any) -> tuple[list[Any], Any]:
    """The weights that a fit would return after every pass, the bias last, and the learner in the end."""
    import numpy as np

    from ...estimators.base import fit_in_memory  # as above
    from ...estimators.perceptron import Perceptron  # as above

    found = []

    def note(learner: Any) -> bool:
        found.append(np.append(learner.coef_[0], learner.intercept_))
        return False

    learner = Perceptron(
        order="cyclic" if order == "sorted" else order,
        keep=parameters["keep"],
        max_iter=parameters["passes"],
        min_progress=None,
        random_state=seed,
    )
    fit_in_memory(learner, X, y, None, on_pass=note)
    return found + found[-1:] * (parameters["passes"] - len(found)), learner


def _seeds(parameters: Parameters) -> list[int]:
    """A seed for every run, those of ``passes_curve``; orders without chance need one run."""
    from numpy.random import RandomState

    chance = RandomState(parameters["seed"])
    return [int(chance.randint(2**31 - 1)) for _ in range(RUNS if parameters["order"] == "shuffle" else 1)]


def _parts(data: Data, order: str) -> tuple[Any, Any]:
    """The rows to learn from, in order, and those held out: every other one."""
    import numpy as np

    y, rows = np.array(data.y), np.arange(len(data.y))
    learn, held = rows[::2], rows[1::2]
    if len(set(y[learn].tolist())) < 2:
        raise ValueError("The rows to learn from have one class only: turn the label of one, or add rows.")
    return _sorted(learn, y) if order == "sorted" else learn, held


def _sorted(rows: Any, y: Any) -> Any:
    """These rows, those of +1 first."""
    import numpy as np

    return rows[np.argsort(-y[rows], kind="stable")]


def _features(degree: int) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    return make_pipeline(PolynomialFeatures(degree, include_bias=False), StandardScaler())


def _grid(X: Any, features: Any) -> tuple[Any, Any, Any]:
    """Points all over the picture, as features, and the places of their columns and rows."""
    import numpy as np

    low, high = X.min(axis=0).clip(max=0), X.max(axis=0).clip(min=0)
    middle, reach = (low + high) / 2, 0.85 * max(float((high - low).max()), 1e-6)
    xs, ys = (np.linspace(middle[j] - reach, middle[j] + reach, GRID) for j in range(2))
    across, up = np.meshgrid(xs, ys)
    return features.transform(np.column_stack([across.ravel(), up.ravel()])), xs, ys


def _right(X: Any, y: Any, weights: Any) -> float:
    """The share of rows that are predicted rightly: +1 if the score is positive, else -1."""
    return float(((X @ weights[:-1] + weights[-1] > 0) == (y == 1)).mean())


def _said(best: int, train: Any, held_out: Any) -> str:
    peak, last = held_out[best - 1], held_out[-1]
    count = f"{best} pass{'es' * (best != 1)}"
    text = (
        f"After {count}, {peak:.0%} of the held-out rows are predicted rightly; after {len(train)} passes {last:.0%}, "
    )
    text += f"and {train[-1]:.0%} of the rows learned from."
    if last < peak and train[-1] > train[best - 1]:
        return text + " More passes over-fit: they fit the noise."
    return text + (
        " The weights do not settle: it is chance which pass is the best one."
        if last < peak
        else " More passes do no harm here."
    )


def python(data: Data, parameters: Parameters) -> str:
    """The code of this view."""
    order = parameters["order"]
    runs = RUNS if order == "shuffle" else 1
    by_class = "learn = sorted(learn, key=lambda row: -y[row])  # +1 first\n" if order == "sorted" else ""
    return (
        "import numpy as np\n"
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import PolynomialFeatures, StandardScaler\n\n"
        "from novikoff import Perceptron, passes_curve\n\n"
        "X, y = np.array(X), np.array(y)\n"
        f"learn, held_out = np.arange(len(y))[::2], np.arange(len(y))[1::2]\n{by_class}"
        f'learner = Perceptron(order="{"cyclic" if order == "sorted" else order}", keep="{parameters["keep"]}")\n'
        f"model = make_pipeline(PolynomialFeatures({parameters['degree']}, include_bias=False), StandardScaler(), learner)\n"
        f"curve = passes_curve(model, X, y, passes={parameters['passes']}, cv=[(learn, held_out)] * {runs}, "
        f"random_state={parameters['seed']})\nprint(curve)\n"
    )


PASSES_SHOWN = Demonstration(
    name="passes",
    title="Passes, order and over-fitting",
    lectures="L2, L4",
    text=(
        "The number of passes, MaxIter, is a hyperparameter. Every other row is held out here: the perceptron never sees it. Few passes "
        "under-fit: both curves are low. Many passes over-fit: the rows learned from are predicted better and better, those held out "
        "worse, since the line bends around noise. A line can bend if it has features such as x\u2081\u00b2, x\u2081x\u2082, \u2026 up to some degree.",
        "The order matters, too. All +1 first and then all \u22121 is a bad idea: the last class read has the last word. To shuffle in every pass "
        "is good; where rows are noise, to take +1 and \u22121 in turn helps to leave them alone.",
    ),
    task="Find the number of passes after which held-out rows are predicted best, then degree 1 and 8 with the same rows: which over-fits? "
    "Then compare the last weights with the average of all weights.",
    presets=(
        Preset("over", "Few passes are best", BENT, {"degree": 5, "keep": "average", "passes": 60}),
        Preset("straight", "Too simple to over-fit", BENT, {"degree": 1, "keep": "average", "passes": 60}),
        Preset("wild", "Degree 8, the last weights", BENT, {"degree": 8, "passes": 60}),
        Preset("noise", "Noise, one class after the other", NOISE, {"order": "sorted"}),
        Preset("turn", "Noise, the classes in turn", NOISE, {"order": "alternate"}),
        Preset("overlap", "Classes that overlap", OVERLAP),
    ),
    controls=(
        Control(
            "degree",
            "Features",
            1,
            (
                (1, "x\u2081 and x\u2082"),
                (2, "up to degree 2"),
                (3, "up to degree 3"),
                (5, "up to degree 5"),
                (8, "up to degree 8"),
            ),
        ),
        Control("keep", "Weights to keep", "last", (("last", "the last"), ("average", "the average of all"))),
        Control(
            "order",
            "Order of rows",
            "shuffle",
            (
                ("shuffle", "shuffled in every pass"),
                ("sorted", "sorted: all +1 first"),
                ("alternate", "+1 and \u22121 in turn"),
                ("cyclic", "as they lie"),
            ),
        ),
        Control("passes", "Passes", 30, low=2, high=100, whole=True, step=1),
        Control("seed", "Shuffle number", 0, low=0, high=1_000_000, whole=True, step=1),
    ),
    asks={"curve": Ask(curve), "orders": Ask(orders)},
    python=python,
)
