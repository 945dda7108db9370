"""``fit``: from partitions to an ordinary fitted learner."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_regressor

from ..estimators.advice import not_there_yet, remark
from ..estimators.base import LinearLearner, fitted_anew, rows_a_step, run
from ..estimators.combinations import order_meant, refuse_senseless
from ..estimators.from_parts import know_classes, largest_square
from ..estimators.neuron import LogisticNeuron
from ..estimators.svm_base import SupportVectorMachine
from ..inputs.arrays import generator
from ..inputs.rounding import REMEDY
from ..learn.first_weights import squared_constant
from ..learn.machine import Machine
from ..learn.rows import as_rows
from ..learn.rules import memory_size
from ..learn.state import Problem
from ..rows.partitions import Here, Partitions
from .blocks_given import Census, both_censuses, look, read_block, sizes_of
from .cluster_scores import count_errors, score_held_out
from .cluster_solvers import is_solved, solver_of, solves_at_once, warn_of_separation
from .dealing import BY_HASH, TOO_SORTED, sortedness
from .digests import unchanged
from .proof_of_fit import found_by_rounds
from .resumption import Resumption
from .rounds import Plan, Ready, RoundPocket, Rounds, Shape, alone, prepare

MOST_SEED = 2**63


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
        source, machine, census = begin(  # nobody holds on to partitions as they were given: workers may forget them
            learner,
            engine_of(X, y, sample_weight, client).map(read_block, is_regressor(learner)),
            deal,
            before if learner.warm_start else {},
            resumption,
        )
        try:
            held_out = partial(score_held_out, source.engine)
            solve = solver_of(learner, source, census)
            outcome = resumption.finished() or run(
                learner,
                machine,
                source,
                order_meant(learner),
                held_out=held_out,
                on_pass=resumption.on_pass if checkpoint else None,
                solve=solve,
            )
        finally:
            learner._learned.keep = alone(learner._learned.keep)
        if not is_regressor(learner):
            learner.n_errors_ = count_errors(source.engine, learner)
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
        machine.set_params(C=C)._validate_params()
    engine, census = machine_partitions(machine, X, y, sample_weight, None)
    for fitted in fit_path(machine, engine, census, values):
        yield fitted.held


def machine_partitions(machine: Any, X: Any, y: Any, sample_weight: Any, client: Any) -> tuple[Partitions, Census]:
    """Partitions as they were read, and what they hold."""
    from .cluster_svm import refuse_machine  # likewise

    machine._validate_params()
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
    name = type(learner).__name__
    if deal not in (True, False, "auto"):
        raise ValueError(f"deal must be True, False or 'auto', not {deal!r}.")
    if not isinstance(learner, LinearLearner):
        raise ValueError(f"{name} solves for all rows at once: partitions cannot do that yet.")
    learner._validate_params()
    refuse_senseless(learner)
    solved = is_solved(learner) and getattr(learner, "on_separation", "") != "raise"
    why = "" if solved else learner._needs_all_rows()
    keep, order = learner._keeps()[learner.keep], order_meant(learner)
    if hasattr(learner, "kernel"):
        why = "its weights are sums of rows, which lie in other partitions"
    elif keep.by_vote:
        why = f"keep={learner.keep!r} has every weight vector on the way vote, and weights that are mixed are on no way"
    elif keep.needs_random_order:
        why = f"keep={learner.keep!r} goes by runs of right answers of the same weights, and partitions have their own"
    elif order == "worst":
        why = "order='worst' looks at all rows before every update"
    elif memory_size(learner._rule()):
        why = "its rule remembers more than weights, which nobody knows how to mix"
    if why:
        raise ValueError(f"{name} cannot learn from partitions: {why}.")


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


def begin(
    learner: Any, engine: Partitions, deal: bool | str, before: dict[str, Any], resumption: Resumption
) -> tuple[Rounds, Machine, Census]:
    """Rows ready to learn from, what learns from them, and what is known of them."""
    numbers = is_regressor(learner)
    census = take_census(learner, engine)
    counted = Counted(census)
    if not numbers:
        know_classes(learner, counted)
    dealt = is_dealt(learner, census, deal)
    if dealt:
        engine = engine.map(unchanged, census.digests).deal(BY_HASH)
    resumption.look_for(census, dealt)
    rng = generator(learner.random_state)
    seed = int(rng.integers(MOST_SEED))
    out = learner.validation_fraction if learner.early_stopping else 0.0
    classes = census.labels[:0] if numbers else learner.classes_
    engine = engine.map(
        prepare, Plan(census.dtype, census.sparse, classes, counted.factors, out, seed, {} if dealt else census.digests)
    )
    if out:
        refuse_empty_side(engine)
    X = no_rows(census)
    shape = Shape(census.columns, learner._n_outputs, 0.0)
    plain = not (out or numbers or counted.factors.size or counted.weighted)
    weight = float(census.rows) if plain else None
    source = Rounds(engine, shape, order_meant(learner), rows_a_step(learner), seed, weight)
    if not (numbers or census.rounded):
        source.prove = partial(found_by_rounds, learner, source, sizes_of(census) if dealt else None)
    none = np.empty(0, dtype=np.int32)
    if learner._learned.begun:
        problem, keep, state = learner._go_on(X, none, np.empty(0), none)
    else:
        constant2 = squared_constant(learner, lambda: largest_square(learner, source))
        problem = Problem(as_rows(X, learner._n_outputs), none, np.empty(0), none, constant2)
        keep, state = learner._begin(problem, rng, census.dtype, before)
    source.shape = shape._replace(constant2=problem.constant2)
    machine: Machine = learner._machine(source, problem, keep, state)
    if keep.needs_all_rows:
        machine.keep = RoundPocket(lambda: source.survey(machine).errors)
        machine.keep.recall(keep.remembered(), 0)
    return source, machine, census


def take_census(learner: Any, engine: Partitions) -> Census:
    """What partitions hold; sets what a learner knows of their columns."""
    census: Census = engine.fold(look, both_censuses, is_regressor(learner))
    if not census.rows:
        raise ValueError("No row of any partition has a positive weight: there is nothing to learn from.")
    learner.n_features_in_ = census.columns
    if census.names and all(isinstance(name, str) for name in census.names):  # as scikit-learn has it
        learner.feature_names_in_ = np.array(census.names, dtype=object)
    return census


class Counted:
    """The labels of a census as ``know_classes`` reads them, which sets the ``factors`` of class weights."""

    def __init__(self, census: Census) -> None:
        self.labels = census.labels
        self.class_number = np.arange(census.labels.size)
        sums = dict.fromkeys(census.labels.tolist(), 0.0)
        for counts in census.counts.values():
            for label, (_, weight) in counts.items():
                sums[label] += weight
        self.counts = np.array(list(sums.values()))
        self.weighted = any(rows != weight for counts in census.counts.values() for rows, weight in counts.values())
        self.factors = np.empty(0)


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


def no_rows(census: Census) -> Any:
    """None of the rows."""
    shape = 0, census.columns
    return sparse.csr_array(shape, dtype=census.dtype) if census.sparse else np.empty(shape, census.dtype)


def refuse_empty_side(engine: Partitions) -> None:
    """Refuse to hold out all rows, or none."""
    members, held_out = engine.fold(count_sides, np.add, None).tolist()
    if not (members and held_out):
        raise ValueError(
            f"early_stopping cannot hold out rows: {held_out} were drawn, and {members} are left to learn from. Use "
            "another validation_fraction, or early_stopping=False."
        )


def count_sides(number: int, ready: Ready, state: None) -> np.ndarray:
    """How many rows of a partition are learned from, and held out."""
    return np.array([ready.members.size, ready.held_out.size])
