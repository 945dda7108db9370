"""Forty files as people have them: each is read right, or refused with remedies that work when they are followed."""

import bz2
import gzip
import io
import json
import lzma
import re
import shlex
import sqlite3
import zipfile
from typing import NamedTuple

import pytest

from commands import refused, results

PAIRS = [(k % 7, ("red", "green", "blue")[k % 3], ("yes", "no")[k % 2]) for k in range(40)]
LINES = ["size,colour,y", *(",".join(map(str, pair)) for pair in PAIRS)]
TEXT = "\n".join(LINES) + "\n"


def with_size(write, more=(), name="size"):
    """A table whose numbers are written by ``write``; ``more`` are lines at its end."""
    return "\n".join([f"{name};colour;y", *(f"{write(a)};{b};{c}" for a, b, c in PAIRS), *more]) + "\n"


def zipped(**members):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return whole.getvalue()


def workbook(*sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book, whole = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(whole)
    return whole.getvalue()


def database(folder, **tables):
    path = folder / "made.db"
    with sqlite3.connect(path) as base:
        for name, rows in tables.items():
            base.execute(f"CREATE TABLE {name} (size, colour, y)")
            base.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
    base.close()
    content = path.read_bytes()
    path.unlink()
    return content


TABLE = [("size", "colour", "y"), *PAIRS]


class Right(NamedTuple):
    """A file that is read right: kinds of its columns (n: number, c: category, t: text), its rows, and what is said."""

    content: object
    kinds: str = "nc"
    rows: int = 40
    says: str = ""
    options: tuple = ()
    name: str = "rows.csv"


class Wrong(NamedTuple):
    """A file that is refused: what is said, and the file corrected as the error says, if it offers no option."""

    content: object
    says: str
    mended: object = None
    options: tuple = ()
    name: str = "rows.csv"
    target: str = "y"


UGLY = {
    "semicolons and decimal commas": Right(with_size(lambda a: f"{a},5")),
    "thousands parted by points": Right(with_size(lambda a: f"{a + 1}.000,5"), says="numbers are written like"),
    "percent signs": Right(with_size(lambda a: f"{a}.5%"), says="1234.5%"),
    "currency signs": Right(with_size(lambda a: f"${a}.5")),
    "a byte order mark": Right(b"\xef\xbb\xbf" + TEXT.encode()),
    "UTF-16": Right(TEXT.encode("utf-16")),
    "Excel's sep=": Right("sep=;\n" + with_size(str)),
    "blanks around everything": Right(TEXT.replace(",", " , ")),
    "old ends of lines": Right(TEXT.replace("\n", "\r")),
    "blank lines between rows": Right(TEXT.replace("\n", "\n\n")),
    "quoted line ends": Right(TEXT.replace("green", '"light\ngreen"')),
    "row names of pandas": Right("\n".join(f"{k if k else ''},{line}" for k, line in enumerate(LINES)) + "\n"),
    "row names of R": Right("\n".join([LINES[0], *(f"r{k},{line}" for k, line in enumerate(LINES[1:]))]) + "\n"),
    "no header, target by number": Right("\n".join(LINES[1:]) + "\n", options=("-t", "3")),
    "gaps as other programs write them": Right(
        with_size(lambda a: ("#N/A", ".", "-", "\\N", "<NA>", "5", "6")[a]), says="taken as missing"
    ),
    "few numbers and a word": Right(with_size(lambda a: a or "rotary"), kinds="cc", says="numbers with words"),
    "postcodes": Right(with_size(lambda a: f"0{a}123"), kinds="cc", says="codes"),
    "customer numbers": Right(
        "\n".join(["id,size,y", *(f"{90000 + 7 * k % 41},{a},{c}" for k, (a, _, c) in enumerate(PAIRS))]) + "\n",
        kinds="n",
    ),
    "dates with names of months": Right(
        "\n".join(["when,size,y", *(f'"Feb 0{a + 1}, 2019",{a},{c}' for a, _, c in PAIRS)]) + "\n",
        kinds="n",
        says="looks like dates and is left out",
    ),
    "an empty column": Right("\n".join(["size,colour,nothing,y", *(f"{a},{b},,{c}" for a, b, c in PAIRS)]) + "\n"),
    "labels in several spellings": Right(TEXT.replace("0,red,yes", "0,red,Yes"), says="differ only in case"),
    "a row of totals": Right(TEXT + "120,Total,yes\n", rows=41, says="'Total'"),
    "rows without a label": Right(TEXT + "3,red,\n", rows=41, says="1 row is left out"),
    "an array of JSON": Right(
        json.dumps([dict(zip(TABLE[0], row, strict=True)) for row in PAIRS], indent=1), name="rows.json"
    ),
    "gzip under another name": Right(gzip.compress(TEXT.encode())),
    "bz2": Right(bz2.compress(TEXT.encode()), name="rows.txt"),
    "xz": Right(lzma.compress(TEXT.encode()), name="rows.csv.xz"),
    "zip": Right(zipped(rows_csv=TEXT), name="rows.zip"),
    "a workbook": Right(lambda folder: workbook(("A", TABLE)), name="rows.xlsx"),
    "a database": Right(lambda folder: database(folder, people=PAIRS), name="rows.db"),
    "a workbook with a title": Wrong(
        lambda folder: workbook(("A", [("Report of 2024",), (), *TABLE])),
        "no part of the table below",
        name="rows.xlsx",
    ),
    "titles above the table": Wrong("Report of 2024\nall shops\n\n" + TEXT, "the first 3 lines are no part"),
    "a zip of two files": Wrong(zipped(a_csv=TEXT, b_csv=TEXT), "has 2 files in it", name="rows.zip"),
    "a database of two tables": Wrong(
        lambda folder: database(folder, people=PAIRS, others=PAIRS), "the database has several tables", name="rows.db"
    ),
    "words among many numbers": Wrong(
        "size,y\n" + "".join(f"{k},{'ab'[k % 2]}\n" for k in range(20)) + "unknown,a\n", "is not a number"
    ),
    "heights in feet among numbers": Wrong(
        "size,y\n" + "".join(f"{k},{'ab'[k % 2]}\n" for k in range(20)) + "5' 4\",a\n", "is not a number"
    ),
    "one of two numbers": Wrong(with_size(lambda a: f"{a + 1},234"), "may be 1234 or 1.234"),
    "Latin-1": Wrong(TEXT.replace("green", "grün").encode("latin-1"), "is not valid UTF-8"),
    "a line too long": Wrong(
        TEXT + "1,red,light,yes\n", "4 fields, where 3 columns need 3", TEXT + '1,"red,light",yes\n'
    ),
    "a quote left open": Wrong(TEXT + '1,"red,yes\n', "a quote opens here and is never closed", TEXT + '1,"red",yes\n'),
    "two columns of one name": Wrong(TEXT.replace("colour", "size", 1), "two columns are named 'size'", TEXT),
    "numbers asked of labels": Wrong(TEXT, "this learner predicts numbers", options=("--learner", "adaline-regressor")),
    "a footnote below the table": Wrong(
        TEXT + "Source: the bureau of sizes\n", "correct the line (or delete it, if it is no row)", TEXT
    ),
    "a Weka file": Wrong(
        "% of 2024\n@relation sizes\n@attribute size numeric\n@attribute colour {red,green,blue}\n@attribute y {yes,no}\n@data\n"
        + "\n".join(LINES[1:])
        + "\n",
        "is a Weka file (ARFF), whose first 6 lines are no rows",
        name="rows.arff",
        target="3",
    ),
    "a web page": Wrong("<!DOCTYPE html><html><body>Please log in</body></html>", "export CSV or Parquet", TEXT),
    "a zip in a zip": Wrong(zipped(rows_zip=zipped(rows_csv=TEXT)), "unpack it, and give the file in it", TEXT),
    "numbers without bound": Wrong(with_size(lambda a: a).replace("3;", "inf;", 1), "is not a finite number"),
    "words in one column, feet in another": Wrong(
        "size,height,y\n"
        + "".join(f"{k % 7},{150 + k % 9},{'ab'[k % 2]}\n" for k in range(40))
        + "unknown,150,a\n3,5' 4,b\n",
        "is not a number",
    ),
    "another target's name": Wrong(TEXT, "has no column 'Y'; did you mean 'y'?", TEXT, target="Y"),
}


def put(folder, ugly):
    path = folder / ugly.name
    content = ugly.content(folder) if callable(ugly.content) else ugly.content
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def offered(message):
    """The options that an error offers, each as words of a command."""
    text = re.split(r"\bpass (?=--)|\bsay ", message, maxsplit=1)[-1].removesuffix(".")
    parts = re.split(r"(?<! ),? or (?=--)| or (?=--)|; for labels |, (?=--)", text)
    return [
        shlex.split(re.split(r" \(if|; | to | in ", part)[0].rstrip(".")) for part in parts if part.startswith("--")
    ]


def test_there_are_forty():
    assert len(UGLY) >= 40


@pytest.mark.parametrize("name", [name for name, ugly in UGLY.items() if isinstance(ugly, Right)])
def test_ugly_files_are_read_right(tmp_path, name):
    ugly = UGLY[name]
    target = () if "-t" in ugly.options else ("-t", "y")
    found = results("fit", put(tmp_path, ugly), *target, *ugly.options, "--no-test")
    assert "".join(column["kind"][0] for column in found["columns"]) == ugly.kinds
    assert found["rows"]["read"] == ugly.rows
    assert {each["label"].lower() for each in found["classes"]} == {"yes", "no"}
    assert ugly.says in " ".join(found["notes"])


@pytest.mark.parametrize("name", [name for name, ugly in UGLY.items() if isinstance(ugly, Wrong)])
def test_remedies_work_when_they_are_followed(tmp_path, name):
    ugly = UGLY[name]
    path = put(tmp_path, ugly)
    command = ["-t", ugly.target, *ugly.options, "--no-test"]
    message = refused("fit", path, *command)
    assert ugly.says in message
    if ugly.mended is not None:
        path.write_text(ugly.mended)
        target = re.search("did you mean '(.*?)'", message)
        results("fit", path, "-t", target[1] if target else "y", "--no-test")
        return
    there = re.split(r"as in|It has|there are", message)[1:]
    parts = re.findall(rf"{re.escape(str(path))}::[^\s,]+?(?=,|\. |\.?$)", " ".join(there))
    remedies = [[part, *command] for part in parts] or [[path, *command, *words] for words in offered(message)]
    assert remedies, message
    for words in remedies:
        found = results("fit", *words)
        assert found["rows"]["training"] >= 20, words
