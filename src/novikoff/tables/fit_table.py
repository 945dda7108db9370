"""``fit_table``: from a file or a data frame to a model, and everything that is to be said of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, Unpack, get_type_hints

import numpy as np
from sklearn.base import is_regressor

from .. import __version__
from ..estimators.advice import WIDE_SCALES, column_sizes, differ
from ..estimators.base import form_of
from ..models.files.saving import save
from ..report.fit_sentences import solved_by
from ..report.words import seconds
from ..rows.encoding.encoder import TableEncoder
from ..rows.encoding.feature_columns import Category, Number
from ..rows.store.blocks import Block, Schema
from ..rows.store.row_store import as_matrix
from ..rows.store.splits import Split
from ..system.files import check_outputs
from .check_table import Separability, cheap_verdict
from .evaluation import (
    Confusion,
    Evaluation,
    Measures,
    Misses,
    ScoresByClass,
    advise,
    by_class,
    confusion_of,
    doubt,
    doubt_of_numbers,
    measure,
)
from .fitted_models import ClassWeights, Regions, regions, strongest
from .learner_choices import Choice, LearningSettings, choice_of, make, unusual
from .progress import LONG, NO_PROGRESS, Watch, Watcher, stopwatch
from .results import FILE_OF_MODEL, HIDDEN, INLINE, Result, ShownResult
from .score_table import score_table
from .table_parameters import FileKeywords, TableKeywords, check_choice, check_least, documented, paths_among, source_of
from .table_rows import LeftOut, TableRows, TableSource, rows_of
from .training import (
    PARTS,
    AskedTest,
    CrossValidatedScore,
    Encoder,
    HeldOutScore,
    Interrupted,
    Progress,
    Trained,
    cross_validate,
    evaluate_rows,
    fit_encoder,
    plan,
    suit,
    test_held_out,
    train,
)

CHECKPOINT = "novikoff.checkpoint"  # where an interrupted fit is left that has no model file to stand beside


# What there is to say of a fit


@dataclass(frozen=True, kw_only=True)
class RowCounts(Result):
    """How many rows there were, and what became of them."""

    read: int
    dropped: int
    unlabelled: int
    training: int
    held_out: int


@dataclass(frozen=True, kw_only=True)
class ColumnRead(Result):
    """A column of a table; of numbers with what stands for missing ones, of categories with how many there are."""

    name: str
    kind: str
    missing: int
    fill: float | None = None
    levels: int | None = None


@dataclass(frozen=True, kw_only=True)
class LearnerUsed(Result):
    """A learner, and its parameters that are not as they are by default."""

    name: str
    parameters: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ClassSize(Result):
    """How many rows a class has."""

    label: str
    rows: int


@dataclass(frozen=True, kw_only=True)
class RowsScore(Result):
    """The score on some rows."""

    rows: int
    errors: int | None = None  # of classes
    score: float | None


@dataclass(frozen=True, kw_only=True)
class FitEnding(Result):
    """How learning ended, and what it has come to on the rows it learned from."""

    passes: int | None  # or iterations of a solver
    solver: str | None  # None: it took steps
    l2: float | None  # the penalty that was used; None: the learner has none
    stop_reason: str | None
    seconds: float
    compiling: float  # seconds, which later fits need not
    mistakes: int | None
    mistake_bound: int | None  # Novikoff's
    training: RowsScore
    progressive: RowsScore | None = None  # of each row before it was first learned from


@dataclass(frozen=True, kw_only=True)
class Margins(Result):
    """How far rows are from the boundary, as a histogram."""

    of: str  # which rows
    edges: list[float]
    counts: list[int]


@dataclass(frozen=True, kw_only=True)
class SquaredError(Result):
    """The mean squared error on some rows."""

    of: str
    mean_squared_error: float


@dataclass(frozen=True, kw_only=True)
class Residuals(Result):
    """By how much numbers were missed: true value less answer."""

    of: str
    rows: int
    root_mean_squared_error: float
    mean_absolute_error: float
    largest: float
    edges: list[float]  # of a histogram
    counts: list[int]
    points: list[list[float]]  # some rows: true value, answer


@dataclass(frozen=True, kw_only=True)
class ModelReport(Result):
    """How good a model is; parts that concern classes, or numbers, only are None of the others."""

    separability: Separability | None = None
    fit: FitEnding
    test: HeldOutScore | CrossValidatedScore | None  # None: it was not tested
    confusion: Confusion | None = None
    by_class: ScoresByClass | None = field(default=None, metadata=INLINE)
    measures: Measures | None = None
    margins: Margins | None = None
    regression: SquaredError | None = None
    residuals: Residuals | None = None
    weights: list[ClassWeights] | None  # None: it has none in the features
    regions: Regions | None = None

    def to_dict(self) -> dict[str, Any]:
        """The document, in which a test always has a kind."""
        found = super().to_dict()
        return found if self.test is not None else {**found, "test": {"kind": None}}


@dataclass(frozen=True, kw_only=True, repr=False)
class FitResult(ShownResult):
    """What was read, who learned from it, and what came of that.

    ``model`` is the fitted model: a pipeline that takes what the table held; of sparse rows the learner itself.  ``scores``
    has the score on each kind of rows, ``separability`` what is known of the classes, ``proof`` what proves that.
    """

    command: ClassVar[str] = "fit"
    version: str
    files: list[str]
    target: str | None
    task: str
    rows: RowCounts
    columns: list[ColumnRead]
    left_out: list[LeftOut]
    features: int
    learner: LearnerUsed
    history: dict[str, list[float]]
    warnings: list[str]
    notes: list[str]
    model_file: str | None = field(metadata=FILE_OF_MODEL)
    resume: Interrupted | None
    classes: list[ClassSize] | None = None
    report: ModelReport | None = field(default=None, metadata=INLINE)  # None: learning was interrupted
    trained: Trained | None = field(default=None, compare=False, metadata=HIDDEN)  # None likewise

    @cached_property
    def model(self) -> Any:
        """The fitted encoder and learner in a ``Pipeline``, or the learner itself; None: learning was interrupted."""
        return self.trained and self.trained.model

    @property
    def scores(self) -> dict[str, float | None]:
        """The score (accuracy, of numbers R²) by the rows it is of: "training", "progressive" (each row just before it was
        first learned from), and "cross-validated" or "held-out"."""
        if self.report is None:
            return {}
        ending, test = self.report.fit, self.report.test
        found = {"training": ending.training.score}
        if ending.progressive is not None:
            found["progressive"] = ending.progressive.score
        return found if test is None else {**found, test.kind: test.score}

    @property
    def separability(self) -> Separability | None:
        """What is known of the separability of the classes; None of numbers."""
        return None if self.report is None else self.report.separability

    @property
    def proof(self) -> Any:
        """What proves it, as ``novikoff.separability`` returns it; None where that was not asked."""
        return None if self.separability is None else self.separability.proof

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model with the name of its target, for ``predict_table``, ``score_table`` and the command line.

        Parameters
        ----------
        path : str or path
            The file.
        """
        save(self.model, path, notes={"target": self.target, "files": self.files})


