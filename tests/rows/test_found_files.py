"""Files as pandas, R and Excel write them, with ids, without labels, with columns that say nothing."""

import gzip
import json
import zipfile

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from commands import PENGUINS, refused, results, run, same_weights
from files import read, said
from novikoff.rows.readers import byte_sources
from novikoff.rows.readers.byte_sources import count_lines
from novikoff.rows.readers.csv_text import HEAD, has_header
from novikoff.rows.readers.reading import open_data
from novikoff.rows.store.blocks import DataError

ROWS = [("a", 1.5, "red"), ("b", 2.5, "blue"), ("a", 0.5, "red")]
FRAME = pd.DataFrame(ROWS, columns=["y", "x", "colour"])


def of_r(frame, sep, short):
    """What ``write.table`` writes: texts quoted, names of rows first, above them an empty name or nothing."""
    lines = [sep.join(f'"{name}"' for name in ([] if short else [""]) + list(frame.columns))]
    for number, row in enumerate(frame.itertuples(index=False), 1):
        lines.append(sep.join([f'"{number}"', *(f'"{v}"' if isinstance(v, str) else str(v) for v in row)]))
    return "\n".join(lines) + "\n"


WRITTEN = {
    "pandas": FRAME.to_csv(),
    "pandas with two indices": FRAME.set_index([["p", "p", "q"], [1, 2, 1]]).to_csv(),
    "R's write.csv": of_r(FRAME, ",", short=False),
    "R's write.table": of_r(FRAME, " ", short=True),
    "R's write.table with tabs": of_r(FRAME, "\t", short=True),
    "Excel": "sep=;\r\n" + FRAME.to_csv(sep=";", index=False, lineterminator="\r\n"),
    "Excel with a mark": '\ufeff"sep=|"\n' + FRAME.to_csv(sep="|", index=False),
    "Excel's empty columns": FRAME.assign(**{" ": "", "  ": ""}).to_csv(index=False),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_what_programs_write_by_default_is_the_same_table(file, kind):
    path = file(WRITTEN[kind])
    data, (numbers, codes, target, _) = read(path, "y")
    assert (data.schema.numbers, data.schema.levels) == (["x"], {"colour": ["red", "blue"]})
    assert (numbers[:, 0].tolist(), codes[:, 0].tolist(), target.tolist()) == ([1.5, 2.5, 0.5], [0, 1, 0], [0, 1, 0])
    left = [each.column for each in data.left_out]
    assert left == (["(column 1)"] if "R's" in kind or kind == "pandas" else left)
    assert (
        len(data.notes)
        == len(left)
        == {"Excel": 0, "pandas with two indices": 2, "Excel's empty columns": 2}.get(kind, 0 if "mark" in kind else 1)
    )
    first = sum(1 for _ in WRITTEN[kind].splitlines()) - 2
    line = WRITTEN[kind].splitlines()[first - 1]
    assert data.locate(0, "x") == f"{path}:{first}:{line.index('1.5') + 1}"


@pytest.mark.parametrize("kind", [kind for kind in WRITTEN if "mark" not in kind])
def test_utf_16_is_read(file, kind):
    path = file(WRITTEN[kind].encode("utf-16"))
    assert read(path, "y")[1][0][:, 0].tolist() == [1.5, 2.5, 0.5]


def test_an_index_takes_no_part_in_learning_or_in_predicting(write, tmp_path):
    penguins = pd.read_csv(PENGUINS)
    indexed = write(penguins.to_csv(), "indexed.csv")
    found = results("fit", indexed, "-t", "species", "-o", tmp_path / "indexed", "--no-test")
    assert found["left_out"] == [{"column": "(column 1)", "why": "it has no name, as an index of rows"}]
    assert "'(column 1)' is left out" in run("fit", indexed, "-t", "species", "--no-test")[0].replace("\n  ", " ")
    run("fit", PENGUINS, "-t", "species", "-o", tmp_path / "plain", "--no-test")
    same_weights(tmp_path / "indexed", tmp_path / "plain")
    assert run("predict", tmp_path / "indexed", indexed)[0] == run("predict", tmp_path / "plain", PENGUINS)[0]
    kept = results("fit", indexed, "-t", "species", "--no-test", "--use", 1)
    assert kept["columns"][0]["name"] == "(column 1)"


def test_columns_are_left_out_by_number(file, write):
    path = file("a,,c,y\n1,2,3,p\n4,5,7,q\n")
    assert said(path, "y") == (
        "f.csv:1:3: column 2 has no name; give it one in the file's first line, or leave it out with ignore=2."
    )
    assert read(path, "y", ignore=("2",))[0].schema.numbers == ["a", "c"]
    assert read(path, "y", ignore=("2", "c"))[0].schema.numbers == ["a"]
    assert read(path, "y", use=("2",))[0].schema.numbers == ["a", "(column 2)", "c"]
    named = file("1,3,2,y\n0.5,3,1,p\n4,5,2,q\n")
    assert read(named, "y", header=True, ignore=("3",))[0].schema.numbers == ["1", "2"]  # a name goes before a number
    assert "has no column '9'" in said(path, "y", ignore=("9",))
    found = results("fit", write("a,b,y\n1,2,p\n4,5,q\n3,2,p\n2,2,q\n"), "-t", "y", "--ignore", 1)
    assert [each["name"] for each in found["columns"]] == ["b"]


def test_other_workbooks_are_named_with_the_remedy(tmp_path, file):
    for name in ("f.ods", "f.csv"):
        with zipfile.ZipFile(tmp_path / name, "w") as packed:
            packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        message = said(tmp_path / name, "y")
        assert message.startswith(f"{name}: is a LibreOffice workbook")
        assert "save the sheet as CSV" in message
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100)
    assert said(file(old, "f.xls")).startswith("f.xls: is an old Excel workbook (xls)")
    assert said(file(gzip.compress(old), "f.csv.gz")).startswith("f.csv.gz: is an old Excel workbook (xls)")


