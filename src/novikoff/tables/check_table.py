"""What is asked of rows that are checked for separability, and what is found out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from operator import add, or_
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np
from scipy import sparse

from ..checks.arrays import find_classes
from ..proof.answer.fewest import FewestErrors, in_words
from ..proof.answer.proofs import Proof, prove
from ..proof.answer.reasons import PLAIN, ModelNames, Variable
from ..proof.check.certificate import Witness
from ..proof.check.written import exact_number
from ..proof.partitions.partitioned_proof import prove as prove_in_partitions
from ..proof.partitions.row_queries import FIRST, ClassSetting, Labelled, RowQueries, Sample, both_samples, drawn
from ..proof.partitions.working_set import BYTES_A_PAIR
from ..proof.problem.coordinates import Weights
from ..proof.problem.read_rows import read, read_rows
from ..report.html import Picture
from ..report.html import drawn as picture_of
from ..report.verdict_sections import words_for
from ..report.words import count, keyword
from ..rows.encoding.encoder import TableEncoder
from ..rows.encoding.feature_columns import FeatureColumn, Number, Text
from ..rows.partitions import OnDemand
from ..rows.store.blocks import Block, DataError, Schema, TableBlock
from ..rows.store.row_store import InOrder, Store, as_matrix, count_targets, pick_rows
from ..rows.store.splits import PartOf
from ..system.clock import Clock, Room, check_limit
from ..system.files import check_outputs
from .progress import NO_PROGRESS, Watcher
from .results import HIDDEN, INLINE, Result, ShownResult
from .table_parameters import TableKeywords, documented, paths_among, source_of
from .table_rows import PROGRAM, LeftOut, TableRows, TableSource, rows_of
from .training import Trained, fit_encoder


@dataclass(frozen=True, kw_only=True)
class CheckRequest:
    """What is to be proved of the classes of rows."""

    source: TableSource
    max_margin: bool = False  # also find the largest margin
    directions: bool = True  # also find out what becomes of the coefficients of a logistic regression
    time_limit: float | None = None  # seconds
    certificate: Path | None = None  # where the proof is saved
    certificate_rows: Path | None = None  # and the rows that it is about, as numbers


@dataclass(frozen=True, kw_only=True)
class WitnessRow(Result):
    """A row of those that prove that classes are not separable."""

    row: int
    place: str  # in the files
    label: str
    values: dict[str, Any]  # of a table
    rival: str | None  # of several classes, the one that it is set against
    weight: str  # exactly; in hexadecimal where it is long
    share: float  # of its class's weights; of several classes, of the sum of all


@dataclass(frozen=True, kw_only=True)
class RowInTheWay(Result):
    """A row without which others might be separable."""

    place: str
    label: str


@dataclass(frozen=True, kw_only=True)
class MarginFound(Result):
    """Margins, of rows that were looked at all at once."""

    margin: float | None
    margin_bounds: tuple[float, float] | None  # of the largest
    mistake_bound: int | None


@dataclass(frozen=True, kw_only=True)
class RowsInTheWay(Result):
    """The rows most in the way of separation, the first of them listed; None: the time ended before they were known.  How many must go
    at least is proved, and as many suffice as are in the way; ``must_go`` says it in words, with the places of other rows that would do."""

    suspects: list[RowInTheWay]
    n_suspects: int | None
    must_go_at_least: int | None = None
    must_go: str | None = None


@dataclass(frozen=True, kw_only=True)
class CoefficientLimit(Result):
    """What becomes of a coefficient of a logistic regression."""

    feature: str  # or the intercept
    class_: str | None
    direction: str | None  # None: undecided


@dataclass(frozen=True, kw_only=True)
class Coefficients(Result):
    """What becomes of all of them; nothing is said where all are finite."""

    directions: list[CoefficientLimit] | None = None
    finite_coefficients: int | None = None
    undecided_coefficients: int | None = None
    reasons: list[str] | None = None  # what single variables separate


@dataclass(frozen=True, kw_only=True, repr=False)
class CheckResult(ShownResult):
    """Whether the classes of rows are linearly separable, and what proves it.

    ``separable`` is True, False or None (undecided), ``kind`` says more; ``proof`` is what ``novikoff.separability`` returns of
    the rows as features (of more rows than fit into memory, what can be said of these).
    """

    command: ClassVar[str] = "check"
    files: list[str]
    target: str | None
    rows: int
    classes: list[str]
    left_out: list[LeftOut]
    notes: list[str]
    kind: str | None
    separable: bool | None  # None: undecided
    text: str
    features: int
    witness: list[WitnessRow] | None  # the first of them
    n_witness: int | None
    margins: MarginFound | None = field(default=None, metadata=INLINE)
    rounds: int | None = None  # over rows that are more than memory holds
    seconds: float
    in_the_way: RowsInTheWay | None = field(default=None, metadata=INLINE)
    coefficients: Coefficients | None = field(default=None, metadata=INLINE)
    proof: Any = field(default=None, compare=False, metadata=HIDDEN)

    def _picture(self) -> Picture | None:
        return picture_of(self.proof.plot) if isinstance(self.proof, Proof) else None


@documented(TableKeywords)
def check_table(
    source: Any,
    target: str | None = None,
    *,
    max_margin: bool = False,
    directions: bool = True,
    time_limit: float | None = None,
    memory: str | None = None,
    dask: Any = None,
    certificate: str | PathLike[str] | None = None,
    certificate_rows: str | PathLike[str] | None = None,
    watcher: Watcher | None = None,
    on_verdict: Callable[[CheckResult], None] | None = None,
    **reading: Unpack[TableKeywords],
) -> CheckResult:
    """Prove whether the classes of a table are linearly separable, and name the rows and features that prove it.

    The rows are taken as they are, except missing values, which are filled in, and categories, which become one feature a
    level.  ``separability`` answers the same of arrays, ``novikoff check`` of files in a shell.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    CheckResult
        ``separable``: True, False or None (undecided); ``kind``: "complete", "quasi-complete", "overlap" or None; ``witness``:
        the rows that prove that no weights separate, with their places; ``in_the_way``: rows without which the rest is
        separable; ``coefficients``: what becomes of those of a logistic regression; ``proof``: the proof itself, as
        ``separability`` returns it.  ``print(result)`` shows all of it, ``to_html()`` as a page.

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff import check_table
    >>> table = pd.DataFrame({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1], "xor": ["no", "yes", "yes", "no"]})
    >>> result = check_table(table, "xor")
    >>> result.separable, result.kind, [row.place for row in result.witness][0]
    (False, 'overlap', 'pandas DataFrame (rows count from 0): row 0')
    """
    check_limit(time_limit)
    request = CheckRequest(
        source=source_of(source, target, reading, memory, dask),
        max_margin=max_margin,
        directions=directions,
        time_limit=time_limit,
        certificate=None if certificate is None else Path(certificate),
        certificate_rows=None if certificate_rows is None else Path(certificate_rows),
    )
    if certificate_rows is not None and certificate is None:
        raise ValueError("certificate_rows=... goes with certificate=...: say where to save the proof, too.")
    check_outputs((certificate, certificate_rows), paths_among(request.source.files))
    return check(request, watcher or NO_PROGRESS, on_verdict or (lambda verdict: None))


SHOWN = 100  # rows that are listed of each kind
BYTES_A_WEIGHT = 120  # a perceptron's, its average, and those that are tried and moved, about
BYTES_OF_TWO_CLASSES = 40  # how far apart they are, and what that is made of, about


def check(
    request: CheckRequest,
    watcher: Watcher = NO_PROGRESS,
    tell: Callable[[CheckResult], None] = lambda verdict: None,
) -> CheckResult:
    """Prove it.  ``tell`` is told the verdict as soon as it is known: the first part of the result."""
    with rows_of(request.source, "classes", watcher) as rows:
        refuse_rounded(rows)
        if rows.apart:
            in_memory = rows.n_rows * max(_features(rows), len(rows.schema.labels)) <= CHEAP
        else:
            in_memory = rows.bytes_at_once + _bytes_of_classes(rows) <= rows.budget
        return (_at_once if in_memory else _in_partitions)(request, rows, tell)


def _bytes_of_classes(rows: TableRows) -> int:
    """About what a proof of several classes holds besides the rows: weights, and how far apart every two classes are."""
    n_classes = len(rows.schema.labels)
    if n_classes == 2:
        return 0
    return n_classes * (BYTES_OF_TWO_CLASSES * n_classes + BYTES_A_WEIGHT * (_features(rows) + 1))


def _features(rows: TableRows) -> int:
    """How many there are, once encoded."""
    if rows.sparse:
        return len(feature_names(rows.schema.n_features, fit_encoder(rows, None, standardise=False)))
    return len(rows.schema.numbers) + sum(map(len, rows.schema.levels.values()))


def _make_room(rows: TableRows) -> None:
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


def _verdict(rows: TableRows, proof: Proof, notes: list[str]) -> CheckResult:
    """What every proof says."""
    witness = proof.witness
    return CheckResult(
        files=rows.data.files,
        target=rows.schema.target,
        rows=rows.n_rows,
        classes=rows.labels().tolist(),
        left_out=rows.left_out,
        notes=rows.notes + filled_in(rows) + notes,
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


def _at_once(request: CheckRequest, rows: TableRows, tell: Callable[[CheckResult], None]) -> CheckResult:
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
            must_go_at_least=None if fewest is None else max(1, int(fewest.lower)),
            must_go=None if fewest is None else in_words(fewest, places_of, which=False, least=1),
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


def _numbers_of(rows: TableRows, places: np.ndarray) -> np.ndarray:
    """The numbers of rows in the files by their places among those that are not left out."""
    if rows.apart:
        return rows.numbers_of(places)
    found, begin = np.empty(places.size, dtype=np.int64), 0
    for block in rows.store.one_by_one():
        here = (places >= begin) & (places < begin + len(block.rows))
        found[here] = block.rows[places[here] - begin]
        begin += len(block.rows)
    return found


def _places(rows: TableRows, numbers: np.ndarray) -> list[str]:
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


def _in_partitions(request: CheckRequest, rows: TableRows, tell: Callable[[CheckResult], None]) -> CheckResult:
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
        proof = prove_in_partitions(
            queries, names, clock, model=model_of(encoder, queries.frame.classes, rows.schema.target)
        )
    alone = replace(proof, _queries=None)  # the rows are gone once this is over
    verdict = replace(_verdict(rows, alone, _certificate(request, alone) + _lacked(alone, room)), rounds=proof.rounds)
    tell(verdict)
    return replace(verdict, coefficients=_coefficients(proof, clock, rows.watcher) if request.directions else None)


def _to_fit(rows: TableRows) -> str:
    """How to have all rows in memory."""
    if rows.apart:
        return "leave out dask=..."
    return f"allow for about {(rows.bytes_at_once + _bytes_of_classes(rows)) / 1e9:.1f} GB with memory=..."


def _witness(rows: TableRows, witness: Witness) -> list[WitnessRow]:
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


CHEAP = 1_000_000  # numbers, encoded, and leads over other classes, up to which ``fit`` asks unasked
SECONDS = 2.0  # that it spends on the answer at most


@dataclass(frozen=True, kw_only=True)
class Separability(Result):
    """What is said of separability unasked."""

    kind: str | None
    text: str
    ask: str | None  # how to ask for the proof
    proof: Proof | None = field(default=None, compare=False, repr=False, metadata=HIDDEN)


def as_given(rows: TableRows) -> tuple[Any, np.ndarray, list[str], ModelNames]:
    """The rows as they stand in the files, except for missing values and categories: X, y, the features' names and what these are
    made of."""
    encoder = fit_encoder(rows, None, standardise=False)
    X, y = rows.gather(encoder, None)
    model = model_of(encoder, np.unique(y), rows.schema.target)
    if isinstance(encoder, TableEncoder):
        model = model._replace(terms=partial(_terms, X, encoder.columns_))
    return X, y, feature_names(rows.schema.n_features, encoder), model


def model_of(encoder: Any, labels: np.ndarray, target: str | None) -> ModelNames:
    """The columns of a table.  The levels of a category are compared with its first one, as in R: that one is taken last."""
    outcomes = tuple(f"{target} = {label}" for label in labels) if target else None
    if not isinstance(encoder, TableEncoder):
        return ModelNames(outcomes=outcomes)
    order: list[int] = []
    for column in encoder.columns_:
        places = range(len(order), len(order) + len(column.features))
        order += [*places[1:], *places[:1]]
    return ModelNames(outcomes=outcomes, order=np.array(order))


def _terms(X: Any, columns: tuple[FeatureColumn, ...]) -> Iterator[tuple[Variable]]:
    """The variables of a table, of its encoded rows."""
    X, place = sparse.csc_array(X) if sparse.issparse(X) else X, 0
    for column in columns:
        own = X[:, place : place + len(column.features)]
        own = own.toarray() if sparse.issparse(own) else np.asarray(own)
        place += len(column.features)
        if isinstance(column, Text):
            continue
        if isinstance(column, Number):
            yield (Variable.of_numbers(column.name, own[:, 0]),)
        else:
            texts = np.array([name.removeprefix(f"{column.name}=") for name in column.features], dtype=object)
            yield (Variable(column.name, texts[own.argmax(axis=1)]),)


def feature_names(width: int, encoder: Any) -> list[str]:
    """The names of encoded features; those of sparse rows count from 1, as their files do."""
    return [f"x{j + 1}" for j in range(width)] if encoder is None else list(map(str, encoder.get_feature_names_out()))


def prove_rows(
    X: Any,
    y: np.ndarray,
    names: list[str],
    time_limit: float | None,
    max_margin: bool,
    model: ModelNames = PLAIN,
    trained: Trained | None = None,
    room: Room | None = None,
) -> Proof:
    """``separability`` with the features' names; the weights of a learner, if there is one, are tried first."""
    pairs, classes, _ = read(X, y, True)
    guess = weights_as_given(trained.learner, trained.encoder, names, classes) if trained is not None else None
    proof = prove(pairs, classes, np.array(names, dtype=object), Clock(time_limit, room=room), max_margin, guess=guess)
    return replace(proof, _model=model)


