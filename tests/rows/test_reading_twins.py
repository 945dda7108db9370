"""The readers' kernels against plain Python: numbers to the last bit, rows, fields."""

import csv
import io
import math
import random
import re
import struct
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import csv as arrow_csv

from common import plain_only
from novikoff.rows.readers.byte_sources import Chunk, line_end
from novikoff.rows.readers.csv_text import (
    CATEGORY,
    Delimited,
    columns_of_numbers,
    find_fields,
    parse_plain,
    record_end,
)
from novikoff.rows.readers.decimals import AT_ONCE, read_digits, read_short
from novikoff.rows.readers.libsvm import REASONS, parse
from novikoff.rows.readers.reading_options import Fault, Reading, ReadingPlan
from novikoff.rows.readers.tables import make_part
from novikoff.rows.store.blocks import Cells, Numeral

pytestmark = pytest.mark.plain_python

DIGITS = st.text("0123456789", max_size=25)
NUMBERS = st.builds(
    lambda sign, whole, dot, part, e: sign + (whole + dot + part if dot else whole) + e,
    st.sampled_from(["", "-", "+"]),
    DIGITS,
    st.sampled_from(["", "."]),
    DIGITS,
    st.one_of(
        st.just(""), st.integers(-340, 340).map(lambda k: f"e{k}"), st.integers(0, 30).map(lambda k: f"E+{k:03}")
    ),
)


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


SHORT = re.compile(rb"-?(\d+\.?\d*|\.\d+)")


@settings(max_examples=1000)
@example("0.123456")
@example("-1.2345")
@example("12345678")
@example("1.5,2.5")
@example("1.2.3")
@example("-0.0")
@given(
    st.one_of(st.text("0123456789.", max_size=10), st.text("0123456789.-", max_size=10), st.text("09.-+/:e, \n\x80é"))
)
def test_short_numbers_are_read_eight_bytes_at_a_time(text):
    data = b"x" + text.encode() + b"," * AT_ONCE
    run = re.match(rb"-?[\d.]*", data[1:9]).group()
    value, end, found = read_short(data, 1)
    assert found == bool(SHORT.fullmatch(run) and (float(run) or run[:1] != b"-"))
    if found:
        assert (end, bits(value)) == (1 + len(run), bits(float(run)))
    digits = re.match(rb"\d*", data[1:9]).group()
    assert read_digits(data, 1) == (int(digits or b"0"), 1 + len(digits))


@settings(max_examples=200)
@example(["9007199254740992", "9007199254740993", "9007199254740992e22", "1e22", "1e23", "1e-22", "1e-23"])
@example(
    ["-0", "+.5", "5.", "4.9e-324", "2.4e-324", "1.7976931348623157e308", "0" * 30 + "1.5" + "0" * 30, "1" + "0" * 80]
)
@given(st.lists(NUMBERS, min_size=1, max_size=8))
def test_numbers_are_those_of_python_to_the_last_bit(texts):
    for text in texts:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        line = f"1 1:{text}\n{text or '?'} 1:1\n".encode()
        if math.isfinite(value):
            found = parse(line, True, False, None)
            assert bits(found.values[0]) == bits(found.labels[1]) == bits(value)
        else:
            with pytest.raises(Fault):
                parse(line, True, False, None)


@settings(max_examples=100)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_any_float_survives_being_written(values):
    line = "1 " + " ".join(f"{place}:{value!r}" for place, value in enumerate(values, 1))
    assert parse(line.encode(), True, False, None).values.tobytes() == np.array(values).tobytes()


def rows_in_python(text: str):
    """LIBSVM's format, slowly."""
    labels, rows = [], []
    for line in text.splitlines():
        tokens = line.split("#")[0].split()
        if tokens:
            labels.append(float(tokens[0]))
            pairs = [token.split(":") for token in tokens[1:] if not token.startswith("qid:")]
            rows.append([(int(index) - 1, float(value)) for index, value in pairs])
    return labels, rows


def test_rows_are_those_of_the_slow_reader():
    rng = random.Random(3)
    for _ in range(50):
        lines = []
        for _ in range(rng.randint(0, 12)):
            indices = sorted(rng.sample(range(1, 40), rng.randint(0, 6)))
            numbers = [
                rng.choice(["1", "-2.5", "1e-5", f"{rng.random()!r}", "0.1000000000000000055511151"]) for _ in indices
            ]
            pairs = [f"{index}:{number}" for index, number in zip(indices, numbers, strict=True)]
            parts = [rng.choice(["1", "-1", "0.5"]), *rng.choice([[], ["qid:3"]]), *pairs, *rng.choice([[], ["# a:b"]])]
            lines.append(rng.choice(["", " "]) + rng.choice([" ", "  ", "\t"]).join(parts) + rng.choice(["", " "]))
            lines += rng.choice([[], [""], ["#"]])
        text = rng.choice(["\n", "\r\n"]).join(lines)
        found = parse(text.encode(), True, False, None)
        labels, rows = rows_in_python(text)
        assert found.labels.tolist() == labels
        assert np.diff(found.starts).tolist() == [len(row) for row in rows]
        assert list(zip(found.indices.tolist(), found.values.tolist(), strict=True)) == [
            pair for row in rows for pair in row
        ]
        assert found.width == max((row[-1][0] + 1 for row in rows if row), default=0)
        assert found.queries == any("qid" in line for line in lines)
    assert len(REASONS) == 7


