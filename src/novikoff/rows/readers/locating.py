"""Faults of a piece of a file as errors that say where they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ..store.blocks import DataError
from .file_reader import FileReader
from .reading_options import Fault, Plan


def error_at(reader: FileReader, number: int, piece: Any, fault: Fault, row: int, fresh: bool) -> DataError:
    """The error of a fault in piece ``number``, which starts at this row of the file; ``fresh``: columns are still decided on."""
    text = (fault.text + fault.fresh * fresh).removesuffix(".")
    return DataError(f"{reader.place(number, piece, fault, row)}: {text}{'' if text.endswith('?') else '.'}")


@contextmanager
def in_first_piece(reader: FileReader, plan: Plan | None = None) -> Iterator[None]:
    """Within it, a fault in the first piece of a file becomes an error that says where."""
    try:
        yield
    except Fault as fault:
        piece = None
        with suppress(Fault):
            piece = next(reader.pieces(plan), None)
        raise error_at(reader, 0, piece, fault, 0, True) from None
