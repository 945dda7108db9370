"""Why classes are separated, in the user's variables: a level that has one class only, or a number above which all rows have one
class and below which none has.

What is said is a fact about the rows, and the rows it names are among those that are proved to be separated.  Every level of a factor
is looked at, that to which others are compared included: no column stands for that one.  Where nothing is found, it takes several
variables together to separate rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

MOST_LEVELS = 100  # of a factor that are named, the commonest first: a column of texts may have one for each row


class Variable(NamedTuple):
    """A variable of the user's: numbers, or levels of a factor (of any other type), one for every row."""

    name: str
    values: np.ndarray

    @staticmethod
    def of_numbers(name: str, values: np.ndarray) -> Variable:
        """Of numbers, which are two levels where they are 0 and 1 only."""
        binary = values[0] in (0, 1) and np.all((values == 0) | (values == 1))
        return Variable(name, values.astype(np.intp).astype(object) if binary else values)

    @property
    def is_number(self) -> bool:
        return self.values.dtype.kind in "iuf"


class ModelNames(NamedTuple):
    """What a model calls its parts, and the variables that its columns are made of."""

    intercept: str = "intercept"
    outcomes: tuple[str, ...] | None = None  # of each class, such as "y = 1"; None: "class 1"
    terms: Callable[[], Iterable[tuple[Variable, ...]]] | None = None  # variables multiplied; None: the columns of X
    order: np.ndarray | None = None  # of the columns, in which aliased ones are looked for; None: from left to right
    places: np.ndarray | None = None  # the rows of the user's table that rows come from, if those are fewer
    relevel: str = ""  # how to write a {factor} that is compared with another {level}
    regression: str = "logistic regression"  # what it is; of others, rows are conditions on scores


PLAIN = ModelNames()  # of columns that are called what they are called


class Reason(NamedTuple):
    """A fact that separates rows."""

    text: str
    size: int  # how many rows are separated by it
    variable: str  # what it is about: a factor, a number, or a column
    level: Any = None  # of a factor
    reference: bool = False  # whether no column stands for this level
    other: Any = None  # the commonest level of the same factor that has several classes, if one has


def reasons(
    X: Any,
    target: np.ndarray,
    names: Sequence[str],
    separated: np.ndarray,
    model: ModelNames,
) -> list[Reason]:
    """All that is found, what separates most rows first.  ``separated`` is a mask of rows; the model has outcomes."""
    outcomes = list(model.outcomes or ())
    looking = _Looking(X, target, outcomes, separated, np.arange(len(target)) if model.places is None else model.places)
    given = [reason for term in (model.terms() if model.terms else ()) for reason in looking.at(term, declared=True)]
    given = given or list(looking.at_columns(names))
    found = {reason.text: reason for reason in given}  # once each
    return sorted(found.values(), key=lambda reason: -reason.size)


def about_reference(reason: Reason, model: ModelNames) -> tuple[str, str] | None:
    """Of a level that no column stands for: what that means, and what to write so that it is seen among the coefficients."""
    if isinstance(reason.level, Zeros):
        what = f"No column stands for the rows with {reason.variable} = 0: the other levels are compared with them."
        return f"{what} To see their coefficient, give them a column in place of {reason.level.columns[0]}.", ""
    if not reason.reference or not model.relevel:
        return None
    what = f"{reason.level} is the reference level of {reason.variable}: the other levels are compared with it."
    how = model.relevel.format(factor=reason.variable, level=reason.other)
    return f"{what} To see the coefficient of {reason.level}, choose another reference level.", how


class Zeros(NamedTuple):
    """The level of rows that are 0 in these columns."""

    columns: tuple[str, ...]


