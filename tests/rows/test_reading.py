"""Files of every format become the same blocks, and what is wrong with them is said where it stands."""

import gzip
import io
import os
import runpy
import subprocess
import sys
import threading
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import compute as pc
from pyarrow import feather, parquet
from pyarrow import json as arrow_json

from common import ROOT
from files import joined, read, said
from novikoff.report.words import installing
from novikoff.rows.readers import byte_sources
from novikoff.rows.readers import csv_text as heads
from novikoff.rows.readers.byte_sources import FileSource
from novikoff.rows.readers.columnar import ParquetFile
from novikoff.rows.readers.jsonlines import JsonLines
from novikoff.rows.readers.libsvm import parse
from novikoff.rows.readers.reading import Reading, open_data
from novikoff.rows.readers.reading_options import Fault, ReadingPlan
from novikoff.rows.readers.tables import make_part
from novikoff.rows.store.blocks import Column, DataError, Schema

EXAMPLES = ROOT / "examples"
TABLES = ["csv", "tsv.gz", "parquet", "arrow", "jsonl"]


@pytest.mark.parametrize("ending", TABLES)
def test_every_format_of_the_penguins_is_the_same_table(ending):
    data, (numbers, codes, target, rows) = read(EXAMPLES / f"penguins.{ending}", "species")
    schema = data.schema
    assert schema.numbers == ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g", "year"]
    assert schema.levels == {"island": ["Torgersen", "Biscoe", "Dream"], "sex": ["male", "female"]}
    assert schema.labels == ["Adelie", "Gentoo", "Chinstrap"]
    assert rows.tolist() == list(range(344))
    assert np.bincount(target).tolist() == [152, 124, 68]
    assert numbers[0].tolist() == [39.1, 18.7, 181, 3750, 2007]
    assert (codes == -1).sum(axis=0).tolist() == [0, 11]
    assert np.isnan(numbers).sum(axis=0).tolist() == [2, 2, 2, 2, 0]
    _, reference = read(EXAMPLES / "penguins.csv", "species")
    for mine, theirs in zip((numbers, codes, target, rows), reference, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_sparse_penguins_are_the_rows_without_gaps():
    data = open_data([EXAMPLES / "penguins.svm"], "label")
    (block,) = data.blocks()
    table, (numbers, _, target, rows) = read(EXAMPLES / "penguins.csv", "species", drop_missing=True)
    assert table.dropped == 11
    assert data.schema.n_features == 4
    np.testing.assert_allclose(block.values.reshape(-1, 4), numbers[:, :4] / [10, 10, 100, 1000], rtol=1e-15)
    assert (np.diff(block.starts) == 4).all()
    number = {"Adelie": "1", "Chinstrap": "2", "Gentoo": "3"}
    assert [data.schema.labels[c] for c in block.target] == [number[table.schema.labels[c]] for c in target]
    assert rows[3] == 4  # the fourth penguin has gaps
    assert table.locate(4, "bill_length_mm").endswith("penguins.csv:6:18")


def test_the_script_writes_the_same_files_again(tmp_path, monkeypatch):
    runpy.run_path(str(EXAMPLES / "penguins_formats.py"))["main"](tmp_path)
    for ending in ("jsonl", "svm"):
        assert (tmp_path / f"penguins.{ending}").read_bytes() == (EXAMPLES / f"penguins.{ending}").read_bytes()
    for ending in ("parquet", "arrow", "tsv.gz"):
        assert (tmp_path / f"penguins.{ending}").exists()


@pytest.mark.parametrize("size", [1, 7, 100])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "svm"])
def test_chunks_do_not_change_the_rows(monkeypatch, ending, size):
    target = "label" if ending == "svm" else "species"
    path = EXAMPLES / f"penguins.{ending}"
    whole = open_data([path], target)
    cut = open_data([path], target)
    (block,) = whole.blocks()
    place = whole.locate(200)
    monkeypatch.setattr(byte_sources, "CHUNK", size * 50)
    done: list[int] = []
    pieces = list(cut.blocks(done.append))
    assert len(pieces) > 1
    assert sum(done) == cut.size == path.stat().st_size
    assert cut.schema == whole.schema
    for name in ("numbers", "codes", "target", "rows") if ending != "svm" else ("values", "indices", "target", "rows"):
        np.testing.assert_array_equal(np.concatenate([getattr(p, name) for p in pieces]), getattr(block, name))
    assert cut.locate(200) == place
    assert place.endswith(f"penguins.{ending}:{202 if ending == 'csv' else 201}")


def test_quotes_hide_delimiters_and_newlines(file, monkeypatch):
    monkeypatch.setattr(byte_sources, "CHUNK", 3)
    text = 'kind,note,x\n"a, ""b""","two\nlines",1\n5" pipe,"x\r\ny"z,2\n\n"",w,3\n'
    data, (numbers, codes, _, _) = read(file(text), numeric=("x",))
    assert data.schema.levels == {"kind": ['a, "b"', '5" pipe'], "note": ["two\nlines", "x\r\nyz", "w"]}
    assert numbers.ravel().tolist() == [1, 2, 3]
    assert codes[:, 0].tolist() == [0, 1, -1]
    assert data.locate(0, "x").endswith(":3:8")
    assert data.locate(1, "note").endswith(":4:9")
    assert data.locate(2, "x").endswith(":7:6")


