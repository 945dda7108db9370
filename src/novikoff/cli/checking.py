"""``novikoff check``: separable or not, with the rows and features that prove it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..data.blocks import TableBlock
from ..data.proving import prove_store
from ..proof.clock import Clock, OutOfTime
from ..proof.diagnosis import coefficient_limits
from ..proof.report import Proof
from ..proof.suspects import suspects
from .loading import Rows, loaded
from .options import ColumnOptions, ReadingOptions
from .progress import progress
from .training import fit_encoder
from .verdict import as_given, feature_names, filled_in, prove_rows, refuse_rounded

SHOWN = 100  # rows that are listed of each kind
SENTENCES = {
    "complete": "Some weights give every row its class.",
    "quasi-complete": "No weights give every row its class, but some contradict no row and have some rows strictly on their side.",
    "overlap": "Whatever the weights, some row is on the wrong side, or all are on the boundary.",
}


def _sentence(kind: str | None, separable: bool | None) -> str:
    if kind is None and separable is False:
        return "No weights give every row its class; whether some contradict no row is not known."
    return SENTENCES.get(
        kind or "", "Neither weights that give every row its class were found, nor a proof that there are none."
    )


def check(
    files: list[str],
    target: str | None,
    reading: ReadingOptions,
    columns: ColumnOptions,
    max_margin: bool,
    directions: bool,
    time_limit: float | None,
    memory: str | None,
    tell: Callable[[dict[str, Any]], None] = lambda verdict: None,
) -> dict[str, Any]:
    """Everything that ``--json`` prints.  ``tell`` is told the verdict as soon as it is known: the first part of the same."""
    with loaded(files, target, "classes", reading, columns, memory) as rows:
        refuse_rounded(rows)
        about = {
            "command": "check",
            "files": rows.data.files,
            "target": rows.schema.target,
            "rows": rows.store.n_rows,
            "classes": rows.labels().tolist(),
        }

        def tell_all(verdict: dict[str, Any]) -> None:
            tell({**about, **verdict})

        if rows.bytes_at_once <= rows.budget:
            found = _at_once(rows, max_margin, directions, time_limit, tell_all)
        elif max_margin:
            raise ValueError(
                f"--max-margin needs all rows in memory at once, about {rows.bytes_at_once / 1e9:.1f} GB: allow for it with --memory, or leave "
                "it out."
            )
        else:
            found = _round_by_round(rows, time_limit)
        return {**about, "left_out": rows.left_out, "notes": rows.notes + filled_in(rows), **found}


def _at_once(
    rows: Rows, max_margin: bool, directions: bool, time_limit: float | None, tell: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    X, y, names = as_given(rows)
    clock = Clock(time_limit)  # of the proof, and of what follows from it
    proof = prove_rows(X, y, names, time_limit, max_margin)
    numbers = np.concatenate([block.rows for block in rows.store.blocks])
    witness = proof.witness
    verdict = {
        "kind": proof.kind,
        "separable": proof.separable,
        "text": _sentence(proof.kind, proof.separable),
        "features": len(names),
        "witness": None if witness is None else _witness(rows, witness, numbers[witness.rows]),
        "n_witness": None if witness is None else len(witness),
        "margin": proof.margin,
        "margin_bounds": proof.margin_bounds,
        "mistake_bound": proof.mistake_bound,
        "seconds": proof.seconds,
    }
    tell(verdict)
    in_the_way = _suspects(proof, clock)
    listed = [] if in_the_way is None else in_the_way[:SHOWN].tolist()
    return {
        **verdict,
        "suspects": [{"place": rows.data.locate(int(numbers[i])), "label": str(y[i])} for i in listed],
        "n_suspects": None if in_the_way is None else len(in_the_way),
        **(_coefficients(proof, clock) if directions else {}),
    }


def _suspects(proof: Proof, clock: Clock) -> np.ndarray | None:
    """The rows most in the way of separation; None where the time ended before any were known."""
    if proof.separable is not False:
        return np.empty(0, dtype=np.intp)
    try:
        return suspects(proof._pairs, proof._boundary_rows, clock)
    except OutOfTime:
        return None


def _round_by_round(rows: Rows, time_limit: float | None) -> dict[str, Any]:
    """The same for rows that do not fit into memory: every round looks at all of them once."""
    encoder = fit_encoder(rows, None, standardise=False)
    with progress("Checking", None, "rows") as advance:
        proof = prove_store(rows.store, rows.schema, encoder, time_limit=time_limit, progress=advance)
    witness = proof.witness
    return {
        "kind": proof.kind,
        "separable": proof.separable,
        "text": _sentence(proof.kind, proof.separable),
        "features": len(feature_names(rows.schema.n_features, encoder)),
        "witness": None if witness is None else _witness(rows, witness, witness.rows),
        "n_witness": None if witness is None else len(witness),
        "rounds": proof.rounds,
        "seconds": proof.seconds,
    }


def _witness(rows: Rows, witness: Any, numbers: np.ndarray) -> list[dict[str, Any]]:
    """The rows that prove it, by their places in the files; ``numbers`` are those of the witness's rows there."""
    found = {number: given for block in rows.store.blocks for number, given in _given(rows, block, numbers[:SHOWN])}
    rivals = [None] * len(witness) if witness.rivals is None else witness.rivals
    total = sum(witness.weights)
    return [
        {
            "row": number,
            "place": rows.data.locate(number),
            **found[number],
            "rival": None if rival is None else str(rival),
            "weight": str(weight),
            "share": float(weight / total),
        }
        for number, rival, weight in zip(numbers[:SHOWN].tolist(), rivals, witness.weights, strict=False)
    ]


def _given(rows: Rows, block: Any, numbers: np.ndarray) -> Iterator[tuple[int, dict[str, Any]]]:
    """Label and, of a table, values of those rows of a block that are asked for."""
    schema = rows.schema
    for place in np.flatnonzero(np.isin(block.rows, numbers)).tolist():
        values = {}
        if isinstance(block, TableBlock):
            values = dict(zip(schema.numbers, block.numbers[place].tolist(), strict=True))
            for name, code in zip(schema.categories, block.codes[place].tolist(), strict=True):
                values[name] = None if code < 0 else schema.levels[name][code]
        yield int(block.rows[place]), {"label": schema.labels[block.target[place]], "values": values}
    rows.store.release()


def _coefficients(proof: Proof, clock: Clock) -> dict[str, Any]:
    """What becomes of every coefficient of a logistic regression.  With complete separation none is finite: nothing is
    solved for.  With overlap all are, unless they are aliased."""
    if proof.kind == "complete":
        return {"finite_coefficients": 0}
    if proof.kind != "quasi-complete":
        return {}
    pairs = proof._pairs
    with progress("Coefficients", pairs.n_rivals * pairs.n_features, "coefficients") as advance:
        limits = coefficient_limits(pairs, proof.kind, clock, advance)
    if limits is None:
        return {"undecided_coefficients": pairs.n_rivals * pairs.n_features}
    labels = [None] if pairs.n_rivals == 1 else [str(label) for label in proof.classes[1:]]
    return {
        "directions": [
            {"feature": feature, "class": label, "direction": limits[k, j]}
            for j, feature in enumerate(proof.feature_names)
            for k, label in enumerate(labels)
        ],
        "finite_coefficients": int(np.count_nonzero(limits == "finite")),
        "undecided_coefficients": limits.ravel().tolist().count(None),
    }
