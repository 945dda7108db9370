"""Tables in partitions: codes, row numbers, encoders and parts for tests as on one machine, to the bit."""

import copy
from functools import partial, reduce
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import Perceptron, TableEncoder
from novikoff.rows import table_parts
from novikoff.rows.partitions import Here
from novikoff.rows.readers.reading import Reading, open_data
from novikoff.rows.store.blocks import DataError, Schema
from novikoff.rows.store.row_store import BlockList, Store, count_targets, gather_all, in_order, join_blocks
from novikoff.rows.store.splits import folds, held_out
from novikoff.tables import table_rows
from novikoff.tables.evaluation import Tally, both_evaluations, evaluate, evaluate_blocks

NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-3, 3).map(float)
ROW = st.fixed_dictionaries(
    {
        "size": NUMBERS,
        "weight": st.floats(-1e3, 1e3) | st.none(),
        "coat": st.sampled_from(["long", "short", "none at all", "", None]),
        "day": st.dates(min_value=pd.Timestamp("1990-01-01").date(), max_value=pd.Timestamp("2030-01-01").date()),
        "pet": st.sampled_from(["cat", "dog", "rabbit", None]),
    }
)
TABLES = st.lists(ROW, min_size=1, max_size=40)


def frame_of(rows):
    typed = {"size": float, "weight": float, "coat": object, "pet": object}
    return pd.DataFrame(rows).astype(typed).assign(day=lambda frame: pd.to_datetime(frame["day"]))


def in_partitions(frame, cuts):
    ends = sorted({0, len(frame), *(cut % (len(frame) + 1) for cut in cuts)})
    parts = [frame[first:last] for first, last in pairwise(ends)]
    return [parts[0][:0], *parts]  # an empty one first


def apart(frame, cuts, **how):
    """The schema, an engine and what is told, of a frame cut into partitions."""
    data = open_data([frame], "pet", reading=Reading(dates="parts", **how))
    told = table_parts.ToRead(copy.deepcopy(data.schema), data.plan, Reading(), "frame", None)
    read = Here(in_partitions(frame, cuts)).map(table_parts.read_rows, told)
    census = read.fold(table_parts.count_rows, table_parts.both_counts, False)
    recoding = table_parts.recoding_of(data.schema, census)
    return data.schema, read.map(table_parts.recode, recoding), recoding, census


def here(frame, **how):
    data = open_data([frame], "pet", reading=Reading(dates="parts", **how))
    store = Store(10**9)
    for block in data.blocks():
        store.add(block)
    return data, store


def ask(engine, members=None, outputs=1):
    return lambda question, merge: engine.fold(
        table_rows.ask, merge, table_rows.RowsQuestion(question, members, outputs)
    )


def learned(encoder, fold):
    """What the encoder learns, or why it does not."""
    try:
        found = fold(encoder)
    except DataError as error:
        return str(error)
    return found.columns_, found.n_missing_, found.cells_


