"""``novikoff check``: separable or not, with the rows and features that prove it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..data.blocks import TableBlock
from ..data.proving import prove_store
from .loading import Rows, loaded
from .options import ColumnOptions, ReadingOptions
from .progress import progress
from .training import fit_encoder
from .verdict import as_given, feature_names, prove_rows

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
    time_limit: float | None,
    memory: str | None,
) -> dict[str, Any]:
    """Everything that ``--json`` prints."""
    with loaded(files, target, "classes", reading, columns, memory) as rows:
        if rows.bytes_at_once <= rows.budget:
            found = _at_once(rows, max_margin, time_limit)
        elif max_margin:
            raise ValueError(
                f"--max-margin needs all rows in memory at once, about {rows.bytes_at_once / 1e9:.1f} GB: allow for it with --memory, or leave "
                "it out."
            )
        else:
            found = _round_by_round(rows, time_limit)
        return {
            "command": "check",
            "files": rows.data.files,
            "target": rows.schema.target,
            "rows": rows.store.n_rows,
            "classes": rows.labels().tolist(),
            "notes": rows.data.notes,
            **found,
        }


def _at_once(rows: Rows, max_margin: bool, time_limit: float | None) -> dict[str, Any]:
    X, y, names = as_given(rows)
    proof = prove_rows(X, y, names, time_limit, max_margin)
    numbers = np.concatenate([block.rows for block in rows.store.blocks])
    suspects = [] if proof.separable is not False else proof.suspects.tolist()
    witness = proof.witness
    return {
        "kind": proof.kind,
        "separable": proof.separable,
        "text": _sentence(proof.kind, proof.separable),
        "features": len(names),
        "witness": None if witness is None else _witness(rows, witness, numbers[witness.rows]),
        "n_witness": None if witness is None else len(witness),
        "suspects": [{"place": rows.data.locate(int(numbers[i])), "label": str(y[i])} for i in suspects[:SHOWN]],
        "n_suspects": len(suspects),
        "directions": _directions(proof),
        "margin": proof.margin,
        "margin_bounds": proof.margin_bounds,
        "mistake_bound": proof.mistake_bound,
        "seconds": proof.seconds,
    }


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


def _directions(proof: Any) -> list[dict[str, Any]] | None:
    """What becomes of every coefficient of a logistic regression; nothing where all stay finite."""
    if proof.kind not in ("complete", "quasi-complete") or proof.directions is None:
        return None
    return [
        {"feature": feature, "class": None if label is None else str(label), "direction": direction}
        for feature, found in proof.directions.items()
        for label, direction in (found.items() if isinstance(found, dict) else [(None, found)])
    ]