@settings(max_examples=200)
@given(st.text('ab",\n\r', max_size=40))
def test_fields_are_those_of_the_csv_module_and_of_arrow(text):
    fields = find_fields(text.encode(), ",")
    theirs = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    assert [fields.record(number) for number in range(len(fields))] == [[t.strip() for t in row] for row in theirs]
    if len(fields) and fields.opened < 0 and len(set(fields.widths.tolist())) == 1:
        names = [str(place) for place in range(fields.widths[0])]
        table = arrow_csv.read_csv(
            pa.BufferReader(text.encode()),
            arrow_csv.ReadOptions(column_names=names, use_threads=False),
            arrow_csv.ParseOptions(newlines_in_values=True),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
        )
        assert [list(row.values()) for row in table.to_pylist()] == theirs


@settings(max_examples=200)
@given(st.text('ab",\n\r', max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_text_is_cut_between_records(text, before, place):
    whole = find_fields(text.encode(), ",")
    before = min(before, place, len(text))
    left, new = text.encode()[:before], text.encode()[before:place]
    end = record_end(left, new, ",")
    assert 0 <= end <= line_end(new)
    end = before + end if end else 0
    first, rest = (find_fields(part, ",") for part in (text.encode()[:end], text.encode()[end:]))
    pieces = [part.record(number) for part in (first, rest) for number in range(len(part))]
    assert pieces == [whole.record(number) for number in range(len(whole))]


FIELDS_AND_ENDS = [
    "1",
    "-2.5",
    "0.123456789",
    "1e5",
    ".",
    "-1234567",
    "12345678",
    "x",
    " ",
    *",,,",
    *"\n\n",
    "\r",
    "\r\n",
]
PAIRS_AND_ENDS = ["1", "-1", "1.5", "2:3 ", "10:0.5 ", "123456789:1", "qid:", "#", *"::", *"  ", *"\n\r"]


@plain_only  # plain Python notices a place outside an array, machine code does not
@settings(max_examples=500)
@given(st.lists(st.sampled_from(FIELDS_AND_ENDS)), st.lists(st.sampled_from(PAIRS_AND_ENDS)), st.integers(1, 4))
def test_no_kernel_leaves_its_arrays(table, sparse, width):
    chunk, names = Chunk("".join(table).encode(), 0, 0, True), [str(place) for place in range(width)]
    assert columns_of_numbers(chunk, ",", names) <= set(names)
    with suppress(Fault):
        parse("".join(sparse).encode(), True, False, None)


NUMBER_FIELDS = [
    "1",
    "-2.5",
    "NA",
    "",
    " 3 ",
    "1e5",
    "0.1234567890123456789",
    "nan",
    "+7",
    "?",
    " ?",
    "-0",
    "1e-320",
    "\t5",
]
PLAN = ReadingPlan(("x", "y"), ("c",), "k", "classes", Cells(tuple(Reading().missing)))
WRITTEN = replace(PLAN.cells, numerals={"x": Numeral(",", ".")}, dates={"y": "ymd"})


def by_either_way(text, plan):
    """Rows read straight into arrays, and by way of Arrow's texts; None for what is refused."""
    chunk = Chunk(text.encode(), 0, 0, True)
    reader = Delimited.__new__(Delimited)
    reader.names, reader._delimiter = ["k", "x", "c", "y"], ","
    types = dict.fromkeys(plan.texts, CATEGORY) | dict.fromkeys([*plan.plain, *plan.spelled], pa.string())
    for way in (
        lambda: parse_plain(chunk, ",", reader.names, plan),
        lambda: make_part(reader._columns(chunk, types, plan.missing), plan),
    ):
        try:
            yield way()
        except (Fault, pa.ArrowException):
            yield None


@pytest.mark.parametrize(
    "plan",
    [
        PLAN,
        replace(PLAN, drop=True),
        replace(PLAN, target="y", task="numbers", numbers=("x",)),
        replace(PLAN, cells=replace(WRITTEN, dates={})),
        replace(PLAN, cells=WRITTEN, numbers=("x", "y (month)", "y (hour)")),
    ],
)
def test_both_ways_through_delimited_text_agree(plan):
    rng = random.Random(5)
    read = 0
    for _ in range(200):
        odd = rng.choice([[], [], [], ["abc"], ["inf"], ["1e999"], ["1,2"]])
        fields = [
            ["a", "b ", " c", "ä"],
            (["1.234", " -2", "5", "?"] if "x" in plan.cells.numerals else NUMBER_FIELDS) + odd,
            ["u", "v", "?", ""],
            ["2020-02-29", "", "2021/1/3 12:30"] if plan.cells.dates else NUMBER_FIELDS[:2] * 20 + NUMBER_FIELDS,
        ]
        lines = [",".join(rng.choice(field) for field in fields) for _ in range(rng.randint(1, 6))]
        text = rng.choice(["\n", "\r\n", "\r", "\n\n"]).join(lines) + rng.choice(["", "\n"])
        straight, arrow = by_either_way(text, plan)
        assert (straight is None) == (arrow is None), text
        if straight is not None and arrow is not None:
            read += 1
            np.testing.assert_array_equal(straight.numbers, arrow.numbers)
            np.testing.assert_array_equal(np.signbit(straight.numbers), np.signbit(arrow.numbers))
            np.testing.assert_array_equal(straight.rows, arrow.rows)
            assert str(straight.categories) == str(arrow.categories)
            assert str(straight.target) == str(arrow.target)
    assert 20 < read < 200
