"""``separability``: are these classes linearly separable?  Proved, whatever the answer."""

from __future__ import annotations

import logging
from dataclasses import replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from .certificate import Certificate, make_witness
from .clock import Clock
from .coordinates import Weights, to_moved, to_user
from .decide import Finding, decide
from .margin import margin_of
from .mistakes import mistake_bound, square_norms
from .pairs import Pairs
from .read import read
from .report import Proof
from .widest import largest_margin

log = logging.getLogger(__name__)


def separability(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    max_margin: bool = False,
    intercept_scaling: float | Literal["radius"] = 1.0,
    time_limit: float | None = None,
) -> Proof:
    """Tell whether classes are linearly separable, and prove it."""
    clock = Clock(check_limit(time_limit))
    pairs, classes, names = read(X, y, fit_intercept)
    finding = decide(pairs, clock)
    certificate = certify(pairs, classes, finding)
    margin = bounds = mistakes = None
    if certificate.kind == "complete" and certificate.weights is not None:
        direction = to_moved(pairs, certificate.weights)
        margin = margin_of(pairs, direction)
        if max_margin:
            mistakes = mistake_bound(pairs, direction, constant_feature(pairs, intercept_scaling), clock)
            direction, margin, above = largest_margin(pairs, direction, clock)
            bounds = (margin, above)
            certificate = replace(certificate, weights=to_user(pairs, direction))
    violation = clock.violation if certificate.kind is None and np.isfinite(clock.violation) else None
    log.info("%s after %.3g s", certificate.kind or "undecided", clock.seconds)
    return Proof(
        certificate,
        classes,
        names,
        fit_intercept,
        pairs,
        margin=margin,
        margin_bounds=bounds,
        mistake_bound=mistakes,
        violation=violation,
        seconds=clock.seconds,
    )


def check_limit(time_limit: float | None) -> float | None:
    if time_limit is not None and not (isinstance(time_limit, Real) and time_limit > 0):
        raise ValueError(f"time_limit must be a positive number of seconds or None; got {time_limit!r}.")
    return None if time_limit is None else float(time_limit)


def constant_feature(pairs: Pairs, intercept_scaling: float | str) -> float:
    """c: a number, or the largest norm of a row."""
    if intercept_scaling == "radius":
        return float(np.sqrt(square_norms(pairs.X).max())) or 1.0
    if isinstance(intercept_scaling, Real) and 0 < float(intercept_scaling) < np.inf:
        return float(intercept_scaling)
    raise ValueError(f'intercept_scaling must be a positive number or "radius"; got {intercept_scaling!r}.')


def certify(pairs: Pairs, classes: np.ndarray, finding: Finding) -> Certificate:
    """The certificate of what was found, checked; what does not hold is not claimed."""
    witness = make_witness(pairs, classes, finding.circuit) if finding.circuit else None
    spanning = make_witness(pairs, classes, finding.relation) if finding.relation else None
    boundary = finding.boundary
    kind = "quasi-complete" if finding.direction is not None and witness is not None else None
    if boundary is not None:
        kind = "overlap" if boundary.all() else "quasi-complete" if boundary.any() else "complete"
    rows = (
        None
        if boundary is None or kind != "quasi-complete"
        else np.any(boundary.reshape(pairs.n_rows, pairs.n_rivals), axis=1)
    )
    if finding.direction is None:
        certificate = Certificate(kind, None, witness, spanning, rows)
    else:
        exact = to_user(pairs, finding.direction)
        certificate = Certificate(kind, Weights(exact.floats), witness, spanning, rows)
        if exact.exact is not None and not certificate.holds(pairs, classes):
            certificate = Certificate(kind, exact, witness, spanning, rows)
    if kind is not None and not certificate.holds(pairs, classes):
        raise ArithmeticError("A proof that was found does not hold; please report this with the data.")
    return certificate