def filled_in(rows: TableRows) -> list[str]:
    """A note, where numbers were missing: the proof is of rows in which something stands instead."""
    missing = rows.fold(_missing_numbers, add)
    if not missing:
        return []
    what = "1 missing number was" if missing == 1 else f"{missing:,} missing numbers were"
    return [f"{what} filled in with medians: the verdict is of the rows as filled in (missing='drop' leaves them out)"]


def _missing_numbers(blocks: Iterable[Block]) -> int:
    return sum(int(np.count_nonzero(np.isnan(block.numbers))) for block in blocks if isinstance(block, TableBlock))


def refuse_rounded(rows: TableRows) -> None:
    """Raise where a proof would be about rounded numbers."""
    if rows.data.rounded is not None:
        raise DataError(_why_not(rows))


def _why_not(rows: TableRows) -> str:
    found = rows.data.rounded
    assert found is not None
    return f"{found.place}: float64 cannot hold {found} exactly, so nothing can be proved about these rows. {found.remedy}."


def cheap_verdict(
    rows: TableRows, trained: Trained, members: PartOf | None, ask: str
) -> tuple[Separability, int | None]:
    """What a fit says of separability, and Novikoff's bound of the perceptron's mistakes on the rows it learned from."""
    if rows.data.rounded is not None:
        return Separability(
            kind=None, text=f"Whether the classes are linearly separable cannot be proved. {_why_not(rows)}", ask=None
        ), None
    encoder = trained.encoder
    width = rows.width(encoder)
    if rows.n_rows * max(width, len(rows.schema.labels)) > CHEAP:
        return Separability(
            kind=None,
            text="Whether the classes are linearly separable was not checked, since that may take long for "
            f"{count(rows.n_rows)} rows and {count(width)} features.",
            ask=ask,
        ), None
    X, y, names, model = as_given(rows)
    proof = prove_rows(X, y, names, SECONDS, False, model, trained)
    bound = None
    if proof.separable and _bounded(trained.learner):
        X, y = rows.gather(encoder, members)
        if np.unique(y).size == len(proof.classes):
            names = feature_names(rows.schema.n_features, encoder)
            bound = prove_rows(X, y, names, SECONDS, max_margin=True).mistake_bound
    text = words_for(proof.kind, proof.separable).sentence
    return Separability(kind=proof.kind, text=text, ask=ask, proof=proof), bound


