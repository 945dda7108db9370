"""The scene of a trace."""

from __future__ import annotations

from typing import Any

from .scenes import MOST_LETTERS, VERSION


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
