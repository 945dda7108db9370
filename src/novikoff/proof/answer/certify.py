"""From what was found to a certificate that holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..check.certificate import Certificate, make_witness
from ..check.margin_of_rows import margin_of
from ..problem.coordinates import Weights, simpler, to_moved, to_user
from ..problem.pairs import Direction, Pairs
from ..search.finding import Finding

SIMPLE_SHARE = 0.99  # of the margin is enough for weights that are easier to read


def certify(pairs: Pairs, classes: np.ndarray, finding: Finding) -> Certificate:
    """The certificate of what was found, checked; what does not hold is not claimed."""
    witness = make_witness(pairs, classes, finding.circuit) if finding.circuit else None
    boundary = finding.boundary
    spanning = make_witness(pairs, classes, finding.relation) if finding.relation and boundary is not None else None
    kind = "quasi-complete" if finding.direction is not None and witness is not None else None
    if boundary is not None:
        kind = "overlap" if boundary.all() else "quasi-complete" if boundary.any() else "complete"
    rows = (
        None
        if boundary is None or kind != "quasi-complete"
        else np.any(boundary.reshape(pairs.n_rows, pairs.n_rivals), axis=1)
    )
    if kind is None:
        return Certificate(None, witness=witness)
    for weights in _candidates(pairs, finding.direction):
        certificate = Certificate(kind, weights, witness, spanning, rows)
        if certificate.holds(pairs, classes):
            return certificate
    raise ArithmeticError("A proof that was found does not hold; please report this with the data.")


def _candidates(pairs: Pairs, direction: Direction | None) -> Iterator[Weights | None]:
    """The direction's weights rounded to floats, and exactly where that may not do."""
    exact = None if direction is None else to_user(pairs, direction)
    yield None if exact is None else Weights(exact.floats)
    if exact is not None and exact.exact is not None:
        yield exact


def simplified(pairs: Pairs, certificate: Certificate) -> Certificate:
    """The certificate with weights of few digits, if some prove the same: the signs of all leads, which are all that a proof asks of
    weights, and nearly the same margin, both found exactly."""
    weights = certificate.weights
    if weights is None:
        return certificate
    candidates = list(simpler(pairs, weights))
    if certificate.kind == "complete" and candidates:
        least = SIMPLE_SHARE * margin_of(pairs, weights)
        good = (simple for simple in candidates if margin_of(pairs, simple) >= least > 0)  # so they separate
    else:
        good = (simple for simple in candidates if np.array_equal(_signs(pairs, simple), _signs(pairs, weights)))
    simple = next(good, None)
    return certificate if simple is None else replace(certificate, weights=simple)


def _signs(pairs: Pairs, weights: Weights) -> np.ndarray:
    return pairs.signs(to_moved(pairs, weights))
