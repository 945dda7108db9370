"""What the reader of a format is: it cuts a file into pieces, turns pieces into rows, and says where a fault is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from .byte_sources import Source
from .column_kinds import Kind
from .libsvm_files import SparsePart
from .reading_options import Fault, Plan, Reading
from .tables import TablePart

Part = TablePart | SparsePart


class FileReader(Protocol):
    """A file.  A piece is what the format makes it, with ``done``: the bytes of the file that were read so far."""

    source: Source
    name: str  # of the file
    notes: list[str]  # what was assumed

    def pieces(self, plan: Plan | None = None) -> Iterator[Any]:
        """The file from its start; the same pieces every time."""

    def parse(self, piece: Any, plan: Plan) -> Part:
        """The rows of a piece, by any thread; or a ``Fault``."""

    def cuts(self, size: int) -> list[Any]:
        """The file in several readers, one after the other, each of about so many bytes; or this one, where it has to stay whole."""

    def place(self, number: int, piece: Any, fault: Fault, first: int) -> str:
        """Where in piece ``number``, which starts at row ``first`` of the file, a fault is."""


class TableReader(FileReader, Protocol):
    """A file of a table: its columns have names."""

    names: list[str]
    unnamed: dict[str, int]  # columns that the file does not name, and the bytes where it should
    header: bool  # whether the names are the file's own
    open_ended: bool  # whether rows may lack columns

    def parse(self, piece: Any, plan: Plan) -> TablePart:
        """The rows of a piece, by any thread; or a ``Fault``."""

    def kinds(self, names: list[str], reading: Reading) -> dict[str, Kind]:
        """What these columns hold, by the first piece."""
