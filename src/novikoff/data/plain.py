"""Delimited text without quotes, straight into arrays, in half the time that the way through Arrow's tables takes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import helper, kernel
from .chunks import Chunk, count_lines
from .decimals import read_number, read_texts
from .options import Plan
from .tables import TablePart, as_codes, as_numbers, finish_part

LF, CR, BLANK, TAB = 10, 13, 32, 9
IGNORED = -1


class Columns(NamedTuple):
    """What becomes of each column of a file: its place among numbers, or (from -2 downwards) among texts."""

    roles: np.ndarray
    numbers: int
    texts: int


def parse_plain(chunk: Chunk, delimiter: str, names: list[str], plan: Plan) -> TablePart | None:
    """The rows of a chunk; None if there is a fault in it, which others explain."""
    columns = _columns(names, plan)
    lines = count_lines(chunk.data) + 1
    numbers = np.empty((lines, columns.numbers))
    bounds = np.empty((columns.texts, lines, 2), np.int32)
    odd = np.empty((lines * columns.numbers, 3), np.int32)
    data = chunk.data if chunk.data.endswith(b"\n") else chunk.data + b"\n"
    rows, hard, strange = _parse(data, chunk.start, ord(delimiter), columns.roles, numbers, bounds, odd)
    if rows < 0:
        return None
    flat = numbers.reshape(-1)
    flat[odd[:hard, 2]] = as_numbers(read_texts(data, odd[:hard, :2]).cast("float64"), plan.missing, "")
    others = odd[len(odd) - strange :][::-1]
    flat[others[:, 2]] = as_numbers(read_texts(data, others[:, :2]), plan.missing, "")
    numbers = numbers[:rows]
    coded = {
        name: as_codes(read_texts(data, places[:rows]), plan.missing)
        for name, places in zip(plan.texts, bounds, strict=True)
    }
    if plan.target is None:
        return finish_part(numbers, coded, None, plan)
    if plan.task == "classes":
        return finish_part(numbers, coded, coded.pop(plan.target), plan)
    return finish_part(np.ascontiguousarray(numbers[:, :-1]), coded, numbers[:, -1].copy(), plan)


def _columns(names: list[str], plan: Plan) -> Columns:
    floats = {name: place for place, name in enumerate(plan.floats)}
    texts = {name: -2 - place for place, name in enumerate(plan.texts)}
    roles = np.array([floats.get(name, texts.get(name, IGNORED)) for name in names], np.int64)
    return Columns(roles, len(floats), len(texts))


@helper
def _skip_blanks(data, i, delimiter):
    while data[i] == BLANK or (data[i] == TAB and delimiter != TAB):
        i += 1
    return i


@helper
def _ends_field(c, delimiter):
    return c in (delimiter, LF, CR)


@kernel
def _parse(data, i, delimiter, roles, numbers, bounds, odd):
    """Fill the arrays; the number of rows (-1: a row has too many fields, or too few), and of numbers left to others:
    those that one rounding does not give, and from the end of ``odd`` those that are none or are missing."""
    n = len(data)
    rows = hard = strange = 0
    while i < n:
        if data[i] == LF or data[i] == CR:
            i += 1
            continue
        for column in range(len(roles)):
            role = roles[column]
            begin = i
            if role >= 0:
                begin = _skip_blanks(data, i, delimiter)
                value, end, exact = read_number(data, begin)
                i = _skip_blanks(data, end, delimiter)
                if end > begin and _ends_field(data[i], delimiter):
                    numbers[rows, role] = value
                    if not exact:
                        odd[hard, 0], odd[hard, 1], odd[hard, 2] = begin, end, rows * numbers.shape[1] + role
                        hard += 1
                    role = IGNORED
            while not _ends_field(data[i], delimiter):
                i += 1
            if role >= 0:
                strange += 1
                last = len(odd) - strange
                odd[last, 0], odd[last, 1], odd[last, 2] = begin, i, rows * numbers.shape[1] + role
            elif role < IGNORED:
                bounds[-2 - role, rows, 0], bounds[-2 - role, rows, 1] = begin, i
            if (data[i] == delimiter) != (column + 1 < len(roles)):
                return -1, 0, 0
            i += 1
        rows += 1
    return rows, hard, strange
