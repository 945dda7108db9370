"""What ``fit`` does with the rows it has read, and what it says of that."""

from __future__ import annotations

import shlex
import time
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from ..data.encoding import Number
from ..data.evaluation import Evaluation, evaluate
from ..data.gather import as_matrix, in_order
from ..data.splits import held_out
from ..estimators.advice import WIDE_SCALES, column_sizes, differ
from ..models.files import save
from .choices import unusual
from .fitting import Request
from .loading import Rows
from .options import typed
from .resuming import Progress
from .testing import cross_validate, plan, test_held_out
from .training import Trained, fit_encoder, train
from .verdict import cheap_verdict
from .weights import strongest


def fit_rows(request: Request, rows: Rows, learner: Any, began: float) -> dict[str, Any]:
    """Train, test and describe; the result of the command."""
    testing, seed = plan(request.testing, rows.store.n_rows), request.learning.seed
    members = held_out(testing.share, seed).train if testing.share else None
    encoder = fit_encoder(rows, members, request.learning.standardise)
    progress = Progress(request, rows, learner, encoder)
    trained = train(
        rows, progress.learner, encoder, members, seed, first_pass=progress.passes, after_pass=progress.note
    )
    result = _read(request, rows, trained)
    if trained.ending is not None and trained.ending.interrupted:
        return {**result, "resume": progress.leave()}
    if request.output is not None:  # at once: what follows takes time, too
        save(trained.model, request.output, notes={"target": rows.schema.target, "files": rows.data.files})
        result["model"] = str(request.output)
    try:
        return _described(request, rows, trained, learner, members, began, result)
    except BaseException as error:
        if request.output is not None:
            error.add_note(f"The model was saved before that: {request.output}.")
        raise


def _described(
    request: Request, rows: Rows, trained: Trained, learner: Any, members: Any, began: float, result: dict[str, Any]
) -> dict[str, Any]:
    """What is to be said of a model that is saved."""
    on_training = trained.on_training or evaluate(trained.learner, rows.store, rows.schema, trained.encoder, members)
    bound = None
    if rows.schema.task == "classes":
        result["separability"], bound = cheap_verdict(rows, trained, members, _to_check(request))
    result["fit"] = _ended(trained, on_training, bound, time.perf_counter() - began)
    result |= _tested(request, rows, trained, learner, on_training)
    result["weights"] = strongest(trained.model, request.top)
    if request.report is not None:
        from .regions import regions
        from .report import write_report

        result["regions"] = regions(rows, trained)
        write_report(result, request.report)
    return result


def _read(request: Request, rows: Rows, trained: Trained) -> dict[str, Any]:
    """What was read, and who learned from it."""
    from .. import __version__

    schema, encoder, learner = rows.schema, trained.encoder, trained.learner
    columns = []
    if not rows.sparse:
        known = {column.name: column for column in encoder.columns_}
        for name, kind in schema.columns:
            column = known[name]
            more = {"fill": column.fill} if isinstance(column, Number) else {"levels": len(column.levels)}
            columns.append({"name": name, "kind": kind, "missing": encoder.n_missing_[name], **more})
    training = trained.ending.rows if trained.ending else rows.store.n_rows
    result = {
        "command": "fit",
        "version": __version__,
        "files": rows.data.files,
        "target": schema.target,
        "task": schema.task,
        "rows": {
            "read": rows.store.n_rows + rows.data.dropped,
            "dropped": rows.data.dropped,
            "training": training,
            "held_out": rows.store.n_rows - training,
        },
        "columns": columns,
        "features": schema.n_features if encoder is None else len(encoder.get_feature_names_out()),
        "learner": {"name": type(learner).__name__, "parameters": unusual(learner)},
        "history": {name: values.tolist() for name, values in getattr(learner, "history_", {}).items()},
        "warnings": trained.warnings + _of_scales(rows, trained),
        "notes": rows.data.notes,
        "model": None,
        "resume": None,
    }
    if schema.task == "classes":
        counted = zip(rows.labels().tolist(), rows.class_counts(), strict=True)
        result["classes"] = [{"label": label, "rows": count} for label, count in counted]
    return result


def _of_scales(rows: Rows, trained: Trained) -> list[str]:
    """A warning where columns that were left as they are differ much in size, from the first rows."""
    if getattr(trained.encoder, "standardise", False):
        return []
    sizes = column_sizes(as_matrix(next(iter(in_order(rows.store))), rows.schema, trained.encoder))
    if not sizes.size or sizes.max() <= WIDE_SCALES * sizes.min():
        return []
    remedy = "scale them in the file" if rows.sparse else "leave --raw out"
    return [f"{differ(sizes)}: steps that suit the largest hardly move the weights of the smallest; {remedy}."]


def _ended(trained: Trained, on_training: Evaluation, bound: int | None, seconds: float) -> dict[str, Any]:
    """How learning ended, and what it has come to on the rows it learned from."""
    learner, ending = trained.learner, trained.ending
    said = {
        "passes": getattr(learner, "n_iter_", None),
        "stop_reason": getattr(learner, "stop_reason_", None),
        "seconds": seconds,
        "mistakes": getattr(learner, "n_mistakes_", None),
        "mistake_bound": bound,
    }
    if is_regressor(learner):
        return {**said, "training": {"rows": on_training.n, "score": on_training.r2}}
    said["training"] = {"rows": on_training.n, "errors": on_training.errors, "score": on_training.accuracy}
    if ending is not None and ending.mistakes and learner._form != "ovr":  # which counts every output's mistakes
        errors = ending.progressive_errors
        said["progressive"] = {"rows": ending.rows, "errors": errors, "score": 1 - errors / ending.rows}
    return said


def _tested(request: Request, rows: Rows, trained: Trained, learner: Any, on_training: Evaluation) -> dict[str, Any]:
    """The score on rows that were not learned from, and the confusion of that."""
    testing, seed = plan(request.testing, rows.store.n_rows), request.learning.seed
    test: dict[str, Any] = {"kind": None}
    found = [on_training]
    if testing.share:
        test, found = test_held_out(rows, trained, testing.share, seed)
    elif testing.parts:
        test, found = cross_validate(rows, learner, testing.parts, seed, request.learning.standardise, "Testing")
    if rows.schema.task == "numbers":
        return {"test": test, "regression": {"of": "training", "mean_squared_error": on_training.mean_squared_error}}
    counts = np.sum([part.confusion for part in found], axis=0)
    result = {
        "test": test,
        "confusion": {"of": test["kind"] or "training", "labels": rows.labels().tolist(), "counts": counts.tolist()},
    }
    if on_training.margins is not None:
        edges, counted = on_training.margins
        result["margins"] = {"of": "training", "edges": edges.tolist(), "counts": counted.tolist()}
    return result


def _to_check(request: Request) -> str:
    """The command that answers whether these rows are separable."""
    target = ["--target", request.target] if request.target else []
    return shlex.join(["novikoff", "check", *request.files, *target, *typed(request.reading, request.columns)])
