"""``compare_tables``: several learners on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np
from scipy import stats

from ..report.html import Picture
from ..report.words import keyword
from ..rows.store.splits import Split
from .evaluation import advise, by_class, doubt, doubt_of_numbers, measure, spread_over
from .learner_choices import CHOICES, Choice, LearningSettings, choice_of, make
from .progress import NO_PROGRESS, Watcher, stopwatch
from .results import Result, ShownResult
from .table_parameters import TableKeywords, check_choice, check_least, documented, source_of
from .table_rows import LeftOut, TableRows, rows_of
from .training import cross_validate, refuse_too_many, suit

DIGITS = 12  # of scores, beyond which they are the same
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
    auc: float | None  # of classes
    log_loss: float | None  # where it has probabilities
    folds: list[float]  # the score of each
    seconds: float | None  # of one fit
    note: str


@dataclass(frozen=True, kw_only=True, repr=False)
class CompareResult(ShownResult):
    """Learners compared, the best first."""

    command: ClassVar[str] = "compare"
    files: list[str]
    target: str | None
    rows: int
    test: TestOfAll
    learners: list[LearnerScore]
    beaten: list[str]  # learners that are worse than the best by more than chance
    chance: float | None
    left_out: list[LeftOut]
    compiling: float  # seconds
    notes: list[str]
    warnings: list[str]

    @property
    def scores(self) -> dict[str, float | None]:
        """The score of every learner by its name, the best first; None: it could not be tested."""
        return {each.name: each.score for each in self.learners}

    def _picture(self) -> Picture | None:
        from ..plots.report_pictures import picture  # when a notebook shows it: pictures need matplotlib, an extra

        try:
            return picture("compare", self._document())
        except ImportError:
            return None


@documented(TableKeywords)
def compare_tables(
    source: Any,
    target: str | None = None,
    learners: str | Sequence[Any] | None = None,
    *,
    task: str = "classes",
    folds: int = 5,
    parameters: Mapping[str, Any] | None = None,
    passes: int | None = None,
    standardise: bool = True,
    seed: int = 0,
    memory: str | None = None,
    dask: Any = None,
    watcher: Watcher | None = None,
    **reading: Unpack[TableKeywords],
) -> CompareResult:
    """Cross-validate learners on the same parts of the same rows, with times.

    ``novikoff compare`` does the same in a shell.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    CompareResult
        ``scores``: the score of each learner by name, the best first; ``learners``: the same with spread, balanced accuracy, AUC, log loss,
        seconds of one fit, and what is to be said of it; ``chance``: what always answering the largest class would score.
        ``print(result)`` shows a table, ``to_html()`` a page with a picture.

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff import Perceptron, compare_tables
    >>> table = pd.DataFrame({"x": range(2, 22), "class": ["low"] * 10 + ["high"] * 10})
    >>> result = compare_tables(table, "class", ["adaline", Perceptron(eta=0.5)], folds=2)
    >>> sorted(result.scores)
    ['Perceptron(eta=0.5)', 'adaline']
    """
    check_choice("task", task, ("classes", "numbers"))
    check_least("folds", folds, 2)
    check_least("passes", passes, 1)
    check_least("seed", seed, 0)
    alone = isinstance(learners, str) or (learners is not None and not isinstance(learners, list | tuple))
    named: list[Any] = [learners] if alone else list(learners or [])
    given, asked = source_of(source, target, reading, memory, dask), _asked(task, named)
    learning = LearningSettings(dict(parameters or {}), passes, seed, standardise)
    with stopwatch() as watch, rows_of(given, task, watcher or NO_PROGRESS) as rows:
        refuse_too_many(folds, rows.n_rows)
        splits = rows.cut(folds, learning.seed)
        found = [_try(rows, each, splits, learning, bool(named)) for each in asked]
        chance = max(rows.class_counts()) / rows.n_rows if task == "classes" else None
        predicted = None if given.target is None else rows.schema.target
        n_rows, notes, left_out, compiling = rows.n_rows, rows.notes, rows.left_out, watch.compiling
        names = zip(given.files, rows.data.files, strict=True)
        files = [path if isinstance(path, str) else name for path, name in names]
    found.sort(key=_rank)
    return CompareResult(
        files=files,
        target=predicted,
        rows=n_rows,
        test=TestOfAll(
            metric="accuracy" if task == "classes" else "r2", folds=folds, spread_is=spread_over(folds, n_rows)
        ),
        learners=found,
        beaten=[line.name for line in found[1:] if larger_than_chance(found[0].folds, line.folds)],
        chance=chance,
        left_out=left_out,
        compiling=compiling,
        notes=notes,
        warnings=_none_better(found),
    )


class LearnerAsked(NamedTuple):
    """A learner to compare."""

    name: str
    choice: Choice
    given: Any = None  # an estimator, if one was given


def _asked(task: str, asked: list[Any] | None) -> list[LearnerAsked]:
    """The learners to compare."""
    if not asked:
        return [LearnerAsked(choice.name, choice) for choice in CHOICES if choice.task == task]
    found = []
    for each in asked:
        choice = choice_of(each)
        found.append(
            LearnerAsked(choice.name, choice) if isinstance(each, str) else LearnerAsked(_in_a_line(each), choice, each)
        )
    if unsuited := [each.name for each in found if each.choice.task != task]:
        raise ValueError(
            f"{', '.join(unsuited)}: not for a target that is {'a label' if task == 'classes' else 'a number'}."
        )
    return found


def _in_a_line(estimator: Any) -> str:
    return " ".join(repr(estimator).split())


def _rank(line: LearnerScore) -> tuple[bool, float, float]:
    """What learners are ordered by: the score and, where it is the same, how well they rank the classes."""
    return line.score is None, -round(line.score or 0.0, DIGITS), -(line.auc or 0.0)


def larger_than_chance(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether the scores of two learners on the same folds differ by more than chance: a t-test whose variance allows for training rows
    that folds share (C. Nadeau and Y. Bengio, Inference for the generalization error, 2003), at 95%."""
    apart, folds = np.subtract(one, other) if len(one) == len(other) else np.zeros(0), len(one)
    if len(apart) < 2:
        return False
    spread = float(np.var(apart, ddof=1)) * (1 / folds + 1 / (folds - 1))
    if spread == 0:
        return bool(apart[0] != 0)
    return bool(abs(apart.mean()) > stats.t.ppf(0.975, folds - 1) * spread**0.5)