IDS = {
    "names": lambda k: f"customer {k * 7919 % 1000:03}",
    "from 0": lambda k: k,
    "from 1": lambda k: k + 1,
}


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_ids_are_left_out_unless_asked_for(tmp_path, kind, ending):
    values = {
        "id": [IDS[kind](k) for k in range(30)],
        "x": [k % 7 for k in range(30)],
        "y": ["ab"[k % 2] for k in range(30)],
    }
    path = tmp_path / f"f.{ending}"
    if ending == "csv":
        pd.DataFrame(values).to_csv(path, index=False)
    elif ending == "parquet":
        parquet.write_table(pa.table(values), path)
    else:
        path.write_text("".join(json.dumps({name: values[name][k] for name in values}) + "\n" for k in range(30)))
    found = results("fit", path, "-t", "y", "--no-test")
    assert [each["name"] for each in found["columns"]] == ["x"]
    (left,) = found["left_out"]
    assert left["column"] == "id"
    assert f"'id' is left out: {left['why']}; pass --use id to keep it" in "".join(found["notes"])
    for option in ("--use", "--categorical"):
        kept = results("fit", path, "-t", "y", "--no-test", option, "id")
        assert [each["name"] for each in kept["columns"]] == ["id", "x"]
        assert kept["left_out"] == []
    assert results("check", path, "-t", "y", status=1)["left_out"] == [left]
    assert results("compare", path, "-t", "y", "--learner", "adaline", "--folds", 2)["left_out"] == [left]


def test_what_is_left_out_may_look_like_something_else(file):
    rows = "".join(f"CHF {k}.50;2020-01-{k:02};{k % 7};{'ab'[k % 2]}\n" for k in range(1, 31))
    data, _ = read(file("price;when;x;y\n" + rows), "y")
    assert [note.split(": ", 1)[1] for note in data.notes] == [
        "'price' looks like numbers ('CHF 1.50') and is left out: its values are all different, as those of an id are; "
        "pass decimal=... or thousands=..., or write them as 1234.5, or use='price' to keep it",
        "'when' looks like dates and is left out: the dates of new rows are seldom among those of training; "
        "pass dates='parts', or use='when' to keep it",
    ]


def test_what_only_looks_a_little_like_an_id_is_kept(file):
    rows = [f"{k},{(k * k) % 29},{k % 11}x,{'' if k > 5 else f'only {k}'},{'ab'[k % 2]}" for k in range(30)]
    rows[29] = rows[29].replace("29", "28", 1)
    path = file("nearly,late,text,seldom,y\n" + "\n".join(rows))
    assert [column.name for column in read(path, "y")[0].schema.columns] == ["nearly", "late", "text", "seldom"]
    alone = file("id,y\n" + "".join(f"{k},{'ab'[k % 2]}\n" for k in range(30)))
    assert read(alone, "y")[0].schema.numbers == ["id"]  # there is nothing else to learn from
    few = file("a,b,y\n0,p,1\n1,q,2\n2,r,1\n")
    assert read(few, "y")[0].left_out == []


def test_empty_columns_are_left_out_and_an_empty_table_is_refused(file):
    path = file("x,nothing,na,y\n1.5,,NA,a\n2.5, ,?,b\n")
    data, (numbers, _, _, _) = read(path, "y")
    assert numbers.tolist() == [[1.5], [2.5]]
    assert [(each.column, each.why) for each in data.left_out] == [
        ("nothing", "it has no value"),
        ("na", "it has no value"),
    ]
    assert "has no column to learn from" in said(file("x,y\n,a\n,b\n"), "y")


