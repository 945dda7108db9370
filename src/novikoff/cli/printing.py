"""What commands show: results as text or JSON, progress, and pages and pictures that go into files."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..report.result_sections import Advice, Wording
from ..report.sections import TERMINAL, Limits, Section
from ..report.terminal import show
from ..report.words import quote_file
from ..system.files import all_files_named, atomic_write, check_outputs, check_writable
from ..tables.progress import Watcher, announcing
from .errors import in_options, tell, told_in_options
from .process import printing


def dumps(result: dict[str, Any], encoding: str = "utf-8") -> str:
    """JSON, readable; what the encoding lacks is escaped."""
    from ..tables.results import plain  # when it is asked for: it needs NumPy

    text = json.dumps(plain(result), indent=2, ensure_ascii=False)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(plain(result), indent=2)
    return text


def _uses(file: str) -> list[str]:
    model = quote_file(file)
    return [f"novikoff predict {model} NEW.csv", f"novikoff score {model} LABELLED.csv", f"novikoff weights {model}"]


PAGE_NAME = "index.html"
SHELL = Wording(
    prompt="$ ",
    saved=_uses,
    unsaved=Advice("The model was not saved: pass -o FILE.", []),
    interrupted=lambda left: Advice(left["text"], left["commands"]),
    passes=lambda most: f"--passes {most}",
)


def document_of(result: Any) -> dict[str, Any]:
    """What is printed of a result, with options in place of keyword arguments."""
    found: dict[str, Any] = told_in_options({"command": result.command, **result.to_dict()})
    return found


def shell_sections(document: dict[str, Any], limits: Limits) -> list[Section]:
    """What is shown of it, with commands to go on with."""
    from ..report.result_sections import sections_of  # when it prints: help does without

    return sections_of(document, limits, SHELL)


def print_result(document: dict[str, Any], as_json: bool = False, printed: int = 0) -> int:
    """Print a result, of which so many sections are printed already; returns how many are printed now."""
    with printing():
        if as_json:
            print(dumps(document, sys.stdout.encoding))
        else:
            printed = show(shell_sections(document, TERMINAL), printed=printed, prompt=SHELL.prompt)
    return printed


@contextmanager
def progress(title: str, total: float | None, unit: str) -> Iterator[Callable[[float], None]]:
    """A bar with rate and time left on standard error, or one line where that is no terminal; hands out what to call with work just done.

    ``unit`` is "bytes" or a word such as "rows".
    """
    if not sys.stderr.isatty():
        yield announcing(title, total, WATCHER.tell)
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    in_bytes = unit == "bytes"
    speed = TransferSpeedColumn() if in_bytes else TextColumn(f"{{task.fields[rate]}} {unit}/s")
    shown = [DownloadColumn()] if in_bytes else []
    columns = [TextColumn("{task.description}"), BarColumn(), *shown, speed, TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total, rate="")

        def advance(done: float) -> None:
            speed_now = bar.tasks[0].speed
            bar.update(task, advance=done, rate=f"{speed_now:,.0f}" if speed_now else "")

        yield advance


def show_status(text: str) -> None:
    """One line on standard error, in place of the one before, if that is a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


WATCHER = Watcher(progress, lambda text: tell(in_options(text)), show_status)


@contextmanager
def no_word_of_missing_letters() -> Iterator[None]:
    """Within it, Matplotlib does not warn of letters that its own font lacks: a page shows them by the browser's.

    Filters of warnings belong to the whole process, so that this lasts no longer than the drawing.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support", category=UserWarning)
        yield


def check_picture(path: Path, files: list[str]) -> None:
    """Raise an error if no picture can be written there, or it would replace one of the files."""
    from ..plots.report_pictures import picture_format  # when something is drawn: it needs NumPy and scikit-learn

    check_outputs((path,), all_files_named(files))
    picture_format(path)


def save_comparison(document: dict[str, Any], path: str | Path) -> Path:
    """Draw the result of ``compare`` into a file; its ending says which kind (png, svg, pdf)."""
    from ..plots.report_pictures import comparison_picture, picture_format  # likewise

    with no_word_of_missing_letters():
        atomic_write(path, [comparison_picture(document, picture_format(path))])
    return Path(path)


def check_report(folder: Path) -> None:
    """Make the folder of a page, and raise an error if none can be written into it."""
    folder.mkdir(parents=True, exist_ok=True)
    check_writable(folder / PAGE_NAME)


def write_report(document: dict[str, Any], directory: Path) -> Path:
    """Write the page of a result into a directory, which is made if need be; an older page is replaced only by a whole new one."""
    from ..tables.results import as_page  # when a page is made: it needs NumPy

    directory.mkdir(parents=True, exist_ok=True)
    target = directory / PAGE_NAME
    with no_word_of_missing_letters():
        text = as_page(document, SHELL)
    atomic_write(target, [text.encode("utf-8", "backslashreplace")])
    return target
