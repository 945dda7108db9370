"""Numbers and dates as people write them are read as what they are, asked about, or said to be categories."""

import calendar
import datetime
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from sklearn.datasets import load_wine

import novikoff
from commands import refused, results, run
from files import read, said
from novikoff.rows.readers.arrow_columns import as_plain, fits
from novikoff.rows.readers.reading import Reading
from novikoff.rows.store.blocks import DECIMALS, PLAIN, THOUSANDS, Numeral, RowError, is_number

NUMERALS = st.builds(
    Numeral, st.sampled_from(DECIMALS), st.sampled_from(THOUSANDS), st.sampled_from(["", "%", "$", "€"])
).filter(lambda way: way.decimal != way.thousands)


def spelled(value: str, way: Numeral, before: bool) -> str:
    """A number such as -1234.5 written in some way."""
    sign, digits = ("-", value[1:]) if value.startswith("-") else ("", value)
    whole, _, rest = digits.partition(".")
    text = f"{int(whole):,}".replace(",", way.thousands) + (way.decimal + rest if rest else "")
    return f"{sign}{way.unit}{text}" if before else f"{sign}{text}{way.unit and ' '}{way.unit}"


@settings(max_examples=300)
@given(NUMERALS, st.decimals(-(10**9), 10**9, places=3, allow_nan=False), st.booleans())
def test_what_is_written_in_a_way_is_read_in_that_way(way, value, before):
    text = pa.array([spelled(f"{value:f}", way, before)])
    assert fits(text, way).to_pylist() == [True]
    assert float(as_plain(text, way)[0].as_py()) == float(value)


@settings(max_examples=500)
@given(st.text("0123456789+-.,'eEinfaty% $€()_", max_size=9) | st.floats().map(repr))
def test_is_number_is_what_arrow_reads(text):
    try:
        pa.scalar(text).cast(pa.float64())
        arrow = True
    except pa.ArrowInvalid:
        arrow = False
    assert is_number(text) is arrow
    if fits(pa.array([text]), PLAIN)[0].as_py():
        assert arrow


@settings(max_examples=60)
@given(way=NUMERALS, values=st.lists(st.integers(-(10**8), 10**8), min_size=2, max_size=6), data=st.data())
def test_columns_are_read_whatever_their_way(tmp_path_factory, way, values, data):
    places = data.draw(st.sampled_from([1, 2, 4]))
    texts = [spelled(f"{value / 100:.{places}f}", way, True) for value in values]
    path = tmp_path_factory.mktemp("spelled") / "f.csv"
    path.write_text("x|y\n" + "".join(f"{text}|{'ab'[k % 2]}\n" for k, text in enumerate(texts)))
    _, (numbers, _, _, _) = read(path, "y", delimiter="|", thousands=way.thousands, decimal=way.decimal, use=("x",))
    assert numbers[:, 0].tolist() == [float(f"{value / 100:.{places}f}") for value in values]


def column(file, *texts, **options):
    """A column of texts, read."""
    path = file("x;y;k\n" + "".join(f'"{text}";{"0.5" if k else 1};a\n' for k, text in enumerate(texts)))
    data, (numbers, _, _, _) = read(path, "k", **options)
    return data, numbers[:, 0].tolist()


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1,5", "2", "3"], [1.5, 2, 3]),
        (["1.234,5", "7"], [1234.5, 7]),
        (["1,234", "1,234,567"], [1234, 1234567]),
        (["1 234", "5"], [1234, 5]),
        (["1\u202f234,5", "5"], [1234.5, 5]),
        (["1'234.5", "2\u2019000"], [1234.5, 2000]),
        (["12%", "3.5 %"], [12, 3.5]),
        (["$1,234.50", "-$5", "$-6"], [1234.5, -5, -6]),
        (["12,50 €", "NA", "1.000,00 €"], [12.5, np.nan, 1000]),
        (["0,123", "0,456"], [0.123, 0.456]),
    ],
)
def test_ways_to_write_numbers_are_found(file, texts, values):
    data, numbers = column(file, *texts)
    np.testing.assert_array_equal(numbers, values)
    assert any("numbers are written like" in note and note.endswith(" in x") for note in data.notes)


def test_what_may_be_either_of_two_numbers_is_asked_about(file):
    message = said(file("x;k\n7;a\n1,234;b\n"), "k")
    assert message == (
        "f.csv:3:1: '1,234' in column 'x' may be 1234 or 1.234; pass thousands=',' or decimal=',' or categorical='x'."
    )
    assert column(file, "7", "1,234", decimal=",")[1] == [7, 1.234]
    assert column(file, "7", "1,234", thousands=",")[1] == [7, 1234]
    assert column(file, "7", "1,234")[1] == [7, 1234]  # another column has decimal points
    other = file("x;y;k\n1,234;1,5;a\n2,345;2;b\n")
    assert read(other, "k")[1][0].tolist() == [[1.234, 1.5], [2.345, 2]]
    points = file("x;y;k\n1.234;1,5;a\n2.345;2,5;b\n")
    assert "'1.234' in column 'x' may be 1234 or 1.234" in said(points, "k")
    assert read(points, "k", decimal=",")[1][0][:, 0].tolist() == [1234, 2345]


