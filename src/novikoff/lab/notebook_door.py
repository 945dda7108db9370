"""``novikoff.lab.show``: the page in a notebook, which begins with a trace, a proof, a machine or a scene."""

from __future__ import annotations

import os
from html import escape
from typing import Any

from .page_export import exported, find_scene
from .scenes import MOST_LETTERS, VERSION, read_scene

# The scene of a trace.


def scene_of_trace(trace: Any) -> dict[str, Any]:
    """The perceptron stepper on the data and with the parameters of the trace."""
    learner = trace.estimator
    if type(learner).__name__ != "Perceptron" or len(learner.classes_) != 2 or trace.X.shape[1] != 2:
        raise ValueError("The page shows traces of a Perceptron on two features and two classes.")
    if learner.order not in ("cyclic", "shuffle", "alternate", "worst", "auto"):
        raise ValueError(f"The page has no order {learner.order!r}.")
    if learner.batch_size != 1:
        raise ValueError("The page steps through rows one at a time: trace with batch_size=1.")
    start = trace.before[0, 0].tolist() if len(trace) else [0.0, 0.0, 0.0]
    bias = "none" if not learner.fit_intercept else "radius" if learner.intercept_scaling == "radius" else "one"
    return {
        "version": VERSION,
        "demo": "perceptron",
        "data": {
            "X": trace.X.tolist(),
            "y": [int(label == learner.classes_[1]) for label in trace.y],
            "names": [str(name)[:MOST_LETTERS] for name in getattr(learner, "feature_names_in_", ["x1", "x2"])],
            "classes": [str(label)[:MOST_LETTERS] for label in learner.classes_],
        },
        "parameters": {
            "start": start,
            "eta": float(learner.eta),
            "order": "shuffle" if learner.order == "auto" else learner.order,
            "seed": learner.random_state if isinstance(learner.random_state, int) else 0,
            "bias": bias,
        },
        "view": {},
    }


HEIGHT = 1000  # pixels
SANDBOX = "allow-scripts allow-downloads"
LIMITS = ("hard", "100", "30", "10", "3", "1", "0.3", "0.1", "0.03", "0.01")  # C of machines, as the page has them


class NotebookPage:
    """The page as notebooks show it: a separate frame, which needs no Python."""

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        return (
            f'<iframe sandbox="{SANDBOX}" title="novikoff lab" width="100%" height="{self.height}" '
            f'style="border: 0" srcdoc="{escape(self.page)}"></iframe>'
        )

    def __repr__(self) -> str:
        return "The lab: a notebook shows it."


def show(what: Any, X: Any = None, y: Any = None, *, height: int = HEIGHT) -> NotebookPage:
    """Show the lab's page in a notebook (Jupyter, marimo): rows can be dragged, and the page itself answers.

    Parameters
    ----------
    what : Trace, Proof, LinearSVM, dict or str
        What to begin with: a trace of a ``Perceptron``, what ``separability`` returns, a ``LinearSVM`` with the rows it is to
        be shown on, or a scene: as a dict, a file, a link, or the name of a demonstration.
    X : array-like of shape (n_samples, 2), default=None
        Rows, for a machine.
    y : array-like of shape (n_samples,), default=None
        Their labels.
    height : int, default=1000
        The height of the page in pixels.

    Returns
    -------
    object
        What the notebook shows, if it stands at the end of a cell.
    """
    return NotebookPage(exported(scene_for(what, X, y)), height)


def scene_for(what: Any, X: Any = None, y: Any = None) -> dict[str, Any]:
    """The scene that shows this."""
    kind = type(what).__name__
    if isinstance(what, dict):
        return read_scene(what)
    if isinstance(what, str | os.PathLike):
        return find_scene(os.fspath(what))
    if kind == "Trace":
        return scene_of_trace(what)
    if kind == "Proof":
        return _scene_of_proof(what)
    if kind == "LinearSVM":
        return _scene_of_machine(what, X, y)
    raise TypeError(f"show takes a Trace, a Proof, a LinearSVM or a scene; got {kind}.")


def _scene_of_proof(proof: Any) -> dict[str, Any]:
    pairs = proof._pairs
    rows = pairs.X.toarray() if pairs.sparse else pairs.X
    bias = "one" if proof.fit_intercept else "none"
    return _scene("verdict", rows, pairs.target, proof.feature_names, proof.classes, {"bias": bias})


def _scene_of_machine(machine: Any, X: Any, y: Any) -> dict[str, Any]:
    import numpy as np  # when there are rows: the lab's page is there before it

    if X is None or y is None:
        raise ValueError("A machine keeps no rows: show(machine, X, y) names them.")
    if machine.loss != "hinge" or not machine.fit_intercept:
        raise ValueError("The page shows machines with loss='hinge' and an intercept.")
    limit = next((value for value in LIMITS if _as_limit(value) == float(machine.C)), None)
    if limit is None:
        raise ValueError(f"The page shows C = {', '.join(LIMITS)}; got C={machine.C!r}.")
    classes, target = np.unique(np.asarray(y), return_inverse=True)
    names = getattr(X, "columns", ["x1", "x2"])
    return _scene("support", np.asarray(X, dtype=float), target, names, classes, {"C": limit})


def _as_limit(value: str) -> float:
    return float("inf") if value == "hard" else float(value)


def _scene(demo: str, X: Any, y: Any, names: Any, classes: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    if X.shape[1] != 2 or len(classes) != 2:
        raise ValueError(f"The page shows two features and two classes; these are {X.shape[1]} and {len(classes)}.")
    data = {
        "X": X.tolist(),
        "y": [int(each) for each in y],
        "names": [str(name)[:MOST_LETTERS] for name in names],
        "classes": [str(label)[:MOST_LETTERS] for label in classes],
    }
    return read_scene({"version": VERSION, "demo": demo, "data": data, "parameters": parameters, "view": {}})
