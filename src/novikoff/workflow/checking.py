"""Separable or not, with the rows and features that prove it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from operator import or_
from typing import Any

import numpy as np

from .. import distributed
from ..data.store.blocks import Block, DataError, Schema, TableBlock
from ..inputs.clock import Clock, Room
from ..inputs.keywords import keyword
from ..proof.answer.coefficient_limits import coefficient_limits
from ..proof.answer.fewest import FewestErrors, in_words
from ..proof.answer.proofs import Proof
from ..proof.answer.verdict_sentences import words_for
from ..proof.check.written import exact_number
from ..proof.stream.streamed_proof import FIRST, StreamedProof
from ..proof.stream.working_set import BYTES_A_PAIR
from .check_result import (
    CheckResult,
    CoefficientLimit,
    Coefficients,
    MarginFound,
    RowInTheWay,
    RowsInTheWay,
    WitnessRow,
)
from .loading import Rows
from .memory import PROGRAM
from .on_cluster import ApartRows
from .opening import rows_of
from .proving import prove_store
from .requests import CheckRequest
from .training import fit_encoder
from .verdict import CHEAP, as_given, feature_names, filled_in, prove_rows, refuse_rounded
from .watching import NOBODY, Watcher

SHOWN = 100  # rows that are listed of each kind
BYTES_A_WEIGHT = 120  # a perceptron's, its average, and those that are tried and moved, about
BYTES_OF_TWO_CLASSES = 40  # how far apart they are, and what that is made of, about


def check(
    request: CheckRequest,
    watcher: Watcher = NOBODY,
    tell: Callable[[CheckResult], None] = lambda verdict: None,
) -> CheckResult:
    """Prove it.  ``tell`` is told the verdict as soon as it is known: the first part of the result."""
    with rows_of(request.source, "classes", watcher) as rows:
        refuse_rounded(rows)
        if isinstance(rows, ApartRows):
            found = _where_they_lie(request, rows, tell)
        elif rows.bytes_at_once + _bytes_of_classes(rows) <= rows.budget:
            found = _at_once(request, rows, tell)
        elif request.max_margin or request.certificate is not None:
            what = "max_margin=True" if request.max_margin else "certificate=..."
            raise ValueError(
                f"{what} needs all rows in memory at once, about {(rows.bytes_at_once + _bytes_of_classes(rows)) / 1e9:.1f} GB: allow for it with memory=..., or leave "
                "it out."
            )
        else:
            found = _round_by_round(rows, request.time_limit)
        return replace(found, left_out=rows.left_out, notes=rows.notes + filled_in(rows) + found.notes)


def _bytes_of_classes(rows: Rows) -> int:
    """About what a proof of several classes holds besides the rows: weights, and how far apart every two classes are."""
    n_classes, schema = len(rows.schema.labels), rows.schema
    if n_classes == 2:
        return 0
    if rows.sparse:
        features = len(feature_names(schema.n_features, fit_encoder(rows, None, standardise=False)))
    else:
        features = len(schema.numbers) + sum(map(len, schema.levels.values()))
    return n_classes * (BYTES_OF_TWO_CLASSES * n_classes + BYTES_A_WEIGHT * (features + 1))


def _make_room(rows: Rows) -> None:
    """See to it that there is memory for a proof that looks at a few rows at a time, before it begins."""
    n_classes = len(rows.schema.labels)
    pairs = min(rows.n_rows, FIRST) * (n_classes - 1)
    needed = BYTES_A_PAIR * pairs + _bytes_of_classes(rows)
    if needed > rows.room:
        raise DataError(
            f"{rows.data.files[0]}: a proof about {n_classes:,} classes takes about {needed / 1e9:.1f} GB, and there is room for "
            f"{rows.room / 1e9:.2g} GB. Allow for it with {_enough(needed)}, or have fewer classes: is "
            f"{rows.schema.target!r} the right target?"
        )
    if not isinstance(rows, ApartRows):
        rows.make_room(needed)


def _verdict(
    rows: Rows, proof: Proof | StreamedProof, features: int, numbers: Callable[[Any], np.ndarray]
) -> CheckResult:
    """What both kinds of proof say; ``numbers`` finds the rows of a witness among all rows of the files."""
    witness = proof.witness
    return CheckResult(
        files=rows.data.files,
        target=rows.schema.target,
        rows=rows.n_rows,
        classes=rows.labels().tolist(),
        left_out=[],
        notes=[],
        kind=proof.kind,
        separable=proof.separable,
        text=words_for(proof.kind, proof.separable).sentence,
        features=features,
        witness=None if witness is None else _witness(rows, witness, numbers(witness.rows)),
        n_witness=None if witness is None else len(witness),
        seconds=proof.seconds,
        proof=proof,
    )


def _at_once(request: CheckRequest, rows: Rows, tell: Callable[[CheckResult], None]) -> CheckResult:
    X, y, names, model = as_given(rows)
    room = Room(rows.room)
    clock = Clock(request.time_limit, room=room)  # of the proof, and of what follows from it
    proof = prove_rows(X, y, names, request.time_limit, request.max_margin, model, room=room)
    notes = _certificate(request, proof) + _lacked(proof, room)
    numbers: np.ndarray = rows.fold(_row_numbers, _concatenated)
    margins = MarginFound(margin=proof.margin, margin_bounds=proof.margin_bounds, mistake_bound=proof.mistake_bound)
    verdict = replace(_verdict(rows, proof, len(names), numbers.__getitem__), margins=margins, notes=notes)
    tell(verdict)

    def place(row: int) -> str:
        return rows.data.locate(int(numbers[row]))

    fewest = _fewest(proof, clock)
    listed = [] if fewest is None else fewest.rows[:SHOWN].tolist()
    return replace(
        verdict,
        in_the_way=RowsInTheWay(
            suspects=[RowInTheWay(place=place(i), label=str(y[i])) for i in listed],
            n_suspects=0 if proof.separable is not False else None if fewest is None else len(fewest.rows),
            must_go_at_least=None if fewest is None else int(fewest.lower),
            must_go=None if fewest is None else in_words(fewest, place, which=False),
        ),
        coefficients=_coefficients(proof, clock, rows.watcher) if request.directions else None,
    )


def _lacked(proof: Proof | StreamedProof, room: Room) -> list[str]:
    """A note, where more might have been decided with more memory."""
    if proof.kind is not None or not room.lacked:
        return []
    return [
        f"to decide more takes about {room.lacked / 1e9:.2g} GB, and there is room for {room.size / 1e9:.2g} GB: allow for it with "
        f"{_enough(room.lacked)}"
    ]


def _enough(needed: int) -> str:
    """The memory to ask for where so many bytes are needed besides the program."""
    return keyword("memory", f"{-(-(needed + PROGRAM) // 10**8) / 10:.1f}GB")


def _row_numbers(blocks: Iterable[Block]) -> np.ndarray:
    return np.concatenate([np.empty(0, dtype=np.int64), *(block.rows for block in blocks)])


def _concatenated(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.concatenate([one, other])


def _certificate(request: CheckRequest, proof: Proof) -> list[str]:
    """Save the proof, if that is asked for; a note says where, or why not."""
    if request.certificate is None:
        return []
    if proof.separable is None:
        return ["no certificate was written, as nothing was decided: allow more time with time_limit=..."]
    proof.save(request.certificate, rows=request.certificate_rows)
    return [f"the proof is in {request.certificate}, where rows are counted from 0, without those that were left out"]


def _fewest(proof: Proof, clock: Clock) -> FewestErrors | None:
    """The fewest rows that must go; None where none must, or where the time is over."""
    return None if proof.separable is not False or clock.over else proof.fewest(clock)


def _round_by_round(rows: Rows, time_limit: float | None) -> CheckResult:
    """The same for rows that do not fit into memory: every round looks at all of them once."""
    _make_room(rows)
    encoder = fit_encoder(rows, None, standardise=False)
    with rows.watcher.progress("Checking", None, "rows") as advance:
        room = Room(rows.room)
        proof = prove_store(rows.store, rows.schema, encoder, time_limit=time_limit, progress=advance, room=room)
    features = len(feature_names(rows.schema.n_features, encoder))
    return replace(
        _verdict(rows, proof, features, lambda numbers: numbers), rounds=proof.rounds, notes=_lacked(proof, room)
    )


def _where_they_lie(request: CheckRequest, rows: ApartRows, tell: Callable[[CheckResult], None]) -> CheckResult:
    """The same for rows in partitions; few of them are brought here."""
    encoder = fit_encoder(rows, None, standardise=False)
    names = feature_names(rows.schema.n_features, encoder)
    if rows.n_rows * max(len(names), len(rows.schema.labels)) <= CHEAP:
        return _at_once(request, rows, tell)
    if request.max_margin or request.certificate is not None:
        what = "max_margin=True" if request.max_margin else "certificate=..."
        raise ValueError(f"{what} needs all rows in one place: leave out dask=..., or leave it out.")
    _make_room(rows)
    proof = distributed.separability(rows.encoded(encoder, None), time_limit=request.time_limit, feature_names=names)
    return replace(_verdict(rows, proof, len(names), rows.numbers_of), rounds=proof.rounds)


def _witness(rows: Rows, witness: Any, numbers: np.ndarray) -> list[WitnessRow]:
    """The rows that prove it, by their places in the files; ``numbers`` are those of the witness's rows there."""
    found: dict[int, dict[str, Any]] = rows.fold(partial(_given, rows.schema, numbers[:SHOWN]), or_)
    rivals = [None] * len(witness) if witness.rivals is None else witness.rivals
    total = sum(witness.weights) / (2 if witness.rivals is None else 1)  # two classes weigh the same
    return [
        WitnessRow(
            row=number,
            place=rows.data.locate(number),
            **found[number],
            rival=None if rival is None else str(rival),
            weight=str(exact_number(weight)),
            share=float(weight / total),
        )
        for number, rival, weight in zip(numbers[:SHOWN].tolist(), rivals, witness.weights, strict=False)
    ]


