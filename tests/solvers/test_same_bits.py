"""The same data and seed give the same bits, wherever arrays happen to lie in memory."""

import numpy as np
import pytest

from novikoff import KernelSVM, LinearSVM

TIMES = 60  # fits; before the loops that add up wrote nothing, one in two to one in twenty was another
MACHINES = {
    "squared": LinearSVM(random_state=0),
    "hinge": LinearSVM(loss="hinge", random_state=0),
    "interior": LinearSVM(solver="interior", random_state=0),
    "interior hinge": LinearSVM(solver="interior", loss="hinge", random_state=0),
    "descent": LinearSVM(solver="descent", random_state=0),
    "joint": LinearSVM(multiclass="crammer_singer", random_state=0),
    "kernel": KernelSVM(),
}


def moved(X, rng):
    """The same numbers at another place, which is a multiple of eight bytes."""
    room = np.empty(X.size + 64)
    start = int(rng.integers(0, 64))
    room[start : start + X.size] = X.ravel()
    return room[start : start + X.size].reshape(X.shape)


def bits(machine):
    kept = {name: value for name, value in vars(machine).items() if name.endswith("_") and name != "history_"}
    return {name: np.asarray(value).tobytes() for name, value in kept.items()}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("rows", "columns"), [(8, 2), (12, 4), (20, 6), (25, 3)])
def test_few_rows_are_learned_from_alike_wherever_they_lie(machine, rows, columns, rng):
    X = rng.normal(size=(rows, columns))
    y = np.arange(rows) % (3 if rows % 2 == 0 else 2)
    first, in_between = bits(MACHINES[machine].fit(X, y)), []
    for _ in range(TIMES):
        in_between = [np.empty(int(size)) for size in rng.integers(1, 80, 6)][::2]  # so that new arrays lie elsewhere
        assert bits(MACHINES[machine].fit(moved(X, rng), y)) == first
    assert in_between
