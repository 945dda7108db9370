"""Plans of partitions: all rows once, in order, cut where a format allows it, and by nothing but the files."""

import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from novikoff.rows import table_parts
from novikoff.rows.partitions import Here
from novikoff.rows.readers.reading import Dataset, Reading, open_data
from novikoff.rows.store.blocks import DataError
from novikoff.rows.table_parts import plan_partitions


@pytest.fixture
def rows(rng):
    names = np.array(["x", "yy", "ü"])
    return [
        {"a": float(a), "b": str(b), "y": str(y)}
        for a, b, y in zip(rng.normal(size=500), rng.choice(names, 500), rng.choice(["p", "q"], 500), strict=True)
    ]


def write(path, rows):
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=40)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".svm":
        path.write_text("".join(f"{'pq'.index(row['y'])} 1:{row['a']}\n" for row in rows), encoding="utf-8")
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return path


def read(data, parts):
    """What the readers of a partition read, one after the other; and how many rows each partition has."""
    found, sizes = [], []
    for part in parts:
        own = Dataset(data.schema, part, data.plan, None)
        own.may_be_empty = True
        blocks = list(own.blocks())
        found += [
            np.column_stack([block.numbers if hasattr(block, "numbers") else block.values, block.target])
            for block in blocks
        ]
        sizes.append(own.n_rows)
    return np.concatenate(found), sizes


@pytest.mark.parametrize(("name", "size"), [
    ("rows.parquet", 1000), ("rows.jsonl", 3000), ("rows.jsonl", 70), ("rows.csv", 2000), ("rows.csv", 50), ("rows.svm", 900)
])  # fmt: skip
def test_parts_have_all_rows_in_order(tmp_path, rows, name, size):
    path = write(tmp_path / name, rows)
    target = None if path.suffix == ".svm" else "y"
    data = open_data([path], target, needed=True)
    whole, _ = read(data, [data.readers])
    parts = plan_partitions(data.readers, Here, size)
    found, sizes = read(data, parts)
    np.testing.assert_array_equal(found, whole)
    assert len(parts) > 3
    assert sum(sizes) == 500
    again = plan_partitions(open_data([path], target, needed=True).readers, Here, size)
    assert read(data, again)[1] == sizes


def test_row_groups_stay_whole_and_small_ones_go_together(tmp_path, rows):
    path = write(tmp_path / "rows.parquet", rows)
    [reader] = open_data([path], "y").readers
    groups = [pq.ParquetFile(path).metadata.row_group(place).total_byte_size for place in range(13)]
    sizes = read(open_data([path], "y"), [[part] for part in reader.cuts(3 * max(groups))])[1]
    assert sizes[:-1] == [120] * (len(sizes) - 1)
    assert len(reader.cuts(1)) == 13
    assert len(reader.cuts(sum(groups))) == 1


def test_text_with_quotes_stays_whole(tmp_path, rows):
    rows[400]["b"] = 'two\nlines, and "more"'
    data = open_data([write(tmp_path / "quoted.csv", rows), write(tmp_path / "plain.csv", rows[:400])], "y")
    parts = plan_partitions(data.readers, Here, 2000)
    assert [part.name for [part] in parts].count(str(tmp_path / "quoted.csv")) == 1
    assert len(parts) > 3
    assert read(data, parts)[1][0] == 500


def test_text_that_cannot_be_cut_stays_whole(tmp_path, rows):
    path = write(tmp_path / "rows.csv", rows)
    latin = tmp_path / "latin.csv"
    latin.write_bytes(path.read_text(encoding="utf-8").encode("latin-1"))
    assert len(plan_partitions(open_data([latin], "y", reading=Reading(encoding="latin-1")).readers, Here, 99)) == 1
    wide = tmp_path / "wide.csv"
    wide.write_text(path.read_text(encoding="utf-8"), encoding="utf-16")
    assert len(plan_partitions(open_data([wide], "y").readers, Here, 99)) == 1


def test_many_small_files_share_partitions(tmp_path, rows, monkeypatch):
    monkeypatch.setattr(table_parts, "MOST", 3)
    data = open_data([write(tmp_path / f"{number}.csv", rows[:9]) for number in range(8)], "y")
    assert [len(part) for part in plan_partitions(data.readers, Here)] == [3, 3, 2]


@pytest.mark.parametrize(("name", "line"), [("rows.csv", 302), ("rows.jsonl", 301)])
def test_errors_name_the_line_of_the_whole_file(tmp_path, rows, name, line):
    first = write(tmp_path / f"first.{name}", rows)  # it decides what columns hold
    rows[300]["a"] = "much"
    data = open_data([first, write(tmp_path / name, rows)], "y")
    with pytest.raises(DataError) as whole:
        read(data, [data.readers])
    with pytest.raises(DataError) as cut:
        read(data, plan_partitions(data.readers, Here, 2000))
    assert str(cut.value) == str(whole.value)
    assert f"{name}:{line}" in str(cut.value)


def test_rows_of_a_group_are_counted_from_the_start_of_the_file(tmp_path, rows):
    data = open_data([write(tmp_path / "rows.parquet", rows)], "y")
    parts = plan_partitions(data.readers, Here, 1000)
    firsts = np.cumsum([0, *read(data, parts)[1]])
    number = int(np.searchsorted(firsts, 300, side="right")) - 1
    own = Dataset(data.schema, parts[number], data.plan, None)
    assert number > 0
    assert own.locate(300 - int(firsts[number])).endswith("rows.parquet: row 301")