def test_line_ends_marks_and_encodings(file):
    lines = ["kind;größe", "ä;1", "ö;2,5", "ä;"]
    variants = {
        "unix": ("\n".join(lines), "utf-8"),
        "bom": ("\ufeff" + "\r\n".join(lines) + "\r\n", "utf-8"),
        "mac": ("\r".join(lines) + "\r", "utf-8"),
        "latin": ("\n".join(lines), "latin-1"),
        "utf16": ("\ufeff" + "\n".join(lines) + "\n\n", "utf-16-le"),
    }
    for text, encoding in variants.values():
        path = file(text.replace("2,5", "2.5").encode(encoding))
        data, (numbers, codes, _, _) = read(path, encoding="utf-8" if encoding == "utf-16-le" else encoding)
        np.testing.assert_array_equal(numbers.ravel(), [1, 2.5, np.nan])
        assert data.schema.levels == {"kind": ["ä", "ö"]}
        assert codes.ravel().tolist() == [0, 1, 0]
        assert data.locate(1, "größe").endswith(":3:3")


def test_blanks_around_fields_do_not_count(file):
    data, (numbers, codes, _, _) = read(file("age, work, hours\n39, State gov, 40\n50, ?, NA\n 38 ,Private,  \n"))
    np.testing.assert_array_equal(numbers, [[39, 40], [50, np.nan], [38, np.nan]])
    assert data.schema.levels == {"work": ["State gov", "Private"]}
    assert codes.ravel().tolist() == [0, -1, 1]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,x\n", True),
        ("1,x\n2,y\n", False),
        ("p,x\np,y\ne,x\n", False),
        ("cap,edible\nflat,p\nbell,e\n", True),
        ("a\tb\n1\t2\n", True),
        ("a|b|c\n1|2|3\n4|5|6\n", True),
    ],
)
def test_headers_and_delimiters_are_guessed(file, text, header):
    data, parts = read(file(text))
    assert bool(data.notes) is not header
    assert len(parts[3]) == text.count("\n") - header
    assert len(data.schema.columns) == 2 + text.count("|") // 6
    if not header:
        assert "column1 to column2" in data.notes[0]
        assert data.schema.columns[1].name == "column2"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain.csv", "x,z,y\n-999,1,a\n5,-999.0,b\n"),
        ("quoted.csv", 'x,z,y\n-999,1,"a"\n5,-999.0,b\n'),
        ("lines.jsonl", '{"x": -999, "z": 1, "y": "a"}\n{"x": 5, "z": -999.0, "y": "b"}\n'),
        ("columns.parquet", None),
    ],
)
def test_numbers_may_mean_missing(file, tmp_path, name, text):
    if text is None:
        parquet.write_table(pa.table({"x": [-999, 5], "z": [1, -999.0], "y": ["a", "b"]}), tmp_path / name)
    path = tmp_path / name if text is None else file(text, name)
    _, (numbers, _, _, _) = read(path, "y", na=("-999",))
    np.testing.assert_array_equal(numbers, [[np.nan, 1], [5, np.nan]])
    _, (numbers, _, _, _) = read(path, "y")
    assert numbers.tolist() == [[-999, 1], [5, -999]]
    _, (_, _, target, _) = read(path, "z", "numbers", na=("-999",), drop_missing=True, ignore=("x",))
    assert target.tolist() == [1]


def test_delimiters(file):
    path = file("x y z\n1.23456789  b\n 2 c\n")
    _, (numbers, codes, _, _) = read(path, delimiter=" ")
    np.testing.assert_array_equal(numbers, [[1.23456789, np.nan], [np.nan, 2]])
    assert codes[:, 0].tolist() == [0, 1]
    for wrong in (".", "-", "e", "7", '"', "\n", "::"):
        with pytest.raises(ValueError, match="no part of numbers"):
            Reading(delimiter=wrong)


@pytest.mark.parametrize("rows", range(1, 6))
def test_a_short_row_behind_empty_fields(file, rows):
    path = file(",,\n" * rows + "1\n")
    assert f"f.csv:{rows + 1}:" in said(path, header=False)


def test_blank_lines_take_no_room(file):
    names = ",".join(f"x{j}" for j in range(3000))
    path = file(names + "\n" + ",".join(["1"] * 3000) + "\n" * 2_000_000)
    assert read(path)[1][0].shape == (1, 3000)


def test_options_about_columns(file):
    path = file("id,zip,x,y\n1,8001,2,a\n2,3011,-,b\n3,8001,5,a\n")
    data, (numbers, _, _, _) = read(path, "y", categorical=("zip",), ignore=("id",), na=("-",))
    assert data.schema.columns == (("zip", "category"), ("x", "number"))
    assert data.schema.levels == {"zip": ["8001", "3011"]}
    np.testing.assert_array_equal(numbers.ravel(), [2, np.nan, 5])
    data, (_, _, target, _) = read(path, "zip", "numbers", ignore=("x",))
    assert target.tolist() == [8001, 3011, 8001]
    assert data.schema.numbers == ["id"]