def _given(schema: Schema, numbers: np.ndarray, blocks: Iterable[Block]) -> dict[int, dict[str, Any]]:
    """Label and, of a table, values of those rows that are asked for, by their numbers."""
    found = {}
    for block in blocks:
        for place in np.flatnonzero(np.isin(block.rows, numbers)).tolist():
            values: dict[str, Any] = {}
            if isinstance(block, TableBlock):
                values = dict(zip(schema.numbers, block.numbers[place].tolist(), strict=True))
                for name, code in zip(schema.categories, block.codes[place].tolist(), strict=True):
                    values[name] = None if code < 0 else schema.levels[name][code]
            found[int(block.rows[place])] = {"label": schema.labels[block.target[place]], "values": values}
    return found


def _coefficients(proof: Proof, clock: Clock, watcher: Watcher) -> Coefficients:
    """What becomes of every coefficient of a logistic regression.  With complete separation none is finite: nothing is
    solved for.  With overlap all are, unless they are aliased."""
    if proof.kind == "complete":
        return Coefficients(finite_coefficients=0, reasons=proof.reasons)
    if proof.kind != "quasi-complete":
        return Coefficients()
    pairs = proof._pairs
    total = pairs.n_rivals * len(proof._coefficient_names)
    with watcher.progress("Coefficients", total, "coefficients") as advance:
        limits = coefficient_limits(pairs, proof.kind, clock, advance, order=proof._model.order)
    if limits is None:
        return Coefficients(undecided_coefficients=total, reasons=proof.reasons)
    labels = [None] if pairs.n_rivals == 1 else [str(label) for label in proof.classes[1:]]
    in_order = proof._intercept_first(limits)
    return Coefficients(
        directions=[
            CoefficientLimit(feature=feature, class_=label, direction=in_order[k, j])
            for j, feature in enumerate(proof._coefficient_names)
            for k, label in enumerate(labels)
        ],
        finite_coefficients=int(np.count_nonzero(limits == "finite")),
        undecided_coefficients=limits.ravel().tolist().count(None),
        reasons=proof.reasons,
    )