def test_columns_that_look_like_numbers_or_dates_are_said_to_be_categories(file):
    rows = "".join(f"CHF {k % 15}.50;2020-01-{k % 15 + 1:02};{'word' * (k % 3)};{'ab'[k % 2]}\n" for k in range(30))
    data, _ = read(file("price;when;text;y\n" + rows), "y")
    assert data.schema.categories == ["price", "text"]
    assert [note.split(": ", 1)[1].split(";")[0] for note in data.notes] == [
        "'when' looks like dates and is left out: the dates of new rows are seldom among those of training",
        "'price' looks like numbers ('CHF 0.50') and is read as categories",
    ]
    assert read(file("price;when;text;y\n" + rows), "y", categorical=("price", "when"))[0].notes == []


def test_texts_in_files_with_types_are_numbers_on_request(tmp_path, file):
    values = {"x": [f"{k},5" for k in range(5)], "z": [1.5] * 5, "y": list("ababa")}
    parquet.write_table(pa.table(values), tmp_path / "f.parquet")
    lines = "".join(json.dumps({name: column[k] for name, column in values.items()}) + "\n" for k in range(5))
    for path in (tmp_path / "f.parquet", file(lines, "f.jsonl")):
        data, _ = read(path, "y")
        assert data.schema.categories == ["x"]
        assert any("'x' looks like numbers" in note and "numeric='x'" in note for note in data.notes)
        assert read(path, "y", numeric=("x",))[1][0][:, 0].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]
    mixed = file(lines + '{"x": 9.5, "z": 2, "y": "a"}\n', "mixed.jsonl")  # a number among texts of numbers
    assert read(mixed, "y", numeric=("x",))[1][0][-1].tolist() == [9.5, 2]


def test_wine_with_decimal_commas_is_the_same_wine(tmp_path):
    wine = load_wine(as_frame=True).frame.astype({"target": str})
    wine.to_csv(tmp_path / "points.csv")
    wine.to_csv(tmp_path / "commas.csv", sep=";", decimal=",", index=False)
    points, commas = (
        results("fit", tmp_path / f"{name}.csv", "-t", "target", "-o", tmp_path / name) for name in ("points", "commas")
    )
    assert len(points["columns"]) == len(commas["columns"]) == points["features"] == commas["features"] == 13
    assert points["test"]["score"] == commas["test"]["score"] > 0.9
    ours, theirs = (novikoff.load(tmp_path / name)[-1].coef_ for name in ("points", "commas"))
    np.testing.assert_array_equal(ours, theirs)
    for model in ("points", "commas"):  # each reads files written as its own unless told otherwise
        for name, decimal in (("points", "."), ("commas", ",")):
            told = run("predict", tmp_path / model, tmp_path / f"{name}.csv", "--decimal", decimal)[0]
            assert told == run("predict", tmp_path / "points", tmp_path / "points.csv")[0]
    assert run("predict", tmp_path / "commas", tmp_path / "commas.csv")[0] == told
    assert "pass --decimal , (if all are written so)" in refused(
        "predict", tmp_path / "points", tmp_path / "commas.csv"
    )
    assert "pass --decimal . (if all are written so)" in refused(
        "predict", tmp_path / "commas", tmp_path / "points.csv"
    )


def test_ways_of_writing_are_kept_with_the_model(write, tmp_path):
    path = write("price;rate;y\n" + "".join(f"{k}.{k}00,50 €;{k}%;{'ab'[k % 2]}\n" for k in range(1, 8)) + "?;-9;a\n")
    run("fit", path, "-t", "y", "-o", tmp_path / "m", "--na", "-9")
    cells = novikoff.load(tmp_path / "m")[0].cells_
    assert cells.numerals == {"price": (",", ".", "€"), "rate": (",", "", "%")}
    assert "-9" in cells.missing
    new = write("price;rate\n1.100,50 €;-9\n?;3%\n", "new.csv")
    assert len(run("predict", tmp_path / "m", new)[0].splitlines()) == 3
    wrong = write("price;rate\n1.100,50;3%\n", "wrong.csv")
    assert refused("predict", tmp_path / "m", wrong).startswith(
        f"{wrong}:2:1: '1.100,50' is not a number, though column 'price' holds numbers written like €1.234,5"
    )