ERRORS = {
    "text among numbers": (
        "a,b\n1,2\n3,abc\n4,5\n",
        {},
        "f.csv:3:3: 'abc' is not a number, though column 'b' holds numbers; "
        "correct it, or pass na='abc', or categorical='b'.",
    ),
    "first in row order": ("a,b\n1,2\n3,4\n3,y\nx,4\n5,6\n7,8\n", {}, "f.csv:4:3: 'y' is not"),
    "too few": ("a,b\n1,2\n3\n", {}, "f.csv:3:2: 1 field, where 2 columns need 2"),
    "too many": ("a,b\n1,2\n3,4,5\n", {}, "f.csv:3:5: 3 fields, where 2 columns need 2"),
    "blank before a quote": (
        'a,b\n1, "x, y"\n',
        {},
        "f.csv:2:7: 3 fields, where 2 columns need 2; correct the line (a quote",
    ),
    "unclosed": ('a,b\n1,x\n2,"y\n3,z\n', {}, "f.csv:3:3: a quote opens here and is never closed"),
    "bytes": (
        b"a,b\n1,x\n2,\xe4y\n",
        {},
        "f.csv:3:3: byte 0xe4 is not valid UTF-8; pass the file's own encoding, say encoding='latin-1'",
    ),
    "bytes in utf-16": (b"\xff\xfea\0,\0b\0\n\x001\0\0\xd8\n\0", {}, "f.csv:2: byte 0x00 is not valid in utf-16"),
    "bytes in a name": (b"a,\xe4\n1,x\n", {}, "f.csv:1:3: the column's name is not valid UTF-8"),
    "inf": ("a,b\n1,2\n3,inf\n", {}, "f.csv:3:3: 'inf' in column 'b' is not a finite number"),
    "overflow": ("a,b\n1,2\n-1e999,3\n", {}, "f.csv:3:1: '-1e999' in column 'a' is not a finite number"),
    "twice": ("a,b,a\n1,2,3\n", {}, "f.csv:1:5: two columns are named 'a'; rename"),
    "no name": ("a,,c\n1,2,3\n", {}, "f.csv:1:3: column 2 has no name"),
    "header only": ("a,b\n", {}, "f.csv: has a header and no rows"),
    "blank lines": ("\n\n\r\n", {}, "f.csv: is empty"),
    "empty": ("", {}, "f.csv: is empty"),
    "binary": (b"\x7fELF\0\0\0\0", {}, "f.csv: has NUL bytes"),
    "parquet": (b"PAR1\0\0\0\0PAR1", {}, "f.csv: cannot be read: "),
    "no such encoding": ("a\n1\n", {"encoding": "klingon"}, "f.csv: there is no text encoding 'klingon'"),
    "target": (
        "length,sex\n1,m\n",
        {"target": "lenght"},
        "f.csv: has no column 'lenght'; did you mean 'length'? its col",
    ),
    "ignored": ("a,b\n1,2\n", {"ignore": ("c",)}, "f.csv: has no column 'c'"),
    "nothing left": ("a,b\n1,2\n", {"target": "a", "ignore": ("b",)}, "f.csv: has no column to learn from"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_what_is_wrong_with_delimited_text(file, case):
    text, options, message = ERRORS[case]
    assert said(file(text), **options).startswith(message)


LINES = {
    "label": ("1 1:2\nx 1:2\n", {}, "f.svm:2:1: 'x' is not a number, as a row's label must be"),
    "no colon": ("1 1:2 3\n", {}, "f.svm:1:7: '3' has no colon"),
    "index": ("1 1:2 a:3\n", {}, "f.svm:1:7: 'a:3' is not an index"),
    "negative": ("1 -1:2\n", {}, "f.svm:1:3: '-1:2' is not an index"),
    "value": ("1 1:2\n\n1 2:x # c\n", {}, "f.svm:3:3: '2:x' has no number"),
    "no value": ("1 1: 2:3\n", {}, "f.svm:1:3: '1:' has no number"),
    "inf": ("1 1:inf\n", {}, "f.svm:1:3: '1:inf' has no number"),
    "overflow": ("1 1:1e999\n", {}, "f.svm:1:5: '1e999' is too large for a number"),
    "order": ("1 3:1 2:1\n", {}, "f.svm:1:7: the index of '2:1' is not larger"),
    "twice": ("1 2:1 2:1\n", {}, "f.svm:1:7: the index of '2:1' is not larger"),
    "zero": ("1 1:1\n1 0:1\n", {}, "f.svm:2:3: '0:1' has index 0, while indices count from 1; if"),
    "width": ("1 1:1 5:1\n", {"n_features": 4}, "f.svm:1:7: the index of '5:1' is larger than the 4 features"),
    "huge": ("1 99999999999:1\n", {}, "f.svm:1:3: the index of '99999999999:1' is larger"),
    "empty": ("# nothing\n\n", {}, "f.svm: has no rows"),
    "name": ("1 1:1\n", {"target": "y"}, "f.svm: sparse rows (LIBSVM) start with their target"),
}


@pytest.mark.parametrize("case", LINES)
def test_what_is_wrong_with_sparse_rows(file, case):
    text, options, message = LINES[case]
    assert said(file(text, "f.svm"), **({"target": "label"} | options)).startswith(message)


def test_indices_fit_whatever_width_a_model_claims():
    """Beyond 31 bits an index would come back negative."""
    for text in ("1 2147483647:1", "1 2147483648:1", "1 99999999999999999999:1"):
        with pytest.raises(Fault, match="larger than the 2,147,483,647 features"):
            parse(text.encode(), True, True, 2**40)
    assert parse(b"1 2147483646:1", True, True, 2**40).indices.tolist() == [2**31 - 2]


def test_a_column_has_one_place():
    for names in (("a", "a"), ()), (("a",), ("a",)), (("y",), ()), ((), ("y",)):
        with pytest.raises(ValueError, match="A column is read once"):
            ReadingPlan(*names, target="y", task="classes")


def test_sparse_rows_as_written(file):
    path = file("+1 1:0.5\tqid:7 4:-2e1 # why\r\n\r\n# only a comment\n2.50\n -0 2:0\r3 1:.1", "f.svm")
    data = open_data([path], "label")
    (block,) = data.blocks()
    assert data.schema.labels == ["1", "2.5", "0", "3"]
    assert data.schema.n_features == 4
    assert data.notes == [f"{path}: qid: pairs are ignored"]
    assert block.values.tolist() == [0.5, -20, 0, 0.1]
    assert block.indices.tolist() == [0, 3, 1, 0]
    assert block.starts.tolist() == [0, 2, 2, 3, 4]
    assert data.locate(2).endswith("f.svm:5")
    data = open_data([path], "label", task="numbers", reading=Reading(zero_based=True, n_features=9))
    (block,) = data.blocks()
    assert block.target.tolist() == [1, 2.5, 0, 3]
    assert (block.indices.tolist(), data.schema.n_features) == ([1, 4, 2, 1], 9)
    (block,) = open_data([file("1:2 3:4\n5 1:6\n", "g.svm")], None).blocks()
    assert (block.values.tolist(), len(block.target)) == ([2, 4, 6], 0)


JSONS = {
    "not an object": ('{"a": 1}\n[2]\n', {}, "f.jsonl:2: a line is one object"),
    "cut off": ('{"a": 1}\n\n{"a": 2\n', {}, "f.jsonl:3: this is not a JSON object"),
    "two": ('{"a": 1}{"a": 2}\n', {}, "f.jsonl:1: this is not a JSON object: Extra data"),
    "twice": ('{"a": 1, "a": 2}\n', {}, "f.jsonl:1: this is not a JSON object: a key stands twice"),
    "nested": ('{"a": 1}\n{"a": [1]}\n', {}, "f.jsonl:2: 'a' holds a list or an object"),
    "text": ('{"a": 1}\n{"a": 2}\n{"a": "x"}\n', {}, "f.jsonl:3: 'x' is not a number, though column 'a' holds"),
    "huge": (
        '{"a": 1}\n{"a": 1' + 10_000 * "0" + "}\n",
        {},
        f"f.jsonl:2: '1{36 * '0'}...' in column 'a' is not a finite number",
    ),
    "deep": (
        '{"a": 1}\n{"a": ' + 100_000 * "[" + "\n",
        {},
        "f.jsonl:2: this is not a JSON object: it is nested too deeply; correct",
    ),
    "inf": ('{"a": 1}\n{"a": 1e999}\n', {}, "f.jsonl:2: 'inf' in column 'a' is not a finite number"),
    "half a character": ('{"a": "\\ud800"}\n', {}, "f.jsonl:1: this is not a JSON object"),
    "bytes": (b'{"a": "\xff"}\n', {}, "f.jsonl:1: byte 0xff is not valid UTF-8"),
    "empty": ("", {}, "f.jsonl: is empty"),
}


@pytest.mark.parametrize("case", JSONS)
def test_what_is_wrong_with_json_lines(file, case):
    text, options, message = JSONS[case]
    assert said(file(text, "f.jsonl"), **options).startswith(message)


def test_json_keys_may_be_absent_but_not_new(file, monkeypatch):
    monkeypatch.setattr(byte_sources, "CHUNK", 40)
    path = file('{"k": "a", "x": 1, "t": true}\n{"t": false}\n{"k": 2, "z": [1]}\n', "f.jsonl")
    assert said(path).startswith("f.jsonl:3: key 'z' is new here")
    data, (numbers, codes, _, _) = read(path, ignore=("z",))
    np.testing.assert_array_equal(numbers.ravel(), [1, np.nan, np.nan])
    assert data.schema.levels == {"k": ["a", "2"], "t": ["true", "false"]}
    assert codes.tolist() == [[0, 0], [-1, 1], [1, -1]]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_types_of_columns(tmp_path, ending):
    path = tmp_path / f"f.{ending}"
    write = parquet.write_table if ending == "parquet" else feather.write_feather
    table = pa.table(
        {
            "whole": pa.array([1, None, 3], pa.int8()),
            "money": pa.array([Decimal("1.50"), Decimal("2.25"), None]),
            "half": pa.array([1, 2, 3], pa.float32()),
            "flag": [True, None, False],
            "word": pa.array(["b", "c", "b"]).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.large_string())),
            "none": pa.nulls(3),
            "label": [2.0, 1.5, 2.0],
        }
    )
    write(table, path)
    data, (numbers, codes, target, _) = read(path, "label")
    assert data.schema.numbers == ["whole", "money", "half"]
    assert [each.column for each in data.left_out] == ["none"]
    assert data.schema.levels == {"flag": ["true", "false"], "word": ["b", "c"]}
    assert data.schema.labels == ["2", "1.5"]
    np.testing.assert_array_equal(numbers, [[1, 1.5, 1], [np.nan, 2.25, 2], [3, np.nan, 3]])
    assert (codes.tolist(), target.tolist()) == ([[0, 0], [-1, 1], [1, 0]], [0, 1, 0])

    write(table.append_column("when", pa.array([0, 1, 2], pa.timestamp("s"))), path)
    assert [each.column for each in read(path)[0].left_out] == ["none", "when"]
    assert "when (weekday)" in read(path, dates="parts")[0].schema.numbers
    assert len(read(path, ignore=("when",))[1][0]) == 3
    write(pa.table({"a": [1, 2**53 + 1], "b": [1, 2]}), path)
    assert read(path)[1][0][:, 0].tolist() == [1, 2**53]
    assert read(path)[0].notes[-1].startswith(f"{path}: row 2, column 'a': 9007199254740993 in column 'a' was rounded")
    assert read(path, categorical=("a",))[0].schema.levels == {"a": ["1", "9007199254740993"]}
    write(pa.table({"a": [1.0, np.inf]}), path)
    assert said(path).startswith(f"f.{ending}: row 2, column 'a': 'inf'")
    path.write_bytes(path.read_bytes()[:-9])
    assert said(path).startswith(f"f.{ending}: cannot be read")


