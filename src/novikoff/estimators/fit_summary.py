"""What a notebook shows of a fit, below scikit-learn's picture of the estimator: why it stopped, and what was proved."""

from __future__ import annotations

from typing import Any

from ..inputs.counts import count
from ..inputs.notebook_view import notebook_view
from ..inputs.readable import number, some
from ..inputs.sections import Section
from .fit_sentences import how_it_ended, mistakes_made, solved_by
from .peer_names import PeerNames


class ShownFit(PeerNames):
    """An estimator whose fit is summed up where a notebook shows it.  In a pipeline, its picture stays scikit-learn's."""

    def _html_repr(self) -> str:
        summary = notebook_view([Section("The fit", fit_lines(self))]) if hasattr(self, "stop_reason_") else ""
        return super()._html_repr() + summary


def fit_lines(learner: Any) -> list[str]:
    """The summary of a fit, in sentences."""
    return [line for line in (_ending(learner), *_answers(learner), *_machine(learner), *_proved(learner)) if line]


def _ending(learner: Any) -> str:
    name, reason, passes = type(learner).__name__, learner.stop_reason_, getattr(learner, "n_iter_", None)
    if reason is None:
        return f"{name} is learning from a stream: {some(passes or 0, 'pass', 'passes')} so far."
    fit = {
        "stop_reason": reason,
        "passes": None if hasattr(learner, "objective_") else passes,
        "solver": solved_by(learner),
        "l2": getattr(learner, "l2_", None),
    }
    return how_it_ended({"name": name}, fit)


def _answers(learner: Any) -> list[str | None]:
    """Mistakes while it learned, and errors of the weights that it keeps."""
    errors, keep = getattr(learner, "n_errors_", None), getattr(learner, "keep_", None)
    kept = f" (keep: {keep})" if keep else ""
    wrong = None if errors is None else f"The weights it keeps{kept} classify {some(errors, 'training row')} wrongly."
    made = None if solved_by(learner) else getattr(learner, "n_mistakes_", None)
    return [mistakes_made({"mistakes": made}), wrong]


def _machine(learner: Any) -> list[str]:
    """Of a support vector machine, how close it is to the optimum."""
    if not hasattr(learner, "objective_"):
        return []
    support = f", {count(len(learner.support_))} support vectors" if hasattr(learner, "support_") else ""
    gap = f"proved to be within {learner.duality_gap_:.1e} of its minimum, relatively"
    return [f"Objective {number(float(learner.objective_), 6)}, {gap}{support}."]


def _proved(learner: Any) -> list[str]:
    """What the fit proved of separability."""
    found = []
    if getattr(learner, "proof_", None) is not None:
        found.append(f"{str(learner.proof_).splitlines()[0]}. proof_ has the proof.")
    cycle = getattr(learner, "cycle_", None)
    if cycle is not None and cycle.proves_inseparable:
        found.append("The cycle proves that no weights separate the classes: cycle_ has the proof.")
    return found
