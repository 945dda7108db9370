"""Sheets of workbooks and tables of databases: read as CSV files are, and harmless where they were made to do harm."""

import io
import json
import sqlite3
import zipfile
from datetime import datetime

import numpy as np
import pytest

from novikoff.rows.readers.jsonlines import cut_array
from novikoff.rows.readers.reading import open_data
from novikoff.rows.readers.reading_options import Reading
from novikoff.rows.store.blocks import DataError

ROWS = [(k, k / 8, "ab"[k % 2]) for k in range(20)]


def numbers(path, **reading):
    data = open_data([path], "y", reading=Reading(**reading))
    return np.concatenate([block.numbers for block in data.blocks()]), data


def said(path, **reading):
    with pytest.raises(DataError) as error:
        numbers(path, **reading)
    return str(error.value)


@pytest.fixture
def base(tmp_path):
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE t (n, x, y)")
        made.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS)
        made.execute("CREATE TABLE more (n, z)")
    made.close()
    return path


def test_tables_and_queries_of_a_database(base):
    wanted = [[n, x] for n, x, _ in ROWS]
    assert numbers(f"{base}::t", use=("n",))[0].tolist() == wanted
    query = f"{base}::SELECT n, x * 1.0 AS x, y FROM t WHERE n > 4 ORDER BY n"
    assert numbers(query, use=("n",))[0].tolist() == wanted[5:]
    assert "the database has several tables; name one, as in" in said(base)
    assert "has no table 'u'" in said(f"{base}::u")


@pytest.mark.parametrize(
    "query",
    [
        "WITH q AS (SELECT 1) DELETE FROM t",
        "SELECT 1 AS x, 'a' AS y; DROP TABLE t",
        "SELECT load_extension('evil') AS x, y FROM t",
        "SELECT random() AS x, y FROM t",
    ],
)
def test_a_query_reads_and_does_nothing_else(base, query):
    before = base.read_bytes()
    assert "a query may" in said(f"{base}::{query}")
    assert base.read_bytes() == before


def test_a_query_without_end_is_stopped(base, monkeypatch):
    monkeypatch.setattr("novikoff.rows.readers.inner_tables.MOST_STEPS", 2_000_000)
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT sum(x) AS x, 'a' AS y FROM c"
    assert "without finding rows" in said(f"{base}::{endless}")


def test_bytes_and_damage_in_a_database_are_named(base):
    assert "column 'x' holds bytes" in said(f"{base}::SELECT x'00ff' AS x, y FROM t")
    base.write_bytes(base.read_bytes()[:5000])
    assert "SQLite says" in said(f"{base}::t")


def workbook(path, *rows):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.create_sheet("second").append(("x", "y"))
    book.save(path)
    return path


def test_a_sheet_is_read_with_its_rows_as_excel_counts_them(tmp_path):
    rows = [(x, datetime(2024, 1, 1 + n), None if n == 3 else y) for n, x, y in ROWS]
    path = workbook(tmp_path / "a.xlsx", ("x", "when", "y"), (), *rows[:10], (), *rows[10:])
    found, data = numbers(path)
    assert found[:, 0].tolist() == [x for n, x, _ in ROWS if n != 3]
    assert data.unlabelled == 1
    assert "the sheet 'Sheet' is read, the first of 2" in data.notes[0]
    assert data.locate(12, "x") == f"{path}::Sheet: row 16, column 'x'"
    assert said(f"{path}::third").startswith(f"{path}: has no sheet 'third'")


def packed(path, **parts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(f"xl/{name}.xml", content)
    return path


def test_workbooks_that_would_fill_memory_are_refused(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "a.xlsx"
    assert "was made to fill memory" in said(packed(path, sharedStrings="<sst>" + " " * (20 << 20)))
    entities = '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaa">]><sst>&a;</sst>'
    assert "is not XML as Excel writes it" in said(packed(path, sharedStrings=entities))
    texts = np.random.default_rng(0).bytes(1 << 20).hex()
    assert "there is room for 0.001 GB" in said(packed(path, sharedStrings="<sst>" + texts), room=10**6)
    assert "the workbook is damaged" in said(packed(path, workbook="<workbook/>"))


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_is_cut_into_its_objects(size, indent):
    objects = [{"a": '}],{"\\', "b": [1, {"c": "\n"}], "d": None}, {}, {"ä": -1.5}]
    data = json.dumps(objects, indent=indent, ensure_ascii=False).encode()
    for cut in (cut_array, cut_array.py_func):
        state, parts = np.zeros(3, np.int64), []
        for start in range(0, len(data), size):
            part = data[start : start + size]
            out = np.empty(len(part), np.uint8)
            cut(part, out, state)
            parts.append(out.tobytes())
        text = b"".join(parts)
        assert [json.loads(line) for line in io.BytesIO(text) if line.strip()] == objects
        assert len(text) == len(data)


def test_wrong_cells_of_an_array_are_placed_and_an_open_one_is_refused(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"x": x, "y": y} for _, x, y in ROWS] + [{"x": [1], "y": "a"}]))
    assert said(path).startswith(f"{path}: object 21: 'x' holds a list")
    path.write_text(path.read_text()[:-30])
    assert "the JSON array is not closed" in said(path)
