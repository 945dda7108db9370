"""What ``fit`` does with the rows it has read, and what it says of that."""

from __future__ import annotations

from typing import Any

from sklearn.base import is_regressor

from ..data.encoder import TableEncoder
from ..data.encoding import Number
from ..data.evaluation import Evaluation, evaluate
from ..data.gather import as_matrix, in_order
from ..data.splits import Split, folds, held_out
from ..estimators.advice import WIDE_SCALES, column_sizes, differ
from ..models.files import save
from ..shell import command, quote_file
from .by_class import advise, by_class, confusion_of, doubt, doubt_of_numbers
from .choices import unusual
from .compiling import Watch
from .fitting import Request
from .loading import Rows
from .options import typed
from .resuming import Progress
from .testing import Tested, cross_validate, plan, test_held_out
from .training import Trained, fit_encoder, train
from .verdict import cheap_verdict
from .weights import strongest


def fit_rows(request: Request, rows: Rows, learner: Any, watch: Watch) -> dict[str, Any]:
    """Train, test and describe; the result of the command."""
    testing, seed = plan(request.testing, rows.store.n_rows), request.learning.seed
    split = held_out(rows.store, rows.schema, testing.share, seed) if testing.share else None
    members = split and split.train
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
        return _described(request, rows, trained, learner, split, watch, result)
    except BaseException as error:
        if request.output is not None:
            error.add_note(f"The model was saved before that: {request.output}.")
        raise


def _described(
    request: Request,
    rows: Rows,
    trained: Trained,
    learner: Any,
    split: Split | None,
    watch: Watch,
    result: dict[str, Any],
) -> dict[str, Any]:
    """What is to be said of a model that is saved."""
    members = split and split.train
    on_training = trained.on_training or evaluate(trained.learner, rows.store, rows.schema, trained.encoder, members)
    bound = None
    if rows.schema.task == "classes":
        result["separability"], bound = cheap_verdict(rows, trained, members, _to_check(request))
    result["fit"] = _ended(trained, on_training, bound, watch)
    test, tested = _tested(request, rows, trained, learner, split)
    result["test"] = test
    result |= (_missed if rows.schema.task == "numbers" else _told)(on_training, tested, test["kind"])
    result["warnings"] += _doubts(on_training, tested, test["kind"])
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
    if isinstance(encoder, TableEncoder):
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
            "read": rows.store.n_rows + rows.data.dropped + rows.data.unlabelled,
            "dropped": rows.data.dropped,
            "unlabelled": rows.data.unlabelled,
            "training": training,
            "held_out": rows.store.n_rows - training,
        },
        "columns": columns,
        "left_out": rows.left_out,
        "features": schema.n_features if encoder is None else len(encoder.get_feature_names_out()),
        "learner": {"name": type(learner).__name__, "parameters": unusual(learner)},
        "history": {name: values.tolist() for name, values in getattr(learner, "history_", {}).items()},
        "warnings": trained.warnings + _of_scales(rows, trained),
        "notes": rows.notes,
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


def _ended(trained: Trained, on_training: Evaluation, bound: int | None, watch: Watch) -> dict[str, Any]:
    """How learning ended, and what it has come to on the rows it learned from."""
    learner, ending = trained.learner, trained.ending
    said = {
        "passes": getattr(learner, "n_iter_", None),
        "stop_reason": getattr(learner, "stop_reason_", None),
        "seconds": watch.seconds,
        "compiling": watch.compiling,
        "mistakes": getattr(learner, "n_mistakes_", None),
        "mistake_bound": bound,
    }
    if is_regressor(learner):
        return {**said, "training": {"rows": on_training.n, "score": on_training.misses.r2}}
    said["training"] = {"rows": on_training.n, "errors": on_training.errors, "score": on_training.accuracy}
    if ending is not None and ending.mistakes and learner._form != "ovr":  # which counts every output's mistakes
        errors = ending.progressive_errors
        said["progressive"] = {"rows": ending.rows, "errors": errors, "score": 1 - errors / ending.rows}
    return said


def _tested(
    request: Request, rows: Rows, trained: Trained, learner: Any, split: Split | None
) -> tuple[dict[str, Any], Tested | None]:
    """The score on rows that were not learned from, and what those were answered; None: there was no test."""
    testing, seed = plan(request.testing, rows.store.n_rows), request.learning.seed
    if split is not None:
        return test_held_out(rows, trained, split.test)
    if testing.parts:
        splits = folds(rows.store, rows.schema, testing.parts, seed)
        return cross_validate(rows, learner, splits, seed, request.learning.standardise, "Testing")
    return {"kind": None}, None


def _told(on_training: Evaluation, tested: Tested | None, kind: str | None) -> dict[str, Any]:
    """Of classes: which were answered for which, and what that says of each."""
    labels, counts, _ = tested or Tested.of(on_training)
    result = {
        "confusion": confusion_of(kind or "training", labels, counts),
        **by_class(labels, counts),
    }
    if on_training.margins is not None:
        edges, counted = on_training.margins
        result["margins"] = {"of": "training", "edges": edges.tolist(), "counts": counted.tolist()}
    return result


def _missed(on_training: Evaluation, tested: Tested | None, kind: str | None) -> dict[str, Any]:
    """Of numbers: by how much they were missed."""
    misses = (tested or Tested.of(on_training)).misses
    result: dict[str, Any] = {
        "regression": {"of": "training", "mean_squared_error": on_training.misses.mean_squared_error}
    }
    if misses.residuals is not None:
        result["residuals"] = {
            "of": kind or "training",
            "rows": misses.n,
            "root_mean_squared_error": misses.mean_squared_error**0.5,
            "mean_absolute_error": misses.mean_absolute_error,
            "largest": misses.largest,
            "edges": misses.residuals.edges.tolist(),
            "counts": misses.residuals.counts.tolist(),
            "points": misses.points.tolist(),
        }
    return result


def _doubts(on_training: Evaluation, tested: Tested | None, kind: str | None) -> list[str]:
    """A warning where the model does no more than give all rows the same answer: those tested, else those learned from."""
    for found, of in ((tested, kind or ""), (Tested.of(on_training), "training")):
        if found is not None:
            said = doubt(found.labels, found.confusion, of) if found.labels else doubt_of_numbers(found.misses.r2, of)
            if said:
                return advise(said)
    return []


def _to_check(request: Request) -> str:
    """The command that answers whether these rows are separable."""
    target = ["--target", request.target] if request.target else []
    files = map(quote_file, request.files)
    return " ".join(["novikoff check", *files, command(*target, *typed(request.reading, request.columns))]).rstrip()
