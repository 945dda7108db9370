"""From tables of numbers and categories to features, learned from blocks of rows or from a data frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from operator import add
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from ...checks.sklearn_parts import BaseEstimator, StrOptions, TransformerMixin, fit_context
from ...compiled.jit import exact
from ...learn.rows import frozen
from ...report.words import keyword
from ..store.blocks import MISSING, Cells, Column, DataError, RowError, Schema, SparseBlock, TableBlock, check_block
from .feature_columns import Category, FeatureColumn, FeatureWriter, Number, Text, kind_of

Blocks = Callable[[], Iterable[TableBlock]]
DIGIT = 16  # bits of a number looked at in one pass
SHORT_DIGIT = 8  # the same where answers travel, and are about more than a few columns
FEW = 8  # columns
COLUMNS_AT_ONCE = 64  # whose counts of digits are held in memory: a megabyte each, of short digits less
SIGN = np.uint64(1 << 63)


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turns the columns of a table into features for a linear learner.

    A column of numbers becomes one feature, ``((fill if missing else x) - center) / scale``, where fill is the median of the
    training values, and center and scale are the mean and the standard deviation of the column once its missing values are
    filled.  A column of texts, of a categorical type or of booleans ("false", "true") becomes one feature for each level that
    training had, which is 1 or 0, and one more for missing values if training had some.

    What training did not have, a level or a missing value in a column where none was missing, has no effect: such a category has no
    feature, and such a number counts as the mean of its column, which is its fill.  With ``unseen="error"`` it is an error.  A level
    of few rows is treated like any other; its weight depends on these few rows.

    Choose it in front of any learner when data are a frame of mixed columns, or a file.  Do not choose it for columns with
    as many levels as rows, such as names or numbers of customers: leave them out.

    Parameters
    ----------
    standardise : bool, default=True
        Whether numbers are centred and scaled; else center is 0 and scale is 1.
    unseen : {"zeros", "error"}, default="zeros"
        A level that training did not have, or a missing value in a column where none was missing, has no effect, or is an error.

    Attributes
    ----------
    columns_ : tuple of Number(name, fill, center, scale), Category(name, levels, missing) and Text(name, words, idf)
        What is known of each column, in the order of the table; texts come last.
    n_missing_ : dict
        How many values each column lacked in training, by name.
    cells_ : Cells(missing, numerals, dates)
        Texts that mean "missing" (of frames only the empty one) and, of a model that was learned from files, how columns write
        numbers and dates.
    n_features_in_ : int
        Columns of the table.
    feature_names_in_ : ndarray of str
        Their names.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from novikoff import Perceptron, TableEncoder
    >>> pets = pd.DataFrame({"weight": [4.0, 30.0, None, 5.0], "coat": ["long", "short", "short", None]})
    >>> model = make_pipeline(TableEncoder(), Perceptron(order="cyclic")).fit(pets, ["cat", "dog", "dog", "cat"])
    >>> model[0].get_feature_names_out().tolist()
    ['weight', 'coat=long', 'coat=short', 'coat=(missing)']
    >>> model.predict(pets).tolist()
    ['cat', 'dog', 'dog', 'cat']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "standardise": ["boolean"],
        "unseen": [StrOptions({"error", "zeros"})],
    }

    cells_ = Cells()  # of models from before there was anything to say

    def __init__(self, standardise: bool = True, unseen: str = "zeros") -> None:
        self.standardise = standardise
        self.unseen = unseen

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Learn what the columns of a data frame are.

        Parameters
        ----------
        X : data frame
            Of pandas, polars or Arrow, or whatever hands out an Arrow stream.
        y : ignored
            Targets have no part in it.

        Returns
        -------
        self
        """
        from ..readers.frames import read_frame  # here, since pyarrow takes long to start and blocks do without

        schema, block = read_frame(X)
        return self.fit_blocks(schema, lambda: [block])

    def fit_blocks(self, schema: Schema, blocks: Blocks, gaps: bool = False) -> TableEncoder:
        """Learn what the columns of a stream are.

        Parameters
        ----------
        schema : Schema
            What the columns are.
        blocks : function
            Called without arguments, hands out the same blocks of rows every time.  It is called once and, if numbers are
            missing, four times more for every 64 columns that lack some.
        gaps : bool, default=False
            Whether a column may be without any value in these rows; of numbers it then has no effect: its fill is 0.

        Returns
        -------
        self
        """
        return self.fit_fold(schema, lambda question, merge: question(blocks()), gaps)

    def fit_fold(self, schema: Schema, fold: Fold, gaps: bool = False, travels: bool = False) -> TableEncoder:
        """Learn what the columns of rows are that lie in several places, by folds over them.

        Parameters
        ----------
        schema : Schema
            What the columns are; all places have the same levels, by code.
        fold : function
            Called with a question, a function of some blocks, and a function that merges two answers, hands out the answer
            for all rows.  It is called as often as ``fit_blocks`` says.
        gaps : bool, default=False
            As in ``fit_blocks``.
        travels : bool, default=False
            Whether answers travel: those about many columns are then shorter, and more of them are asked for.

        Returns
        -------
        self
        """
        if not schema.columns:
            raise DataError("there is no column to learn from; name other columns, or ignore fewer")
        self._validate_params()
        look: BlockSummary = fold(partial(look_at, schema), both_looks)
        if look.infinite:
            raise RowError(look.infinite[0], schema.numbers[look.infinite[1]], "infinite; correct the value")
        if look.rows == 0:
            raise DataError("there is no row to learn from")
        values = look.sums.values
        missing = dict(zip(schema.numbers, (look.rows - values).tolist(), strict=True)) | look.missing
        for name, lacking in missing.items():
            if lacking == look.rows and not gaps:
                raise DataError(
                    f"column {name!r} has no value in the rows to learn from; leave it out ({keyword('ignore', name)})"
                )
        some = [place for place, name in enumerate(schema.numbers) if 0 < missing[name] < look.rows]
        fills = dict(zip(some, medians(fold, some, values, travels), strict=True))
        columns: dict[str, FeatureColumn] = {}
        for place, name in enumerate(schema.numbers):
            fill = fills.get(place, 0.0)
            center, scale = look.sums.center_and_scale(place, fill, missing[name])
            shift = (center, scale) if self.standardise else (0.0, 1.0)
            columns[name] = Number(name, fills.get(place, center), *shift)
        for name, seen in look.seen.items():
            levels = tuple(sorted(schema.levels[name][code] for code in np.flatnonzero(seen)))
            columns[name] = Category(name, levels, missing[name] > 0)
        for name, having in look.having.items():
            words = sorted((schema.levels[name][code], int(having[code])) for code in np.flatnonzero(having))
            if not words:
                raise DataError(
                    f"column {name!r} has no words in the rows to learn from; leave it out ({keyword('ignore', name)})"
                )
            idf = (math.log((1 + look.rows) / (1 + rows)) + 1 for _, rows in words)
            columns[name], missing[name] = Text(name, tuple(word for word, _ in words), tuple(idf)), 0
        self._set(columns[column.name] for column in sorted(schema.columns, key=lambda column: column.kind == "text"))
        self.n_missing_ = {column.name: int(missing[column.name]) for column in self.columns_}
        self.cells_ = schema.cells
        return self

    def _set(self, columns: Iterable[FeatureColumn]) -> None:
        """Become fitted."""
        self.columns_ = tuple(columns)
        self.n_features_in_ = len(self.columns_)
        self.feature_names_in_ = np.array([column.name for column in self.columns_], dtype=object)
        self.__dict__.pop("_plan", None)

    @property
    def _complete(self) -> frozenset[str]:
        """The columns of which no value was missing in training."""
        return frozenset(name for name, missing in self.n_missing_.items() if not missing)

    def encode(self, block: TableBlock, schema: Schema, *, overwrite: bool = False) -> Any:
        """Features of a block.

        Parameters
        ----------
        block : TableBlock
            Rows.
        schema : Schema
            Theirs; columns are found by their names.
        overwrite : bool, default=False
            Whether features may be written over the numbers of the block, which saves time.

        Returns
        -------
        ndarray, or csr_matrix if there are categories
            Features, float64, of shape (rows, features).
        """
        check_is_fitted(self, "columns_")
        plan = vars(self).get("_plan")
        if plan is None or plan.schema is not schema or plan.unseen != self.unseen:
            plan = self._plan = FeatureWriter(self.columns_, schema, self.unseen, self._complete)
        return plan.encode(block, overwrite)

    def transform(self, X: Any) -> Any:
        """Features of a data frame, whose columns are found by their names.

        Parameters
        ----------
        X : data frame
            Rows.

        Returns
        -------
        ndarray, or csr_matrix if there are categories
            Features, float64, of shape (rows, features).
        """
        from ..readers.frames import read_frame  # as in fit

        check_is_fitted(self, "columns_")
        wanted = [Column(column.name, kind_of(column)) for column in self.columns_]
        schema, block = read_frame(X, wanted, self.cells_)
        return FeatureWriter(self.columns_, schema, self.unseen, self._complete).encode(block, overwrite=True)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features: ``name``, ``name=level``, ``name=(missing)``.

        Parameters
        ----------
        input_features : ignored
            Columns have their names from training.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "columns_")
        return np.array([name for column in self.columns_ for name in column.features], dtype=object)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_plan"}