@settings(max_examples=60, deadline=None)
@given(TABLES, st.lists(st.integers(0, 40), max_size=5), st.booleans(), st.booleans())
def test_partitions_are_what_one_machine_reads(rows, cuts, drop, standardise):
    frame = frame_of(rows)
    data, store = here(frame, drop_missing=drop)
    schema, engine, _, census = apart(frame, cuts, drop_missing=drop)
    assert (schema.labels, schema.levels, schema.columns) == (
        data.schema.labels,
        data.schema.levels,
        data.schema.columns,
    )
    assert (census.dropped, census.unlabelled) == (data.dropped, data.unlabelled)
    blocks = [block for part in engine._partitions for block in part.blocks]
    assert bool(blocks) == bool(store.n_rows)
    if not blocks:
        return
    for ours, theirs in zip(join_blocks(blocks), join_blocks(list(store.blocks)), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    one = learned(
        TableEncoder(standardise=standardise), lambda encoder: encoder.fit_blocks(schema, lambda: in_order(store))
    )
    for travels in (False, True):
        several = learned(
            TableEncoder(standardise=standardise),
            lambda encoder, travels=travels: encoder.fit_fold(schema, ask(engine), travels=travels),
        )
        assert several == one


def test_medians_of_many_columns_are_exact_where_answers_travel(rng):
    frame = (
        pd.DataFrame(rng.normal(size=(60, 12))).rename(columns=str).mask(rng.random((60, 12)) < 0.2).assign(pet="cat")
    )
    _, store = here(frame)
    schema, engine, *_ = apart(frame, [7, 30])
    many = TableEncoder().fit_fold(schema, ask(engine), travels=True)
    assert many.columns_ == TableEncoder().fit_blocks(schema, lambda: in_order(store)).columns_
    assert [column.fill for column in many.columns_] == frame.drop(columns="pet").median().tolist()


@settings(max_examples=30, deadline=None)
@given(TABLES.filter(lambda rows: sum(row["pet"] is not None for row in rows) > 3), st.lists(st.integers(0, 40), max_size=4),
       st.integers(0, 9))  # fmt: skip
def test_the_same_rows_are_held_out(rows, cuts, seed):
    frame = frame_of(rows)
    data, store = here(frame)
    schema, engine, recoding, _ = apart(frame, cuts)

    def numbers(members):
        return ask(engine, members)(row_numbers, list.__add__)

    def splits(*rows):
        return [held_out(*rows, 0.4, seed), *folds(*rows, 3, seed)]

    counts = count_targets(store, data.schema, None)
    for split, other in zip(splits(data.schema, counts), splits(schema, recoding.counts), strict=True):
        for members, mine in zip(split, other, strict=True):
            assert numbers(mine) == row_numbers(in_order(store, members.among(store)))


def row_numbers(blocks):
    return [number for block in blocks for number in block.rows.tolist()]


@pytest.mark.parametrize("cuts", [[], [50], [1, 2, 3, 70, 199]])
def test_answers_are_counted_where_rows_lie(rng, cuts):
    frame = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200), "c": rng.choice(["x", "y"], 200)})
    frame["pet"] = np.where(frame["a"] + rng.normal(size=200) > 0, "cat", "dog")
    _, store = here(frame)
    schema, engine, recoding, _ = apart(frame, cuts)
    encoder = TableEncoder().fit_blocks(schema, lambda: in_order(store))
    learner = Perceptron(random_state=0).fit(*gather_all(store, schema, encoder))
    one = evaluate(learner, store, schema, encoder)
    several = ask(engine, outputs=2)(partial(evaluate_blocks, learner, schema, encoder, True, False), both_evaluations)
    assert (several.n, several.errors, several.labels) == (one.n, one.errors, one.labels)
    np.testing.assert_array_equal(several.confusion.toarray(), one.confusion.toarray())
    for ours, theirs in zip(several.margins, one.margins, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    told = table_rows.Encoding(encoder, schema, None, 4, True)
    X, y = zip(*engine.map(table_rows.encode, told)._partitions, strict=True)
    np.testing.assert_array_equal(
        np.vstack([part.toarray() for part in X]), gather_all(store, schema, encoder)[0].toarray()
    )
    assert np.concatenate(y).tolist() == gather_all(store, schema, encoder)[1].tolist()
    kept = np.array([0, 99, 199])
    assert engine.fold(table_rows.numbers_kept, dict.__or__, kept) == dict(
        zip(kept.tolist(), kept.tolist(), strict=True)
    )
    assert recoding.counts.sum() == 200


def test_squares_that_are_missed_are_added_up(rng):
    wanted, answered = rng.normal(size=(2, 90))
    one, parts = Tally(), [Tally() for _ in range(4)]
    one.add(wanted, answered, np.arange(90))
    for tally, some in zip(parts[1:], np.array_split(np.arange(90), 3), strict=True):  # the first stays empty
        tally.add(wanted[some], answered[some], some)
    several = reduce(lambda total, tally: [total.take(tally), total][1], parts, Tally())
    assert several.misses().r2 == pytest.approx(one.misses().r2)
    assert several.misses()[:1] == one.misses()[:1]
    np.testing.assert_array_equal(several.misses().residuals.counts, one.misses().residuals.counts)
    np.testing.assert_array_equal(several.misses().points, one.misses().points)


def test_a_partition_without_rows_has_features():
    told = table_rows.Encoding(None, Schema(labels=["cat", "dog"]), None, 3, True)
    X, y = table_rows.encode(0, BlockList([]), told)
    assert X.shape == (0, 3)
    assert y.size == 0