# From a table to a model


@documented(TableKeywords)
def fit_table(
    source: Any,
    target: str | None = None,
    learner: Any = "perceptron",
    *,
    parameters: Mapping[str, Any] | None = None,
    passes: int | None = None,
    standardise: bool = True,
    seed: int = 0,
    folds: int | None = None,
    hold_out: float | None = None,
    test: Any = True,
    output: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    top: int = 5,
    positive: str | None = None,
    threshold: float | None = None,
    regions: bool | Sequence[str] = False,
    interrupted: str = "raise",
    memory: str | None = None,
    dask: Any = None,
    watcher: Watcher | None = None,
    **reading: Unpack[TableKeywords],
) -> FitResult:
    """Learn to predict a column of a table from the others, and say how well that works.

    Numbers are standardised, categories become one feature a level, missing values are filled in.  Ids of rows, empty columns
    and rows without a label are left out.  Whether the classes are linearly separable is proved where that takes little time.
    Files may be larger than memory.  ``novikoff fit`` does the same in a shell.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    FitResult
        ``model``: the fitted pipeline, which takes rows as the source has them; ``scores``: the score on each kind of rows;
        ``separability`` and ``proof``; ``report`` with everything else: how learning ended, confusion, scores of each class,
        strongest weights; ``warnings`` and ``notes``.  ``save(path)`` keeps the model, ``print(result)`` shows the result as
        text, ``to_html()`` as a page with pictures, ``to_dict()`` as plain dicts and lists.

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff import fit_table
    >>> pets = pd.DataFrame({
    ...     "weight": [4, 30, 5, 25, 3, 40, None, 35], "coat": ["long", "short"] * 4, "pet": ["cat", "dog"] * 4
    ... })
    >>> result = fit_table(pets, "pet", folds=2)
    >>> result.scores["training"], result.separability.kind
    (1.0, 'complete')
    >>> result.model.predict(pd.DataFrame({"weight": [6.0], "coat": ["long"]})).tolist()
    ['cat']
    """
    check_least("folds", folds, 2)
    check_least("passes", passes, 1)
    check_least("top", top, 1)
    check_least("seed", seed, 0)
    check_choice("interrupted", interrupted, ("raise", "return"))
    given = source_of(source, target, reading, memory, dask)
    rows_apart = None if isinstance(test, bool) else test
    if rows_apart is not None and (folds is not None or hold_out is not None):
        raise ValueError("Choose one of folds=..., hold_out=... and test=..., which has separate rows.")
    saved, resumed = (None if path is None else Path(path) for path in (output, checkpoint))
    check_outputs((saved, resumed), paths_among(given.files))
    request = FitRequest(
        source=given,
        choice=choice_of(learner),
        learner=None if isinstance(learner, str) else learner,
        learning=LearningSettings(dict(parameters or {}), passes, seed, standardise),
        testing=AskedTest(folds, hold_out, rows_apart is not None or not test),
        output=saved,
        checkpoint=resumed,
        made_with={
            **asdict(given.reading),
            "complete": given.complete,
            "folds": folds,
            "hold_out": hold_out,
            "test": test if isinstance(test, bool) else False,
        },
        top=top,
        regions=regions if isinstance(regions, bool) else tuple(regions),
        ask=_to_check(source, target, reading),
        interrupted=interrupted,
        positive=positive,
        threshold=threshold,
    )
    result = fit(request, watcher or NO_PROGRESS)
    if rows_apart is None or result.report is None:
        return result
    files = {name: value for name, value in reading.items() if name in get_type_hints(FileKeywords)}
    with saved_before(saved):
        return _tested_on(result, rows_apart, files, positive, threshold, watcher)