@settings(max_examples=200)
@given(
    st.datetimes(datetime.datetime(1000, 1, 1)),
    st.sampled_from(["%Y-%m-%d %H:%M", "%d.%m.%Y", "%m/%d/%Y", "%Y/%m/%dT%H:%M:%SZ"]),
)
def test_parts_of_dates_are_those_of_the_calendar(when, how):
    from novikoff.rows.readers.arrow_columns import date_parts

    when = when.replace(microsecond=0, second=0 if "%S" not in how else when.second)
    order = "".join(letter.lower() for letter in how if letter in "Ymd")[:3]
    parts = date_parts(pa.array([when.strftime(how), None]), order, "x")
    hour = when.hour + when.minute / 60 + when.second / 3600 if "%H" in how else 0
    wanted = [when.year, when.month, when.day, calendar.weekday(when.year, when.month, when.day) + 1, hour]
    assert [values[0] for values in parts.values()] == pytest.approx(wanted)
    assert all(np.isnan(values[1]) for values in parts.values())


def test_dates_are_taken_apart_on_request(write, tmp_path):
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=9 * k) for k in range(40)]
    late = ["late" if day.month > 6 else "early" for day in days]
    text = write("when,y\n" + "".join(f"{day:%d/%m/%Y},{label}\n" for day, label in zip(days, late, strict=True)))
    typed = tmp_path / "typed.parquet"
    parquet.write_table(pa.table({"when": days, "y": late}), typed)
    names = ["when (year)", "when (month)", "when (day)", "when (weekday)"]
    scores = []
    for path in (text, typed):
        found = results("fit", path, "-t", "y", "--dates", "parts", "-o", tmp_path / "m", "--no-test")
        assert [each["name"] for each in found["columns"]] == names
        scores.append(found["fit"]["training"]["score"])
        for other in (text, typed):  # the model takes either
            if path == text or other == typed:
                assert results("score", tmp_path / "m", other)["score"] == scores[0]
        frame = pa.table({"when": days})
        told = run("predict", tmp_path / "m", path)[0].split()[1:]
        assert novikoff.load(tmp_path / "m").predict(frame).tolist() == told
    assert "splits dates into parts ('when')" in refused("export", tmp_path / "m", "--to", "c", "-o", tmp_path / "m.c")
    wrong = write("when\n30/02/2020\n", "wrong.csv")
    run("fit", text, "-t", "y", "--dates", "parts", "-o", tmp_path / "m", "--no-test")
    assert refused("predict", tmp_path / "m", wrong).startswith(f"{wrong}:2:1: '30/02/2020' is not a date")
    with pytest.raises(RowError, match="is not a date"):
        novikoff.load(tmp_path / "m").predict(pa.table({"when": ["30/02/2020"]}))


def test_days_and_months_are_not_confused(file):
    path = file("when,y\n" + "".join(f"{k % 6 + 1}/{k % 5 + 1}/2020,{'ab'[k % 2]}\n" for k in range(12)))
    assert "f.csv:2:1: '1/1/2020' in column 'when' may begin with the day or with the month" in said(
        path, "y", dates="parts"
    )
    day, month = (read(path, "y", dates=f"{first}-first")[1][0] for first in ("day", "month"))
    assert day[:, 1].tolist() == month[:, 2].tolist() == [k % 5 + 1 for k in range(12)]
    with pytest.raises(ValueError, match="dates is one of"):
        Reading(dates="words")
    for wrong in ({"decimal": ";"}, {"thousands": "x"}, {"decimal": ",", "thousands": ","}):
        with pytest.raises(ValueError, match="got"):
            Reading(**wrong)


def test_a_value_missing_from_dates_is_named_where_it_stands(write, tmp_path):
    path = write("when,y\n" + "".join(f"2020-0{k % 9 + 1}-11,{'ab'[k % 2]}\n" for k in range(20)))
    run("fit", path, "-t", "y", "--dates", "parts", "-o", tmp_path / "m", "--no-test")
    gap = write("y,when\na,\n", "gap.csv")
    assert refused("predict", tmp_path / "m", gap, "--unseen", "error").startswith(
        f"{gap}:2:3: the value of 'when (year)' is missing"
    )
    assert run("predict", tmp_path / "m", gap, "--unseen", "zeros")[0].count("\n") == 2


def test_a_column_that_is_learned_from_is_no_column_of_labels(write, tmp_path):
    path = write("when,x,y\n" + "".join(f"2020-0{k % 9 + 1}-11,{k % 7},{'ab'[k % 2]}\n" for k in range(20)))
    run("fit", path, "-t", "y", "--dates", "parts", "-o", tmp_path / "m", "--no-test")
    for target in ("when", "x", "when (year)"):
        assert "is a column that the model predicts from" in refused("score", tmp_path / "m", path, "-t", target)
    clash = write("when,when (day),y\n2020-01-11,1,a\n2021-01-11,2,b\n", "clash.csv")
    assert "the name 'when (day)' is needed for a part of dates" in refused("fit", clash, "-t", "y", "--dates", "parts")
    assert "the target 'when' holds labels such as '2020-01-11', not numbers" in refused(
        "fit", path, "-t", "when", "--dates", "parts", "--learner", "adaline-regressor"
    )
