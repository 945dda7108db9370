"""Tables become features as documented, whatever their scale, and wherever blocks end."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from common import overflows
from novikoff import Perceptron, TableEncoder
from novikoff.rows.encoding.feature_columns import Category, Number
from novikoff.rows.store.blocks import MISSING, Column, DataError, Schema, TableBlock


def numbers_only(values, size=None):
    """A schema and a function that hands out blocks of ``size`` rows."""
    values = np.asarray(values, dtype=float)
    schema = Schema(tuple(Column(f"c{j}", "number") for j in range(values.shape[1])))
    size = size or len(values)

    def blocks():
        for at in range(0, len(values), size):
            part = values[at : at + size]
            yield TableBlock(part, np.empty((len(part), 0), np.int32), np.empty(0), at + np.arange(len(part)))

    return schema, blocks


def some_numbers(rng):
    values = rng.normal(size=(201, 6)) * [1, 1e300, 1e-300, 1e8, 1, 5e-324 * 2**60] + [0, 0, 0, 1e12, 3, 0]
    values[:, 4] = 3.0
    values[rng.random(values.shape) < 0.1] = np.nan
    values[:, 0] = np.round(values[:, 0])  # ties, and -0.0
    values[0] = 1.0
    return values


@pytest.mark.parametrize("rows", [200, 201])
def test_numbers_are_filled_and_standardised_at_any_scale(rows):
    values = some_numbers(np.random.default_rng(0))[:rows]
    schema, blocks = numbers_only(values, 37)
    encoder = TableEncoder().fit_blocks(schema, blocks)
    for j, column in enumerate(encoder.columns_):
        present = values[~np.isnan(values[:, j]), j]
        assert column.fill == np.median(present)
        assert encoder.n_missing_[column.name] == rows - present.size
        unit = np.abs(present).max()
        filled = np.where(np.isnan(values[:, j]), column.fill, values[:, j]) / unit
        assert column.center == pytest.approx(filled.mean() * unit, rel=1e-12)
        if unit > 1e-290:
            assert column.scale == pytest.approx(filled.std() * unit if filled.std() else 1.0, rel=1e-12)
        first = next(blocks())
        np.testing.assert_array_equal(
            encoder.encode(first, schema)[:, j],
            (np.where(np.isnan(values[:37, j]), column.fill, values[:37, j]) - column.center) / column.scale,
        )


def test_where_blocks_end_changes_no_bit():
    values = some_numbers(np.random.default_rng(1))
    fits = [TableEncoder().fit_blocks(*numbers_only(values, size)).columns_ for size in (1, 10, 201)]
    assert fits[0] == fits[1] == fits[2]


def test_medians_of_more_columns_than_fit_at_once(monkeypatch):
    monkeypatch.setattr("novikoff.rows.encoding.encoder.COLUMNS_AT_ONCE", 2)
    values = np.random.default_rng(2).normal(size=(50, 5))
    values[3] = np.nan
    values[4, 1] = np.nan
    encoder = TableEncoder(standardise=False).fit_blocks(*numbers_only(values, 20))
    assert [c.fill for c in encoder.columns_] == np.nanmedian(values, axis=0).tolist()
    complete = TableEncoder(standardise=False).fit_blocks(*numbers_only([[1.0], [2.0], [6.0]]))
    assert complete.columns_ == (Number("c0", 3.0, 0.0, 1.0),)
    assert {(c.center, c.scale) for c in encoder.columns_} == {(0.0, 1.0)}


def test_a_constant_column_with_gaps_is_zero():
    schema, blocks = numbers_only([[0.1], [np.nan], [0.1], [0.1]])
    encoder = TableEncoder().fit_blocks(schema, blocks)
    assert encoder.columns_ == (Number("c0", 0.1, 0.1, 1.0),)
    assert not encoder.encode(next(blocks()), schema).any()


@overflows
def test_extreme_pairs_have_a_median():
    schema, blocks = numbers_only([[1.7e308], [1.6e308], [np.nan]])
    assert TableEncoder().fit_blocks(schema, blocks).columns_[0].fill == 0.85e308 + 0.8e308


def test_blocks_are_overwritten_on_request_only():
    schema, blocks = numbers_only(np.arange(10.0).reshape(5, 2))
    encoder = TableEncoder().fit_blocks(schema, blocks)
    block = next(blocks())._replace(numbers=np.arange(10.0).reshape(5, 2))
    features = encoder.encode(block, schema)
    np.testing.assert_array_equal(block.numbers, np.arange(10.0).reshape(5, 2))
    np.testing.assert_array_equal(encoder.encode(block, schema, overwrite=True), features)
    np.testing.assert_array_equal(block.numbers, features)


def frame():
    return pd.DataFrame(
        {
            "size": [1.0, 2.0, np.nan, 4.0],
            "colour": ["red", None, "blue", "red"],
            "many": [1, 2, 3, 5],
            "flag": [True, False, True, True],
        }
    )


NAMES = ["size", "colour=blue", "colour=red", "colour=(missing)", "many", "flag=false", "flag=true"]
FEATURES = [[1, 0, 1, 0, 1, 0, 1], [2, 0, 0, 1, 2, 1, 0], [2, 1, 0, 0, 3, 0, 1], [4, 0, 1, 0, 5, 0, 1]]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas, pa.table, lambda f: f.astype({"colour": "category"})])
def test_frames_of_every_kind(kind):
    encoder = TableEncoder(standardise=False)
    features = encoder.fit_transform(kind(frame()))
    assert isinstance(features, sparse.csr_matrix)
    assert features.indices.dtype == np.int32
    assert features.toarray().tolist() == FEATURES
    assert encoder.get_feature_names_out().tolist() == NAMES
    assert encoder.n_features_in_ == 4
    assert encoder.n_missing_ == {"size": 1, "colour": 1, "many": 0, "flag": 0}
    assert encoder.columns_[1] == Category("colour", ("blue", "red"), True)


@overflows
def test_a_frame_without_arrow_data_says_what_to_update():
    class Old:
        columns = ("a",)

    with pytest.raises(TypeError, match="Old provides no Arrow data; update"):
        TableEncoder().fit(Old())


def test_columns_of_other_types():
    frame = pa.table(
        {
            "price": pa.array([Decimal("1.5"), None, Decimal("2.5")]),
            "size": pa.chunked_array([pa.array(["S", "L"]).dictionary_encode(), pa.array(["M"]).dictionary_encode()]),
            "code": pa.array([7, 8, 7]).dictionary_encode(),
            "count": pa.array([2**60, 1, None], pa.uint64()),
            "note": pa.array(["", "x", None]),
        }
    )
    encoder = TableEncoder(standardise=False).fit(frame)
    assert [c[1] for c in encoder.columns_] == [2.0, ("L", "M", "S"), ("7", "8"), (2.0**60 + 1) / 2, ("x",)]
    assert encoder.n_missing_ == {"price": 1, "size": 0, "code": 0, "count": 1, "note": 2}
    sizes = pl.DataFrame({"size": pl.Series(["S", None], dtype=pl.Categorical), "half": [0.5, float("nan")]})
    assert TableEncoder(standardise=False).fit_transform(sizes).toarray().tolist() == [[1, 0, 0.5], [0, 1, 0.5]]


def test_columns_are_found_by_name():
    encoder = TableEncoder(standardise=False, unseen="error").fit(frame())
    other = frame()[["flag", "many", "colour", "size"]].assign(extra=pd.Timestamp("2020-01-01"))
    assert encoder.transform(other).toarray().tolist() == FEATURES
    with pytest.raises(DataError, match="'many', which the model was trained with, is not there"):
        encoder.transform(frame().drop(columns="many"))
    with pytest.raises(DataError, match="'many' was of the kind number in training"):
        encoder.transform(frame().astype({"many": str}))
    blank = frame().assign(size=None, colour=None)
    assert encoder.transform(blank).toarray()[:, :4].tolist() == [[2, 0, 0, 1]] * 4


def test_levels_that_training_did_not_have():
    encoder = TableEncoder(standardise=False, unseen="error").fit(frame())
    other = frame().assign(colour=["green", "red", "blue", "red"])
    with pytest.raises(DataError, match=r"row 0 .counted from 0., column 'colour': 'green' was not there"):
        encoder.transform(other)
    assert encoder.set_params(unseen="zeros").transform(other).toarray()[0].tolist() == [1, 0, 0, 0, 1, 0, 1]
    complete = TableEncoder(unseen="zeros").fit(frame().assign(colour="red"))
    assert complete.transform(frame())[1].nnz == 3


def test_levels_that_come_later_are_learned():
    schema = Schema((Column("a", "category"), Column("n", "number")), levels={"a": ["x", "y"]})
    numbers, target = np.zeros((2, 1)), np.empty(0)
    block = TableBlock(numbers, np.array([[0], [1]], np.int32), target, np.arange(2))
    encoder = TableEncoder(unseen="zeros").fit_blocks(schema, lambda: [block])
    assert encoder.encode(block, schema).toarray().tolist() == [[1, 0, 0], [0, 1, 0]]
    schema.levels["a"].append("z")
    later = block._replace(codes=np.array([[2], [MISSING]], np.int32))
    assert not encoder.encode(later, schema).toarray().any()
    unused = Schema((Column("a", "category"),), levels={"a": ["unused", "y"]})
    only = TableBlock(np.empty((1, 0)), np.array([[1]], np.int32), target, np.arange(1))
    assert TableEncoder().fit_blocks(unused, lambda: [only]).columns_[0].levels == ("y",)


@overflows
def test_threads_may_encode_while_levels_come():
    """As scoring does: files are read, which finds levels, while rows before them are encoded."""
    schema = Schema((Column("a", "category"), Column("b", "category")), levels={"a": ["x"], "b": ["u", "v"]})
    encoder = TableEncoder(unseen="zeros").fit(pd.DataFrame({"a": ["x", "x"], "b": ["u", "v"]}))

    def row(number):
        """What refers to levels that came with it."""
        for levels in schema.levels.values():
            levels.append(f"new {number}")
        codes = np.array([[number % (number + 2), number + 2 if number % 3 else 1]], np.int32)
        return TableBlock(np.empty((1, 0)), codes, np.empty(0), np.array([number]))

    with ThreadPoolExecutor(8) as pool:
        blocks = map(row, range(1000))
        found = list(pool.map(lambda block: (block, encoder.encode(block, schema).toarray()[0]), blocks))
    for block, features in found:
        a, b = block.codes[0]
        assert features.tolist() == [a == 0, b == 0, b == 1]


@pytest.mark.parametrize(
    ("numbers", "codes"),
    [((1, 1), [[3]]), ((1, 1), [[-2]]), ((1, 1), [[0, 0]]), ((1, 2), [[0]]), ((2, 1), [[0]])],
    ids=["a code without a level", "a code below all", "a column of codes", "a column of numbers", "a row"],
)
def test_blocks_of_another_schema_are_refused(numbers, codes):
    """Codes are places in arrays: those that no level has would be read from other memory."""
    schema = Schema((Column("x", "number"), Column("k", "category")), levels={"k": ["a", "b", "c"]})
    block = TableBlock(np.zeros(numbers), np.array(codes, np.int32), np.empty(0), np.arange(1))
    encoder = TableEncoder().fit(pd.DataFrame({"x": [0.0, 1.0], "k": ["a", "b"]}))
    for use in (encoder.encode, lambda block, schema: TableEncoder().fit_blocks(schema, lambda: [block])):
        with pytest.raises(ValueError, match="columns or codes that its schema does not have"):
            use(block, schema)


def test_what_cannot_be_encoded_is_named():
    with pytest.raises(DataError, match="column 'size' has no value in the rows to learn from; leave it out"):
        TableEncoder().fit(frame().assign(size=np.nan))
    with pytest.raises(DataError, match="column 'colour' has no value in the rows"):
        TableEncoder().fit(frame().assign(colour=pd.Series([None] * 4, dtype="str")))
    with pytest.raises(DataError, match="column 'day' is of type timestamp"):
        TableEncoder().fit(frame().assign(day=pd.Timestamp("2020-01-01")))
    with pytest.raises(DataError, match=r"row 2 .counted from 0., column 'many': infinite"):
        TableEncoder().fit(frame().assign(many=[1, 2, np.inf, 3]))
    with pytest.raises(DataError, match="no row to learn from"):
        TableEncoder().fit(frame()[:0])
    with pytest.raises(TypeError, match="not ndarray"):
        TableEncoder().fit(np.eye(3))
    schema, blocks = numbers_only([[1e-300], [2e-300]])
    encoder = TableEncoder().fit_blocks(schema, blocks)
    with pytest.raises(DataError, match=r"row 0 .*, column 'c0': the value is out of the range"):
        encoder.encode(next(numbers_only([[1e300]])[1]()), schema)


def test_it_is_a_scikit_learn_transformer():
    model = make_pipeline(TableEncoder(), Perceptron(order="cyclic")).fit(frame(), list("abab"))
    again = pickle.loads(pickle.dumps(model))
    assert again[0].columns_ == model[0].columns_
    assert again.predict(frame()).tolist() == model.predict(frame()).tolist()
    assert clone(model[0]).get_params() == {"standardise": True, "unseen": "zeros"}
