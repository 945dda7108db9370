"""A proof in words: the short report that ``print(proof)`` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...inputs.counts import at_most
from ..check.certificate import Witness
from ..problem.pairs import Pairs
from .fewest import in_words
from .reasons import about_reference
from .verdict_sentences import VERDICTS

if TYPE_CHECKING:
    from .proofs import Proof

LISTED = 8  # rows or names
REASONS_LISTED = 3
FEW_DIMENSIONS, FEW_NUMBERS = 50, 1_000_000  # up to here the limits of coefficients are soon found out
ENDLESS = {"+inf": "to +infinity", "-inf": "to -infinity", "either": "to either infinity"}


def describe(proof: Proof, pairs: Pairs) -> str:
    """A few lines: the data, the verdict, what proves it, what follows."""
    parts = {"complete": _complete, "quasi-complete": _quasi, "overlap": _overlap, None: _undecided}[proof.kind](proof)
    of = "" if proof.against_rest is None else f" of class {proof.against_rest!r} against the rest"
    return "\n".join([f"Linear separability{of}: {verdict(proof, pairs)}", *(f"  {part}" for part in parts)])


def verdict(proof: Proof, pairs: Pairs) -> str:
    """The verdict and the data; nothing is worked out for it."""
    with_intercept = "with" if proof.fit_intercept else "without"
    features = f"{pairs.n_features} feature{'s' * (pairs.n_features != 1)}"
    data = f"{proof._count} rows, {features}, {len(proof.classes)} classes, {with_intercept} intercept"
    return f"{VERDICTS[proof.kind].line} ({data})"


def _complete(proof: Proof) -> list[str]:
    parts = [f"proof: weights that give every row its class; the closest row is {proof.margin:.4g} from the boundary"]
    if proof.margin_bounds is not None and proof.mistake_bound is not None:
        low, high = proof.margin_bounds
        parts.append(f"largest margin: between {low!r} and {high!r}")
        parts.append(
            f"a perceptron that learns row by row from zero weights makes at most {at_most(proof.mistake_bound)} mistakes"
        )
    return [*parts, *some_reasons(proof)]


def _overlap(proof: Proof) -> list[str]:
    many = len(proof.spanning or [])
    pairs = f"{many} row{'s' * (many != 1)}" if len(proof.classes) == 2 else f"{many} pairs of a row and a rival class"
    return [
        f"proof: {witness_in_words(proof)}",
        f"overlap: whatever the weights, some row is on the wrong side, or all are on the boundary ({pairs} prove"
        f"{'s' * (many == 1 and len(proof.classes) == 2)} that)",
        *_suspects(proof),
    ]


def _quasi(proof: Proof) -> list[str]:
    parts = [f"proof: {witness_in_words(proof)}"]
    if proof.rows is None:
        parts.append(
            "some weights separate some rows and have no row on the wrong side; which other rows can be separated is not known"
        )
    else:
        boundary = int(np.count_nonzero(proof.rows == "boundary"))
        apart = len(proof.rows) - boundary
        parts.append(
            f"some weights have no row on the wrong side: {apart} row{' is' if apart == 1 else 's are'} separated, {boundary} always "
            f"stay{'s' * (boundary == 1)} on the boundary"
        )
    return [*parts, *_limits(proof), *some_reasons(proof), *_suspects(proof)]


def _limits(proof: Proof) -> list[str]:
    """Which coefficients of a logistic regression have no finite estimate, where that is soon found out."""
    if len(proof.classes) > 2 or not cheap_limits(proof):
        return []
    named = [f"of {name} goes {where}" for name, where in endless(proof).items()]
    return [f"in a logistic regression the coefficient {_first_few(named)}"] if named else []


def some_reasons(proof: Proof) -> list[str]:
    """The first reasons, where they are soon found out."""
    if not cheap_limits(proof):
        return []
    lines = []
    for reason in proof._reasons[:REASONS_LISTED]:
        advice = about_reference(reason, proof._model)
        lines.append(reason.text)
        if advice is not None:
            lines.append(f"{advice[0].rstrip('.')}{': ' * bool(advice[1])}{advice[1]}")
    return lines


def cheap_limits(proof: Proof) -> bool:
    """Whether it is soon found out what becomes of coefficients."""
    dim = proof._pairs.dim
    return dim <= FEW_DIMENSIONS and proof._count * dim <= FEW_NUMBERS


def endless(proof: Proof) -> dict[str, str]:
    """Of two classes, the coefficients that have no finite estimate, and where they go."""
    return {name: ENDLESS[limit] for name, limit in (proof.directions or {}).items() if limit in ENDLESS}


def _undecided(proof: Proof) -> list[str]:
    parts = ["not complete, the kind undecided: " + witness_in_words(proof)] if proof.witness is not None else []
    if proof.violation is not None:
        parts.append(f"the best weights so far miss a row by {proof.violation:.4g}; none was found to separate")
    return parts or ["nothing was found before the time limit ended, or exact arithmetic was out of reach"]


def class_names(proof: Proof) -> list[str]:
    """What the classes are called: of one class against the rest, that class and the rest."""
    return (
        [str(label) for label in proof.classes] if proof.against_rest is None else ["the rest", str(proof.against_rest)]
    )


def witness_shares(proof: Proof, witness: Witness) -> np.ndarray:
    """What share of the weights each row has: of two classes with an intercept, which weigh the same, of its class's; else of all."""
    balanced = witness.rivals is None and proof.fit_intercept
    total = sum(witness.weights) / (2 if balanced else 1)
    return np.array([float(weight / total) for weight in witness.weights])


def witness_in_words(proof: Proof) -> str:
    """The rows that prove that nothing separates."""
    assert proof.witness is not None
    rows = np.unique(proof.witness.rows).tolist()
    some = f"{len(rows)} row{'s' * (len(rows) > 1)} ({_first_few(rows)})"
    if hulls_meet(proof):
        return f"the convex hulls of the classes meet: {some} suffice"
    if len(rows) == 1:
        return f"row {rows[0]} is all zeros, on every boundary through the origin"
    if len(proof.classes) == 2:
        return (
            f"{some}, those of the first class with their signs changed, add up to zero with positive weights: no boundary through "
            "the origin separates them"
        )
    through = "" if proof.fit_intercept else " without intercepts"
    return (
        f"{some}, added to their own class and taken from a rival with positive weights, cancel in every class: no "
        f"weights{through} give these rows their classes"
    )


def hulls_meet(proof: Proof) -> bool:
    """Whether the witness is a point of both hulls: of two classes, and with an intercept."""
    return proof.witness is not None and len(proof.classes) == 2 and proof.fit_intercept


def _suspects(proof: Proof) -> list[str]:
    return [] if proof.suspects is None else [in_words(proof._fewest)]


def _first_few(items: list[Any]) -> str:
    return ", ".join(map(str, items[:LISTED])) + (", ..." if len(items) > LISTED else "")
