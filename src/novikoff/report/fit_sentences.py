"""How a fit ended, in sentences; and what a notebook shows of it, below scikit-learn's picture of the estimator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .html import notebook_view
from .sections import Section
from .words import at_most, clean, count, number, seconds, some

NOTICED = 0.1  # seconds
ENDINGS = {
    "separated": "every training row was classified correctly",
    "stable": "the weights hardly changed any more",
    "cycle": "the weights returned to earlier values, and would repeat without end",
    "no_improvement": "the held-out score stopped improving",
    "no_progress": "its mistakes stopped falling",
    "inseparable": "it was proved that no weights separate the classes",
    "budget": "at the limit of",
    "time": "the time limit was reached",
    "callback": "a callback asked for it",
    "interrupted": "it was interrupted; what it had learned so far is kept",
    "solved": "the optimum was reached",
    "no_minimum": "the weights would grow without limit: there is no optimum",
    "stalled": "rounding allowed no further progress, short of the optimum that was asked for",
}


def solved_by(learner: Any) -> str | None:
    """The solver of a fitted learner; None if it took steps."""
    solver: str = getattr(learner, "solver_", "steps")
    return None if solver == "steps" else solver


def how_it_ended(
    learner: dict[str, Any], fit: dict[str, Any], history: Mapping[str, Sequence[float]] | None = None
) -> str:
    """The learner, its passes or its solver's iterations, and why it stopped, in a sentence; ``history``: numbers of each pass."""
    chosen = ", ".join(f"{clean(name)}={clean(value)}" for name, value in (learner.get("parameters") or {}).items())
    name = clean(learner.get("name", "The learner")) + (f" ({chosen})" if chosen else "")
    passes, reason, history = fit.get("passes"), fit.get("stop_reason"), history or {}
    solver, l2 = fit.get("solver"), fit.get("l2")
    counted = ("iteration", "iterations") if solver else ("pass", "passes")
    many = "" if passes is None else some(passes, *counted)
    used = [f"solver: {clean(solver)}"] if solver else []
    used += [] if l2 is None else [f"l2: {l2:g}"]
    by = f" ({', '.join(used)})" if used else ""
    took = f"; it took {seconds(fit['seconds'])}" if fit.get("seconds") is not None else ""
    if reason == "budget":
        still = " while still improving" if still_improving(history.get("mistakes")) else ""
        return f"{name} stopped {ENDINGS[reason]} {many or counted[1]}{by}{still}{took}."
    after = f" after {many}" if many else ""
    why = f": {ENDINGS.get(reason, clean(reason))}" if reason else ""
    if "progressive_loss" in history:  # of rules that are judged by it
        why = why.replace("its mistakes", "its loss")
    return f"{name} stopped{after}{by}{why}{took}."


def still_improving(mistakes: Sequence[float] | None) -> bool:
    """Whether the last pass made fewer mistakes than any before it; False where that is not known."""
    return mistakes is not None and len(mistakes) > 1 and mistakes[-1] < min(mistakes[:-1])


def compiled(value: float | None) -> str | None:
    """How long the run compiled, which later ones need not if the result could be kept, in a sentence."""
    if not value or value < NOTICED:
        return None
    return f"Compiled for this machine: {seconds(value)}."


def mistakes_made(fit: dict[str, Any]) -> str | None:
    """The mistakes of learning against the bound, in a sentence."""
    made, bound = fit.get("mistakes"), fit.get("mistake_bound")
    if made is None:
        return None
    text = f"While learning it made {some(int(made), 'mistake')}"
    if bound is None:
        return text + "."
    return f"{text}; Novikoff's theorem allows at most {at_most(int(bound))}."


def shown_fit(learner: Any) -> str:
    """The summary of a fit, as HTML."""
    return notebook_view([Section("The fit", fit_lines(learner))])


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
    return how_it_ended({"name": name}, fit, {} if solved_by(learner) else getattr(learner, "history_", {}))


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
