"""``novikoff learn``."""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import IO, Annotated, Any

import typer

from ...system.files import check_writable, keep_apart
from ..command_options import LEARNING, OUTPUT, READING, AsJson, read_parameters
from ..errors import tell, told_in_options
from ..printing import dumps
from ..process import INTERRUPTED, begin_work, import_compiler, printing

AT_ONCE = 1 << 16  # bytes read
WAIT = 0.2  # seconds between two looks whether more has come


def learn(
    file: Annotated[str, typer.Argument(help="CSV or JSON lines; - is standard input.", show_default=False)] = "-",
    target: Annotated[
        str, typer.Option("--target", "-t", help="The column to predict.", rich_help_panel=READING, show_default=False)
    ] = ...,  # type: ignore[assignment]
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The model. If it is there, learning goes on from it.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ] = ...,  # type: ignore[assignment]
    follow: Annotated[
        bool,
        typer.Option(
            "--follow", help="At the end of a file, wait for more rows, until Ctrl-C.", rich_help_panel=READING
        ),
    ] = False,
    learner: Annotated[
        str, typer.Option("--learner", help="Any linear learner that learns row by row.", rich_help_panel=LEARNING)
    ] = "ada-grad-classifier",
    set: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A parameter of the learner, as name=value. Can be repeated.", rich_help_panel=LEARNING
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Decides every random choice.", rich_help_panel=LEARNING)
    ] = 0,
    features: Annotated[
        int,
        typer.Option(
            "--features",
            min=1,
            help="The largest number of features; later ones are not learned.",
            rich_help_panel=LEARNING,
        ),
    ] = 1 << 20,
    categorical: Annotated[
        list[str] | None,
        typer.Option(
            "--categorical",
            help="A column of categories, though it looks like numbers. Can be repeated.",
            rich_help_panel=READING,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", help="A column to leave out. Can be repeated.", rich_help_panel=READING),
    ] = None,
    na: Annotated[
        list[str] | None,
        typer.Option("--na", help="A text that means: missing. Can be repeated.", rich_help_panel=READING),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(
            "--delimiter",
            help="The character between fields; default: found in the first line.",
            rich_help_panel=READING,
        ),
    ] = None,
    header: Annotated[
        bool,
        typer.Option("--header/--no-header", help="Whether the first line names the columns.", rich_help_panel=READING),
    ] = True,
    decimal: Annotated[str, typer.Option("--decimal", help="The decimal point: . or ,", rich_help_panel=READING)] = ".",
    skip_bad: Annotated[
        bool,
        typer.Option(
            "--skip-bad",
            help="Leave out rows that cannot be read, and count them; default: stop there.",
            rich_help_panel=READING,
        ),
    ] = False,
    skip_learned: Annotated[
        bool,
        typer.Option(
            "--skip-learned",
            help="The input begins with the rows that the model has read before: skip them.",
            rich_help_panel=READING,
        ),
    ] = False,
    tell_every: Annotated[
        float,
        typer.Option("--tell-every", min=0.0, help="Seconds between two lines of scores.", rich_help_panel=OUTPUT),
    ] = 10.0,
    save_every: Annotated[
        float,
        typer.Option("--save-every", min=0.0, help="Seconds between two saves of the model.", rich_help_panel=OUTPUT),
    ] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Learn from rows one at a time, as they come.

    Each row is predicted first, and then learned from: the scores are of these predictions, over all rows and over the last 1,000. The
    model is saved every minute, at the end and after Ctrl-C. predict, score, weights and export read it.

    If the model exists already, learning goes on from it, and reaches the same weights as without the stop.

    Example: tail -n +1 -f rows.csv | novikoff learn --target y -o model.novikoff
    """
    if decimal not in (".", ","):
        raise ValueError(f"--decimal {decimal}: it must be . or ,")
    delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"--delimiter {delimiter}: it must be one character, or tab")
    keep_apart(output, [] if file == "-" else [file])
    check_writable(output)
    stream = _opened(file)
    from ...tables.learn_stream import Asked, Told, learn_stream  # when it runs: scikit-learn takes long to import

    import_compiler()
    begin_work()
    asked = Asked(
        target,
        learner,
        read_parameters(set),
        seed,
        tuple(categorical or ()),
        tuple(ignore or ()),
        tuple(na or ()),
        delimiter,
        header,
        decimal,
        features,
        skip_bad,
        skip_learned,
    )

    def show(told: Told) -> None:
        with printing():
            print(_line(told._asdict()) if as_json else told.text)

    def begun(found: Any) -> None:
        if found.resumed and not skip_learned:
            tell(
                f"novikoff: learning goes on from {output}, after {found.told.rows:,} rows. If the input has these rows again, pass "
                "--skip-learned."
            )

    with _stops() as stopped:
        found = learn_stream(
            _arriving(stream, follow, stopped),
            asked,
            output,
            tell=show,
            begun=begun,
            tell_every=tell_every,
            save_every=save_every,
            stopping=lambda: bool(stopped),
        )
    show(found.told)
    if not output.exists():
        raise ValueError("There was no row to learn from. Nothing was written.")
    if not as_json:
        with printing():
            print(f"Saved in {output}.")
    if found.warning:
        tell(f"novikoff: {found.warning}")
    if stopped:
        raise typer.Exit(INTERRUPTED if stopped[0] == signal.SIGINT else 128 + stopped[0])


def _line(document: dict[str, Any]) -> str:
    """A document as one line of JSON."""
    return " ".join(dumps(told_in_options(document), sys.stdout.encoding).split())


def _opened(file: str) -> IO[bytes]:
    return sys.stdin.buffer if file == "-" else open(file, "rb", buffering=0)


@contextmanager
def _stops() -> Iterator[list[int]]:
    """Within it Ctrl-C and a request to end are written down, so that rows are learned from wholly or not; a second one ends at once."""
    stopped: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}

    def note(number: int, frame: Any) -> None:
        stopped.append(number)
        signal.signal(number, before[signal.Signals(number)])

    for number in numbers:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, note)
    try:
        yield stopped
    finally:
        for number in numbers:
            signal.signal(number, before[number])


def _arriving(stream: IO[bytes], follow: bool, stopped: list[int]) -> Iterator[bytes | None]:
    """Bytes as they come; None where nothing has come for a while.

    A thread reads, since a read that waits cannot be ended; what it reads ahead is bounded.
    """
    came: Queue[bytes | OSError] = Queue(maxsize=4)
    waits = follow and _may_grow(stream)

    def read() -> None:
        last: bytes | OSError = b""
        try:
            while some := _some_of(stream) or waits:
                if some is True:
                    time.sleep(WAIT)
                else:
                    came.put(some)
        except OSError as error:
            last = error
        if stream is not sys.stdin.buffer:
            stream.close()
        came.put(last)

    Thread(target=read, daemon=True).start()
    while not stopped:
        try:
            some = came.get(timeout=WAIT)
        except Empty:
            yield None
            continue
        if isinstance(some, OSError):
            raise some
        if not some:
            return
        yield some


def _some_of(stream: IO[bytes]) -> bytes:
    """What there is; nothing at the end.  Past the buffer, whose lock a thread that waits would keep when the process ends."""
    try:
        number = stream.fileno()
    except OSError:  # it is no file of the system
        return stream.read(AT_ONCE)
    return os.read(number, AT_ONCE)


def _may_grow(stream: IO[bytes]) -> bool:
    """Whether the end of a file is not the end: a pipe that nobody writes to any more is over, unless it has a name."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) or (stat.S_ISFIFO(mode) and stream is not sys.stdin.buffer)
