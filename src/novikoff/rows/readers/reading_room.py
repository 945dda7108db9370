"""What reading takes of memory, counted before it is taken."""

from __future__ import annotations

from collections.abc import Sequence

from ...inputs.keywords import keyword
from ..store.blocks import LONGEST_TEXT, DataError
from .reading_options import shown

BYTES_A_COLUMN = (
    4_100  # its name, kind and place in all tables of names (2,500, measured with 100,000), and its exact sums
)
BYTES_A_CELL = 100  # of a table: three copies, while a chunk is read, of the chunks that are read ahead
BYTES_A_TEXT = 400  # of a level or label beside its characters: in lists, dicts and an encoder (measured)


def refuse_columns(file: str, count: int, room: int | None) -> None:
    """Stop before more columns are set up than memory holds."""
    _refuse(file, f"{count:,} columns take", count * BYTES_A_COLUMN, room, "give fewer columns")


def refuse_cells(file: str, lines: int, keys: int, room: int | None) -> None:
    """Stop before a chunk of lines becomes a table that memory does not hold, since each line has few of the keys."""
    remedy = "write rows that lack most keys in the format LIBSVM, leave keys out (ignore=...)"
    _refuse(file, f"{lines:,} lines of {keys:,} keys take", lines * keys * BYTES_A_CELL, room, remedy)


def refuse_names(file: str, names: Sequence[str]) -> None:
    """Stop at a name of a column that is too long: every level of the column has it in the name of its feature."""
    for place, name in enumerate(names, 1):
        if len(name) > LONGEST_TEXT:
            raise DataError(
                f"{file}: the name of column {place} ({shown(name)!r}) has {len(name):,} characters, and a name may have "
                f"{LONGEST_TEXT:,}; shorten it."
            )


def refuse_texts(what: str, count: int, characters: int, room: int | None) -> None:
    """Stop before more texts are kept than memory holds; ``characters`` are those of the names of their features."""
    needed = count * BYTES_A_TEXT + 4 * characters
    _refuse(what, f"its {count:,} different texts take", needed, room, "leave the column out (ignore=...)")


def refuse_batch(file: str, size: int, room: int | None) -> None:
    """Stop before a batch of rows is read that memory does not hold: its bytes, and the numbers made of them."""
    remedy = "write it in smaller batches (Arrow's max_chunksize, such as 65536)"
    _refuse(file, "its largest batch of rows takes", 2 * size, room, remedy)


def refuse_pages(file: str, column: str, size: int, room: int | None) -> None:
    """Stop before columns are read whose pages memory does not hold; ``column`` has the largest."""
    remedy = f"write it in smaller groups of rows (Arrow's row_group_size), pass {keyword('ignore', column)}"
    _refuse(file, f"the pages of its columns, {shown(column)!r} above all, take", size, room, remedy)


def _refuse(where: str, what: str, needed: int, room: int | None, remedy: str) -> None:
    if room is not None and needed > room:
        raise DataError(
            f"{where}: {what} about {needed / 1e9:.2g} GB, and there is room for {room / 1e9:.2g} GB; {remedy}, or allow for it "
            "with memory=..."
        )
