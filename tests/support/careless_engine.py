"""An engine that does what engines may do: parts in any order, some of them twice, and none of them kept."""

import pickle

import numpy as np

from novikoff.rows.partitions import applied, merged_by_tree


def sent(value):
    """As it comes out at the other end of a wire."""
    return pickle.loads(pickle.dumps(value))


class Careless:
    """Partitions that are lost after each fold and made again from where they came from; every other one is worked on twice, and the
    second answer is taken.  All that a worker is given comes over a wire."""

    def __init__(self, read, count, rng, steps=()):
        self._read, self._count, self._rng, self._steps = read, count, rng, steps
        self.folds = 0

    def _partition(self, number):
        partition = sent(self._read(number))
        for function, state in self._steps:
            partition = applied(sent(function), number, partition, sent(state))
        return partition

    def fold(self, function, merge, state):
        self.folds += 1
        answers = [None] * self._count
        for number in self._rng.permutation(self._count).tolist():
            for _ in range(1 + number % 2):
                answers[number] = sent(applied(sent(function), number, self._partition(number), sent(state)))
        return merged_by_tree(merge, answers)

    def map(self, function, state):
        return Careless(self._read, self._count, self._rng, (*self._steps, (function, state)))

    def reshuffle(self, how):
        def read(new):
            return how.join([how.pieces(old, self._partition(old), self._count)[new] for old in range(self._count)])

        return Careless(read, self._count, self._rng)


def careless(blocks, seed=0):
    """An engine of these blocks."""
    return Careless(list(blocks).__getitem__, len(blocks), np.random.default_rng(seed))
