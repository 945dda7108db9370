"""Answers for rows, with scores and probabilities if they were asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from .documents import FILE_OF_MODEL, HIDDEN
from .shown_result import ShownResult

MAKERS = {"pandas": ("pandas", "DataFrame"), "polars": ("polars", "DataFrame"), "arrow": ("pyarrow", "table")}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class PredictResult(ShownResult):
    """One answer for every row.

    ``labels``, ``scores`` (of two classes those of the second) and ``probabilities`` are arrays with a row for every row of
    the source; ``columns`` has the same by name, as ``to_frame()`` and the document have it.  Where every partition wrote its
    answers to a file, ``parts`` names these, and there is nothing in the others.
    """

    command: ClassVar[str] = "predict"
    model_file: str | None = field(metadata=FILE_OF_MODEL)
    files: list[str]
    rows: int
    classes: list[str] | None  # None of numbers
    notes: list[str]
    columns: dict[str, list[Any]]  # those that were kept, "prediction", "score of ...", "probability of ..."
    labels: np.ndarray = field(metadata=HIDDEN)
    scores: np.ndarray | None = field(metadata=HIDDEN)
    probabilities: np.ndarray | None = field(metadata=HIDDEN)
    kept: dict[str, list[str]] = field(metadata=HIDDEN)  # columns that were handed on, as texts
    model: Any = field(metadata=HIDDEN)
    parts: list[str] | None = None  # files of the answers, one a partition, if they were written to a folder

    def to_frame(self, library: str = "pandas") -> Any:
        """The answers as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars", "arrow"}, default="pandas"
            Whose: a pandas or polars DataFrame, or an Arrow table.

        Returns
        -------
        data frame
            With a row for every row of the source.
        """
        if library not in MAKERS:
            raise ValueError(f"library must be one of {', '.join(map(repr, MAKERS))}; got {library!r}.")
        package, maker = MAKERS[library]
        try:
            make = getattr(import_module(package), maker)
        except ImportError as error:
            raise ImportError(f"to_frame({library!r}) needs {package}: pip install {package}") from error
        return make(self.columns)

    def __len__(self) -> int:
        return self.rows