def encoder_of(columns: Iterable[FeatureColumn], n_missing: dict[str, int], cells: Cells) -> TableEncoder:
    """The encoder of columns that are known, whose numbers are taken as they are."""
    encoder = TableEncoder(standardise=False)
    encoder._set(columns)
    encoder.n_missing_, encoder.cells_ = n_missing, cells
    return encoder


Fold = Callable[
    [Callable[[Iterable[TableBlock]], Any], Callable[[Any, Any], Any]], Any
]  # a question, and how answers merge


# What is known of columns: levels and gaps, exact sums, exact medians.  Every question is a fold: some blocks are asked, and what
# several of them say is put together.  In one process all blocks are asked at once, on a cluster those of each partition; answers are
# exact, so that partitions and their order change no bit.


class BlockSummary(NamedTuple):
    """What some blocks hold."""

    rows: int
    missing: dict[str, int]  # of categories: how many are not given
    seen: dict[str, np.ndarray]  # which codes there are: a mask
    sums: ExactSums  # of numbers
    infinite: tuple[int, int] | None  # row number and column of the first number that is infinite
    having: dict[str, np.ndarray]  # of texts: how many rows have each word


def look_at(schema: Schema, blocks: Iterable[TableBlock]) -> BlockSummary:
    """What these blocks hold."""
    rows, missing = 0, dict.fromkeys(schema.categories, 0)
    seen = {name: np.zeros(0, bool) for name in schema.categories}
    sums = ExactSums.of(len(schema.numbers))
    having = {name: np.zeros(0, np.int64) for name in schema.texts}
    for block in blocks:
        check_block(block, schema)
        rows += len(block.numbers)
        for place, name in enumerate(having):
            own = block.words[block.words % len(having) == place] // len(having)
            having[name] = padded_sum(having[name], np.bincount(own))
        for place, name in enumerate(missing):
            codes = block.codes[:, place]
            missing[name] += int(np.count_nonzero(codes == MISSING))
            seen[name] = either(seen[name], np.bincount(codes[codes != MISSING]) > 0)
        if infinite := sums.add(block.numbers):
            return BlockSummary(rows, missing, seen, sums, (int(block.rows[infinite[0]]), infinite[1]), having)
    return BlockSummary(rows, missing, seen, sums, None, having)