def _bounded(learner: Any) -> bool:
    """Whether Novikoff's theorem, as ``separability`` has it, holds for this learner."""
    return (
        type(learner).__name__ == "Perceptron"
        and learner.batch_size == 1
        and isinstance(learner.init, str)
        and learner.init == "zeros"
        and learner.fit_intercept
        and learner.intercept_scaling == 1
        and learner.class_weight is None
        and learner.multiclass == "worst"
    )


class BlockEncoding(NamedTuple):
    """How blocks become rows."""

    schema: Schema
    encoder: Any
    classes: np.ndarray
    places: np.ndarray  # of all labels in the classes
    look: Callable[[int], None]  # told how many rows are looked at


def queries_of(
    store: Store, schema: Schema, encoder: Any, look: Callable[[int], None] = lambda rows: None
) -> RowQueries:
    """The rows of a store, a block at a time in memory, for a proof to ask; ``look`` is told of every block how many rows it has."""
    labels = np.array(schema.labels, dtype=str)
    classes = find_classes(labels[count_targets(store, schema, None) > 0])
    told = BlockEncoding(schema, encoder, classes, np.searchsorted(classes, labels), look)
    blocks = OnDemand(InOrder(store, outputs=classes.size))
    sample: Sample = blocks.fold(some_rows, both_samples, told)
    return RowQueries(blocks.map(labelled, told), ClassSetting(classes, True), sample)