class _Looking:
    """Rows with their classes, and what is known of them."""

    def __init__(self, X: Any, target: np.ndarray, outcomes: list[str], separated: np.ndarray, places: Any) -> None:
        self.X, self.target, self.outcomes, self.separated, self.places = X, target, outcomes, separated, places

    def at(self, term: tuple[Variable, ...], declared: bool) -> Iterator[Reason]:
        """What these variables, multiplied, separate: cells of the levels of factors, or one number within each cell.  ``declared``:
        whether factors are those of a model, which may have no column for a level."""
        factors = [variable for variable in term if not variable.is_number]
        numbers = [variable for variable in term if variable.is_number]
        if len(numbers) > 1:
            return
        words, codes = cells(factors, len(self.target))
        everywhere = np.arange(len(self.target))
        if numbers:
            if factors and any(self._thresholds(numbers[0], everywhere, "")):
                return  # said of the number alone
            for code, cell in enumerate(words[:MOST_LEVELS]):
                yield from self._thresholds(numbers[0], everywhere[codes == code], cell)
            return
        least, largest = np.full(len(words), len(self.outcomes)), np.full(len(words), -1)
        np.minimum.at(least, codes, self.target)
        np.maximum.at(largest, codes, self.target)
        apart = np.ones(len(words), dtype=bool)
        np.logical_and.at(apart, codes, self.separated)
        counts = np.bincount(codes, minlength=len(words))
        mixed = int(np.argmax(np.where(least < largest, counts, 0)))  # the commonest, if there is one
        named = np.flatnonzero((least == largest) & apart)
        for code in named[np.argsort(-counts[named], kind="stable")][:MOST_LEVELS].tolist():
            rows, count = codes == code, int(counts[code])
            text = f"{self._all(rows, words[code])} {self._outcome(int(least[code]), self._count(rows) > 1)}"
            if len(factors) > 1:
                if not any(self._one_class(factor.values, rows) for factor in factors):  # else said of that alone
                    yield Reason(text, count, ":".join(factor.name for factor in factors))
                continue
            values = factors[0].values
            other = values[np.argmax(codes == mixed)] if least[mixed] < largest[mixed] else None
            reference = declared and other is not None and not self._has_column(rows)
            yield Reason(text, count, factors[0].name, values[np.argmax(rows)], reference, other)

    def at_columns(self, names: Sequence[str]) -> Iterator[Reason]:
        """What single columns separate; and what rows separate that are 0 in neighbours of which no row has two, as no row has two levels
        of a factor: they have the level that no column stands for."""
        X = sparse.csc_array(self.X) if sparse.issparse(self.X) else self.X
        run: list[str] = []
        filled = np.zeros(len(self.target), dtype=bool)
        for j, name in enumerate(names):
            column = X[:, [j]].toarray().ravel() if sparse.issparse(X) else np.asarray(X[:, j])
            variable = Variable.of_numbers(name, column)
            if variable.is_number or np.any(filled & (column == 1)):
                yield from self._all_zero(run, ~filled)
                run, filled = [], np.zeros_like(filled)
            if not variable.is_number:
                run, filled = [*run, name], filled | (column == 1)
            yield from self.at((variable,), declared=False)
        yield from self._all_zero(run, ~filled)

    def _all_zero(self, run: list[str], rows: np.ndarray) -> Iterator[Reason]:
        """Rows that are 0 in all these columns, if they have one class."""
        own = np.unique(self.target[rows]) if len(run) > 1 else np.empty(0)
        if own.size == 1 and self.separated[rows].all():
            text = f"{self._all(rows, ' = '.join([*run, '0']))} {self._outcome(int(own[0]), self._count(rows) > 1)}"
            yield Reason(text, int(rows.sum()), " = ".join(run), Zeros(tuple(run)))

    def _thresholds(self, variable: Variable, rows: np.ndarray, cell: str) -> Iterator[Reason]:
        """A number that separates one class from the others, of these rows."""
        x, own = variable.values[rows], self.target[rows]
        for k in range(1 if len(self.outcomes) == 2 else 0, len(self.outcomes)):
            inside, outside = x[own == k], x[own != k]
            if not inside.size or not outside.size:
                continue
            if inside.min() >= outside.max():
                high, low, above = inside.min(), outside.max(), True
            elif inside.max() <= outside.min():
                high, low, above = outside.min(), inside.max(), False
            else:
                continue
            strictly = (x > low) | (x < high)
            if len(self.outcomes) > 2:  # other classes are told apart from this one, not from each other
                strictly &= own == k
            if not strictly.any() or not self.separated[rows[strictly]].all():
                continue
            this = ("every", self._outcome(k, False))
            other = ("every", self._outcome(1 - k, False)) if len(self.outcomes) == 2 else ("no", this[1])
            text = _threshold(variable.name, x, float(low), float(high), *((this, other) if above else (other, this)))
            text = f"of the rows with {cell}, {text}" if cell else text
            yield Reason(text, int(strictly.sum()), variable.name)

    def _one_class(self, values: np.ndarray, rows: np.ndarray) -> bool:
        """Whether all rows with the level that these rows have are of one class."""
        return np.unique(self.target[values == values[np.argmax(rows)]]).size == 1

    def _all(self, rows: np.ndarray, words: str) -> str:
        count = self._count(rows)
        return f"all {count} rows with {words}" if count > 1 else f"the only row with {words}"

    def _count(self, rows: np.ndarray) -> int:
        return len(np.unique(self.places[rows]))

    def _outcome(self, k: int, several: bool) -> str:
        return f"ha{'ve' if several else 's'} {self.outcomes[k]}"

    def _has_column(self, rows: np.ndarray) -> bool:
        """Whether a column of X is 1 in these rows and 0 in the others."""
        if sparse.issparse(self.X):
            ones = sparse.csc_array(self.X)
            sums, counts = np.asarray(ones.sum(axis=0)).ravel(), np.diff(ones.indptr)
            likely = np.flatnonzero((sums == rows.sum()) & (counts == rows.sum()))
            return any(np.array_equal(ones[:, [j]].toarray().ravel(), rows) for j in likely)
        return any(np.array_equal(self.X[:, j], rows) for j in range(self.X.shape[1]))


def cells(factors: Sequence[Variable], count: int) -> tuple[list[str], np.ndarray]:
    """The combinations of levels that rows have, in words, and which of them each row has."""
    codes, words = np.zeros(count, dtype=np.intp), [""]
    for factor in factors:
        texts = factor.values.astype(str)
        levels, own = np.unique(texts, return_inverse=True)
        pairs, codes = np.unique(codes * levels.size + own, return_inverse=True)
        words = [
            (f"{words[pair // levels.size]} and " if words[pair // levels.size] else "")
            + f"{factor.name} = {levels[pair % levels.size]}"
            for pair in pairs.tolist()
        ]
    return words, codes


def _threshold(
    name: str, x: np.ndarray, low: float, high: float, above: tuple[str, str], below: tuple[str, str]
) -> str:
    """Rows above ``low`` and below ``high``, which are the same number or have no row between them: every one or no one has what."""
    if low < high:
        first = f"{above[0]} row with {name} >= {_text(high)} {above[1]}"
        return f"{first}, and {below[0]} row with {name} <= {_text(low)} {below[1]}"
    sides = [f"{above[0]} row with {name} > {_text(low)} {above[1]}"] * bool((x > low).any())
    sides += [f"{below[0]} row with {name} < {_text(low)} {below[1]}"] * bool((x < low).any())
    return f"{', and '.join(sides)}; rows with {name} = {_text(low)} have both"


def _text(number: float) -> str:
    """All digits that matter."""
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
