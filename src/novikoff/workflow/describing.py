"""What is said of a fit: of what was read, and of the model that came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from .. import __version__
from ..estimators.advice import WIDE_SCALES, column_sizes, differ
from ..estimators.base import form_of
from ..estimators.fit_sentences import solved_by
from ..rows.encoding.encoder import TableEncoder
from ..rows.encoding.feature_columns import Number
from ..rows.store.blocks import Block, Schema
from ..rows.store.gather import as_matrix
from .by_class import advise, by_class, confusion_of, doubt, doubt_of_numbers
from .choices import unusual
from .compiling import Watch
from .evaluation import Evaluation
from .fit_result import (
    ClassSize,
    ColumnRead,
    FitEnding,
    FitResult,
    LearnerUsed,
    Margins,
    ModelReport,
    Residuals,
    RowCounts,
    RowsScore,
    SquaredError,
)
from .loading import Rows
from .residuals import Misses
from .testing import Tested
from .training import Encoder, Trained


def describe_rows(rows: Rows, trained: Trained) -> FitResult:
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
        features=schema.n_features if encoder is None else len(encoder.get_feature_names_out()),
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


def _columns(rows: Rows, encoder: TableEncoder) -> list[ColumnRead]:
    known = {column.name: column for column in encoder.columns_}
    columns = []
    for name, kind in rows.schema.columns:
        column, missing = known[name], encoder.n_missing_[name]
        if isinstance(column, Number):
            columns.append(ColumnRead(name=name, kind=kind, missing=missing, fill=column.fill))
        else:
            columns.append(ColumnRead(name=name, kind=kind, missing=missing, levels=len(column.levels)))
    return columns


def _of_scales(rows: Rows, trained: Trained) -> list[str]:
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


def describe_answers(report: ModelReport, on_training: Evaluation, tested: Tested | None, numbers: bool) -> ModelReport:
    """The report with what rows were answered: those tested, or else those learned from."""
    of = report.test.kind if report.test else "training"
    labels, counts, misses = tested or Tested.of(on_training)
    if numbers:
        squared = SquaredError(of="training", mean_squared_error=on_training.misses.mean_squared_error)
        return replace(report, regression=squared, residuals=_residuals(of, misses))
    return replace(
        report,
        confusion=confusion_of(of, labels, counts),
        by_class=by_class(labels, counts),
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


def doubts(on_training: Evaluation, tested: Tested | None, kind: str) -> list[str]:
    """A warning where the model does no more than give all rows the same answer: those tested, else those learned from."""
    for found, of in ((tested, kind), (Tested.of(on_training), "training")):
        if found is not None:
            said = doubt(found.labels, found.confusion, of) if found.labels else doubt_of_numbers(found.misses.r2, of)
            if said:
                return advise(said)
    return []
