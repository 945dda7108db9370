"""All learners on the same rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..data.store.splits import Split
from ..data.store.splits import folds as cut_into_folds
from ..inputs.keywords import keyword
from .by_class import advise, by_class, doubt, doubt_of_numbers
from .choices import CHOICES, Choice, LearningSettings, choose, make
from .compiling import stopwatch
from .documents import Result
from .loading import LeftOut, Rows, loaded
from .requests import CompareRequest
from .testing import cross_validate, refuse_too_many, spread_over
from .watching import NOBODY, Watcher

KERNEL_ROWS = 5_000  # beyond which learners that compare rows with rows are left out unless asked for


@dataclass(frozen=True, kw_only=True)
class TestOfAll(Result):
    """How all learners were tested."""

    kind: str = "cross-validated"
    metric: str
    folds: int
    spread_is: str


@dataclass(frozen=True, kw_only=True)
class LearnerScore(Result):
    """One learner's line."""

    name: str
    score: float | None
    spread: float | None
    balanced_accuracy: float | None
    seconds: float | None  # of one fit
    note: str


@dataclass(frozen=True, kw_only=True)
class CompareResult(Result):
    """Learners compared, the best first."""

    files: list[str]
    target: str | None
    rows: int
    test: TestOfAll
    learners: list[LearnerScore]
    chance: float | None
    left_out: list[LeftOut]
    compiling: float  # seconds
    notes: list[str]
    warnings: list[str]


def compare(request: CompareRequest, watcher: Watcher = NOBODY) -> CompareResult:
    """Cross-validate learners on the same folds."""
    task, folds, learning = request.task, request.folds, request.learning
    choices = _choices(task, request.asked)
    with stopwatch() as watch, loaded(request.source, task, watcher) as rows:
        refuse_too_many(folds, rows.store.n_rows)
        splits = cut_into_folds(rows.store, rows.schema, folds, learning.seed)
        found = [_try(rows, choice, splits, learning, bool(request.asked)) for choice in choices]
        chance = max(rows.class_counts()) / rows.store.n_rows if task == "classes" else None
        n_rows, notes, left_out, compiling = rows.store.n_rows, rows.notes, rows.left_out, watch.compiling
    found.sort(key=lambda one: -1e9 if one.score is None else one.score, reverse=True)
    return CompareResult(
        files=request.source.files,
        target=request.source.target,
        rows=n_rows,
        test=TestOfAll(
            metric="accuracy" if task == "classes" else "r2", folds=folds, spread_is=spread_over(folds, n_rows)
        ),
        learners=found,
        chance=chance,
        left_out=left_out,
        compiling=compiling,
        notes=notes,
        warnings=_none_better(found),
    )


def _choices(task: str, asked: list[str] | None) -> list[Choice]:
    """The learners to compare."""
    choices = [choose(name) for name in asked] if asked else [choice for choice in CHOICES if choice.task == task]
    if unsuited := [choice.name for choice in choices if choice.task != task]:
        raise ValueError(
            f"{', '.join(unsuited)}: not for a target that is {'a label' if task == 'classes' else 'a number'}."
        )
    return choices


def _none_better(found: list[LearnerScore]) -> list[str]:
    """A warning, if no learner has learned anything."""
    tried = [line for line in found if line.score is not None]
    if not tried or not all(line.note for line in tried):
        return []
    return advise("No learner does better than to give every row the same answer.")


def _try(rows: Rows, choice: Choice, splits: list[Split], learning: LearningSettings, asked: bool) -> LearnerScore:
    """One learner's line."""
    line = LearnerScore(name=choice.name, score=None, spread=None, balanced_accuracy=None, seconds=None, note="")
    if not choice.linear and rows.store.n_rows > KERNEL_ROWS and not asked:
        note = f"left out: it compares rows with rows, and there are many; ask with {keyword('learner', choice.name)}"
        return replace(line, note=note)
    try:
        learner = make(choice, learning)
        test, tested = cross_validate(rows, learner, splits, learning.seed, learning.standardise, choice.name)
    except (ValueError, ArithmeticError) as error:
        return replace(line, note=str(error))
    line = replace(line, score=test.score, spread=test.spread, seconds=test.seconds)
    if rows.schema.task == "numbers":
        return replace(line, note=doubt_of_numbers(test.score, "tested") or "")
    balanced = by_class(tested.labels, tested.confusion).balanced_accuracy
    return replace(line, balanced_accuracy=balanced, note=doubt(tested.labels, tested.confusion, "tested") or "")