def test_several_files_are_one_table(file):
    first = file("kind,x\na,1\nb,2\n", "one.csv")
    second = file('{"x": 3, "kind": "c"}\n{"x": 4, "kind": "a"}\n', "two.jsonl")
    data = open_data([first, second], "kind")
    numbers, _, target, rows = joined(data)[:4]
    assert (numbers.ravel().tolist(), target.tolist(), rows.tolist()) == ([1, 2, 3, 4], [0, 1, 2, 0], [0, 1, 2, 3])
    assert [data.locate(row) for row in (1, 2)] == [f"{first}:3", f"{second}:1"]
    other = file("kind,z\na,1\n", "three.csv")
    with pytest.raises(DataError, match=r"three.csv: has no column x and has a new column z, unlike .*one.csv"):
        open_data([first, other], "kind")
    with pytest.raises(DataError, match=r"is a table, while .*penguins.svm has sparse rows"):
        open_data([EXAMPLES / "penguins.svm", other], None)


def test_files_for_a_model(file):
    trained, _ = read(file("kind,x,c\nA,1,u\nB,2,v\n", "train.csv"), "kind")
    expect = trained.schema
    data, (numbers, codes, target, _) = read(
        file("extra,c,x,kind\n0,w,abc,B\n1,u,5,C\n"), "kind", expect=expect, na=("abc",)
    )
    np.testing.assert_array_equal(numbers.ravel(), [np.nan, 5])
    assert (codes.ravel().tolist(), target.tolist()) == ([2, 0], [1, 2])
    assert data.schema.levels == {"c": ["u", "v", "w"]}
    assert expect.levels == {"c": ["u", "v"]}
    assert data.notes[0].endswith("1 extra column ignored: extra")
    _, (numbers, codes, target, _) = read(file("7,v\n8,u\n"), expect=expect)
    assert (numbers.ravel().tolist(), codes.ravel().tolist(), len(target)) == ([7, 8], [1, 0], 0)
    assert said(file("kind,x\nA,1\n"), expect=expect).startswith("f.csv: has no column c, which the model needs; its")
    assert said(file("x,c\nfoo,u\n"), expect=expect).startswith("f.csv:2:1: 'foo' is not a number")
    assert said(file("1 1:1\n", "f.svm"), expect=expect).startswith("f.svm: has sparse rows (LIBSVM), while the model")
    sparse = Schema(n_features=2, labels=["1"])
    assert said(file("1 3:1\n", "f.svm"), expect=sparse).startswith(
        "f.svm:1:3: the index of '3:1' is larger than the 2"
    )
    assert said(file("a\n1\n"), expect=sparse).startswith("f.csv: is a table, while the model knows sparse rows")


