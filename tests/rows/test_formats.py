"""A new format costs a reader and a row: here one of lines with fields of a fixed width."""

import json

import pyarrow as pa
import pytest

from commands import run
from novikoff.rows.readers.arrow_columns import ColumnKind
from novikoff.rows.readers.byte_sources import FileSource, chunks, end_of_lines, place_in, row_start
from novikoff.rows.readers.formats import FORMATS, Format
from novikoff.rows.readers.reading import format_of, open_data
from novikoff.rows.readers.reading_options import Reading
from novikoff.rows.readers.tables import make_part
from novikoff.rows.store.blocks import DataError

WIDTH = 6


class FixedWidth:
    """The reader: names in the first line, numbers right below them; the last column holds texts."""

    header, open_ended = True, False

    def __init__(self, source, reading, expected):
        self.source, self.name, self.notes, self.unnamed = source, source.name, [], {}
        with source.text(reading.encoding) as text:
            self._head, _, _ = text.read(1 << 16).partition(b"\n")
        self.names = self._fields(self._head)

    @staticmethod
    def _fields(line):
        return [line[at : at + WIDTH].decode().strip() for at in range(0, len(line), WIDTH)]

    def _rows(self, chunk):
        return [self._fields(line) for line in chunk.data[chunk.start :].splitlines() if line.strip()]

    def pieces(self, plan=None):
        for number, chunk in enumerate(chunks(self.source, "utf-8", end_of_lines)):
            yield chunk._replace(start=0 if number else len(self._head))

    def kinds(self, names, reading):
        return {name: ColumnKind("category" if name == self.names[-1] else "number") for name in names}

    def parse(self, chunk, plan):
        columns = zip(*self._rows(chunk), strict=True)
        texts = {name: pa.array(column, pa.string()) for name, column in zip(self.names, columns, strict=True)}
        return make_part({name: texts[name] for name in plan.columns}, plan)

    def place(self, number, chunk, fault, first):
        return place_in(self, number, chunk, row_start(chunk.data, fault.row + 1), with_column=False)


@pytest.fixture(autouse=True)
def fixed(monkeypatch):
    row = Format("fixed", ("fwf",), FixedWidth, fits=lambda lines: lines[0].startswith(b"fixed"))
    monkeypatch.setitem(FORMATS, "fixed", row)


def table(rows, names):
    return "".join("".join(f"{cell:>{WIDTH}}" for cell in row) + "\n" for row in [names, *rows])


ROWS = [(i % 7, i // 7, "high" if i % 7 + i // 7 > 6 else "low") for i in range(49)]


def test_a_row_and_a_reader_serve_every_command(tmp_path):
    """The same rows as CSV give the same answers, whatever the command."""
    fixed, csv = tmp_path / "rows.fwf", tmp_path / "rows.csv"
    fixed.write_text(table(ROWS, ("x", "y", "size")))
    csv.write_text("x,y,size\n" + "".join(f"{x},{y},{size}\n" for x, y, size in ROWS))
    answers = []
    for path in (fixed, csv):
        model = tmp_path / f"{path.suffix}.novikoff"
        fitted = json.loads(run("fit", path, "-t", "size", "-o", model, "--json")[0])
        checked = json.loads(run("check", path, "-t", "size", "--json")[0])
        predicted = run("predict", model, path, "--keep", "x")[0]
        answers.append((fitted["weights"], fitted["confusion"], checked["text"], checked["margin"], predicted))
    assert answers[0] == answers[1]
    assert "high" in answers[0][-1]


def test_it_is_known_by_its_name_its_first_lines_and_by_being_told(tmp_path):
    text = table([(1, 2, "a")], ("fixed", "y", "size"))
    for name, reading in (("a.fwf", Reading()), ("a.csv", Reading(format="fixed")), ("a", Reading())):
        (tmp_path / name).write_text(text.replace(" fixed", "fixed "))
        assert format_of(FileSource(str(tmp_path / name)), reading).name == "fixed"
    with pytest.raises(ValueError, match=r"one of csv, .*, fixed; got 'xml'"):
        open_data([tmp_path / "a"], None, reading=Reading(format="xml"))


def test_its_faults_are_told_by_their_place(tmp_path):
    path = tmp_path / "rows.fwf"
    path.write_text(table([(1, 2, "a"), (3, "four", "b")], ("x", "y", "size")))
    with pytest.raises(DataError, match=r"rows\.fwf:3: 'four' is not a number"):
        list(open_data([path], "size").blocks())


def test_every_row_of_the_table_says_different_things():
    rows = list(FORMATS.values())
    endings = [ending for row in rows for ending in row.endings]
    assert len(endings) == len(set(endings))
    assert [row.name for row in rows] == list(FORMATS)
    assert all(row.text or row.start for row in rows)  # what is no text is known by its first bytes