def _tested_on(
    result: FitResult,
    rows: Any,
    reading: dict[str, Any],
    positive: str | None,
    threshold: float | None,
    watcher: Watcher | None,
) -> FitResult:
    """The result, tested on rows of another source."""
    assert result.report is not None
    found = score_table(result, rows, positive=positive, threshold=threshold, watcher=watcher, **reading)
    errors = None if found.metric == "r2" else round((1 - (found.score or 0.0)) * found.rows)
    test = HeldOutScore(
        kind="test-file",
        metric=found.metric,
        score=found.score,
        low=found.low,
        high=found.high,
        spread_is=None if found.low is None else "95% interval for rows drawn as these were",
        errors=errors,
        rows=found.rows,
    )
    told = replace(result.report, test=test)
    if found.metric != "r2":
        told = replace(told, confusion=found.confusion, by_class=found.by_class, measures=found.measures)
    return replace(result, report=told, warnings=result.warnings + found.warnings, notes=result.notes + found.notes)


def _to_check(source: Any, target: str | None, reading: Mapping[str, Any]) -> str:
    """The call that proves whether these rows are separable."""
    rows = repr(os.fspath(source)) if isinstance(source, str | os.PathLike) else "table"
    named = [] if target is None else [repr(target)]
    return (
        f"novikoff.check_table({', '.join([rows, *named, *(f'{name}={value!r}' for name, value in reading.items())])})"
    )


