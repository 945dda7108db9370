"""``python -m benchmarks.defaults``: every learner as it comes against its peer, on many data sets."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from threadpoolctl import threadpool_limits

from ..measure import say
from ..table import versions
from . import picture, records
from .measure import REPETITIONS, SEEDS, Trial, kinds_of_columns, measure
from .pairs import PAIRS, Pair
from .sets import SETS, Absent, DataSet
from .tables import points, tables
from .verdicts import NEARLY, Cell

QUICK_REPETITIONS = 1


Entry = TypeVar("Entry", Pair, DataSet)


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.defaults", description=__doc__)
    parser.add_argument("--only", metavar="NAME[,NAME]", help="learners: how the names of pairs begin")
    parser.add_argument("--sets", metavar="NAME[,NAME]", help="data sets: how their names begin")
    parser.add_argument("--quick", action="store_true", help="few rows and folds: to try things, not to report")
    parser.add_argument("--list", action="store_true", help="list pairs and sets and stop")
    parser.add_argument(
        "--data",
        metavar="PATH",
        type=Path,
        default=os.environ.get("NOVIKOFF_DATA"),
        help="folder of further sets (or NOVIKOFF_DATA); without it they are left out",
    )
    parser.add_argument("--json", metavar="PATH", type=Path, help="keep what was measured, after every cell")
    parser.add_argument("--plot", metavar="PATH", type=Path, help="draw the picture")
    parser.add_argument(
        "--from",
        dest="kept",
        metavar="PATH",
        type=Path,
        nargs="+",
        help="measure nothing: tables and picture of these files of --json; of a cell that several have, the last counts",
    )
    return parser.parse_args(arguments)


def chosen(entries: Sequence[Entry], names: str | None) -> list[Entry]:
    """Those whose names begin with one of the given ones."""
    found = [entry for entry in entries if not names or entry.name.startswith(tuple(names.split(",")))]
    if not found:
        raise SystemExit(f"no name begins with {names!r}; see --list")
    return found


def all_trials(options: argparse.Namespace) -> Iterator[Trial]:
    """Set after set, pair after pair; what is lower or nearly so is measured again."""
    repetitions = QUICK_REPETITIONS if options.quick else REPETITIONS
    pairs = chosen(PAIRS, options.only)
    for each in chosen(SETS, options.sets):
        try:
            data = each.read(options.data, options.quick)
        except Absent as reason:
            say(f"{each.name}: left out, {reason}")
            continue
        for columns in kinds_of_columns(data.X):
            for pair in pairs:
                for seed in SEEDS:
                    trial = measure(pair, each.name, data, columns, seed, repetitions)
                    cell = Cell((trial,))
                    say(f"{each.name}, {columns}, {pair.name}: {points(trial)} points, {cell.ratio:.2f}x")
                    yield trial
                    if not (cell.counts and cell.lower(NEARLY)):
                        break


def measured(options: argparse.Namespace) -> list[Trial]:
    trials: list[Trial] = []
    with threadpool_limits(1):
        for trial in all_trials(options):
            trials.append(trial)
            if options.json:
                records.write(options.json, trials, versions())
    return trials


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_arguments(arguments)
    if options.list:
        print("pairs:", *(f"  {pair.name}: {pair.peer_text}" for pair in PAIRS), sep="\n")
        print("sets:", *(f"  {each.name}" for each in SETS), sep="\n")
        return
    trials = records.merged(options.kept) if options.kept else measured(options)
    print(tables(trials))
    if not options.kept:
        print(f"\n{versions()}" + (" Quick run: figures not to be reported." if options.quick else ""))
    if options.plot:
        picture.draw(options.plot, trials)


if __name__ == "__main__":
    main()
