"""How a fit ended, in sentences."""

from __future__ import annotations

from typing import Any

from ..inputs.counts import at_most
from ..inputs.readable import seconds, some
from ..inputs.shell import clean

NOTICED = 0.1  # seconds
ENDINGS = {
    "separated": "every training row was classified correctly",
    "stable": "the weights had come to rest",
    "cycle": "the weights came back to earlier ones: they cycle",
    "no_improvement": "the held-out score had stopped improving",
    "no_progress": "its mistakes, or its loss, had stopped falling",
    "inseparable": "it was proved that no weights separate the classes",
    "budget": "its budget",
    "time": "its time was over",
    "callback": "it was asked to",
    "interrupted": "it was interrupted; what it had learned so far is kept",
    "solved": "the optimum was reached",
    "no_minimum": "the weights would grow without limit: there is no optimum",
    "stalled": "it got no further, short of the optimum that was asked for",
}


def solved_by(learner: Any) -> str | None:
    """The solver of a fitted learner; None if it took steps."""
    solver: str = getattr(learner, "solver_", "steps")
    return None if solver == "steps" else solver


def how_it_ended(learner: dict[str, Any], fit: dict[str, Any]) -> str:
    """The learner, its passes or its solver's iterations, and why it stopped, in a sentence."""
    chosen = ", ".join(f"{clean(name)}={clean(value)}" for name, value in (learner.get("parameters") or {}).items())
    name = clean(learner.get("name", "The learner")) + (f" ({chosen})" if chosen else "")
    passes, reason = fit.get("passes"), fit.get("stop_reason")
    solver, l2 = fit.get("solver"), fit.get("l2")
    counted = ("iteration", "iterations") if solver else ("pass", "passes")
    after = "" if passes is None else f" after {some(passes, *counted)}"
    used = [f"solver: {clean(solver)}"] if solver else []
    used += [] if l2 is None else [f"l2: {l2:g}"]
    after += f" ({', '.join(used)})" if used else ""
    why = ENDINGS.get(reason, clean(reason)) if reason else ""
    how = (", " if reason == "budget" else ": ") + why if why else ""
    took = f"; it took {seconds(fit['seconds'])}" if fit.get("seconds") is not None else ""
    return f"{name} stopped{after}{how}{took}."


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
