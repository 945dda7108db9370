"""``separability`` of rows in partitions: the function that users call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..inputs.clock import Clock, check_limit
from ..inputs.targets import class_numbers, find_classes
from ..proof.answer.proofs import Proof
from ..proof.answer.separable import names_given
from ..proof.problem.read_rows import check_intercept
from ..proof.stream.block_rows import Frame, Part
from .blocks_given import Census
from .cluster_fit import engine_of
from .digests import unchanged
from .folding import Engine
from .inquiry import Inquiry, sizes_of
from .partitioned_proof import PartitionedProof
from .proof_check import holds_where_rows_lie
from .proof_rows import FirstLook, Plan, both_looks, look_first, prepare_to_prove, read_to_prove
from .proof_search import prove_by_rounds


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
        are read anew in every round.
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
    inquiry, census, sample = ask_first(engine_of(X, y, None, client), bool(fit_intercept))
    names = np.array(census.names, dtype=object) if census.names else None
    if feature_names is not None:
        names = names_given(feature_names, census.columns)
    return prove_by_rounds(inquiry, sample, names, clock)


def ask_first(engine: Engine, fit_intercept: bool) -> tuple[Inquiry, Census, Part]:
    """Partitions ready to be asked, what they hold, and a sample of their rows."""
    engine = engine.map(read_to_prove, None)
    first: FirstLook = engine.fold(look_first, both_looks, None)
    census, sample = first.census, first.sample.part
    if not census.rows:
        raise ValueError("No partition has a row: there is nothing to prove anything of.")
    frame = Frame(find_classes(census.labels), fit_intercept)
    plan = Plan(frame, census.columns, census.sparse)
    engine = engine.map(unchanged, census.digests).map(prepare_to_prove, plan)
    inquiry = Inquiry(engine, frame, sizes_of(census), rounds=1)
    target = class_numbers(sample.target, frame.classes).astype(np.intp)
    return inquiry, census, inquiry.numbered(sample._replace(target=target))


def verify(proof: Proof, X: Any, y: Any) -> bool:
    """Whether everything that a proof claims is true of rows in partitions, exactly, checked where they lie."""
    if proof.support is not None or proof.mistake_bound is not None:
        raise ValueError(
            "A proof with margin_bounds and a mistake_bound is verified on rows in memory: hand in X.compute()."
        )
    inquiry, census, sample = ask_first(engine_of(X, y, None, None), proof.fit_intercept)
    if census.columns != len(proof.feature_names):
        raise ValueError(f"X has {census.columns} features, but the proof is about {len(proof.feature_names)}.")
    if census.rows != proof._count or not np.array_equal(inquiry.frame.classes, proof.classes):
        return False
    return holds_where_rows_lie(proof, inquiry, sample)
