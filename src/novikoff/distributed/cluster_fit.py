"""``fit``: from partitions to an ordinary fitted learner."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from ..estimators.advice import not_there_yet, remark
from ..estimators.base import LinearLearner, fitted_anew, learn, refuse_for_partitions
from ..estimators.classifier import count_errors
from ..estimators.neuron import LogisticNeuron
from ..estimators.svm_base import SupportVectorMachine
from ..inputs.rounding import REMEDY
from ..inputs.sklearn_parts import check_parameters
from ..rows.partitions import Here, Partitions
from .blocks_given import Census, both_censuses, look, read_block
from .cluster_solvers import is_solved, solver_of, solves_at_once, warn_of_separation
from .dealing import BY_HASH, TOO_SORTED, sortedness
from .digests import unchanged
from .inquiry import sizes_of
from .proof_of_fit import found_by_rounds
from .resumption import Resumption
from .rounds import Rounds


def fit(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    client: Any = None,
    checkpoint: str | Path | None = None,
    deal: bool | str = "auto",
) -> Any:
    """Fit a learner to rows that lie in partitions, without bringing them together.

    Every partition makes a pass from the same weights, and the weights are mixed; with ``batch_size="all"`` steps are summed.
    ``LinearSVM``, ``LogisticNeuron`` and ``Adaline`` with a solver are not mixed but solved, in rounds over all rows.
    The same partitions and ``random_state`` give the same bits, whatever the number of workers or failures.

    Parameters
    ----------
    learner : estimator
        A linear learner of the loop, e.g. ``Perceptron()``, or ``LinearSVM()``.
    X : dask array, dask data frame, list, or engine
        Rows.  A list has the partitions, each ``(X, y)`` or ``(X, y, sample_weight)``, in memory or delayed; or, if ``y`` is a
        list, too, the X of each.  An engine of your own has ``fold``, ``map`` and ``deal``.
    y : dask array, dask series, array or list, default=None
        Labels or numbers, in the partitions of X.
    sample_weight : like y, default=None
        Weights of the rows.
    client : distributed.Client, default=None
        Of the cluster.  None: the one in use; if there is none, partitions are worked on in this process, and those of Dask
        are read anew in every pass.
    checkpoint : str or path, default=None
        File that is written after every pass, and replaced as a whole.  If it is there, learning goes on from it, to the same
        bits: after an error or Ctrl-C, in another process, on another cluster.  A file that was made from other partitions or
        parameters is refused.  Needs a whole number as ``random_state``.  Refused for learners that are solved:
        they take a few rounds, and begin anew.
    deal : bool or "auto", default="auto"
        Whether rows are dealt anew to the partitions before learning, by a hash.  "auto": if classes are so unequally
        distributed that mixing would suffer.  ``LinearSVM`` mixes nothing, and leaves rows where they lie.

    Returns
    -------
    learner
    """
    if checkpoint is not None and (isinstance(learner, SupportVectorMachine) or is_solved(learner)):
        steps = ': use solver="steps"' if hasattr(learner, "solver") and isinstance(learner, LinearLearner) else ""
        raise ValueError(
            f"checkpoint=... is for learning pass by pass, and {type(learner).__name__} solves for all rows{steps}."
        )
    if isinstance(learner, SupportVectorMachine):
        return fit_support_vectors(learner, X, y, sample_weight, client)
    refuse(learner, deal)
    resumption = Resumption(learner, checkpoint)
    with fitted_anew(learner) as before, resumption.said_in_errors():
        # nothing else holds on to partitions as they were given: workers may forget them
        source = rounds_of(learner, engine_of(X, y, sample_weight, client).map(read_block, is_regressor(learner)), deal)
        resumption.look_for(source.census, source.dealt)
        outcome = learn(learner, source, before, on_pass=resumption.on_pass if checkpoint else None)
        if not is_regressor(learner):
            learner.n_errors_ = count_errors(learner, source)
    if isinstance(learner, LogisticNeuron):
        warn_of_separation(learner, source, outcome)
    not_there_yet(learner, None, outcome)
    return learner


def fit_support_vectors(machine: Any, X: Any, y: Any, sample_weight: Any, client: Any) -> Any:
    """Fit a support vector machine."""
    from .cluster_svm import fit_machine  # and exact arithmetic, which other learners do without

    before = dict(machine.__dict__)
    try:
        engine, census = machine_partitions(machine, X, y, sample_weight, client)
        fit_machine(machine, engine, census, before if machine.warm_start else {})
    except BaseException:  # a fit that is refused leaves the machine as it was
        machine.__dict__.clear()
        machine.__dict__.update(before)
        raise
    return machine


def fit_machine_path(machine: Any, values: list[float], X: Any, y: Any, sample_weight: Any) -> Iterator[int]:
    """Fit a support vector machine for many values of C; after each it has the attributes of that fit, and how many rows have
    alpha > 0 is handed out, added up over classes."""
    from .cluster_svm import fit_path  # likewise

    for C in values:
        check_parameters(machine.set_params(C=C))
    engine, census = machine_partitions(machine, X, y, sample_weight, None)
    for fitted in fit_path(machine, engine, census, values):
        yield fitted.held


def machine_partitions(machine: Any, X: Any, y: Any, sample_weight: Any, client: Any) -> tuple[Partitions, Census]:
    """Partitions as they were read, and what they hold."""
    from .cluster_svm import refuse_machine  # likewise

    check_parameters(machine)
    refuse_machine(machine)
    engine = engine_of(X, y, sample_weight, client).map(read_block, False)
    census = take_census(machine, engine)
    if census.rounded:
        remark(
            f"X has numbers that float64 cannot hold exactly: the machine and its proved gap are for rounded numbers. {REMEDY}."
        )
    return engine, census


def refuse(learner: Any, deal: bool | str) -> None:
    """Refuse what partitions cannot do, with the reason."""
    if deal not in (True, False, "auto"):
        raise ValueError(f"deal must be True, False or 'auto', not {deal!r}.")
    if not isinstance(learner, LinearLearner):
        raise ValueError(f"{type(learner).__name__} solves for all rows at once: partitions cannot do that yet.")
    solved = is_solved(learner) and getattr(learner, "on_separation", "") != "raise"
    refuse_for_partitions(learner, solved)


def engine_of(X: Any, y: Any, sample_weight: Any, client: Any) -> Partitions:
    """What has the partitions, as they were given."""
    if hasattr(X, "fold"):  # it is one
        engine: Partitions = X
        return engine
    if is_lazy(X):
        from ..rows.dask_engine import DaskPartitions, running_client  # and Dask, which other partitions do without
        from .dask_rows import delayed_blocks  # likewise

        if y is None:
            raise ValueError("y is missing: hand in the targets of the rows.")
        return DaskPartitions(delayed_blocks(X, y, sample_weight), client or running_client())
    if not isinstance(X, list | tuple) or not X:
        raise TypeError(f"X must be a Dask collection or a list of partitions, not {type(X).__name__}.")
    columns = [column for column in (X, y, sample_weight) if column is not None]
    blocks = list(X) if y is None else list(zip(*columns, strict=True))
    lazy = any(is_lazy(block) or any(map(is_lazy, block)) for block in blocks)
    if client is None and not lazy:
        return Here(blocks)
    from dask import delayed

    from ..rows.dask_engine import DaskPartitions, running_client  # as above

    return DaskPartitions([delayed(block) for block in blocks], client or running_client())


def is_lazy(value: Any) -> bool:
    """Whether it is a Dask collection, a delayed value included."""
    return hasattr(value, "__dask_graph__")


class PartitionedRows(Rounds):
    """Partitions of a learner: those that solve at once are solved for where the rows are."""

    def __init__(self, learner: Any, engine: Partitions, census: Census, dealt: bool) -> None:
        super().__init__(engine, census, dealt)
        self._learner = learner

    @property
    def solver(self) -> Any:  # type: ignore[override]
        return solver_of(self._learner, self, self.census)


def rounds_of(learner: Any, engine: Partitions, deal: bool | str) -> Rounds:
    """Partitions to learn from, dealt anew where they must be."""
    census = take_census(learner, engine)
    dealt = is_dealt(learner, census, deal)
    if dealt:
        engine = engine.map(unchanged, census.digests).deal(BY_HASH)
    source = PartitionedRows(learner, engine, census, dealt)
    if not (is_regressor(learner) or census.rounded):
        source.prove = partial(found_by_rounds, learner, source, sizes_of(census) if dealt else None)
    return source


def take_census(learner: Any, engine: Partitions) -> Census:
    """What partitions hold; sets what a learner knows of their columns."""
    census: Census = engine.fold(look, both_censuses, is_regressor(learner))
    if not census.rows:
        raise ValueError("No row of any partition has a positive weight: there is nothing to learn from.")
    learner.n_features_in_ = census.columns
    if census.names and all(isinstance(name, str) for name in census.names):  # as scikit-learn has it
        learner.feature_names_in_ = np.array(census.names, dtype=object)
    return census


def is_dealt(learner: Any, census: Census, deal: bool | str) -> bool:
    """Whether rows are dealt anew; said, if nobody asked for it."""
    unmixed = is_regressor(learner) or learner.batch_size == "all" or solves_at_once(learner, census)
    if deal is True or unmixed or len(census.counts) < 2:
        return deal is True
    found = sortedness(census)
    if found <= TOO_SORTED:
        return False
    alone = sum(len(counts) == 1 for counts in census.counts.values())
    what = (
        f"The partitions are sorted by class: {alone} of {len(census.counts)} have rows of one class only, and the mix of "
        f"classes differs between partitions by {found:.0%} of the most that it can."
    )
    if deal == "auto":
        remark(f"{what} Rows were dealt anew. Shuffle them before, or use deal=True, to do without this remark.")
        return True
    remark(
        f"{what} Weights that are mixed from such partitions answer badly: use deal=True, or shuffle the rows before."
    )
    return False
