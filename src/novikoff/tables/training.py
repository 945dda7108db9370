"""Encode rows, learn from them (pass by pass where the learner can, else with all rows in memory), go on after an interruption, and
test what was learned on rows that were not learned from."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ..checks.sklearn_parts import pipeline
from ..estimators.advice import heard_warnings, warn
from ..estimators.base import (
    LinearLearner,
    fit_parts,
    learned_by,
    most_passes,
    named_columns,
    needs_all_rows,
    note_rounded,
)
from ..estimators.separation import SeparationError
from ..estimators.solver_or_steps import asks_for_steps
from ..learn.stops import FOR_EVER
from ..models.files.checkpoint import Checkpoint
from ..report.fit_sentences import solved_by
from ..report.words import keyword, seconds, some
from ..rows.encoding.encoder import TableEncoder, UsedColumns, used_columns
from ..rows.partitions import Watched
from ..rows.store.blocks import Block, DataError, RowError, Schema
from ..rows.store.row_store import Members, Store, StoreSource
from ..rows.store.splits import PartOf, Split
from ..solvers.hard_margin import Inseparable
from .evaluation import Evaluation, answers_a_row, both_evaluations, evaluate, evaluate_blocks, spread_over, wilson
from .learner_choices import PASSES
from .progress import MINUTE, about, stopwatch
from .results import Result
from .table_rows import TableRows

STANDARDISED = "That is proved of the columns as they were standardised; standardise=False leaves them as they are."
Encoder = TableEncoder | UsedColumns | None  # of tables; of sparse rows with numbers far apart; of other sparse rows

BYTES_A_WEIGHT = 130  # the weight, its average, what is kept and tested, and a file's bytes, twice (measured)


class Ending(NamedTuple):
    """How learning ended."""

    reason: str  # of ``learn.stops``
    passes: int  # in all, those before ``first_pass`` included
    mistakes: list[int]  # of each pass
    rows: int  # that a pass reads
    seconds: float
    training: Evaluation | None  # of the rows that were learned from; None if it was interrupted

    @property
    def progressive_errors(self) -> int:
        """Mistakes of the first pass, in which every row was new to the weights that were asked."""
        return self.mistakes[0] if self.mistakes else 0

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.reason == "interrupted"


class Trained(NamedTuple):
    """A learner that has learned, and how."""

    encoder: Encoder
    learner: Any
    ending: Ending | None  # None: learned by ``fit``
    warnings: list[str]
    rows: int = 0  # that it learned from; of a model from a file, not known

    @property
    def on_training(self) -> Evaluation | None:
        """What the learner does on the rows it learned from, if that is known."""
        return self.ending and self.ending.training

    @property
    def model(self) -> Any:
        """What is saved."""
        return as_model(self.encoder, self.learner)


def as_model(encoder: Encoder, learner: Any) -> Any:
    """A pipeline that takes what files hold; of sparse rows without an encoder, the learner itself."""
    if encoder is None:
        return learner
    return pipeline([("table" if isinstance(encoder, TableEncoder) else "columns", encoder), ("learner", learner)])


def fit_encoder(rows: TableRows, members: PartOf | None, standardise: bool, *, gaps: bool = False) -> Encoder:
    """The encoding of these rows; of sparse ones none, unless their columns' numbers lie far apart.

    ``gaps``: whether columns may be without any value in them.
    """
    if rows.sparse:
        return used_columns(partial(rows.fold, members=members), rows.schema.n_features)
    encoder = TableEncoder(standardise=standardise)
    try:
        return encoder.fit_fold(rows.schema, partial(rows.fold, members=members), gaps, rows.apart)
    except RowError:
        raise
    except DataError as error:
        raise DataError(f"{rows.data.files[0]}: {error}") from None


def evaluate_rows(
    rows: TableRows, learner: Any, encoder: Encoder, members: PartOf | None, margins: bool = True, keep: bool = False
) -> Evaluation:
    """Ask a learner about every row that takes part; ``margins=False`` leaves the histogram out, ``keep`` keeps the scores."""
    question = partial(evaluate_blocks, learner, rows.schema, encoder, margins, keep)
    found: Evaluation = rows.fold(question, both_evaluations, members, answers_a_row(learner))
    return found


def lenient(encoder: Encoder) -> Any:
    """The same encoder for rows it was not fitted to: categories that are new to it count as none."""
    return copy.copy(encoder).set_params(unseen="zeros") if isinstance(encoder, TableEncoder) else encoder


def is_solved(learner: Any) -> bool:
    """Whether a learner that could go through the rows is solved for all of them instead, as it is in Python."""
    return isinstance(learner, LinearLearner) and not asks_for_steps(learner)


def suit(learner: Any, rows: TableRows) -> None:
    """Have a learner that would be solved take steps, if all rows at once are more than memory holds, and note that."""
    if rows.apart or not is_solved(learner) or learner.solver != "auto" or fits(rows):
        return
    learner.set_params(solver="steps", max_iter=learner.max_iter or PASSES)
    rows.notes.append(
        f"{type(learner).__name__} took steps (solver='steps', at most {some(learner.max_iter, 'pass', 'passes')}): to solve it for "
        f"all rows takes about {rows.bytes_at_once / 1e9:.2g} GB, and there is room for {rows.budget / 1e9:.2g} GB; to have it solved, "
        "allow for that with memory=..."
    )


def fits(rows: TableRows) -> bool:
    """Whether there is memory for work on all rows at once."""
    return rows.bytes_at_once <= rows.budget


def train(
    rows: TableRows,
    learner: Any,
    encoder: Encoder,
    members: PartOf | None,
    seed: int,
    *,
    title: str = "Learning",
    first_pass: int = 0,
    after_pass: Any = None,
    checkpoint: Path | None = None,
) -> Trained:
    """Learn from the rows that take part.  ``checkpoint`` is for rows in partitions; of others, ``after_pass`` writes one."""
    reason = needs_all_rows(learner)
    make_room(rows, encoder)
    with heard_warnings() as heard:
        if rows.apart:
            ending: Ending | None = learn_apart(learner, rows, encoder, members, title, checkpoint)
        elif not (reason or is_solved(learner)):
            total = most_passes(learner) * rows.n_rows
            with rows.watcher.progress(title, total, "rows") as advance:
                ending = learn(
                    learner,
                    rows.store,
                    rows.schema,
                    encoder,
                    members=members and members.among(rows.store),
                    passes=most_passes(learner),
                    seed=seed,
                    first_pass=first_pass,
                    after_pass=after_pass,
                    progress=advance,
                )
        else:
            refuse_too_large(rows, reason)
            X, y = rows.gather(encoder, members)
            ending = None
            with rows.watcher.solving(title, getattr(learner, "tol", None)):
                names = None if encoder is None else encoder.get_feature_names_out()
                with named_columns(learner, names):
                    _fit(learner, X, y, rows, getattr(encoder, "standardise", False))
            if getattr(encoder, "standardise", False) and any("(proved)" in text for text in heard):
                warn(STANDARDISED)
    return Trained(encoder, learner, ending, list(dict.fromkeys(heard)), ending.rows if ending else len(y))


def learn(
    learner: Any,
    store: Store,
    schema: Schema,
    encoder: Any,
    *,
    members: Members | None = None,
    passes: int,
    seed: int,
    first_pass: int = 0,
    after_pass: Callable[[int, Any], None] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Ending:
    """Learn from the rows of a store that take part until ``passes`` are over or a stop applies.

    ``first_pass`` is the number of the first pass to make, of a learner that went on to there before.  ``after_pass`` is
    called after every whole pass with its number and the learner, ready to predict; ``progress`` with the rows just
    read after every batch.
    """
    source = StoreSource(store, schema, encoder, members, seed)
    source.progress = progress or source.progress

    def on_pass(learner: Any) -> bool:
        if after_pass and learner.stop_reason_ in (None, *FOR_EVER):  # the pass is whole
            after_pass(learner.n_iter_ - 1, learner)
        return False

    try:
        fit_parts(learner, source, passes, go_on=first_pass > 0, on_pass=on_pass if after_pass else None)
    except KeyboardInterrupt:
        if getattr(learner, "stop_reason_", None) != "interrupted":  # nothing was learned that could be kept
            raise
    found = None
    if learner.stop_reason_ != "interrupted":
        with suppress(KeyboardInterrupt):  # all was learned; only the last look is missing then
            found = evaluate(learner, store, schema, encoder, source.taking_part)
            if schema.task == "classes":
                learner.n_errors_ = found.errors
    history = learned_by(learner).history
    rows = source.rows - int(np.count_nonzero(source.held_out))
    mistakes = [int(count) for count in history["mistakes"]]
    return Ending(learner.stop_reason_, learner.n_iter_, mistakes, rows, history["seconds"][-1], found)


def learn_apart(
    learner: Any, rows: TableRows, encoder: Encoder, members: PartOf | None, title: str, checkpoint: Path | None
) -> Ending:
    """Learn from the rows of partitions that take part: rounds over all of them, whose weights are mixed."""
    from ..distributed.cluster_fit import fit  # when there are partitions
    from ..distributed.rounds import mix_one, step_one  # likewise

    taking_part: int = rows.fold(count_all, add, members)
    passes = getattr(learner, "max_iter", None)
    with rows.watcher.progress(title, passes and passes * taking_part, "rows") as advance:

        def tell(question: Any) -> None:
            if question in (mix_one, step_one) or not passes:  # what a pass asks partitions
                advance(taking_part)

        fit(learner, Watched(rows.encoded(encoder, members), tell), checkpoint=checkpoint)
    texts_in_classes(learner)
    history = {} if solved_by(learner) else getattr(learner, "history_", {})
    mistakes = [int(count) for count in history.get("mistakes", [])]
    return Ending(learner.stop_reason_, learner.n_iter_, mistakes, taking_part, 0.0, None)


def count_all(blocks: Iterable[Block]) -> int:
    """How many rows there are."""
    return sum(len(block.rows) for block in blocks)


def texts_in_classes(learner: Any) -> None:
    """Have ``classes_`` as an array of texts, as a learner has them that went through a store."""
    if hasattr(learner, "classes_"):
        learner.classes_ = learner.classes_.astype(str)


def _fit(learner: Any, X: Any, y: Any, rows: TableRows, standardised: bool) -> None:
    """Learn from all rows at once.  What the learner calls proved is so of X, which need not be what stands in the files."""
    found = rows.data.rounded
    if found is not None:
        note_rounded(learner, f"{found} ({found.place}), which float64 cannot hold exactly")
    try:
        learner.fit(X, y)
    except ValueError as error:
        if standardised and isinstance(error, SeparationError | Inseparable):
            error.add_note(STANDARDISED)
        raise
    texts_in_classes(learner)
    cycle = getattr(learner, "cycle_", None)
    if standardised and (learner.stop_reason_ == "inseparable" or (cycle is not None and cycle.proves_inseparable)):
        warn(STANDARDISED)


def make_room(rows: TableRows, encoder: Encoder) -> None:
    """See to it that there is memory for the weights, before any is taken."""
    features = rows.width(encoder)
    outputs = len(rows.schema.labels) if len(rows.schema.labels) > 2 else 1
    needed = BYTES_A_WEIGHT * outputs * features
    if needed > rows.room:
        classes = f" for each of {outputs:,} classes" if outputs > 1 else ""
        raise DataError(
            f"{rows.data.files[0]}: {features:,} features{classes} make {outputs * features:,} weights, which take about "
            f"{needed / 1e9:.1f} GB to learn; there is room for {rows.room / 1e9:.1f} GB. Leave columns out, or allow for "
            "it with memory=..."
        )
    rows.make_room(needed)


def refuse_too_large(rows: TableRows, reason: str) -> None:
    """Stop before a learner that needs all rows at once is given more than memory holds."""
    if not fits(rows):
        raise DataError(
            f"{rows.data.files[0]}: {reason} That takes about {rows.bytes_at_once / 1e9:.1f} GB. Allow for it with "
            "memory=..., or choose a learner that goes through the rows, such as learner='perceptron'."
        )


# Interruptions


@dataclass(frozen=True, kw_only=True)
class Interrupted(Result):
    """What is left of learning that was interrupted."""

    passes: int  # whole ones
    checkpoint: Path | None  # where their state is; None: there is none


class Progress:
    """Where learning begins, and the state after its last whole pass: in a file if asked for, else in memory.

    ``path`` is the file, ``spare`` the one that is written if learning is interrupted and there is no other; ``made_from``
    says what must be the same for learning to go on.
    """

    def __init__(
        self,
        path: Path | None,
        spare: Path,
        made_from: Callable[[], dict[str, Any]],
        rows: TableRows,
        learner: Any,
        encoder: Any,
    ) -> None:
        self._spare, self._made_from, self._encoder = spare, made_from, encoder
        self.learner, self.passes = learner, 0
        self._last: Any = None
        self._checkpoint: Checkpoint | None = None
        if path is None:
            return
        if refused := needs_all_rows(learner):
            raise ValueError(
                f"checkpoint=... is for learning pass by pass. {refused} Leave out checkpoint=..., or learn with "
                "learner='perceptron' and its default parameters."
            )
        if is_solved(learner):
            raise ValueError(
                f"checkpoint=... is for learning pass by pass, and {type(learner).__name__} is solved for all rows: use "
                "parameters={'solver': 'steps'}."
            )
        self._checkpoint = Checkpoint(path, made_from())
        before = self._checkpoint.resume(learner)
        if before is not None:
            self.learner, self.passes = before.learner, before.next_pass
            rows.watcher.tell(f"Going on after pass {self.passes}, from {path}.")

    def note(self, number: int, learner: Any) -> None:
        """Keep the state after a whole pass."""
        if self._checkpoint is not None:
            self._checkpoint.write(as_model(self._encoder, learner), number + 1)
        else:
            self._last = copy.deepcopy(learner)
        self.passes = number + 1  # last: an interruption may come before

    def leave(self) -> Interrupted:
        """After an interruption: have the state in a file."""
        if self.passes == 0:
            return Interrupted(passes=0, checkpoint=None)
        if self._checkpoint is None:
            self._checkpoint = Checkpoint(self._spare, self._made_from())
            self._checkpoint.write(as_model(self._encoder, self._last), self.passes)
        return Interrupted(passes=self.passes, checkpoint=self._checkpoint.path)


SMALL = 20_000  # rows up to which learning several times costs little


SHARE, PARTS = 0.1, 5  # held out of larger data; parts of smaller ones


class AskedTest(NamedTuple):
    """How a learner is to be tested; if nothing is said, as suits the number of rows."""

    folds: int | None = None
    hold_out: float | None = None  # share of the rows
    no_test: bool = False


class TestPlan(NamedTuple):
    """How to test: neither of both means not at all."""

    share: float = 0.0
    parts: int = 0


@dataclass(frozen=True, kw_only=True)
class HeldOutScore(Result):
    """The score on rows that were kept apart; of an accuracy with a 95% interval."""

    kind: str = "held-out"
    metric: str
    score: float | None
    low: float | None = None
    high: float | None = None
    spread_is: str | None = None  # what the interval says
    errors: int | None = None
    rows: int


@dataclass(frozen=True, kw_only=True)
class CrossValidatedScore(Result):
    """The score on all rows, each asked of a learner that had not seen it."""

    kind: str = "cross-validated"
    metric: str
    score: float | None
    spread: float | None
    spread_is: str | None
    errors: int | None  # of numbers None
    rows: int
    folds: list[float]  # the score of each
    seconds: float  # of one fit: the median


def plan(asked: AskedTest, n_rows: int) -> TestPlan:
    """What is asked for; by itself, a cross-validation of small data and rows held out of large ones."""
    if sum([asked.folds is not None, asked.hold_out is not None, asked.no_test]) > 1:
        raise ValueError("Choose one of folds=..., hold_out=... and test=False.")
    if asked.no_test:
        return TestPlan()
    if asked.hold_out is not None:
        if not 0 < asked.hold_out < 1:
            raise ValueError(f"{keyword('hold_out', asked.hold_out)} must be above 0 and below 1.")
        held = round(asked.hold_out * n_rows)
        if not 0 < held < n_rows:
            raise ValueError(
                f"{keyword('hold_out', asked.hold_out)} holds out {held or 'none'} of {n_rows} rows: hold out {'fewer' if held else 'more'}, or pass "
                "folds=5."
            )
        return TestPlan(share=asked.hold_out)
    if asked.folds is None and n_rows < PARTS:
        return TestPlan()  # nothing could be said of so few
    parts = asked.folds or (PARTS if n_rows <= SMALL else 0)
    if parts:
        refuse_too_many(parts, n_rows)
    return TestPlan(parts=parts) if parts else TestPlan(share=SHARE)


def refuse_too_many(folds: int, n_rows: int) -> None:
    """Refuse folds that rows would not suffice for."""
    if folds > n_rows:
        raise ValueError(f"{keyword('folds', folds)} is more than the {n_rows} rows: choose from 2 to {n_rows}.")


def test_held_out(rows: TableRows, trained: Any, members: PartOf) -> tuple[HeldOutScore, Evaluation]:
    """The score on held-out rows of a learner that has not seen them."""
    found = evaluate_rows(rows, trained.learner, lenient(trained.encoder), members, keep=True)
    if rows.schema.task == "numbers":
        return HeldOutScore(metric="r2", score=found.misses.r2, rows=found.n), found
    low, high = wilson(found.n - found.errors, found.n)
    return HeldOutScore(
        metric="accuracy",
        score=found.accuracy,
        low=low,
        high=high,
        spread_is="95% interval for rows drawn as these were",
        errors=found.errors,
        rows=found.n,
    ), found


def cross_validate(
    rows: TableRows, learner: Any, splits: list[Split], seed: int, standardise: bool, title: str
) -> tuple[CrossValidatedScore, Evaluation]:
    """The score on each part of a learner that has learned from the others; encoders, too, see the others only."""
    found, times = [], []
    for number, split in enumerate(splits, 1):
        with stopwatch() as watch:
            # A rare value may be in one part only.
            encoder = lenient(fit_encoder(rows, split.train, standardise, gaps=True))
            try:
                trained = train(
                    rows, clone(learner), encoder, split.train, seed, title=f"{title} {number}/{len(splits)}"
                )
            except ValueError as error:
                raise ValueError(f"Part {number} of the cross-validation cannot be tested: {error}") from None
            if trained.ending is not None and trained.ending.interrupted:
                raise KeyboardInterrupt
            times.append(watch.seconds)
        left = times[0] * (len(splits) - 1)
        if number == 1 and left > MINUTE:
            rows.watcher.tell(
                f"novikoff: {title.lower()}: the fit of one part took {seconds(times[0])}; the other {some(len(splits) - 1, 'part')} "
                f"take {about(left)}. Fewer parts: folds=2."
            )
        found.append(evaluate_rows(rows, trained.learner, encoder, split.test, margins=False, keep=True))
    numbers = rows.schema.task == "numbers"
    each = [part.misses.r2 if numbers else part.accuracy for part in found]
    scores = [one for one in each if one is not None]  # R² of rows whose numbers are all the same is None
    spread = float(np.std(scores, ddof=1)) if len(scores) == len(splits) else None
    tested = replace(reduce(both_evaluations, found), kept=None, parts=[part.kept for part in found if part.kept])
    return CrossValidatedScore(
        metric="r2" if numbers else "accuracy",
        score=tested.misses.r2 if numbers else float(tested.confusion.trace() / tested.n),
        spread=spread,
        spread_is=None if spread is None else spread_over(len(splits), tested.n),
        errors=None if numbers else tested.errors,
        rows=tested.n,
        folds=scores,
        seconds=float(np.median(times)),
    ), tested
