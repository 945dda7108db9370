"""Results as documents: plain dicts, lists, texts and numbers, which can be written as JSON and which pages are made of."""

from __future__ import annotations

import math
import shutil
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from ..report.html import Picture, notebook_view, page
from ..report.result_sections import PYTHON, Wording, sections_of
from ..report.sections import NOTEBOOK, PAGE, TERMINAL
from ..report.terminal import as_text
from ..report.words import installing

INLINE = {"inline": True}  # metadata of a part whose fields stand among the result's own in its document
HIDDEN = {"hidden": True}  # metadata of what is no part of the document: models, proofs
FILE_OF_MODEL = {"name": "model"}  # metadata of ``model_file``, which documents call "model"


@dataclass(frozen=True)
class Result:
    """Something that was found out.

    The document of it has its fields by name.  Those that are None by default are left out where they are None: they do
    not concern this result.  An underscore at the end of a name (``class_``) is left out, too.
    What is ``HIDDEN`` is no part of it.
    """

    def to_dict(self) -> dict[str, Any]:
        """The document."""
        found: dict[str, Any] = {}
        for own in fields(self):
            value = getattr(self, own.name)
            if own.metadata.get("hidden") or (value is None and own.default is None):
                continue
            if own.metadata.get("inline"):
                found |= value.to_dict()
            else:
                found[own.metadata.get("name") or own.name.removesuffix("_")] = _plain(value)
        return found


def _plain(value: Any) -> Any:
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def plain(value: Any) -> Any:
    """The same in Python's own types; what is not finite becomes None."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(part) for part in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    return None if value is None else str(value)


@dataclass(frozen=True, repr=False)
class ShownResult(Result):
    """A result of one of the table functions.

    ``print(result)`` shows it as text, a notebook as tables, ``to_html()`` as a page with pictures; ``to_dict()`` has all of
    it as plain dicts, lists, texts and numbers.
    """

    command: ClassVar[str]  # which command prints this

    def _document(self) -> dict[str, Any]:
        return {"command": self.command, **self.to_dict()}

    def to_html(self) -> str:
        """The result as a page: one HTML text with its pictures in it, which needs nothing else.

        Returns
        -------
        str
            To be written to a file that a browser opens.
        """
        return as_page(self._document())

    def _repr_html_(self) -> str:
        return notebook_view(sections_of(self._document(), NOTEBOOK), self._picture())

    def _picture(self) -> Picture | None:
        """What a notebook shows with the first section."""
        return None

    def __repr__(self) -> str:
        sections = sections_of(self._document(), TERMINAL)
        try:
            return as_text(sections, shutil.get_terminal_size().columns, PYTHON.prompt).rstrip()
        except ImportError:  # without rich
            lines = [" ".join(section.lines) for section in sections[:2]]
            return "\n".join([f"{type(self).__name__}:", *lines, f"For all of it: {installing('cli')}"])

    __str__ = __repr__


def as_page(document: dict[str, Any], words: Wording = PYTHON) -> str:
    """A result as a page with its pictures: one HTML text; ``words`` say what to do next."""
    from ..plots.report_pictures import picture  # when a page is made: pictures need matplotlib, an extra

    return page(document, sections_of(document, PAGE, words), picture)