@dataclass(frozen=True, kw_only=True)
class FitRequest:
    """What is to be learned, and how."""

    source: TableSource
    choice: Choice
    learner: Any = None  # an estimator, not fitted, if one was given
    learning: LearningSettings
    testing: AskedTest
    output: Path | None = None  # where the model is saved
    checkpoint: Path | None = None  # what learning goes on from, written after every pass
    made_with: dict[str, Any]  # options that what is learned depends on; a checkpoint made with others is refused
    top: int = 5  # weights of each class
    regions: bool | tuple[str, ...] = False  # whether answers in a plane are wanted; names: in that of these columns
    ask: str  # how to ask for a proof of separability
    positive: str | None = None  # of two classes, the one that scores are of
    threshold: float | None = None  # from which on a row is positive
    interrupted: str = "return"  # what becomes of Ctrl-C: a result that says where learning stands, or "raise"


def fit(request: FitRequest, watcher: Watcher = NO_PROGRESS) -> FitResult:
    """Learn, save, test and describe."""
    learner = make(request.choice, request.learning, request.learner)
    with stopwatch() as watch, rows_of(request.source, request.choice.task, watcher) as rows:
        return _fit_rows(request, rows, learner, watch)


def _fit_rows(request: FitRequest, rows: TableRows, learner: Any, watch: Watch) -> FitResult:
    suit(learner, rows)
    testing, seed = plan(request.testing, rows.n_rows), request.learning.seed
    split = rows.hold_out(testing.share, seed) if testing.share else None
    members = split and split.train
    encoder = fit_encoder(rows, members, request.learning.standardise)
    spare = Path(CHECKPOINT if request.output is None else f"{request.output}.checkpoint")
    here = None if rows.apart else request.checkpoint  # partitions have checkpoints of rounds
    progress = Progress(here, spare, lambda: _made_from(request, rows, learner), rows, learner, encoder)
    trained = train(
        rows,
        progress.learner,
        encoder,
        members,
        seed,
        first_pass=progress.passes,
        after_pass=progress.note,
        checkpoint=request.checkpoint if rows.apart else None,
    )
    result = describe_rows(rows, trained)
    if trained.ending is not None and trained.ending.interrupted:
        return _interrupted(request, progress, result)
    result = replace(result, trained=trained)
    if request.output is not None:  # at once: what follows takes time, too
        result.save(request.output)
        result = replace(result, model_file=str(request.output))
    with saved_before(request.output):
        return _reported(request, rows, trained, learner, split, watch, result)


def _interrupted(request: FitRequest, progress: Progress, result: FitResult) -> FitResult:
    """The result of a fit that was cut short; if it is not asked for, the interruption goes on."""
    if request.interrupted == "return":
        return replace(result, resume=progress.leave())
    error = KeyboardInterrupt()
    if request.checkpoint is not None and progress.passes:
        error.add_note(f"What was learned is in {request.checkpoint}: the same call goes on from there.")
    raise error


def _made_from(request: FitRequest, rows: TableRows, learner: Any) -> dict[str, Any]:
    """What must be the same for learning to go on where it stopped."""
    options = {
        "version": __version__,
        "learner": type(learner).__name__,
        **learner.get_params(),
        "target": request.source.target,
        **request.made_with,
        "standardise": request.learning.standardise,
    }
    return {name: str(value) for name, value in options.items()} | {
        "rows": rows.n_rows,
        "checksum of the rows": rows.checksum,
    }


@contextmanager
def saved_before(output: Path | None) -> Iterator[None]:
    """Within it, errors say that the model was saved."""
    try:
        yield
    except BaseException as error:
        if output is not None:
            error.add_note(f"The model was saved before that: {output}.")
        raise