@pytest.mark.parametrize("index", ["int8", "uint8", "uint16", "uint32", "uint64"])
def test_categories_with_indices_of_any_type(tmp_path, index):
    path, texts = tmp_path / "f.arrow", ["b", "a", None, "b"]
    coded = pa.array(texts).dictionary_encode()
    column = pa.DictionaryArray.from_arrays(coded.indices.cast(index), coded.dictionary)
    feather.write_feather(pa.table({"k": column, "y": ["u", "v", "u", "v"]}), path)
    data = open_data([path], "y")
    assert joined(data)[1][:, 0].tolist() == [0, 1, -1, 0]
    assert data.schema.levels == {"k": ["b", "a"]}


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather"])
@pytest.mark.parametrize("left", [0, 1000, 0.5, 0.99])
def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path, ending, left):
    path, rows = tmp_path / f"f.{ending}", np.random.default_rng(0).random((200_000, 3))
    table = pa.table({"x": rows[:, 0], "y": rows[:, 1], "z": (rows[:, 2] * 9).astype(int).astype(str)})
    if ending == "parquet":
        parquet.write_table(table, path, row_group_size=20_000)
    elif ending == "feather":
        feather.write_feather(table, path, chunksize=20_000)
    else:
        with pa.ipc.new_file(path, table.schema) as out:
            out.write_table(table, max_chunksize=20_000)
    data = open_data([path], "z")
    blocks = data.blocks()
    next(blocks)
    os.truncate(path, int(left * path.stat().st_size) if isinstance(left, float) else left)
    with pytest.raises(DataError, match=rf"{path}: (cannot be read|has changed while it was being read)"):
        list(blocks)


def test_compressed_files(file):
    text = (EXAMPLES / "penguins.csv").read_bytes()
    packed = {"gz": gzip.compress(text), "zst": pa.compress(text, "zstd", asbytes=True)}
    for ending, content in packed.items():
        done: list[int] = []
        data = open_data([file(content, f"p.csv.{ending}")], "species")
        assert sum(len(block.rows) for block in data.blocks(done.append)) == 344
        assert sum(done) == data.size == len(content)
        assert said(file(content[:-20], f"p.csv.{ending}")).startswith(f"p.csv.{ending}: the")
        assert "damaged or cut off" in said(file(content[:-20], f"p.csv.{ending}"))
    assert "the name says gzip, but the data are not" in said(file("a,b\n1,2\n", "q.csv.gz"))
    assert "unpack it, and give the file in it" in said(file(gzip.compress(b"PAR1"), "q.parquet.gz"))


@pytest.mark.parametrize(
    "name", ["penguins.csv", "penguins.tsv.gz", "penguins.svm", "penguins.jsonl", "penguins.parquet"]
)
def test_standard_input_is_recognised_and_read_twice(monkeypatch, name):
    class Standard:
        buffer = io.BytesIO((EXAMPLES / name).read_bytes())

    monkeypatch.setattr(sys, "stdin", Standard)
    data = open_data(["-"], "label" if name.endswith("svm") else "species")
    counts = [sum(len(block.rows) for block in data.blocks()) for _ in range(2)]
    assert counts[0] == counts[1] == (333 if name.endswith("svm") else 344)
    assert data.locate(0).startswith("standard input")
    spooled = data.readers[0].source.path
    data.close()
    assert not os.path.exists(spooled)


