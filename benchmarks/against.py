"""``python -m benchmarks --against PATH``: is this checkout slower than another?

Both do the same work, each in separate processes, and take turns: A B B A, A B B A, ...  Each row is measured in several
launches, every one with new processes, because where memory lies in a process makes it faster or slower for as long as it
lives; the sides start first in turn.  The best time of each side counts: whatever else the machine does can only add to a time.

Two clocks run: the wall's, and the processor's, which stands still while others have the processor.  A row is called slower
or faster if both say so, and no launch says the opposite.
"""

from __future__ import annotations

import pickle
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from .checkouts import HERE, Checkout
from .fits import Source
from .measure import Settings, say, show_time
from .processes import QUIET, SMALL, byte_code
from .table import markdown
from .works import WORKS

TOLERANCE = 0.05  # a row may be slower by this
LAUNCHES = 4
SECONDS = 12.0  # about so long are both sides measured for one row
TURNS = (1, 40)  # at least, at most: A B B A in one launch

HEAD = ("Row", "Other", "This", "Ratio", "Processor", "Launches", "Spread", "Verdict")


class Times(NamedTuple):
    """Seconds of one piece of work by two clocks; the best of several has the best of each."""

    wall: float
    processor: float


Sampler = Callable[[], Times]
Side = Callable[[Checkout], AbstractContextManager[Sampler]]


class Row(NamedTuple):
    """A name, and what starts one side: something to be called for each time that is taken."""

    name: str
    start: Side