@pytest.mark.parametrize("size", [20, byte_sources.CHUNK])
def test_rows_without_a_label_are_left_out_and_counted(write, tmp_path, monkeypatch, size):
    monkeypatch.setattr(byte_sources, "CHUNK", size)
    full = [(k % 5 - (k % 2), "ab"[k % 2]) for k in range(40)]
    lines = [f"{x},{'' if k % 4 == 3 else y}" for k, (x, y) in enumerate(full)]
    some = write("x,y\n" + "\n".join(lines), "some.csv")
    rest = write("x,y\n" + "\n".join(line for line in lines if not line.endswith(",")), "rest.csv")
    found = results("fit", some, "-t", "y", "-o", tmp_path / "some", "--no-test")
    assert found["rows"] == {"read": 40, "dropped": 0, "unlabelled": 10, "training": 30, "held_out": 0}
    assert "10 rows are left out, since 'y' is missing there" in found["notes"]
    assert "40 rows read" in run("fit", some, "-t", "y", "--no-test")[0]
    run("fit", rest, "-t", "y", "-o", tmp_path / "rest", "--no-test")
    if size > 20:  # in one piece: where pieces end decides the order of learning
        same_weights(tmp_path / "some", tmp_path / "rest")
    scored, whole = (results("score", tmp_path / "some", path) for path in (some, rest))
    assert (scored["rows"], scored["score"], scored["unlabelled"]) == (whole["rows"], whole["score"], 10)
    assert run("predict", tmp_path / "some", some)[0].count("\n") == 41  # rows to predict have no labels
    assert results("check", some, "-t", "y", status=1)["rows"] == 30
    data, (numbers, _, target, rows) = read(write("t,x\n1,2\n?,3\n4,5\n", "n.csv"), "t", "numbers")
    assert (target.tolist(), numbers[:, 0].tolist(), rows.tolist(), data.unlabelled) == ([1, 4], [2, 5], [0, 2], 1)
    assert "no row has a value of the target" in refused("fit", write("x,y\n1,\n2,\n"), "-t", "y")


def test_numbers_as_labels_suggest_regression(write):
    prices = write("size,price\n" + "".join(f"{k % 9},{100 + k * 7}\n" for k in range(40)))
    out, error = run("fit", prices, "-t", "price", "--no-test", "--passes", 1)
    for said_where in (error, out.replace("\n  ", " ")):
        assert "holds 40 different numbers in 40 rows" in said_where
        assert "--learner adaline-regressor, --learner passive-aggressive-regressor or" in said_where
    digits = write("size,digit\n" + "".join(f"{k % 9},{k % 10}\n" for k in range(40)), "digits.csv")
    assert not any("different numbers" in note for note in results("fit", digits, "-t", "digit", "--no-test")["notes"])
    learned = results("fit", prices, "-t", "price", "--no-test", "--learner", "adaline-regressor")
    assert not any("different numbers" in note for note in learned["notes"])


def test_learners_are_named_in_help_and_reference():
    from novikoff.tables.learner_choices import CHOICES

    page = (PENGUINS.parents[1] / "docs" / "cli.md").read_text()
    for command in ("fit", "compare"):
        said_there = "".join(run(command, "--help")[0].split())
        assert all(choice.name in said_there for choice in CHOICES)
    assert all(f"{choice.name}" in page for choice in CHOICES)


def test_very_many_levels_are_said_aloud(write):
    rows = "".join(f"town {k % 80},{k % 7},{'ab'[k % 2]}\n" for k in range(120))
    found = results("fit", write("town,x,y\n" + rows), "-t", "y", "--no-test")
    assert any("'town' has 80 levels in 120 rows" in note and "--ignore town" in note for note in found["notes"])
    few = results("fit", write("town,x,y\n" + rows.replace("town ", "t") * 10), "-t", "y", "--no-test")
    assert not any("levels" in note for note in few["notes"])


def test_headers_cost_no_more_than_their_length(monkeypatch, file):
    """What takes long of each name, or looks at all before it, is not done for every name."""
    from novikoff.rows.readers import csv_text as heads

    slow = []
    monkeypatch.setattr(pa, "scalar", lambda *arguments: slow.append("scalar"))
    monkeypatch.setattr(heads, "count_lines", lambda data: slow.append("lines") or count_lines(data))
    with pytest.raises(DataError, match="has no column to learn from"):
        open_data([file("," * HEAD + "\n" + "," * HEAD + "\n")], None)
    names = [f"x{k}" for k in range(HEAD // 4)]
    assert open_data([file(",".join(names) + "\n" + ",".join("7" * len(names)) + "\n")], None).schema.numbers == names
    assert len(slow) < 10


@settings(max_examples=100)
@given(st.lists(st.sampled_from(["", "a", "1", "x y", '"q"']), min_size=2, max_size=5))
def test_a_first_line_with_a_number_is_no_header(fields):
    from novikoff.rows.readers.csv_text import find_fields

    found = find_fields((",".join(fields) + "\n" + ",".join(["2"] * len(fields)) + "\n").encode(), ",")
    assert not (has_header(found, frozenset(), frozenset()) and "1" in fields)
