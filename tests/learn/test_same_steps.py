"""The same data and seed give the same bits, wherever arrays happen to lie in memory."""

import numpy as np
import pytest

from novikoff import HingeSGD, LogisticNeuron, PassiveAggressiveClassifier, Perceptron
from novikoff.learn import learning, sweep

TIMES = 60  # fits; where a loop both wrote and added up, one in three was another
SEVERAL = {
    "softmax": LogisticNeuron(solver="steps", max_iter=3, random_state=0),
    "ovr": LogisticNeuron(solver="steps", max_iter=3, multiclass="ovr", random_state=0),
    "worst": PassiveAggressiveClassifier(max_iter=3, random_state=0),
    "all": Perceptron(multiclass="all", max_iter=3, random_state=0),
    "uniform": Perceptron(multiclass="uniform", max_iter=3, random_state=0),
    "decay": HingeSGD(max_iter=3, keep="average", random_state=0),
}


def near_each_other(arrays, rng):
    """The same numbers in one piece of memory, in any order, with up to 40 bytes in between."""
    wanted = rng.permutation(len(arrays))
    starts, end = {}, 0
    for k in wanted:
        starts[k] = end + int(rng.integers(0, 6))
        end = starts[k] + arrays[k].size
    room, placed = np.zeros(end), []
    for k, array in enumerate(arrays):
        part = room[starts[k] : starts[k] + array.size].view(array.dtype).reshape(array.shape)
        part[...] = array
        placed.append(part)
    return placed


@pytest.mark.parametrize("classes", [3, 4, 9])
@pytest.mark.parametrize("name", SEVERAL)
def test_fits_are_alike_wherever_the_room_they_work_in_lies(name, classes, rng, monkeypatch):
    X, y = rng.normal(size=(30, 4)), np.arange(30) % classes
    make = sweep.new_scratch
    monkeypatch.setattr(
        learning, "new_scratch", lambda bias, batch: sweep.Scratch(*near_each_other(make(bias, batch), rng))
    )
    found = {SEVERAL[name].fit(X, y).coef_.tobytes() for _ in range(TIMES)}
    assert len(found) == 1