def some_rows(number: int, block: Block, told: BlockEncoding) -> Sample:
    """Some rows of a block, of all classes."""

    def take(few: np.ndarray) -> Labelled:
        return encoded(pick_rows(block, few), told)

    return drawn(number, told.places[block.target], told.classes.size, take)


def labelled(number: int, block: Block, told: BlockEncoding) -> Labelled:
    """The rows of a block."""
    told.look(len(block.rows))
    return encoded(block, told)


def encoded(block: Block, told: BlockEncoding) -> Labelled:
    """Rows and class numbers."""
    return Labelled(read_rows(as_matrix(block, told.schema, told.encoder)), told.places[block.target])


def weights_as_given(learner: Any, encoder: Any, names: list[str], classes: np.ndarray) -> Weights | None:
    """A learner's weights for these features of rows that are encoded, but not standardised, exactly: of the score
    w (x - center) / scale + b, the weight is w / scale, and the intercept b - w center / scale.  None where it has none."""
    if not hasattr(learner, "coef_") or not np.array_equal(learner.classes_, classes):
        return None
    if isinstance(encoder, TableEncoder):
        columns: Sequence[FeatureColumn] = encoder.columns_
    else:
        features = names if encoder is None else encoder.get_feature_names_out()
        columns = [Number(name, 0.0, 0.0, 1.0) for name in features]
    shifts = [column[2:] if isinstance(column, Number) else (0.0, 1.0) for column in columns for _ in column.features]
    known = [name for column in columns for name in column.features]
    rows = []
    for slopes, intercept in zip(
        np.atleast_2d(learner.coef_).tolist(), np.ravel(learner.intercept_).tolist(), strict=True
    ):
        exact = [Fraction(w) / Fraction(scale) for w, (_, scale) in zip(slopes, shifts, strict=True)]
        moved = sum((w * Fraction(center) for w, (center, _) in zip(exact, shifts, strict=True) if center), Fraction(0))
        own = dict(zip(known, exact, strict=True))
        rows.append([*(own.get(name, Fraction(0)) for name in names), Fraction(intercept) - moved])
    if len(rows) > 1:
        rows = [[number - first for number, first in zip(row, rows[0], strict=True)] for row in rows[1:]]
    try:
        floats = np.array([[float(number) for number in row] for row in rows])
    except OverflowError:
        return None
    return Weights(floats, tuple(map(tuple, rows)))