def _reported(
    request: FitRequest,
    rows: TableRows,
    trained: Trained,
    learner: Any,
    split: Split | None,
    watch: Watch,
    result: FitResult,
) -> FitResult:
    """The result with a report of the model; ``learner`` is not fitted."""
    members, numbers = split and split.train, rows.schema.task == "numbers"
    on_training = trained.on_training or evaluate_rows(rows, trained.learner, trained.encoder, members)
    separability, bound = (None, None) if numbers else cheap_verdict(rows, trained, members, request.ask)
    ending = describe_ending(trained, on_training, bound, watch)
    test, tested = _tested(request, rows, trained, learner, split, watch)
    report = ModelReport(
        separability=separability,
        fit=ending,
        test=test,
        weights=strongest(trained.encoder, trained.learner, request.top),
        regions=_regions(request, rows, trained),
    )
    warned = doubts(on_training, tested, test.kind if test else "")
    untested = [] if test or request.testing.no_test else [f"Fewer than {PARTS} rows are too few to test a model with."]
    return replace(
        result,
        notes=result.notes + untested,
        warnings=result.warnings + warned,
        report=describe_answers(report, on_training, tested, numbers, request),
    )


def _regions(request: FitRequest, rows: TableRows, trained: Trained) -> Regions | None:
    """Answers in a plane, if they are asked for."""
    named = None if isinstance(request.regions, bool) else request.regions
    return regions(rows, trained, named) if request.regions else None


def _tested(
    request: FitRequest, rows: TableRows, trained: Trained, learner: Any, split: Split | None, watch: Watch
) -> tuple[HeldOutScore | CrossValidatedScore | None, Evaluation | None]:
    """The score on rows that were not learned from, and what those were answered; None: there was no test."""
    testing, seed = plan(request.testing, rows.n_rows), request.learning.seed
    if split is not None:
        return test_held_out(rows, trained, split.test)
    if testing.parts:
        if watch.seconds > LONG:
            rows.watcher.tell(
                f"novikoff: the fit took {seconds(watch.seconds)}; the test makes {testing.parts} more, of about that much each. "
                "Leave it out with test=False, or test once with hold_out=0.2."
            )
        return cross_validate(
            rows, learner, rows.cut(testing.parts, seed), seed, request.learning.standardise, "Testing"
        )
    return None, None


# What is said of what was read, and of the model that came of it


def describe_rows(rows: TableRows, trained: Trained) -> FitResult:
    """What was read, and who learned from it."""
    schema, encoder, learner = rows.schema, trained.encoder, trained.learner
    result = FitResult(
        version=__version__,
        files=rows.data.files,
        target=schema.target,
        task=schema.task,
        rows=RowCounts(
            read=rows.n_rows + rows.data.dropped + rows.data.unlabelled,
            dropped=rows.data.dropped,
            unlabelled=rows.data.unlabelled,
            training=trained.rows,
            held_out=rows.n_rows - trained.rows,
        ),
        columns=_columns(rows, encoder) if isinstance(encoder, TableEncoder) else [],
        left_out=rows.left_out,
        features=rows.width(encoder),
        learner=LearnerUsed(name=type(learner).__name__, parameters=unusual(learner)),
        history={
            name: values.tolist()
            for name, values in getattr(learner, "history_", {}).items()
            if name != "mistakes" or solved_by(learner) is None  # a solver makes none on the way
        },
        warnings=trained.warnings + _of_scales(rows, trained),
        notes=rows.notes,
        model_file=None,
        resume=None,
    )
    if schema.task != "classes":
        return result
    counted = zip(rows.labels().tolist(), rows.class_counts(), strict=True)
    return replace(result, classes=[ClassSize(label=label, rows=count) for label, count in counted])


def _columns(rows: TableRows, encoder: TableEncoder) -> list[ColumnRead]:
    known = {column.name: column for column in encoder.columns_}
    columns = []
    for name, kind in rows.schema.columns:
        column, missing = known[name], encoder.n_missing_[name]
        if isinstance(column, Number):
            columns.append(ColumnRead(name=name, kind=kind, missing=missing, fill=column.fill))
        else:
            columns.append(
                ColumnRead(
                    name=name,
                    kind=kind,
                    missing=missing,
                    levels=len(column.levels if isinstance(column, Category) else column.words),
                )
            )
    return columns


