"""Delimited text without quotes, straight into arrays, in half the time that the way through Arrow's tables takes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from ...compiled.jit import helper, kernel
from .arrow_columns import as_codes, as_numbers, texts_between
from .chunks import BLANK, CR, LF, TAB, Chunk, count_lines
from .decimals import AT_ONCE, read_number, read_short
from .reading_options import Plan
from .rounded import RoundedField, rounded_among, rounded_columns
from .tables import TablePart, as_written, finish_part, numbers_of

IGNORED = -1


class Columns(NamedTuple):
    """What becomes of each column of a file: its place among numbers, or (from -2 downwards) among texts."""

    roles: np.ndarray
    numbers: int
    texts: int


class Found(NamedTuple):
    """What a chunk holds.  Some numbers are left to others, each by its text's start and end and its place in ``numbers``."""

    data: bytes
    numbers: np.ndarray
    bounds: np.ndarray  # (text columns, rows, 2): where texts start and end
    hard: np.ndarray  # numbers that one rounding does not give
    strange: np.ndarray  # what is no number, or missing


def columns_of_numbers(chunk: Chunk, delimiter: str, names: list[str]) -> set[str]:
    """Columns of which every field is a number; none if there is a fault in the chunk."""
    found = _read(chunk, delimiter, Columns(np.arange(len(names)), len(names), 0))
    if found is None:
        return set()
    return set(names) - {names[place] for place in np.unique(found.strange[:, 2] % len(names))}


def parse_plain(chunk: Chunk, delimiter: str, names: list[str], plan: Plan) -> TablePart | None:
    """The rows of a chunk; None if there is a fault in it, which others explain."""
    plain, spelled = set(plan.plain), plan.spelled
    floats = {name: place for place, name in enumerate(plan.floats) if name in plain}
    texts = {name: -2 - place for place, name in enumerate([*plan.texts, *spelled])}
    roles = np.array([floats.get(name, texts.get(name, IGNORED)) for name in names], np.int64)
    found = _read(chunk, delimiter, Columns(roles, len(plan.floats), len(texts)))
    if found is None:
        return None
    data, numbers, bounds, hard, strange = found
    flat = numbers.reshape(-1)
    flat[hard[:, 2]] = as_numbers(texts_between(data, hard[:, :2]).cast("float64"), plan.missing, "")
    flat[strange[:, 2]] = as_numbers(texts_between(data, strange[:, :2]), plan.missing, "")
    coded = {
        name: as_codes(texts_between(data, places), plan.missing)
        for name, places in zip(plan.texts, bounds, strict=False)
    }
    rounded = [_rounded(found, plan)]
    if spelled:
        cells = {name: texts_between(data, places) for name, places in zip(spelled, bounds[len(coded) :], strict=True)}
        values = numbers_of(cells, spelled, plan)
        for place, name in enumerate(plan.floats):
            if name in values:
                numbers[:, place] = values[name]
        suspects = {name: values[name] for name in plan.numbers if name in cells and name in values}
        rounded.append(rounded_columns(suspects, as_written(cells, plan)))
    if plan.target is None:
        return finish_part(numbers, coded, None, plan, chain(*rounded))
    if plan.task == "classes":
        return finish_part(numbers, coded, coded.pop(plan.target), plan, chain(*rounded))
    return finish_part(np.ascontiguousarray(numbers[:, :-1]), coded, numbers[:, -1].copy(), plan, chain(*rounded))


def _rounded(found: Found, plan: Plan) -> Iterator[RoundedField]:
    """Numbers that float64 cannot hold: ``_parse`` leaves all of 2^53 and more to others."""
    for odd in (found.hard, found.strange):
        values = found.numbers.reshape(-1)[odd[:, 2]]
        for number, text in rounded_among(values, partial(texts_between, found.data, odd[:, :2])):
            row, column = divmod(int(odd[number, 2]), len(plan.floats))
            if column < len(plan.numbers):
                yield RoundedField(row, text, plan.numbers[column])


def _read(chunk: Chunk, delimiter: str, columns: Columns) -> Found | None:
    data = chunk.data if chunk.data.endswith(b"\n") else chunk.data + b"\n"
    whole = len(data) // len(columns.roles)  # no more rows than that, since every field has its end; lines may be blank
    lines = min(count_lines(data), whole + 1)  # one may be too short, and is looked at before that is seen
    numbers = np.empty((lines, columns.numbers))
    bounds = np.empty((columns.texts, lines, 2), np.int32)
    odd = np.empty((lines * columns.numbers, 3), np.int32)
    rows, hard, strange = _parse(data, chunk.start, ord(delimiter), columns.roles, numbers, bounds, odd)
    if rows < 0:
        return None
    return Found(data, numbers[:rows], bounds[:, :rows], odd[:hard], odd[len(odd) - strange :][::-1])


@helper
def _skip_blanks(data: bytes, i: int, delimiter: int) -> int:
    while data[i] != delimiter and (data[i] == BLANK or data[i] == TAB):
        i += 1
    return i


@helper
def _ends_field(c: int, delimiter: int) -> bool:
    return c in (delimiter, LF, CR)


@helper
def _field_end(data: bytes, i: int, delimiter: int) -> int:
    while not _ends_field(data[i], delimiter):
        i += 1
    return i


@kernel
def _parse(
    data: bytes, i: int, delimiter: int, roles: np.ndarray, numbers: np.ndarray, bounds: np.ndarray, odd: np.ndarray
) -> tuple[int, int, int]:
    """Fill the arrays; the number of rows (-1: a row has too many fields, or too few), and of numbers left to others:
    those that one rounding does not give, and from the end of ``odd`` those that are none or are missing."""
    n = len(data)
    rows = hard = strange = 0
    while i < n:
        if data[i] == LF or data[i] == CR:
            i += 1
            continue
        for column in range(len(roles)):
            role, begin = roles[column], i
            if role < 0:
                i = _field_end(data, i, delimiter)
                if role < IGNORED:
                    bounds[-2 - role, rows, 0], bounds[-2 - role, rows, 1] = begin, i
            else:
                short = i + AT_ONCE <= n
                if short:
                    value, end, short = read_short(data, i)
                if short and _ends_field(data[end], delimiter):
                    numbers[rows, role] = value
                    i = end
                else:
                    begin = _skip_blanks(data, i, delimiter)
                    value, end, exact = read_number(data, begin)
                    i = _skip_blanks(data, end, delimiter)
                    place = rows * numbers.shape[1] + role
                    if end == begin or not _ends_field(data[i], delimiter):
                        i = _field_end(data, i, delimiter)
                        strange += 1
                        last = len(odd) - strange
                        odd[last, 0], odd[last, 1], odd[last, 2] = begin, i, place
                    else:
                        numbers[rows, role] = value
                        if not exact:
                            odd[hard, 0], odd[hard, 1], odd[hard, 2] = begin, end, place
                            hard += 1
            if (data[i] == delimiter) != (column + 1 < len(roles)):
                return -1, 0, 0
            i += 1
        rows += 1
    return rows, hard, strange
