"""Separable or not, with the rows and features that prove it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from operator import or_
from typing import Any

import numpy as np

from ..inputs.clock import Clock, Room
from ..inputs.keywords import keyword
from ..proof.answer.fewest import FewestErrors, in_words
from ..proof.answer.proofs import Proof
from ..proof.answer.verdict_sentences import words_for
from ..proof.check.certificate import Witness
from ..proof.check.written import exact_number
from ..proof.partitions.partitioned_proof import prove
from ..proof.partitions.row_queries import FIRST
from ..proof.partitions.working_set import BYTES_A_PAIR
from ..rows.store.blocks import Block, DataError, Schema, TableBlock
from .check_result import (
    CheckRequest,
    CheckResult,
    CoefficientLimit,
    Coefficients,
    MarginFound,
    RowInTheWay,
    RowsInTheWay,
    WitnessRow,
)
from .loading import PROGRAM, Rows, rows_of
from .proving import queries_of
from .training import fit_encoder
from .verdict import CHEAP, as_given, feature_names, filled_in, model_of, prove_rows, refuse_rounded
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
        if rows.apart:
            in_memory = rows.n_rows * max(_features(rows), len(rows.schema.labels)) <= CHEAP
        else:
            in_memory = rows.bytes_at_once + _bytes_of_classes(rows) <= rows.budget
        found = (_at_once if in_memory else _in_partitions)(request, rows, tell)
        return replace(found, left_out=rows.left_out, notes=rows.notes + filled_in(rows) + found.notes)


def _bytes_of_classes(rows: Rows) -> int:
    """About what a proof of several classes holds besides the rows: weights, and how far apart every two classes are."""
    n_classes = len(rows.schema.labels)
    if n_classes == 2:
        return 0
    return n_classes * (BYTES_OF_TWO_CLASSES * n_classes + BYTES_A_WEIGHT * (_features(rows) + 1))


def _features(rows: Rows) -> int:
    """How many there are, once encoded."""
    if rows.sparse:
        return len(feature_names(rows.schema.n_features, fit_encoder(rows, None, standardise=False)))
    return len(rows.schema.numbers) + sum(map(len, rows.schema.levels.values()))


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
    rows.make_room(needed)


def _verdict(rows: Rows, proof: Proof, notes: list[str]) -> CheckResult:
    """What every proof says."""
    witness = proof.witness
    return CheckResult(
        files=rows.data.files,
        target=rows.schema.target,
        rows=rows.n_rows,
        classes=rows.labels().tolist(),
        left_out=[],
        notes=notes,
        kind=proof.kind,
        separable=proof.separable,
        text=words_for(proof.kind, proof.separable).sentence,
        features=len(proof.feature_names),
        witness=None if witness is None else _witness(rows, witness),
        n_witness=None if witness is None else len(witness),
        margins=MarginFound(margin=proof.margin, margin_bounds=proof.margin_bounds, mistake_bound=proof.mistake_bound),
        seconds=proof.seconds,
        proof=proof,
    )


def _at_once(request: CheckRequest, rows: Rows, tell: Callable[[CheckResult], None]) -> CheckResult:
    X, y, names, model = as_given(rows)
    room = Room(rows.room)
    clock = Clock(request.time_limit, room=room)  # of the proof, and of what follows from it
    proof = prove_rows(X, y, names, request.time_limit, request.max_margin, model, room=room)
    verdict = _verdict(rows, proof, _certificate(request, proof) + _lacked(proof, room))
    tell(verdict)

    def places_of(few: list[int]) -> list[str]:
        return _places(rows, _numbers_of(rows, np.array(few, dtype=np.intp)))

    fewest = _fewest(proof, clock)
    listed = np.empty(0, dtype=np.intp) if fewest is None else fewest.rows[:SHOWN]
    return replace(
        verdict,
        in_the_way=RowsInTheWay(
            suspects=[
                RowInTheWay(place=place, label=str(label))
                for place, label in zip(places_of(listed.tolist()), y[listed], strict=True)
            ],
            n_suspects=0 if proof.separable is not False else None if fewest is None else len(fewest.rows),
            must_go_at_least=None if fewest is None else int(fewest.lower),
            must_go=None if fewest is None else in_words(fewest, places_of, which=False),
        ),
        coefficients=_coefficients(proof, clock, rows.watcher) if request.directions else None,
    )


def _lacked(proof: Proof, room: Room) -> list[str]:
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


def _numbers_of(rows: Rows, places: np.ndarray) -> np.ndarray:
    """The numbers of rows in the files by their places among those that are not left out."""
    if rows.apart:
        return rows.numbers_of(places)
    found, begin = np.empty(places.size, dtype=np.int64), 0
    for block in rows.store.one_by_one():
        here = (places >= begin) & (places < begin + len(block.rows))
        found[here] = block.rows[places[here] - begin]
        begin += len(block.rows)
    return found


def _places(rows: Rows, numbers: np.ndarray) -> list[str]:
    """Where rows with these numbers stand in the files."""
    if rows.apart:
        return [rows.data.locate(number) for number in numbers.tolist()]
    found: list[str] = rows.data.locate_all(numbers.tolist())
    return found


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


def _in_partitions(request: CheckRequest, rows: Rows, tell: Callable[[CheckResult], None]) -> CheckResult:
    """The same for rows that do not fit into memory, or are on a cluster: every round looks at all of them once."""
    for asked, what in ((request.max_margin, "max_margin=True"), (request.certificate_rows, "certificate_rows=...")):
        if asked:
            raise ValueError(f"{what} needs all rows in memory at once: {_to_fit(rows)}, or leave it out.")
    _make_room(rows)
    encoder = fit_encoder(rows, None, standardise=False)
    names = np.array(feature_names(rows.schema.n_features, encoder), dtype=object)
    room = Room(rows.room)
    clock = Clock(request.time_limit, room=room)
    with rows.watcher.progress("Checking", None, "rows") as advance:

        def look(count: int) -> None:
            clock.tick()
            advance(count)

        if rows.apart:
            from ..distributed.cluster_proof import ask_first  # clusters, which files in this process do without

            queries, _ = ask_first(rows.encoded(encoder, None), True)
        else:
            queries = queries_of(rows.store, rows.schema, encoder, look)
        proof = prove(queries, names, clock, model=model_of(encoder, queries.frame.classes, rows.schema.target))
    alone = replace(proof, _queries=None)  # the rows are gone once this is over
    verdict = replace(_verdict(rows, alone, _certificate(request, alone) + _lacked(alone, room)), rounds=proof.rounds)
    tell(verdict)
    return replace(verdict, coefficients=_coefficients(proof, clock, rows.watcher) if request.directions else None)


def _to_fit(rows: Rows) -> str:
    """How to have all rows in memory."""
    if rows.apart:
        return "leave out dask=..."
    return f"allow for about {(rows.bytes_at_once + _bytes_of_classes(rows)) / 1e9:.1f} GB with memory=..."


def _witness(rows: Rows, witness: Witness) -> list[WitnessRow]:
    """The first of the rows that prove it, by their places in the files."""
    numbers = _numbers_of(rows, witness.rows[:SHOWN])
    found: dict[int, dict[str, Any]] = rows.fold(partial(_given, rows.schema, numbers), or_)
    rivals = [None] * len(witness) if witness.rivals is None else witness.rivals
    total = sum(witness.weights) / (2 if witness.rivals is None else 1)  # two classes weigh the same
    return [
        WitnessRow(
            row=number,
            place=place,
            **found[number],
            rival=None if rival is None else str(rival),
            weight=str(exact_number(weight)),
            share=float(weight / total),
        )
        for number, place, rival, weight in zip(
            numbers.tolist(), _places(rows, numbers), rivals, witness.weights, strict=False
        )
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
    rivals = len(proof.classes) - 1
    total = rivals * len(proof._coefficient_names)
    with watcher.progress("Coefficients", total, "coefficients") as advance:
        limits = proof._limits(proof.kind, clock, advance)
    if limits is None:
        return Coefficients(undecided_coefficients=total, reasons=proof.reasons)
    labels = [None] if rivals == 1 else [str(label) for label in proof.classes[1:]]
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
