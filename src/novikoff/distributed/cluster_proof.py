"""``separability`` of rows in partitions: the function that users call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import and_
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..checks.arrays import class_numbers, find_classes
from ..estimators.base import form_of
from ..proof.answer.proofs import Proof
from ..proof.answer.separable import names_given
from ..proof.check.cycles import ONE_AND_REST
from ..proof.partitions.partitioned_proof import PartitionedProof, holds, prove
from ..proof.partitions.row_queries import ClassSetting, Labelled, RowQueries, Sample, both_samples, drawn
from ..proof.problem.read_rows import check_intercept, one_entry_each, read_labelled
from ..rows.partitions import Partitions
from ..system.clock import Clock, Countdown, check_limit
from .blocks_given import (
    Block,
    Census,
    before_reshuffle,
    both_censuses,
    digest_of,
    engine_of,
    look,
    read_block,
    unchanged,
)
from .rounds import Ready, Rounds


def separability(
    X: Any,
    y: Any = None,
    *,
    fit_intercept: bool = True,
    client: Any = None,
    time_limit: float | None = None,
    feature_names: Sequence[str] | None = None,
) -> PartitionedProof:
    """Tell whether classes of rows that lie in partitions are linearly separable, and prove it, without bringing the rows together.

    Parameters
    ----------
    X : dask array, dask data frame, or list
        Rows.  A list has the partitions, each ``(X, y)``, in memory or delayed; or, if ``y`` is a list, too, the X of each.
    y : dask array, dask series, array or list, default=None
        Labels, in the partitions of X.
    fit_intercept : bool, default=True
        Whether there is an intercept, or hyperplanes pass through the origin.
    client : distributed.Client, default=None
        Of the cluster.  None: the one in use; if there is none, partitions are worked on in this process, and those of Dask
        are read again in every round.
    time_limit : float, default=None
        Seconds after which the answer may be None (undecided).  It is looked at between rounds.
    feature_names : sequence of str, default=None
        The names of the columns, in order.  None: those of a data frame, else x0, x1, ...

    Returns
    -------
    PartitionedProof
        The ``Proof`` of ``novikoff.separability``, which describes it; rows are named by their numbers in the whole.  ``rounds``:
        how often all partitions were asked.  ``rows`` and ``directions`` take further rounds when first asked for, and are None where that
        is no longer possible, as of a proof that was pickled.  Not there: ``suspects`` (None), ``margin_bounds``, ``support`` and
        ``mistake_bound`` (no ``max_margin``), ``pairwise``, ``plot``.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import distributed
    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    >>> proof = distributed.separability([(X[:3], y[:3]), (X[3:], y[3:])])
    >>> proof.kind, proof.witness.rows.tolist(), proof.verify(X, y)
    ('overlap', [0, 1, 2, 3], True)
    """
    clock = Clock(check_limit(time_limit))
    check_intercept(fit_intercept)
    queries, census = ask_first(engine_of(X, y, None, client), bool(fit_intercept))
    names = np.array(census.names, dtype=object) if census.names else None
    if feature_names is not None:
        names = names_given(feature_names, census.columns)
    return prove(queries, names, clock)


def verify(proof: Proof, X: Any, y: Any) -> bool:
    """Whether everything that a proof claims is true of rows in partitions, exactly, checked where they are."""
    if proof.support is not None or proof.mistake_bound is not None:
        raise ValueError(
            "A proof with margin_bounds and a mistake_bound is verified on rows in memory: pass X.compute()."
        )
    queries, census = ask_first(engine_of(X, y, None, None), proof.fit_intercept)
    if census.columns != len(proof.feature_names):
        raise ValueError(f"X has {census.columns} features, but the proof is about {len(proof.feature_names)}.")
    if census.rows != proof._count or not np.array_equal(queries.frame.classes, proof.classes):
        return False
    return holds(proof, queries)


class FirstLook(NamedTuple):
    """What partitions hold, and some of their rows, with labels in place of class numbers."""

    census: Census
    sample: Sample


def ask_first(engine: Partitions, fit_intercept: bool) -> tuple[RowQueries, Census]:
    """Partitions that can be asked, and what they hold: one look."""
    engine = engine.map(read_to_prove, None)
    census, sample = engine.fold(look_first, both_looks, None)
    if sample.answer is None:
        raise ValueError("No partition has a row: there is nothing to prove.")
    frame = ClassSetting(find_classes(census.labels), fit_intercept)
    rows = engine.map(unchanged, census.digests).map(labelled, (frame.classes, census.columns, census.sparse))
    part = sample.answer.part
    part = part._replace(target=class_numbers(part.target, frame.classes).astype(np.intp))
    return RowQueries(rows, frame, sample._replace(answer=sample.answer._replace(part=part))), census


def read_to_prove(number: int, given: Any, state: None) -> Block:
    """X and y as anybody has them; numbers that would be rounded are refused."""
    if len(given) > 2:
        raise ValueError("For a proof each partition is (X, y): sample weights do not change the verdict.")
    X, y = given
    if not len(y):
        block = read_block(number, given, False)
        return block._replace(names=block.names if all(isinstance(name, str) for name in block.names) else [])
    try:
        X, y, names = read_labelled(X, y)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Partition {number}: {error}") from None
    return Block(X, y, np.empty(0), [] if names is None else names.tolist(), digest=digest_of(X, y))


def look_first(number: int, block: Block, state: None) -> FirstLook:
    """A partition, and some of its rows."""
    census, (X, y) = look(number, block, False), block[:2]
    own = class_numbers(y, census.labels) if census.labels.size > 1 else np.zeros(y.size, np.int32)
    return FirstLook(census, drawn(number, own, census.labels.size, lambda few: (X[few], y[few])))


def both_looks(one: FirstLook, other: FirstLook) -> FirstLook:
    """The same of the partitions of both."""
    return FirstLook(both_censuses(one.census, other.census), both_samples(one.sample, other.sample))


def labelled(number: int, block: Block, told: tuple[np.ndarray, int, bool]) -> Labelled:
    """The rows of a partition, of one kind, with class numbers."""
    classes, columns, as_sparse = told
    if block.X.shape[1] != columns:
        raise ValueError(
            f"Partition {number} had {columns} columns before, and now has {block.X.shape[1]}: its rows must not change."
        )
    X = sparse.csr_array(block.X) if as_sparse else block.X
    return Labelled(X, class_numbers(block.y, classes).astype(np.intp) if block.y.size else block.y)


# Can the rows be separated that a perceptron makes no progress on?  Asked over the partitions that it learns from.
#
# A proof takes a few rounds, each about as long as a pass.  What is done here is counted, not timed, so that the same partitions give the
# same answer everywhere.

FEW_DIMENSIONS = 50  # of all pairs of classes: beyond, exact arithmetic may take longer than the fit
LOOKS = 20_000  # at the clock


def found_by_rounds(learner: Any, source: Rounds, reshuffled: dict[int, int] | None) -> PartitionedProof | None:
    """The proof that classes, or one class and the rest, are not separable; None where it is not found, would take long, or would name
    rows by other numbers, since some take no part; and if they are separable: the fit would go on for round after round.  ``reshuffled``: how
    many rows partitions had before rows were reshuffled.  It knows nothing of the partitions: a fitted learner keeps no rows alive."""
    classes, apart = learner.classes_, form_of(learner) == "ovr"
    rivals = 1 if apart else classes.size - 1
    if (source.shape.columns + learner.fit_intercept) * rivals > FEW_DIMENSIONS:
        return None
    if not source.engine.fold(all_take_part, and_, None):
        return None
    clock = Countdown(LOOKS)
    names = getattr(learner, "feature_names_in_", None)
    for against in range(classes.size) if apart else [None]:
        asked = OneOf(against, classes.size)
        sample: Sample = source.engine.fold(some_rows, both_samples, asked)
        frame = ClassSetting(ONE_AND_REST if apart else classes, learner.fit_intercept)
        queries = RowQueries(source.engine.map(labelled_of, asked), frame, sample)
        numbers = None if reshuffled is None else numbers_before(sample.sizes, reshuffled)
        proof = prove(queries, names, clock, numbers=numbers)
        if not proof.separable:
            label = None if against is None else classes[[against]].tolist()[0]
            return replace(proof, against_rest=label, _queries=None) if proof.separable is False else None
    return None


def all_take_part(number: int, ready: Ready, state: None) -> bool:
    """Whether all rows of a partition are learned from."""
    return ready.members.size == ready.target.size


class OneOf(NamedTuple):
    """Which classes are to be separated."""

    against: int | None  # this one from the rest; None: all at once
    n_classes: int

    def target(self, target: np.ndarray) -> np.ndarray:
        """Class numbers as the proof has them."""
        return (target if self.against is None else target == self.against).astype(np.intp)


def some_rows(number: int, ready: Ready, asked: OneOf) -> Sample:
    """Some rows of a partition, of all classes."""
    return drawn(
        number,
        ready.target,
        asked.n_classes,
        lambda few: (one_entry_each(ready.X[few]), asked.target(ready.target[few])),
    )


def labelled_of(number: int, ready: Ready, asked: OneOf) -> Labelled:
    """The rows of a partition as a proof reads them."""
    return Labelled(one_entry_each(ready.X), asked.target(ready.target))


def numbers_before(sizes: dict[int, int], reshuffled: dict[int, int]) -> Callable[[np.ndarray], np.ndarray]:
    """From the numbers of rows in partitions of these sizes to those that they had before they were reshuffled."""
    ends = np.cumsum([sizes[number] for number in sorted(sizes)])
    before = [reshuffled.get(number, 0) for number in sorted(sizes)]

    def numbers(rows: np.ndarray) -> np.ndarray:
        partition = np.searchsorted(ends, rows, side="right")
        return before_reshuffle(before, partition, rows - (ends - np.diff(ends, prepend=0))[partition])

    return numbers
