"""Results that can be looked at: in a terminal, in a notebook, as a page."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import Any, ClassVar

from ..inputs.inline_picture import Picture
from ..inputs.notebook_view import notebook_view
from ..inputs.sections import NOTEBOOK, TERMINAL
from ..inputs.shell import installing
from .documents import Result
from .views.all_sections import sections_of
from .views.html_page import page
from .views.terminal import as_text
from .views.wording import PYTHON


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
        return page(self._document(), sections_of)

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