class Comparison(NamedTuple):
    """The times of both sides: a list of times for each launch."""

    other: list[list[Times]]
    this: list[list[Times]]

    @property
    def ratio(self) -> Times:
        """Best time of this side over the best of the other."""
        return ratio(*map(together, self))

    @property
    def launches(self) -> list[float]:
        """The ratio by the processor's clock, had there been this launch only."""
        return [ratio(*pair).processor for pair in zip(self.other, self.this, strict=True)]

    @property
    def spread(self) -> float:
        """How far the middle of all times lies above the best, as a share of it; of the side where that is more."""
        sides = ([times.wall for times in together(side)] for side in self)
        return max(sorted(times)[len(times) // 2] / min(times) - 1 for times in sides)

    @property
    def verdict(self) -> str:
        return verdict(self.ratio, self.launches)


def together(launches: list[list[Times]]) -> list[Times]:
    return list(chain.from_iterable(launches))


def best(times: Sequence[Times]) -> Times:
    return Times(*map(min, zip(*times, strict=True)))


def ratio(other: Sequence[Times], this: Sequence[Times]) -> Times:
    return Times(*(mine / its for its, mine in zip(best(other), best(this), strict=True)))


def verdict(ratios: Times, launches: Sequence[float]) -> str:
    """Slower or faster if both clocks say so, and no launch says the opposite."""
    if min(ratios) > 1 + TOLERANCE and min(launches) > 1:
        return f"SLOWER by {min(ratios) - 1:.0%}"
    if max(ratios) < 1 - TOLERANCE and max(launches) < 1:
        return "faster"
    return "unclear" if max(ratios) > 1 + TOLERANCE else "same"


# Taking times


def compare(row: Row, other: Checkout, this: Checkout, launches: int, seconds: float = SECONDS) -> Comparison:
    """Let both sides take turns; now the one starts first, now the other."""
    found = Comparison([], [])
    for launch in range(launches):
        if launch % 2 == 0:
            theirs, ours = take_turns(row, other, this, seconds / launches)
        else:
            ours, theirs = take_turns(row, this, other, seconds / launches)
        found.other.append(theirs)
        found.this.append(ours)
    return found


def take_turns(row: Row, first: Checkout, second: Checkout, seconds: float) -> tuple[list[Times], list[Times]]:
    """The times of one launch."""
    with row.start(first) as A, row.start(second) as B:
        began = perf_counter()
        A(), B()  # caches of files are filled
        times: dict[Sampler, list[Times]] = {A: [], B: []}
        for side in (A, B, B, A) * count_turns(perf_counter() - began, seconds):
            times[side].append(side())
        return times[A], times[B]


def count_turns(a_pair: float, seconds: float) -> int:
    """How often A B B A, if A and B take so long, in about so many seconds."""
    least, most = TURNS
    return int(min(max(seconds / (2 * a_pair), least), most))


def in_process(name: str, path: Path) -> Side:
    """A piece of work, done again and again by a process that has the data."""

    @contextmanager
    def start(side: Checkout) -> Iterator[Sampler]:
        command = [sys.executable, "-m", "benchmarks.worker", name, str(path)]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, env=side.environment, stdin=pipe, stdout=pipe, text=True) as worker:
            to, back = worker.stdin, worker.stdout
            assert to is not None
            assert back is not None

            def answer() -> list[str]:
                words = back.readline().split()
                if not words:
                    raise RuntimeError(f"{name} failed in {side.root}: see above")
                return words

            def sample() -> Times:
                to.write("\n")
                to.flush()
                return Times(*map(float, answer()))

            answer()
            yield sample

    return start


def fresh_code(prepare: str, code: str, cold: bool = False) -> Side:
    """Python code in a new process each time, which has done ``prepare``.  Cold: no compiled kernel is on disk."""
    clocks = "perf_counter(), process_time()"
    text = f"{prepare}from time import perf_counter, process_time; began = {clocks}\n{code}\nended = {clocks}\n"
    text += "print(*(end - begin for begin, end in zip(began, ended)))"

    @contextmanager
    def start(side: Checkout) -> Iterator[Sampler]:
        with tempfile.TemporaryDirectory() as folder:

            def sample() -> Times:
                kernels = tempfile.mkdtemp(dir=folder) if cold else folder
                return Times(
                    *map(float, side.python("-c", text, NUMBA_CACHE_DIR=kernels, **byte_code()).stdout.split())
                )

            if not cold:
                sample()  # kernels are on disk now
            yield sample

    return start


def command(*arguments: str) -> Side:
    """The command line, from its start to its end."""

    @contextmanager
    def start(side: Checkout) -> Iterator[Sampler]:
        def sample() -> Times:
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
            side.python("-m", "novikoff", *arguments, **byte_code())
            seconds, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
            return Times(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

        yield sample

    return start


# Rows

SKLEARN = f"import sklearn\n{QUIET}"
FIRST = "from novikoff import Perceptron; Perceptron(max_iter=5, random_state=0).fit(X, y)"
PENGUINS = (str(HERE / "examples" / "penguins.csv"), "--target", "species")
FRESH = (
    Row("import", fresh_code(SKLEARN, "from novikoff import Perceptron")),
    Row("import-alone", fresh_code("", "import novikoff")),
    Row("first-fit-warm", fresh_code(SKLEARN + SMALL, FIRST)),
    Row("first-fit-cold", fresh_code(SKLEARN + SMALL, FIRST, cold=True)),
    Row("file-help", command("--help")),
    Row("file-fit", command("fit", *PENGUINS)),
    Row("file-check", command("check", *PENGUINS)),
)
NAMES = [work.name for work in WORKS] + [row.name for row in FRESH]


def all_rows(folder: Path, settings: Settings, names: Sequence[str]) -> Iterator[Row]:
    """The rows of these names; the data of each are in the folder when it comes."""
    made: dict[Source, Path] = {}
    for work in WORKS:
        if work.name in names:
            if work.data not in made:
                made[work.data] = folder / str(len(made))
                made[work.data].write_bytes(pickle.dumps(work.data(settings), protocol=5))
            yield Row(work.name, in_process(work.name, made[work.data]))
    yield from (row for row in FRESH if row.name in names)


def chosen(only: str | None) -> list[str]:
    """The names that begin with one of the given ones."""
    names = [name for name in NAMES if name.startswith(tuple((only or "").split(",")))]
    if not names:
        raise SystemExit(f"no row's name begins with {only!r}; the rows are {', '.join(NAMES)}")
    return names


def cells(name: str, found: Comparison) -> tuple[str, ...]:
    other, this = (show_time(best(together(side)).wall) for side in found)
    launches = f"{min(found.launches):.2f} to {max(found.launches):.2f}"
    ratios = (f"{number:.3f}" for number in found.ratio)
    return name, other, this, *ratios, launches, f"{found.spread:.0%}", found.verdict


def main(other: Checkout, this: Checkout, names: Sequence[str], settings: Settings, launches: int) -> int:
    """Print the table; the number of rows that are slower."""
    lines, slower = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for row in all_rows(Path(folder), settings, names):
            found = compare(row, other, this, launches)
            lines.append(cells(row.name, found))
            slower += found.verdict.startswith("SLOWER")
            say("  ".join(lines[-1]))
    print(markdown(HEAD, lines))
    print(f"\nRatio: this over other, above 1 is slower; {slower or 'no'} row(s) slower by more than {TOLERANCE:.0%}.")
    return slower
