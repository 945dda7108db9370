"""Results on the terminal: calm and aligned, for 80 columns and for pipes.

Headings are bold where a terminal can show it; nothing else is coloured and no lines are drawn, so that the text is the
same in a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from .sections import Section, Table
from .words import clean, installing

if TYPE_CHECKING:
    from rich.console import Console

INDENT = 2
GAP = 2  # between columns
LEAST = 6  # columns of names are not cut shorter than this


def show(sections: Sequence[Section], console: Console | None = None, printed: int = 0, prompt: str = "$ ") -> int:
    """Print sections, except those that are too much for a terminal.

    Parameters
    ----------
    sections : sequence of Section
        What is shown of a result.
    console : rich Console, default=None
        Where to; None is the standard output.
    printed : int, default=0
        How many of them are printed already.
    prompt : str, default="$ "
        What stands before lines that can be typed.

    Returns
    -------
    int
        How many sections are printed now.
    """
    given, console = console, console or plain_console()
    narrow = console.width if given or console.is_terminal else None  # in a pipe nothing is cut
    every = [each for each in sections if not each.page_only]
    for place, section in enumerate(every[printed:], printed):
        if place:
            console.print()
        _show_section(section, console, narrow, prompt)
    console.file.flush()
    return len(every)


def plain_console(**settings: Any) -> Console:
    """A console that shows text as it stands: no markup, no emoji codes, no colours for numbers."""
    try:
        from rich.console import Console
    except ImportError as error:
        raise ImportError(f"Results as text need rich: {installing('cli')}") from error

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise

    return Plain(markup=False, emoji=False, highlight=False, **settings)


def as_text(sections: Sequence[Section], width: int = 80, prompt: str = "$ ") -> str:
    """What ``show`` prints on a terminal that is so many columns wide, without bold letters."""
    text = StringIO()
    console = plain_console(
        file=text, width=width, force_terminal=False, force_jupyter=False
    )  # a notebook gets the text, too
    show(sections, console, prompt=prompt)
    return text.getvalue()


def _show_section(section: Section, console: Console, narrow: int | None, prompt: str) -> None:
    """Sentences as wide as the console; tables as wide as they are, or no wider than ``narrow``."""
    from rich.text import Text

    room = console.width - INDENT
    tables = (table_lines(table, None if narrow is None else narrow - INDENT) for table in section.tables)
    blocks = [_wrapped(section.lines, room, console), *tables]
    blocks += [_wrapped(section.footnotes, room, console), [prompt + clean(command) for command in section.commands]]
    console.print(Text(section.title, style="bold"))
    for place, block in enumerate(block for block in blocks if block):
        if place:
            console.print()
        for line in block:
            console.print(Text(" " * INDENT + line), soft_wrap=True)


def _wrapped(lines: Sequence[str], width: int, console: Console) -> list[str]:
    """Sentences, broken into lines of this width."""
    from rich.text import Text

    return [part.plain.rstrip() for line in lines for part in Text(line).wrap(console, width)]


def table_lines(table: Table, width: int | None) -> list[str]:
    """The lines of a table no wider than ``width``, if that is given and cutting names suffices."""
    from rich.cells import cell_len

    columns = [list(column) for column in zip(table.heads, *table.rows, strict=True)]
    wanted = [max(map(cell_len, column)) for column in columns]
    least = [
        min(want, LEAST if side != "r" else max([LEAST - 2, *map(cell_len, column[1:])]))
        for want, side, column in zip(wanted, table.align, columns, strict=True)
    ]
    widths = wanted if width is None else _narrowed(wanted, least, width - GAP * (len(columns) - 1))
    lines = []
    for cells in zip(*columns, strict=True):
        padded = [_cell(*each) for each in zip(cells, widths, table.align, strict=True)]
        lines.append((" " * GAP).join(padded).rstrip())
    return lines


def _narrowed(wanted: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths that fit into the room: the widest column that may is cut first."""
    widths = list(wanted)
    while sum(widths) > room:
        able = [at for at, own in enumerate(widths) if own > least[at]]
        if not able:
            break
        widths[max(able, key=widths.__getitem__)] -= 1
    return widths


def _cell(text: str, width: int, side: str) -> str:
    """A text of exactly this width; a longer one is cut with an ellipsis, a place in a file at its front."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) > width:
        back = side == "p"
        kept = set_cell_size(text[::-1] if back else text, width - 1).rstrip()
        text = f"…{kept[::-1]}" if back else f"{kept}…"
    space = " " * (width - cell_len(text))
    return space + text if side == "r" else text + space
