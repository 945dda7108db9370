"""How good a learner is after every pass, on the rows it learns from and on others."""

from __future__ import annotations

from typing import Any

from ...estimators.base import needs_all_rows
from ...rows.store.splits import Split
from ...workflow.choices import LearningSettings, choose, make
from ...workflow.loading import Rows, rows_of
from ...workflow.scores import Evaluation
from ...workflow.tables.table_sources import source_of
from ...workflow.testing import AskedTest, plan
from ...workflow.training import evaluate_rows, fit_encoder, is_solved, lenient, train
from ...workflow.watching import Watcher
from .data_settings import DataSettings

Score = float | None  # R\u00b2 of numbers that are all the same is None
Pair = tuple[Score, Score]  # on training rows, and on others


def held_out_curve(path: str, settings: DataSettings, watcher: Watcher) -> dict[str, Any] | None:
    """Mean scores after 1, 2, ... passes over the parts that a fit is tested on; None if this learner makes no passes.

    A part whose learning ended keeps its last score.
    """
    learning = LearningSettings(settings.typed, settings.passes, settings.seed, settings.standardise)
    learner = make(choose(settings.learner), learning)
    if needs_all_rows(learner) or is_solved(learner):
        return None
    with rows_of(source_of(path, settings.target, settings.reading), settings.task, watcher) as rows:
        splits = _splits(rows, settings.seed)
        found = [
            _scores(rows, make(choose(settings.learner), learning), split, settings, f"{number}/{len(splits)}")
            for number, split in enumerate(splits, 1)
        ]
    if not all(found):
        return None
    passes = max(map(len, found))
    full = [part + part[-1:] * (passes - len(part)) for part in found]
    means = [[_mean([part[k][j] for part in full]) for k in range(passes)] for j in (0, 1)]
    return {
        "passes": list(range(1, passes + 1)),
        "training": means[0],
        "held_out": means[1],
        "metric": "R\u00b2" if settings.task == "numbers" else "accuracy",
        "parts": len(splits),
    }


def _splits(rows: Rows, seed: int) -> list[Split]:
    """The parts that a fit is tested on by itself."""
    testing = plan(AskedTest(None, None, False), rows.n_rows)
    if testing.parts:
        return rows.cut(testing.parts, seed)
    return [rows.hold_out(testing.share, seed)] if testing.share else []


def _scores(rows: Rows, learner: Any, split: Split, settings: DataSettings, part: str) -> list[Pair]:
    """Both scores after every pass."""
    encoder = lenient(fit_encoder(rows, split.train, settings.standardise, gaps=True))
    scores: list[Pair] = []

    def after_pass(number: int, learner: Any) -> None:
        both = (evaluate_rows(rows, learner, encoder, members, margins=False) for members in (split.train, split.test))
        training, held_out = (_score(found, settings.task) for found in both)
        scores.append((training, held_out))

    title = f"Learning curve {part}"
    train(rows, learner, encoder, split.train, settings.seed, title=title, after_pass=after_pass)
    return scores


def _score(found: Evaluation, task: str) -> Score:
    return found.misses.r2 if task == "numbers" else found.accuracy


def _mean(scores: list[Score]) -> Score:
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if len(known) == len(scores) else None