def both_looks(one: BlockSummary, other: BlockSummary) -> BlockSummary:
    """What the blocks of two looks hold."""
    infinite = [each.infinite for each in (one, other) if each.infinite]
    return BlockSummary(
        one.rows + other.rows,
        {name: count + other.missing[name] for name, count in one.missing.items()},
        {name: either(mask, other.seen[name]) for name, mask in one.seen.items()},
        one.sums.with_others(other.sums),
        min(infinite, default=None),
        {name: padded_sum(count, other.having[name]) for name, count in one.having.items()},
    )


def padded_sum(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The sum of two arrays, which need not have the same length."""
    longer, shorter = (one, other) if one.size >= other.size else (other, one)
    longer = longer.astype(np.int64)
    longer[: shorter.size] += shorter
    return longer


def either(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Where one of two masks is true, which need not have the same length."""
    longer, shorter = (one, other) if one.size >= other.size else (other, one)
    longer = longer.copy()
    longer[: shorter.size] |= shorter
    return longer


def medians(fold: Fold, columns: list[int], counts: np.ndarray, travels: bool = False) -> list[float]:
    """The exact medians of these columns, which have ``counts`` values each, in bounded memory.

    A radix selection: floats are ordered as their bits are, so a few passes that count some bits each find the bits of the value
    of any rank.  ``travels``: whether counts travel.
    """
    found: list[float] = []
    digit = SHORT_DIGIT if travels and len(columns) > FEW else DIGIT
    at_once = COLUMNS_AT_ONCE << DIGIT - digit
    for first in range(0, len(columns), at_once):
        some = columns[first : first + at_once]
        middle = [[(int(counts[j]) - 1) // 2, int(counts[j]) // 2] for j in some]
        low, high = _select(fold, some, np.array(middle), digit).T
        with np.errstate(over="ignore"):
            total = low + high
        found += np.where(np.isfinite(total), total / 2, low / 2 + high / 2).tolist()
    return found


def _select(fold: Fold, columns: list[int], ranks: np.ndarray, digit: int) -> np.ndarray:
    """The values of these ranks, counted from 0; ``ranks`` has a row for each column, and equal shape."""
    ranks, prefix = ranks.copy(), np.zeros(ranks.shape, np.uint64)
    for known in range(0, 64, digit):
        counts = fold(partial(count_digits, columns, prefix, known, digit), add)
        below = np.cumsum(counts, axis=2)
        chosen = (below > ranks[:, :, None]).argmax(axis=2)
        ranks -= np.take_along_axis(below - counts, chosen[:, :, None], axis=2)[:, :, 0]
        prefix = (prefix << np.uint64(digit)) | chosen.astype(np.uint64)
    return _from_ordered(prefix)


def count_digits(
    columns: list[int], prefix: np.ndarray, known: int, digit: int, blocks: Iterable[TableBlock]
) -> np.ndarray:
    """Of the values whose first ``known`` bits are those of a prefix: how many have each of the next digits."""
    shift, size = np.uint64(64 - known - digit), 1 << digit
    counts = np.zeros((*prefix.shape, size), np.int64)
    for block in blocks:
        for c, column in enumerate(columns):
            heads = _ordered(block.numbers[:, column]) >> shift
            for r in range(prefix.shape[1]):
                fit = heads[heads >> np.uint64(digit) == prefix[c, r]]
                counts[c, r] += np.bincount((fit & np.uint64(size - 1)).astype(np.intp), minlength=size)
    return counts


def _ordered(values: np.ndarray) -> np.ndarray:
    """Whole numbers in the order of these floats; NaN comes last."""
    bits = (np.where(np.isnan(values), np.nan, values) + 0.0).view(np.uint64)  # + 0.0: there is one zero
    return np.where(bits & SIGN, ~bits, bits | SIGN)


def _from_ordered(numbers: np.ndarray) -> np.ndarray:
    return np.where(numbers & SIGN, numbers ^ SIGN, ~numbers).view(np.float64)


# Exact sums of the values of columns and of their squares: no order, block or partition of the rows changes a bit.
#
# A float is ``m 2^e`` with a whole m, so that sums of floats, and of their squares, are whole numbers times a power of two.  They
# are kept in digits of 32 bits (U. Kulisch, Computer Arithmetic and Validity, 2nd ed. 2013: the long accumulator); what mean and
# standard deviation need of them is worked out in whole numbers, and rounded once.

LEAST = 1074  # the smallest float is two to the minus this
WORD = 32  # bits
MASK = (1 << WORD) - 1
DIGITS = (2045 >> 5) + 3  # the largest float has its lowest bit 2045 places above the smallest, and 53 of them
SQUARE_DIGITS = (2 * 2045 >> 5) + 5
CARRY_AFTER = 1 << 29  # additions of less than 2^33 each: int64 holds them
SPARE = 128  # bits of a square root more than a float has


class ExactSums(NamedTuple):
    """Of every column: how many values it has, their sum in units of ``2^-LEAST``, and that of their squares in units of
    ``2^-2 LEAST``."""

    values: np.ndarray  # (columns,) int64
    sums: np.ndarray  # (columns, DIGITS) int64: digits of 32 bits, the last of which has the sign
    squares: np.ndarray  # (columns, SQUARE_DIGITS) int64

    @classmethod
    def of(cls, columns: int) -> ExactSums:
        """Sums of nothing."""
        shapes = (columns,), (columns, DIGITS), (columns, SQUARE_DIGITS)
        return cls(*(np.zeros(shape, np.int64) for shape in shapes))

    def add(self, numbers: np.ndarray) -> tuple[int, int] | None:
        """Add rows, NaN left out; row and column of the first value that is infinite, if one is."""
        numbers = np.ascontiguousarray(numbers)
        for first in range(0, len(numbers), CARRY_AFTER):
            row, column = add_rows(frozen(numbers[first : first + CARRY_AFTER].view(np.int64)), *self)
            if row >= 0:
                return first + int(row), int(column)
            carry(self.sums)
            carry(self.squares)
        return None

    def with_others(self, other: ExactSums) -> ExactSums:
        """The sums of both."""
        both = ExactSums(*(one + another for one, another in zip(self, other, strict=True)))
        carry(both.sums)
        carry(both.squares)
        return both

    def center_and_scale(self, column: int, value: float = 0.0, copies: int = 0) -> tuple[float, float]:
        """Mean and standard deviation of a column that has ``copies`` more values, all the same; the deviation of a constant
        column is 1."""
        top, bottom = value.as_integer_ratio()
        unit = (top << LEAST) // bottom  # a whole number: no float has more digits
        n = int(self.values[column]) + copies
        total = as_whole(self.sums[column]) + copies * unit
        squares = as_whole(self.squares[column]) + copies * unit * unit
        center = total / (n << LEAST)
        spread = n * squares - total * total  # n^2 times the variance
        if spread == 0:
            return center, 1.0
        more = max(0, SPARE + n.bit_length() - spread.bit_length() // 2)
        scale = math.isqrt(spread << 2 * more) / (n << LEAST + more)
        return center, max(scale, np.finfo(float).smallest_subnormal)


def carry(digits: np.ndarray) -> None:
    """Bring all digits but the last between 0 and 2^32."""
    for place in range(digits.shape[1] - 1):
        digits[:, place + 1] += digits[:, place] >> WORD
        digits[:, place] &= MASK


def as_whole(digits: np.ndarray) -> int:
    """The number that they are the digits of."""
    low = int.from_bytes(digits[:-1].astype("<u4").tobytes(), "little")
    return low + (int(digits[-1]) << WORD * (digits.size - 1))


@exact(lambda bits, *rest: 10.0 * bits.size, enough=300_000.0)
def add_rows(bits: np.ndarray, values: np.ndarray, sums: np.ndarray, squares: np.ndarray) -> tuple[int, int]:
    """Add the floats that have these bits: ``m 2^e`` and ``m^2 2^(2 e)``, shifted to where digits begin.

    With ``m = 2^27 a + b``, ``m^2 = 2^54 a^2 + 2^28 a b + b^2``: all products are below 2^54.
    """
    for i in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            given = bits[i, j]
            e, m = (given >> 52) & 2047, given & ((1 << 52) - 1)
            if e == 2047:
                if m != 0:
                    continue
                return i, j
            values[j] += 1
            if e > 0:
                e, m = e - 1, m | (1 << 52)
            place, shift = e >> 5, e & 31
            low, high = (m & MASK) << shift, (m >> 32) << shift
            sign = 1 if given >= 0 else -1
            sums[j, place] += sign * (low & MASK)
            sums[j, place + 1] += sign * ((low >> 32) + (high & MASK))
            sums[j, place + 2] += sign * (high >> 32)
            a, b = m >> 27, m & ((1 << 27) - 1)
            middle = ((b * b) >> 27) + 2 * a * b
            low, top = ((b * b) & ((1 << 27) - 1)) | ((middle & ((1 << 27) - 1)) << 27), (middle >> 27) + a * a
            place, shift = (2 * e) >> 5, (2 * e) & 31
            first, second = (low & MASK) << shift, ((low >> 32) | ((top & 1023) << 22)) << shift
            third, fourth = ((top >> 10) & MASK) << shift, (top >> 42) << shift
            squares[j, place] += first & MASK
            squares[j, place + 1] += (first >> 32) + (second & MASK)
            squares[j, place + 2] += (second >> 32) + (third & MASK)
            squares[j, place + 3] += (third >> 32) + (fourth & MASK)
            squares[j, place + 4] += fourth >> 32
    return -1, -1


# Sparse rows whose column numbers lie far apart: only the columns that training had take room.

WIDE = 1 << 20  # columns from which it is asked how many of them are used
USED_SHARE = 0.25  # of the columns: with more of them in use, numbers are not far apart


class UsedColumns(TransformerMixin, BaseEstimator):
    """Keeps the columns of sparse rows in which training had a number, and leaves the others out.

    A linear learner gives a column that is zero in all training rows the weight 0, so its answers stay the same; its memory
    grows with the columns that are used instead of the largest column number.

    Attributes
    ----------
    columns_ : ndarray of int64
        The numbers of the columns that are kept, ascending, counted from 0.
    n_features_in_ : int
        Columns before.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def fit(self, X: Any, y: Any = None) -> UsedColumns:
        """Find the columns that are used.

        Parameters
        ----------
        X : CSR matrix or array
            Rows.
        y : ignored
            Targets have no part in it.

        Returns
        -------
        self
        """
        X = validate_data(self, X, accept_sparse="csr")
        return self._set(np.unique(sparse.csr_matrix(X).indices), X.shape[1])

    def _set(self, columns: np.ndarray, width: int) -> UsedColumns:
        self.columns_, self.n_features_in_ = columns.astype(np.int64), width
        return self

    def transform(self, X: Any) -> sparse.csr_matrix:
        """The columns that are kept.

        Parameters
        ----------
        X : CSR matrix or array
            Rows.

        Returns
        -------
        csr_matrix of shape (rows, kept columns)
        """
        check_is_fitted(self, "columns_")
        X = sparse.csr_matrix(validate_data(self, X, accept_sparse="csr", reset=False))
        X.sum_duplicates()
        return self._pick(X.data, X.indices, X.indptr)

    def encode(self, block: SparseBlock, schema: Schema, *, overwrite: bool = False) -> sparse.csr_matrix:
        """The columns of a block that are kept; ``overwrite`` is for encoders that can save time with it."""
        return self._pick(block.values, block.indices, block.starts)

    def _pick(self, values: np.ndarray, indices: np.ndarray, starts: np.ndarray) -> sparse.csr_matrix:
        places = np.searchsorted(self.columns_, indices)
        known = self.columns_[np.minimum(places, self.columns_.size - 1)] == indices
        if not known.all():
            kept_before = np.append(0, np.cumsum(known))
            values, places, starts = values[known], places[known], kept_before[starts]
        index = np.int32 if max(values.size, self.columns_.size) < 2**31 else np.int64
        shape = len(starts) - 1, self.columns_.size
        return sparse.csr_matrix((values, places.astype(index), starts.astype(index)), shape=shape)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the kept columns: ``x`` and the number, counted from 1 as LIBSVM files do.

        Parameters
        ----------
        input_features : ignored
            Columns have numbers only.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "columns_")
        return np.array([f"x{column + 1}" for column in self.columns_.tolist()], dtype=object)


def used_columns(fold: Callable[..., Any], width: int) -> UsedColumns | None:
    """Which of ``width`` columns rows use, asked by a fold as ``TableEncoder.fit_fold`` does; None where so many are used that
    leaving others out saves little."""
    if width < WIDE:
        return None
    columns = fold(partial(distinct_columns, USED_SHARE * width), np.union1d)
    return UsedColumns()._set(columns, width) if 0 < columns.size <= USED_SHARE * width else None


def distinct_columns(most: float, blocks: Iterable[SparseBlock]) -> np.ndarray:
    """The columns that some blocks use; all of them, or more than ``most``."""
    columns = np.empty(0, np.int64)
    for block in blocks:
        columns = np.union1d(columns, block.indices)
        if columns.size > most:
            break
    return columns