def test_a_pipe_is_read_twice(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("a,b\n1,2\n3,4\n",))
    writer.start()
    data = open_data([path], None)
    writer.join()
    assert joined(data)[0].tolist() == joined(data)[0].tolist() == [[1, 2], [3, 4]]
    assert data.locate(1, "b") == f"{path}:3:3"
    data.close()


def test_a_second_reader_does_not_disturb_the_first(file, monkeypatch):
    monkeypatch.setattr(byte_sources, "CHUNK", 4)
    data = open_data([file("k,x\na,1\nb,2\nc,3\na,4\n")], "k")
    blocks = data.blocks()
    found = next(blocks).target.tolist()
    assert data.locate(3).endswith(":5")
    for block in blocks:
        found += block.target.tolist()
    assert found == [0, 1, 2, 0]
    assert data.schema.labels == ["a", "b", "c"]
    with pytest.raises(IndexError):
        data.locate(4)


LACKING = """
import sys
sys.modules["pyarrow"] = None  # as where it is not installed
import numpy as np
from novikoff import TableEncoder
from novikoff.rows.store.blocks import Column, Schema, TableBlock
block = TableBlock(np.eye(2), np.empty((2, 0), np.int32), np.empty(0), np.arange(2))
encoder = TableEncoder(standardise=False).fit_blocks(schema := Schema((Column("a", "number"), Column("b", "number"))), lambda: [block])
assert (encoder.encode(block, schema) == np.eye(2)).all()
for read in (lambda: encoder.transform({}), lambda: __import__("novikoff.rows.readers.reading")):
    try:
        read()
    except ImportError as error:
        print(error)
"""


def test_what_to_install_to_read_files_and_frames_and_what_does_without():
    done = subprocess.run([sys.executable, "-c", LACKING], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"Reading files and data frames needs pyarrow: {installing('cli')}"] * 2


def test_files_that_cannot_be_read(tmp_path, file):
    assert said(tmp_path / "absent.csv") == "absent.csv: cannot be read: No such file or directory."
    (tmp_path / "folder.csv").mkdir()
    assert said(tmp_path / "folder.csv").startswith("folder.csv: is a folder")
    path = file("a,b\n1,2\n")
    data = open_data([path], None)
    assert len(joined(data)[0]) == 1
    path.write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(DataError, match=r"has changed while it was being read"):
        joined(data)


def test_wide_and_long(file, monkeypatch):
    names = ",".join(f"c{place}" for place in range(12_000))
    data, (numbers, _, _, _) = read(file(f"{names}\n" + ",".join(["1"] * 12_000) + "\n"))
    assert numbers.shape == (1, 12_000)
    monkeypatch.setattr(byte_sources, "CHUNK", 1000)
    data, _ = read(file('a,b\n1,"' + "x\n" * 500 + '"\n2,y\n'))
    assert [len(text) for text in data.schema.levels["b"]] == [999, 1]
    monkeypatch.setattr(byte_sources, "LONGEST", 5000)
    assert said(file('a,b\n1,x\n2,"' + "x\n" * 50_000)).startswith("f.csv:3:1: a record longer than")


def test_very_many_blank_lines(file, monkeypatch):
    blank = "\n" * 30_000
    monkeypatch.setattr(byte_sources, "CHUNK", 1000)
    monkeypatch.setattr(byte_sources, "LONGEST", 5000)
    for text in (f"a,y\n{blank}1,p\n", f"{blank}a,y\n1,p\n"):
        assert said(file(text)).startswith(
            "f.csv:1:1: more than 8 MB of blank lines or spaces follow here; delete them"
        )
    lines = '{"a": 1, "y": "p"}\n{"a": 2, "y": "q"}\n'
    _, (numbers, _, _, _) = read(file(blank + lines, "f.jsonl"))
    assert numbers.tolist() == read(file(lines, "g.jsonl"))[1][0].tolist()
    assert said(file(f"{blank}{lines}[]\n", "h.jsonl")).startswith("h.jsonl:30003")


@pytest.mark.parametrize("ignore", [[], ["b"]])
def test_very_many_new_keys_become_no_columns(file, monkeypatch, ignore):
    monkeypatch.setattr(byte_sources, "CHUNK", 100_000)
    asked = []
    options = arrow_json.ParseOptions
    monkeypatch.setattr(
        "novikoff.rows.readers.jsonlines.arrow_json.ParseOptions",
        lambda **given: asked.append(given["unexpected_field_behavior"]) or options(**given),
    )
    first = '{"a": 1, "b": 2, "y": "p"}\n{"a": 2, "b": 1, "y": "q"}\n' * 2000
    new = "".join(f'{{"a": 1, "b": 2, "y": "p", "k{i}": 1}}\n' for i in range(4000))
    said_of = said(file(first + new, "f.jsonl"), ignore=ignore)
    assert said_of.startswith("f.jsonl:4001: key 'k0' is new here")
    assert asked[-1] == "error"


