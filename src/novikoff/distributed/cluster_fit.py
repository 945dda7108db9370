"""``fit``: from partitions to an ordinary fitted learner."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor

from .. import __version__
from ..checks.rounding import REMEDY
from ..estimators.advice import warn
from ..estimators.base import (
    advise,
    check_parameters,
    fitted_anew,
    has_loop,
    learn,
    refuse_for_partitions,
    solved_for,
)
from ..estimators.classifier import count_errors as errors_over
from ..estimators.solver_or_steps import asks_for_steps
from ..estimators.svm_base import unchanged_by_an_error
from ..learn.stops import FOR_EVER
from ..models.files.checkpoint import Checkpoint
from ..rows.partitions import Partitions
from .blocks_given import (
    BY_HASH,
    TOO_SORTED,
    Census,
    both_censuses,
    engine_of,
    look,
    of_all,
    read_block,
    sizes_of,
    sortedness,
    unchanged,
)
from .cluster_proof import found_by_rounds
from .cluster_solvers import likelihood_over, squares_over
from .rounds import Rounds


def fit(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    client: Any = None,
    checkpoint: str | Path | None = None,
    reshuffle: bool | str = "auto",
    count_errors: bool = False,
    deal: bool | str | None = None,
) -> Any:
    """Fit a learner to rows in partitions, without bringing them together.

    Every partition makes a pass from the same weights, and the resulting weights are averaged ("mixed"); with
    ``batch_size="all"`` steps are summed.  ``LinearSVM``, ``LogisticNeuron`` and ``Adaline`` with a solver are not mixed: they are
    solved, in rounds over all rows.
    The same partitions and ``random_state`` give the same bits, whatever the number of workers or failures.

    Parameters
    ----------
    learner : estimator
        A linear learner of the loop, e.g. ``Perceptron()``, or ``LinearSVM()``.
    X : dask array, dask data frame, list, or engine
        Rows.  A list holds the partitions, each ``(X, y)`` or ``(X, y, sample_weight)``, in memory or delayed.  If ``y`` is a list,
        too, it holds the X of each partition.  An engine that you write has ``fold``, ``map`` and ``reshuffle``.
    y : dask array, dask series, array or list, default=None
        Labels or numbers, in the partitions of X.
    sample_weight : like y, default=None
        Weights of the rows.
    client : distributed.Client, default=None
        Client of the cluster.  None: the client in use; if there is no client, this process does the work, and reads partitions of
        Dask again in every pass.
    checkpoint : str or path, default=None
        File that is written after every pass, and replaced as a whole.  If it exists, learning continues from it, to the same
        bits: after an error or Ctrl-C, in another process, on another cluster.  A file that was made from other partitions or
        parameters is an error.  Needs a whole number as ``random_state``.  An error for learners that are solved: they take only a
        few rounds, and start again from the beginning.
    reshuffle : bool or "auto", default="auto"
        Whether rows move to other partitions, chosen by a hash, before learning.  "auto": only if the classes are so unequally
        distributed that mixing would suffer.  ``LinearSVM`` mixes nothing, and leaves all rows in their partitions.
    count_errors : bool, default=False
        Whether to go through all rows once more at the end, for ``n_errors_``.  False: it is None.
        ``LinearSVM`` has counted them anyway.
    deal : bool or "auto"
        The earlier name of ``reshuffle``.

    Returns
    -------
    learner
    """
    if deal is not None:
        warnings.warn("deal= is now called reshuffle=: use reshuffle=.", FutureWarning, stacklevel=2)
        reshuffle = deal
    if checkpoint is not None and not asks_for_steps(learner):
        steps = ': use solver="steps"' if has_loop(learner) else ""
        raise ValueError(
            f"checkpoint=... needs learning pass by pass, but {type(learner).__name__} solves for all rows at once{steps}."
        )
    if reshuffle not in (True, False, "auto"):
        raise ValueError(f"reshuffle must be True, False or 'auto', not {reshuffle!r}.")
    refuse_for_partitions(learner)
    if not has_loop(learner):
        return fit_support_vectors(learner, X, y, sample_weight, client)
    resumption = Resumption(learner, checkpoint)
    with fitted_anew(learner) as before, resumption.said_in_errors():
        # nothing else holds on to partitions as they were given: workers may forget them
        given = engine_of(X, y, sample_weight, client).map(read_block, is_regressor(learner))
        source = rounds_of(learner, given, reshuffle)
        resumption.look_for(source.census, source.reshuffled)
        outcome = learn(learner, source, before, on_pass=resumption.on_pass if checkpoint else None)
        if not is_regressor(learner):
            learner.n_errors_ = errors_over(learner, source) if count_errors else None
    advise(learner, source, outcome)
    return learner


def fit_support_vectors(machine: Any, X: Any, y: Any, sample_weight: Any, client: Any) -> Any:
    """Fit a support vector machine."""
    from .cluster_svm import fit_machine  # and exact arithmetic, which other learners do without

    with unchanged_by_an_error(machine) as before:
        engine, census = machine_partitions(machine, X, y, sample_weight, client)
        fit_machine(machine, engine, census, before if machine.warm_start else {})
    return machine


def fit_machine_path(machine: Any, values: list[float], X: Any, y: Any, sample_weight: Any) -> Iterator[int]:
    """Fit a support vector machine for many values of C; after each it has the attributes of that fit, and how many rows have
    alpha > 0 is handed out, added up over classes."""
    from .cluster_svm import fit_path  # likewise

    for C in values:
        check_parameters(machine.set_params(C=C))
    refuse_for_partitions(machine)
    engine, census = machine_partitions(machine, X, y, sample_weight, None)
    for fitted in fit_path(machine, engine, census, values):
        yield fitted.held


def machine_partitions(machine: Any, X: Any, y: Any, sample_weight: Any, client: Any) -> tuple[Partitions, Census]:
    """Partitions as they were read, and what they hold."""
    engine = engine_of(X, y, sample_weight, client).map(read_block, False)
    census = take_census(machine, engine)
    if census.rounded:
        warn(
            f"X has numbers that float64 cannot hold exactly: the machine and its proved gap are for rounded numbers. {REMEDY}."
        )
    return engine, census


def rounds_of(learner: Any, engine: Partitions, reshuffle: bool | str) -> Rounds:
    """Partitions to learn from, reshuffled where they must be."""
    census = take_census(learner, engine)
    reshuffled = is_reshuffled(learner, census, reshuffle)
    if reshuffled:
        engine = engine.map(unchanged, census.digests).reshuffle(BY_HASH)
    source = Rounds(engine, census, reshuffled)
    source.likelihood, source.squares = partial(likelihood_over, source), partial(squares_over, source)
    if not (is_regressor(learner) or census.rounded):
        source.prove = partial(found_by_rounds, learner, source, sizes_of(census) if reshuffled else None)
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


def is_reshuffled(learner: Any, census: Census, reshuffle: bool | str) -> bool:
    """Whether rows are reshuffled; a warning says so if the caller did not ask for it."""
    outputs = census.labels.size if census.labels.size > 2 else 1
    solved = solved_for(learner, (census.rows, census.columns), census.sparse, outputs)
    unmixed = is_regressor(learner) or learner.batch_size == "all" or solved
    if reshuffle is True or unmixed or len(census.counts) < 2:
        return reshuffle is True
    found = sortedness(census)
    if found <= TOO_SORTED:
        return False
    alone = sum(len(counts) == 1 for counts in census.counts.values())
    what = (
        f"The partitions are sorted by class: {alone} of {len(census.counts)} have rows of one class only, and the mix of "
        f"classes differs between partitions by {found:.0%} of the largest possible difference."
    )
    if reshuffle == "auto":
        warn(f"{what} Rows were reshuffled. To avoid this warning, shuffle the rows first, or use reshuffle=True.")
        return True
    warn(
        f"{what} Weights that are mixed from such partitions predict badly: use reshuffle=True, or shuffle the rows first."
    )
    return False


# Going on from a checkpoint: the same file as for learning from files, after every round.


class Resumption:
    """What a fit goes on from, and leaves behind.  Without a path it does nothing."""

    def __init__(self, learner: Any, path: str | Path | None) -> None:
        self._learner, self._path = learner, path
        self._checkpoint: Checkpoint | None = None
        self._written = False
        if path is not None and not isinstance(learner.random_state, Integral):
            raise ValueError(
                f"checkpoint=... needs a whole number as random_state, not {learner.random_state!r}: learning that goes on must "
                "shuffle as it would have done."
            )

    def look_for(self, census: Census, reshuffled: bool) -> None:
        """Have the learner know what the file says, if there is one."""
        if self._path is None:
            return
        learner = self._learner
        made_from: dict[str, Any] = {"version": __version__, "learner": type(learner).__name__}
        made_from |= {name: str(value) for name, value in learner.get_params().items()}
        made_from |= {"rows": census.rows, "partitions": len(census.digests), "dealt": reshuffled}
        made_from |= {"checksum of the partitions": of_all(census.digests)}
        self._checkpoint = Checkpoint(self._path, made_from)
        found = self._checkpoint.resume(clone(learner))
        if found is not None:
            self._written = True
            learner.__dict__.update(vars(found.model))

    def on_pass(self, learner: Any) -> bool:
        """Write the file, if the pass is whole; not after the last before a proof, which the file could not hold."""
        ended = learner.stop_reason_
        if self._checkpoint is not None and (ended is None or (ended in FOR_EVER and ended != "inseparable")):
            self._checkpoint.write(learner, learner.n_iter_)
            self._written = True
        return False

    @contextmanager
    def said_in_errors(self) -> Iterator[None]:
        """Within it, errors say where what was learned is."""
        try:
            yield
        except BaseException as error:
            if self._written:
                error.add_note(f"What was learned is in {self._path}: the same call goes on from there.")
            raise