def _of_scales(rows: TableRows, trained: Trained) -> list[str]:
    """A warning where columns that steps were taken on, as they are, differ much in size, from the first rows."""
    if getattr(trained.encoder, "standardise", False) or solved_by(trained.learner):
        return []
    sizes = rows.fold(partial(_sizes, rows.schema, trained.encoder), _the_first)
    if not sizes.size or sizes.max() <= WIDE_SCALES * sizes.min():
        return []
    remedy = "scale them in the file" if rows.sparse else "pass standardise=True"
    return [f"{differ(sizes)}: steps that suit the largest hardly move the weights of the smallest; {remedy}."]


def _sizes(schema: Schema, encoder: Encoder, blocks: Iterable[Block]) -> np.ndarray | None:
    """The sizes of the columns of the first of some blocks."""
    first = next(iter(blocks), None)
    return None if first is None else column_sizes(as_matrix(first, schema, encoder))


def _the_first(one: Any, other: Any) -> Any:
    return one


def describe_ending(trained: Trained, on_training: Evaluation, bound: int | None, watch: Watch) -> FitEnding:
    """How learning ended, and what it has come to on the rows it learned from."""
    learner, ending = trained.learner, trained.ending
    said = FitEnding(
        passes=getattr(learner, "n_iter_", None),
        solver=solved_by(learner),
        l2=getattr(learner, "l2_", None),
        stop_reason=getattr(learner, "stop_reason_", None),
        seconds=watch.seconds,
        compiling=watch.compiling,
        mistakes=None if solved_by(learner) else getattr(learner, "n_mistakes_", None),
        mistake_bound=bound,
        training=RowsScore(rows=on_training.n, score=on_training.misses.r2),
    )
    if is_regressor(learner):
        return said
    said = replace(said, training=RowsScore(rows=on_training.n, errors=on_training.errors, score=on_training.accuracy))
    if ending is not None and ending.mistakes and form_of(learner) != "ovr":  # which counts every output's mistakes
        errors = ending.progressive_errors
        score = 1 - errors / ending.rows
        said = replace(said, progressive=RowsScore(rows=ending.rows, errors=errors, score=score))
    return said


def describe_answers(
    report: ModelReport, on_training: Evaluation, tested: Evaluation | None, numbers: bool, request: FitRequest
) -> ModelReport:
    """The report with what rows were answered: those tested, or else those learned from."""
    of = report.test.kind if report.test else "training"
    found = tested or on_training
    if numbers:
        squared = SquaredError(of="training", mean_squared_error=on_training.misses.mean_squared_error)
        return replace(report, regression=squared, residuals=_residuals(of, found.misses))
    return replace(
        report,
        confusion=confusion_of(of, found.labels, found.confusion),
        by_class=by_class(found.labels, found.confusion),
        measures=measure(
            of,
            found.parts or ([found.kept] if found.kept else []),
            found.confusion,
            request.positive,
            request.threshold,
        ),
        margins=_margins(on_training),
    )


def _margins(on_training: Evaluation) -> Margins | None:
    if on_training.margins is None:
        return None
    edges, counts = on_training.margins
    return Margins(of="training", edges=edges.tolist(), counts=counts.tolist())


def _residuals(of: str, misses: Misses) -> Residuals | None:
    if misses.residuals is None:
        return None
    return Residuals(
        of=of,
        rows=misses.n,
        root_mean_squared_error=misses.mean_squared_error**0.5,
        mean_absolute_error=misses.mean_absolute_error,
        largest=misses.largest,
        edges=misses.residuals.edges.tolist(),
        counts=misses.residuals.counts.tolist(),
        points=misses.points.tolist(),
    )


def doubts(on_training: Evaluation, tested: Evaluation | None, kind: str) -> list[str]:
    """A warning where the model does no more than give all rows the same answer: those tested, else those learned from."""
    for found, of in ((tested, kind), (on_training, "training")):
        if found is not None:
            said = doubt(found.labels, found.confusion, of) if found.labels else doubt_of_numbers(found.misses.r2, of)
            if said:
                return advise(said)
    return []
