"""Any Boolean function as a network of perceptrons with at most one hidden layer.

A term, such as x1 and not x3, is a perceptron: it fires on a face of the cube.  A function is the OR of terms that cover the
inputs where it is 1 (a disjunctive form), and equally the AND of perceptrons that fire off the faces that cover its zeros (a
conjunctive form).  Parallel planes do it, too: between two of them the function keeps its value, and the last unit counts
how many planes an input has passed.  One perceptron is enough if and only if the ones and zeros are linearly separable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from math import lcm
from numbers import Integral
from typing import Any

import numpy as np

from ..proof.answer.separable import separability
from ..report.html import notebook_view
from ..report.sections import Section, Table

MOST_INPUTS = 16
LARGEST_WEIGHT = 1000  # that is tried before weights are taken as they were found
MOST_LINES = 12  # of hidden units that repr shows
PLANE_WEIGHTS = (0, 1, -1, 2, -2)  # of parallel planes; with them no function of three inputs has a unit too many
MOST_SEARCHED = 4  # inputs for which all these weights are tried: 625 of them, in some milliseconds

Layer = tuple[np.ndarray, np.ndarray]
Hidden = tuple[np.ndarray, np.ndarray, int]  # weights, biases, and how many units fire at least where the function is 1


@dataclass(frozen=True, repr=False)
class BooleanNetwork:
    """A network of perceptrons in one or two layers that computes a Boolean function.  Made by ``boolean_network``.

    A unit gives 1 if w.x + b > 0, else 0.

    Attributes
    ----------
    layers : tuple
        For each layer the weights, of shape (units, inputs), and the biases, of shape (units,), whole numbers.
    output : str
        When the last unit fires: "OR", if any hidden unit does; "AND", if all do; "at least 2", if so many do; "" if there are
        no hidden units.
    """

    layers: tuple[Layer, ...]
    output: str

    @property
    def n_inputs(self) -> int:
        """The number of inputs."""
        return int(self.layers[0][0].shape[1])

    @property
    def n_units(self) -> int:
        """The number of perceptrons: the hidden ones and the last one."""
        return sum(len(biases) for _, biases in self.layers)

    def predict(self, X: Any) -> np.ndarray:
        """Compute the function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_inputs)
            Zeros and ones.

        Returns
        -------
        ndarray of shape (n_samples,)
            Zeros and ones.
        """
        signals = np.asarray(X)
        if signals.ndim != 2 or signals.shape[1] != self.n_inputs:
            raise ValueError(f"X has the shape {signals.shape}; this network reads rows of {self.n_inputs} inputs.")
        signals = _bits(signals, "X")
        for weights, biases in self.layers:
            signals = (signals @ weights.T + biases > 0).astype(np.int64)
        return signals[:, 0]

    def _repr_html_(self) -> str:
        title, *units = repr(self).splitlines()
        rows = [unit.strip().split(" = ", 1) for unit in units if " = " in unit]
        left = [unit.strip() for unit in units if " = " not in unit]
        line = "A unit is 1 where its condition holds, else 0."
        return notebook_view([Section(title, [line], [Table(["unit", "fires if"], rows, "ll")], left)])

    def __repr__(self) -> str:
        weights, biases = self.layers[0]
        if not self.output:
            return f"BooleanNetwork of one perceptron\n  y = {_unit(weights[0], biases[0], 'x')}"
        lines = [f"  h{k + 1} = {_unit(weights[k], biases[k], 'x')}" for k in range(min(len(biases), MOST_LINES))]
        if len(biases) > MOST_LINES:
            lines.append(f"  ... {len(biases) - MOST_LINES} more")
        joined = f"and their {self.output}" if self.output in ("OR", "AND") else f"of which {self.output} fire"
        head = f"BooleanNetwork of {len(biases)} hidden perceptrons {joined}"
        last_weights, last_bias = self.layers[1][0][0], self.layers[1][1][0]
        return "\n".join([head, *lines, f"  y = {_unit(last_weights, last_bias, 'h')}"])


def boolean_network(f: Callable[..., Any] | Any, n: int | None = None) -> BooleanNetwork:
    """Build a network of perceptrons that computes a Boolean function, and check it on every input.

    One perceptron if the function is linearly separable, which ``separability`` decides exactly.  Otherwise a hidden layer and
    a last unit, whichever of these needs fewer units: the OR or AND of units that each detect one face of the cube of inputs,
    where no face can be left out or made larger (Morreale's irredundant form); or parallel planes between which the function
    keeps its value, as many as n for a parity of n bits.

    For up to three inputs no network with one hidden layer has fewer units.  For more inputs, ``n_units`` is how many are
    enough: fewer may be, too.

    Parameters
    ----------
    f : callable or array-like
        A function of n bits, called as ``f(x1, ..., xn)``, that returns 0 or 1, or the table of its 2^n values in counting
        order: for (0, ..., 0, 0), (0, ..., 0, 1), (0, ..., 1, 0) and so on.
    n : int, default=None
        The number of inputs, at most 16; needed for a callable.

    Returns
    -------
    BooleanNetwork
        ``layers`` of weights and biases, ``n_units``, ``predict``; ``print`` shows the units.

    References
    ----------
    W. S. McCulloch, W. Pitts, A logical calculus of the ideas immanent in nervous activity, 1943.
    E. Morreale, Recursive operators for prime implicant and irredundant normal form determination, 1970.
    S. Minato, Fast generation of prime-irredundant covers from binary decision diagrams, 1993.

    Examples
    --------
    >>> from novikoff.theory import boolean_network
    >>> xor = boolean_network(lambda a, b: a ^ b, 2)
    >>> xor
    BooleanNetwork of 2 hidden perceptrons and their OR
      h1 = [-2 x1 + 2 x2 - 1 > 0]
      h2 = [2 x1 - 2 x2 - 1 > 0]
      y = [2 h1 + 2 h2 - 1 > 0]
    >>> xor.predict([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist()
    [0, 1, 1, 0]
    >>> boolean_network([0, 0, 0, 1])
    BooleanNetwork of one perceptron
      y = [2 x1 + 2 x2 - 3 > 0]
    >>> boolean_network(lambda a, b, c: (a + b + c) % 2, 3)
    BooleanNetwork of 3 hidden perceptrons of which at least 2 fire
      h1 = [2 x1 + 2 x2 + 2 x3 - 1 > 0]
      h2 = [-2 x1 - 2 x2 - 2 x3 + 3 > 0]
      h3 = [2 x1 + 2 x2 + 2 x3 - 5 > 0]
      y = [2 h1 + 2 h2 + 2 h3 - 3 > 0]
    """
    table = _read_table(f, n)
    inputs = np.array(list(product((0, 1), repeat=len(table).bit_length() - 1)))
    network = _one_unit(inputs, table) or _two_layers(inputs, table)
    if not np.array_equal(network.predict(inputs), table):
        raise ArithmeticError(
            "A network that was built does not compute its function; please report this with the table."
        )
    return network


def _read_table(f: Any, n: int | None) -> np.ndarray:
    if n is not None and not (isinstance(n, Integral) and not isinstance(n, bool) and 1 <= n <= MOST_INPUTS):
        raise ValueError(f"n must be a whole number from 1 to {MOST_INPUTS}; got {n!r}.")
    if callable(f):
        if n is None:
            raise ValueError("How many bits does f read? Pass n.")
        return _bits(np.array([f(*bits) for bits in product((0, 1), repeat=int(n))]), "f")
    table = np.asarray(f)
    if table.ndim != 1 or table.size < 2 or table.size & (table.size - 1) or table.size > 1 << MOST_INPUTS:
        raise ValueError(
            f"A table has 2, 4, 8, ... 2^{MOST_INPUTS} values in one row; this one has the shape {table.shape}."
        )
    if n is not None and table.size != 1 << n:
        raise ValueError(f"A function of {n} bits has {1 << n} values; this table has {table.size}.")
    return _bits(table, "f")


def _bits(values: np.ndarray, name: str) -> np.ndarray:
    if values.dtype.kind not in "biuf" or not np.all((values == 0) | (values == 1)):
        raise ValueError(f"{name} must contain only zeros and ones.")
    return values.astype(np.int64)


def _one_unit(inputs: np.ndarray, table: np.ndarray) -> BooleanNetwork | None:
    """A single perceptron, if there is one; of a function that is constant without looking at its inputs."""
    if table.min() == table.max():
        weights = [0] * inputs.shape[1] + [1 if table[0] else -1]
    else:
        proof = separability(inputs, table, max_margin=True)
        if proof.exact_weights is None or not proof.separable:
            return None
        weights = _small(proof.exact_weights[0], inputs, table)
    return BooleanNetwork(((np.array([weights[:-1]]), np.array(weights[-1:])),), "")


def _small(weights: tuple[Fraction, ...], inputs: np.ndarray, table: np.ndarray) -> list[int]:
    """Small whole numbers along these weights that separate, too; the weights themselves where rounding them never does."""
    largest = max(map(abs, weights))
    signed = np.where(table == 1, 1, -1)[:, None] * np.column_stack([inputs, np.ones_like(table)])
    for size in range(1, LARGEST_WEIGHT + 1):
        rounded = [round(size * number / largest) for number in weights]
        if (signed @ rounded).min() > 0:
            return rounded
    unit = lcm(*(number.denominator for number in weights))
    return [int(number * unit) for number in weights]


def _two_layers(inputs: np.ndarray, table: np.ndarray) -> BooleanNetwork:
    """The OR of faces with ones only, the AND of what is off faces with zeros only, or parallel planes: the fewest units."""
    ones, zeros = np.array(_faces(table == 1, table == 1)), np.array(_faces(table == 0, table == 0))
    candidates: list[Hidden] = [
        (2 * ones, 1 - 2 * np.count_nonzero(ones == 1, axis=1), 1),
        (-2 * zeros, 2 * np.count_nonzero(zeros == 1, axis=1) - 1, len(zeros)),
        *_parallel(inputs, table),
    ]
    weights, biases, least = min(candidates, key=lambda hidden: (len(hidden[1]), int(np.abs(hidden[0]).sum())))
    count = len(biases)
    output = "OR" if least == 1 else "AND" if least == count else f"at least {least}"
    return BooleanNetwork(((weights, biases), (np.full((1, count), 2), np.array([1 - 2 * least]))), output)


def _parallel(inputs: np.ndarray, table: np.ndarray) -> Iterator[Hidden]:
    """Parallel planes between which the function keeps its value, one at each value of s = w.x where it changes as s grows.

    A unit fires on that side of its plane where the ones are.  So those fire at the rises that are passed and at the falls that
    are not: as many as there are falls, and one more if the function begins with 0, where it is 1; one less where it is 0.
    """
    n = inputs.shape[1]
    for weights in product(PLANE_WEIGHTS, repeat=n) if n <= MOST_SEARCHED else [(1,) * n]:
        sums, place = np.unique(inputs @ weights, return_inverse=True)
        values = np.zeros(sums.size, dtype=np.int64)
        values[place] = table
        if np.array_equal(values[place], table):
            steps = np.diff(values)
            changes = np.flatnonzero(steps)
            signs = steps[changes]
            biases = -signs * (sums[changes] + sums[changes + 1])
            yield 2 * np.outer(signs, weights), biases, int(np.count_nonzero(signs < 0) + 1 - values[0])


def _faces(wanted: np.ndarray, allowed: np.ndarray) -> list[list[int]]:
    """Faces of the cube that cover the wanted inputs and only allowed ones: for each input 1, -1 for 0, or 0 for either.

    Morreale's recursion over the first input: faces that only its 0 needs, faces that only its 1 needs, and faces that do not
    look at it for what is left.
    """
    if not wanted.any():
        return []
    if allowed.all():
        return [[0] * (len(allowed).bit_length() - 1)]
    (wanted0, wanted1), (allowed0, allowed1) = np.split(wanted, 2), np.split(allowed, 2)
    faces0 = _faces(wanted0 & ~allowed1, allowed0)
    faces1 = _faces(wanted1 & ~allowed0, allowed1)
    left = (wanted0 & ~_covered(faces0, len(wanted0))) | (wanted1 & ~_covered(faces1, len(wanted1)))
    either = _faces(left, allowed0 & allowed1)
    return [[place, *face] for place, faces in ((-1, faces0), (1, faces1), (0, either)) for face in faces]


def _covered(faces: list[list[int]], size: int) -> np.ndarray:
    """The inputs on any of these faces."""
    covered = np.zeros(size, dtype=bool)
    sides = {-1: [True, False], 1: [False, True], 0: [True, True]}
    for face in faces:
        covered |= reduce(np.logical_and.outer, (np.array(sides[place]) for place in face), np.array(True)).ravel()
    return covered


def _unit(weights: np.ndarray, bias: int, name: str) -> str:
    """[2 x1 - x3 - 1 > 0]"""
    terms = [(int(weight), f"{name}{j + 1}") for j, weight in enumerate(weights) if weight] + [(int(bias), "")]
    text = ""
    for number, variable in terms:
        if variable or number or not text:
            size = "" if abs(number) == 1 and variable else f"{abs(number)}"
            sign = ("-" if number < 0 else "") if not text else (" - " if number < 0 else " + ")
            text += sign + " ".join(part for part in (size, variable) if part)
    return f"[{text} > 0]"
