"""Encode rows and learn from them: pass by pass where the learner can, else with all rows in memory."""

from __future__ import annotations

import copy
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.pipeline import Pipeline

from ..estimators.advice import heard_remarks, remark
from ..estimators.base import LinearLearner, most_passes, needs_all_rows, note_rounded
from ..estimators.separation import SeparationError
from ..estimators.solvers import asks_for_steps
from ..inputs.readable import some
from ..rows.encoding.encoder import TableEncoder
from ..rows.encoding.used_columns import UsedColumns, used_columns
from ..rows.store.blocks import DataError, RowError
from ..rows.store.gather import Members
from ..solvers.hard_margin import Inseparable
from .choices import PASSES
from .evaluation import Evaluation, answers_a_row, both_evaluations, evaluate_blocks
from .loading import Rows
from .on_cluster import ApartRows
from .passes import Ending, learn, texts_in_classes

STANDARDISED = "That is proved of the columns as they were standardised; standardise=False leaves them as they are."
Encoder = TableEncoder | UsedColumns | None  # of tables; of sparse rows with numbers far apart; of other sparse rows

BYTES_A_WEIGHT = 130  # the weight, its average, what is kept and tested, and a file's bytes, twice (measured)


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
    return Pipeline([("table" if isinstance(encoder, TableEncoder) else "columns", encoder), ("learner", learner)])


def fit_encoder(rows: Rows, members: Members | None, standardise: bool, *, gaps: bool = False) -> Encoder:
    """The encoding of these rows; of sparse ones none, unless their columns' numbers lie far apart.

    ``gaps``: whether columns may be without any value in them.
    """
    if rows.sparse:
        return used_columns(partial(rows.fold, members=members), rows.schema.n_features)
    encoder = TableEncoder(standardise=standardise)
    try:
        return encoder.fit_fold(rows.schema, partial(rows.fold, members=members), gaps, rows.travels)
    except RowError:
        raise
    except DataError as error:
        raise DataError(f"{rows.data.files[0]}: {error}") from None


def evaluate_rows(
    rows: Rows, learner: Any, encoder: Encoder, members: Members | None, margins: bool = True
) -> Evaluation:
    """Ask a learner about every row that takes part; ``margins=False`` leaves the histogram out."""
    question = partial(evaluate_blocks, learner, rows.schema, encoder, margins)
    found: Evaluation = rows.fold(question, both_evaluations, members, answers_a_row(learner))
    return found


def lenient(encoder: Encoder) -> Any:
    """The same encoder for rows it was not fitted to: categories that are new to it count as none."""
    return copy.copy(encoder).set_params(unseen="zeros") if isinstance(encoder, TableEncoder) else encoder


def is_solved(learner: Any) -> bool:
    """Whether a learner that could go through the rows is solved for all of them instead, as it is in Python."""
    return isinstance(learner, LinearLearner) and not asks_for_steps(learner)


def suit(learner: Any, rows: Rows) -> None:
    """Have a learner that would be solved take steps, if all rows at once are more than memory holds, and note that."""
    if isinstance(rows, ApartRows) or not is_solved(learner) or learner.solver != "auto" or fits(rows):
        return
    learner.set_params(solver="steps", max_iter=learner.max_iter or PASSES)
    rows.notes.append(
        f"{type(learner).__name__} took steps (solver='steps', at most {some(learner.max_iter, 'pass', 'passes')}): to solve it for "
        f"all rows takes about {rows.bytes_at_once / 1e9:.2g} GB, and there is room for {rows.budget / 1e9:.2g} GB; to have it solved, "
        "allow for that with memory=..."
    )


def fits(rows: Rows) -> bool:
    """Whether there is memory for work on all rows at once."""
    return rows.bytes_at_once <= rows.budget


def train(
    rows: Rows,
    learner: Any,
    encoder: Encoder,
    members: Members | None,
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
    with heard_remarks() as heard:
        if isinstance(rows, ApartRows):
            ending: Ending | None = rows.learn(learner, encoder, members, title, checkpoint)
        elif not (reason or is_solved(learner)):
            total = most_passes(learner) * rows.store.n_rows
            with rows.watcher.progress(title, total, "rows") as advance:
                ending = learn(
                    learner,
                    rows.store,
                    rows.schema,
                    encoder,
                    members=members,
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
            with rows.watcher.solving(title):
                _fit(learner, X, y, rows, getattr(encoder, "standardise", False))
    return Trained(encoder, learner, ending, list(dict.fromkeys(heard)), ending.rows if ending else len(y))


def _fit(learner: Any, X: Any, y: Any, rows: Rows, standardised: bool) -> None:
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
        remark(STANDARDISED)


def make_room(rows: Rows, encoder: Encoder) -> None:
    """See to it that there is memory for the weights, before any is taken."""
    features = rows.schema.n_features if encoder is None else len(encoder.get_feature_names_out())
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


def refuse_too_large(rows: Rows, reason: str) -> None:
    """Stop before a learner that needs all rows at once is given more than memory holds."""
    if not fits(rows):
        raise DataError(
            f"{rows.data.files[0]}: {reason} That takes about {rows.bytes_at_once / 1e9:.1f} GB. Allow for it with "
            "memory=..., or choose a learner that goes through the rows, such as learner='perceptron'."
        )