HUGE = "z" * 2000
RECORDS = {
    "f.csv": [
        ("a" * 2000 + ",y\n1,b\n", 1),
        (f"x,y\n1,{HUGE}\n2,c\n", 2),
        ("x,y\n" + "1,b\n" * 50 + f"2,{HUGE}\n", 52),
        *((f"x,y\n1,b\n2,c\n3,{'z' * size}", 4) for size in (260, 300, 511, 2000)),  # the last, without an end
        ("x,y\n1,b\n2,c\n" + f"3,{'z' * 300}\n4,d\n", 4),
    ],
    "f.jsonl": [
        (f'{{"x": 1, "y": "{HUGE}"}}\n', 1),
        (f'{{"x": 1, "y": "a"}}\n{{"x": 1, "y": "{"z" * 300}"}}', 2),
        ('{"x": 1, "y": "a"}\n' * 20 + f'{{"x": 1, "y": "{HUGE}"}}\n', 21),
    ],
    "f.svm": [
        (f"1 1:{'0' * 2000}1\n", 1),
        (f"1 1:5\n1 1:{'0' * 300}1", 2),
        ("1 1:5\n" * 50 + f"1 1:{'0' * 2000}1\n", 51),
    ],
}


@pytest.mark.parametrize("name", RECORDS)
def test_records_that_are_too_long_are_told_by_their_line(file, monkeypatch, name):
    for module, limit in ((byte_sources, "CHUNK"), (heads, "HEAD")):
        monkeypatch.setattr(module, limit, 64)
    for module in (byte_sources, heads):
        monkeypatch.setattr(module, "LONGEST", 256)
    for text, line in RECORDS[name]:
        path = file(text, name)
        for expect in (None, Schema((Column("x", "number"),) if name != "f.svm" else (), n_features=1)):
            message = said(
                path, None if expect or name == "f.csv" else "label" if name == "f.svm" else "y", expect=expect
            )
            assert message.startswith(f"{name}:{line}:")
            assert message.endswith("starts here; is a quote left open?")


LONG = "z" * 1001


def test_labels_and_levels_that_are_too_long_are_refused_where_they_stand(file):
    label = said(file(f"x,y\n1,a\n2,b\n3,{LONG}\n"), "y")
    assert label == f"f.csv:4:3: {LONG[:37] + '...'!r} has 1,001 characters, and a label may have 1,000; shorten it."
    level = said(file(f"x,t,y\n1,u,a\n2,u,b\n3,{LONG},a\n"), "y")
    assert level.startswith("f.csv:4:3: ")
    assert level.endswith("and a level of a category may have 1,000; shorten it, or pass ignore='t'.")
    gaps = file(f'{{"x": 1, "y": "a"}}\n{{"x": 2}}\n{{"x": 3, "y": "{LONG}"}}\n', "f.jsonl")
    assert said(gaps, "y").startswith("f.jsonl:3: ")
    expect = Schema((Column("t", "category"),), levels={"t": ["u"]})
    assert said(file(f"t\nu\n{LONG}\n"), None, expect=expect).endswith("a category may have 1,000; shorten it.")
    data, _ = read(file(f"x,y\n1,{LONG[1:]}\n2,b\n"), "y")
    assert [len(text) for text in data.schema.labels] == [1000, 1]


def test_long_texts_that_are_not_learned_from_are_read(file):
    lines = "x,t,y\n" + "".join(f"{i % 3},{LONG}{i},{i % 2}\n" for i in range(20))
    data, _ = read(file(lines), "y")
    assert [left.column for left in data.left_out] == ["t"]
    assert [len(text) for (text,) in data.texts(["t"])] == [1002] * 10 + [1003] * 10


def test_labels_that_no_model_holds_are_refused_where_they_are_read(file, monkeypatch):
    monkeypatch.setattr("novikoff.rows.readers.tables.LONGEST_LABELS", 40)
    many = file("x,y\n" + "".join(f"{i},label{i}\n" for i in range(10)))
    assert said(many, "y") == (
        "f.csv:8:3: with 'label6' there are 7 labels of up to 6 characters, and a model holds 40 characters in all; shorten "
        "the labels, or join rare ones."
    )


def test_names_that_are_too_long(file, tmp_path):
    for name, text in (("f.csv", f"{LONG},y\n1,a\n"), ("f.jsonl", f'{{"{LONG}": 1, "y": "a"}}\n')):
        assert said(file(text, name), "y").endswith("has 1,001 characters, and a name may have 1,000; shorten it.")
    parquet.write_table(pa.table({LONG: [1], "y": ["a"]}), tmp_path / "f.parquet")
    assert said(tmp_path / "f.parquet", "y").startswith(f"f.parquet: the name of column 1 ({LONG[:37] + '...'!r}) has")


def test_keys_of_json_lines_are_counted(file):
    lines = "".join(f'{{"k{i}": 1}}\n' for i in range(100))
    assert "f.jsonl: 49 columns take about 0.0002 GB" in said(file(lines, "f.jsonl"), None, room=200_000)


@pytest.mark.parametrize("column", ["t", "y"])
def test_parquet_texts_that_are_not_utf8_are_refused_by_the_name_of_their_file(tmp_path, column):
    offsets = pa.py_buffer(np.array([0, 1, 2], np.int32))
    texts = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"\xff\xfe")])
    columns = {"x": [1, 2], "t": ["a", "b"], "y": ["a", "b"]} | {column: texts}
    parquet.write_table(pa.table(columns), tmp_path / "f.parquet")
    assert said(tmp_path / "f.parquet", "y").startswith("f.parquet: cannot be read: ")