def _none_better(found: list[LearnerScore]) -> list[str]:
    """A warning, if no learner has learned anything."""
    tried = [line for line in found if line.score is not None]
    if not tried or not all(line.note for line in tried):
        return []
    return advise("No learner does better than giving every row the same answer.")


def _try(
    rows: TableRows, one: LearnerAsked, splits: list[Split], learning: LearningSettings, asked: bool
) -> LearnerScore:
    """One learner's line."""
    choice = one.choice
    line = LearnerScore(
        name=one.name,
        score=None,
        spread=None,
        balanced_accuracy=None,
        auc=None,
        log_loss=None,
        folds=[],
        seconds=None,
        note="",
    )
    if not choice.linear and rows.n_rows > KERNEL_ROWS and not asked:
        note = f"left out, as its time grows with the square of the rows; to include it, pass {keyword('learners', choice.name)}"
        return replace(line, note=note)
    try:
        learner = make(choice, learning, one.given)
        suit(learner, rows)
        test, tested = cross_validate(rows, learner, splits, learning.seed, learning.standardise, choice.name)
    except (ValueError, ArithmeticError) as error:
        return replace(line, note=str(error))
    line = replace(line, score=test.score, spread=test.spread, seconds=test.seconds, folds=test.folds)
    if rows.schema.task == "numbers":
        return replace(line, note=doubt_of_numbers(test.score, "tested") or "")
    balanced, told = (
        by_class(tested.labels, tested.confusion).balanced_accuracy,
        measure("tested", tested.parts, tested.confusion),
    )
    line = replace(line, auc=told.auc if told else None, log_loss=told.log_loss if told else None)
    return replace(line, balanced_accuracy=balanced, note=doubt(tested.labels, tested.confusion, "tested") or "")
