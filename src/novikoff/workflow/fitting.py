"""From files to a model, and everything that is to be said of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import __version__
from ..rows.store.splits import Split
from .choices import make
from .compiling import Watch, stopwatch
from .describing import describe_answers, describe_ending, describe_rows, doubts
from .fit_result import FitResult, ModelReport
from .fitted_models import strongest
from .loading import Rows, rows_of
from .regions import Regions, regions
from .requests import FitRequest
from .testing import PARTS, CrossValidatedScore, HeldOutScore, Tested, cross_validate, plan, test_held_out
from .training import Progress, Trained, evaluate_rows, fit_encoder, suit, train
from .verdict import cheap_verdict
from .watching import NOBODY, Watcher

CHECKPOINT = "novikoff.checkpoint"  # where an interrupted fit is left that has no model file to stand beside


def fit(request: FitRequest, watcher: Watcher = NOBODY) -> FitResult:
    """Learn, save, test and describe."""
    learner = make(request.choice, request.learning, request.learner)
    with stopwatch() as watch, rows_of(request.source, request.choice.task, watcher) as rows:
        return _fit_rows(request, rows, learner, watch)


def _fit_rows(request: FitRequest, rows: Rows, learner: Any, watch: Watch) -> FitResult:
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
    result = replace(result, model=trained.model)
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


def _made_from(request: FitRequest, rows: Rows, learner: Any) -> dict[str, Any]:
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
    rows: Rows,
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
    test, tested = _tested(request, rows, trained, learner, split)
    report = ModelReport(
        separability=separability,
        fit=ending,
        test=test,
        weights=strongest(trained.model, request.top),
        regions=_regions(request, rows, trained),
    )
    warned = doubts(on_training, tested, test.kind if test else "")
    untested = [] if test or request.testing.no_test else [f"Fewer than {PARTS} rows are too few to test a model with."]
    return replace(
        result,
        notes=result.notes + untested,
        warnings=result.warnings + warned,
        report=describe_answers(report, on_training, tested, numbers),
    )


def _regions(request: FitRequest, rows: Rows, trained: Trained) -> Regions | None:
    """Answers in a plane, if they are asked for."""
    named = None if isinstance(request.regions, bool) else request.regions
    return regions(rows, trained, named) if request.regions else None


def _tested(
    request: FitRequest, rows: Rows, trained: Trained, learner: Any, split: Split | None
) -> tuple[HeldOutScore | CrossValidatedScore | None, Tested | None]:
    """The score on rows that were not learned from, and what those were answered; None: there was no test."""
    testing, seed = plan(request.testing, rows.n_rows), request.learning.seed
    if split is not None:
        return test_held_out(rows, trained, split.test)
    if testing.parts:
        return cross_validate(
            rows, learner, rows.cut(testing.parts, seed), seed, request.learning.standardise, "Testing"
        )
    return None, None