@pytest.mark.parametrize("use_dictionary", [False, True])
def test_parquet_batches_are_as_large_as_the_pages_say(tmp_path, use_dictionary):
    path, rows = tmp_path / "f.parquet", 6000
    texts = ["s" * 2000] * 5000 + [f"{i:04}" * 5_000 for i in range(1000)]  # the last take 20 kB each
    table = pa.table({"t": texts, "y": ["a", "b"] * (rows // 2)})
    pages = {"data_page_size": 1, "write_batch_size": 10, "compression": "zstd"}
    parquet.write_table(table, path, use_dictionary=use_dictionary, **pages)
    plan = ReadingPlan((), ("t",), "y", "classes")
    batches = [piece.rows for piece in ParquetFile(FileSource(str(path)), Reading()).pieces(plan)]
    assert [text for batch in batches for text in batch.column("t").to_pylist()] == texts
    assert max(batch.nbytes for batch in batches) <= 16 << 20
    with pytest.raises(DataError, match=r"f.parquet: the pages of its columns, 't' above all, take about"):
        next(ParquetFile(FileSource(str(path)), Reading(room=1_000_000)).pieces(plan))


def test_texts_that_share_what_they_begin_with_are_read_in_few_rows(tmp_path):
    """In the file each has only what the one before has not: the page takes 1 MB, its texts 100 MB."""
    path, rows = tmp_path / "f.parquet", 6000
    texts = ["a", "b"] * (rows // 2 - 50) + ["s" * 1_000_000] * 100
    written = {"use_dictionary": False, "column_encoding": {"t": "DELTA_BYTE_ARRAY", "y": "PLAIN"}}
    parquet.write_table(pa.table({"t": texts, "y": ["a", "b"] * (rows // 2)}), path, compression="zstd", **written)
    pieces = ParquetFile(FileSource(str(path)), Reading()).pieces(ReadingPlan((), ("t",), "y", "classes"))
    batches = [
        (piece.rows.num_rows, piece.rows.nbytes, pc.sum(pc.binary_length(piece.rows.column("t"))).as_py())
        for piece in pieces
    ]
    assert sum(count for count, _, _ in batches) == rows
    assert max(size for _, size, _ in batches) <= 20 << 20
    assert sum(characters for _, _, characters in batches) == sum(map(len, texts))


def test_dictionaries_of_numbers_count(tmp_path):
    path, numbers = tmp_path / "f.parquet", np.arange(200_000)
    parquet.write_table(pa.table({"x": numbers, "y": numbers % 2}), path, dictionary_pagesize_limit=1 << 24)
    plan = ReadingPlan(("x",), (), "y", "classes")
    with pytest.raises(DataError, match=r"f.parquet: the pages of its columns, 'x' above all, take about 0\.00\d+ GB"):
        next(ParquetFile(FileSource(str(path)), Reading(room=2_000_000)).pieces(plan))


def test_all_dictionaries_of_an_arrow_file_count(tmp_path):
    """They are read together, also those of columns that are ignored."""
    path, levels = tmp_path / "f.arrow", pa.array([f"{i:05}" * 20 for i in range(1000)])
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), levels)
    table = pa.table({**{f"c{k}": coded for k in range(20)}, "y": ["a", "b"]})
    with pa.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as file:
        file.write_table(table)
    with pytest.raises(DataError, match=r"f.arrow: .*take"):
        open_data([path], "y", reading=Reading(room=2_000_000, ignore=tuple(f"c{k}" for k in range(19))))


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "arrow"])
@pytest.mark.parametrize("others", [[], ["x"]])
def test_a_file_of_nothing_but_its_target(tmp_path, ending, others):
    path, table = tmp_path / f"f.{ending}", pa.table({"y": ["a", "b"], **{name: [1, 2] for name in others}})
    match ending:
        case "parquet":
            parquet.write_table(table, path)
        case "arrow":
            feather.write_feather(table, path)
        case "jsonl":
            table.to_pandas().to_json(path, orient="records", lines=True)
        case _:
            table.to_pandas().to_csv(path, index=False)
    assert said(path, "y", ignore=tuple(others)) == f"f.{ending}: has no column to learn from beside 'y'."


def test_lines_that_lack_most_keys_take_the_room_of_a_table(file, monkeypatch):
    """A file of 4 MB, each line with one of 5,000 keys, becomes a table of 8 GB."""
    few = "".join(f'{{"k{i % 50}": {i}, "y": "{"ab"[i % 2]}"}}\n' for i in range(2000))
    said_of = said(file(few, "f.jsonl"), "y", room=5_000_000)
    assert said_of.startswith("f.jsonl: 2,000 lines of 51 keys take about 0.01 GB, and there is room for 0.005 GB")
    assert "ignore=..." in said_of
    ignored = tuple(f"k{i}" for i in range(45))
    assert len(read(file(few, "f.jsonl"), "y", room=5_000_000, ignore=ignored)[1][0]) == 2000
    monkeypatch.setattr(byte_sources, "CHUNK", 4000)
    later = '{"x": 1, "z": 2, "y": "a"}\n' * 300 + '{"y": "b"}\n' * 600
    assert "lines of 3 keys take" in said(file(later, "g.jsonl"), "y", room=60_000)


def test_minus_zero_in_json_lines_is_the_same_whoever_reads_it(file):
    lines = '{"x": -0.0, "z": 1}\n{"x": -0, "z": 2}\n{"x": 1e-320, "z": -1e300}\n'
    _, (plain, _, _, _) = read(file(lines, "f.jsonl"))
    _, (carefully, _, _, _) = read(file(lines.replace("1e300", "1e+300").replace("z", "\\u007a"), "g.jsonl"))
    careful = JsonLines(FileSource(str(file(lines, "h.jsonl"))), Reading())
    columns = careful._carefully(lines.encode().splitlines(), ["x", "z"], ReadingPlan(("x", "z"), (), None, "classes"))
    part = make_part(columns, ReadingPlan(("x", "z"), (), None, "classes"))
    for found in (plain, carefully, part.numbers):
        assert found.tobytes() == np.array([[-0.0, 1], [-0.0, 2], [1e-320, -1e300]]).tobytes()
