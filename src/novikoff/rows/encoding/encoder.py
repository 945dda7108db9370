"""From tables of numbers and categories to features, learned from blocks of rows or from a data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import add
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...inputs.keywords import keyword
from ...inputs.sklearn_parts import BaseEstimator, StrOptions, TransformerMixin, fit_context
from ..store.blocks import MISSING, Cells, Column, DataError, RowError, Schema, TableBlock, check_block
from .exact_sums import ExactSums
from .feature_columns import Category, FeatureWriter, Number

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

    What training did not have, a level or a missing value in a column that lacked none, is refused unless ``unseen="zeros"``:
    then such a category has no feature, and such a number counts as the mean of its column, which is its fill.  A level that
    few rows have is a level as any other; few rows decide its weight.

    Choose it in front of any learner when data are a frame of mixed columns, or a file.  Do not choose it for columns with
    as many levels as rows, such as names or numbers of customers: leave them out.

    Parameters
    ----------
    standardise : bool, default=True
        Whether numbers are centred and scaled; else center is 0 and scale is 1.
    unseen : {"error", "zeros"}, default="error"
        A level that training did not have, or a missing value in a column that lacked none, is refused, or says nothing.

    Attributes
    ----------
    columns_ : tuple of Number(name, fill, center, scale) and Category(name, levels, missing)
        What is known of each column, in the order of the table.
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

    def __init__(self, standardise: bool = True, unseen: str = "error") -> None:
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
            Whether a column may be without any value in these rows; of numbers it then says nothing: its fill is 0.

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
        look: Look = fold(partial(look_at, schema), both_looks)
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
        columns: dict[str, Number | Category] = {}
        for place, name in enumerate(schema.numbers):
            fill = fills.get(place, 0.0)
            center, scale = look.sums.center_and_scale(place, fill, missing[name])
            shift = (center, scale) if self.standardise else (0.0, 1.0)
            columns[name] = Number(name, fills.get(place, center), *shift)
        for name, seen in look.seen.items():
            levels = tuple(sorted(schema.levels[name][code] for code in np.flatnonzero(seen)))
            columns[name] = Category(name, levels, missing[name] > 0)
        self._set(columns[column.name] for column in schema.columns)
        self.n_missing_ = {column.name: int(missing[column.name]) for column in schema.columns}
        self.cells_ = schema.cells
        return self

    def _set(self, columns: Iterable[Number | Category]) -> None:
        """Become fitted."""
        self.columns_ = tuple(columns)
        self.n_features_in_ = len(self.columns_)
        self.feature_names_in_ = np.array([column.name for column in self.columns_], dtype=object)
        self.__dict__.pop("_plan", None)

    @property
    def _complete(self) -> frozenset[str]:
        """The columns that lacked no value in training."""
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
        wanted = [Column(c.name, "number" if isinstance(c, Number) else "category") for c in self.columns_]
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


Fold = Callable[
    [Callable[[Iterable[TableBlock]], Any], Callable[[Any, Any], Any]], Any
]  # a question, and how answers merge


# What is known of columns: levels and gaps, exact sums, exact medians.  Every question is a fold: some blocks are asked, and what
# several of them say is put together.  In one process all blocks are asked at once, on a cluster those of each partition; answers are
# exact, so that partitions and their order change no bit.


class Look(NamedTuple):
    """What some blocks hold."""

    rows: int
    missing: dict[str, int]  # of categories: how many are not given
    seen: dict[str, np.ndarray]  # which codes there are: a mask
    sums: ExactSums  # of numbers
    infinite: tuple[int, int] | None  # row number and column of the first number that is infinite


def look_at(schema: Schema, blocks: Iterable[TableBlock]) -> Look:
    """What these blocks hold."""
    rows, missing = 0, dict.fromkeys(schema.categories, 0)
    seen = {name: np.zeros(0, bool) for name in schema.categories}
    sums = ExactSums.of(len(schema.numbers))
    for block in blocks:
        check_block(block, schema)
        rows += len(block.numbers)
        for place, name in enumerate(missing):
            codes = block.codes[:, place]
            missing[name] += int(np.count_nonzero(codes == MISSING))
            seen[name] = either(seen[name], np.bincount(codes[codes != MISSING]) > 0)
        if infinite := sums.add(block.numbers):
            return Look(rows, missing, seen, sums, (int(block.rows[infinite[0]]), infinite[1]))
    return Look(rows, missing, seen, sums, None)


def both_looks(one: Look, other: Look) -> Look:
    """What the blocks of two looks hold."""
    infinite = [each.infinite for each in (one, other) if each.infinite]
    return Look(
        one.rows + other.rows,
        {name: count + other.missing[name] for name, count in one.missing.items()},
        {name: either(mask, other.seen[name]) for name, mask in one.seen.items()},
        one.sums.with_others(other.sums),
        min(infinite, default=None),
    )


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
