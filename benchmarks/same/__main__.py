"""``python -m benchmarks.same --against PATH``: compare the results of this checkout with those of another."""

from __future__ import annotations

import argparse
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..checkouts import Checkout, checkout, this
from ..measure import say
from ..table import markdown
from .cases import Record
from .differences import HEAD, differences, lines

SHOWN = 20  # differences


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.same", description=__doc__)
    parser.add_argument("--against", metavar="PATH", required=True, help="the other checkout")
    parser.add_argument("--only", metavar="KIND[,KIND]", default="", help="kinds of results: how they begin")
    parser.add_argument("--show", type=int, default=SHOWN, help="how many differences to name; default: %(default)s")
    return parser.parse_args(arguments)


def results(side: Checkout, only: str) -> Record:
    """What all cases give there."""
    say(f"{side.root}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record"
        command = [sys.executable, "-m", "benchmarks.same.record", str(path), only]
        order_of_sets = {"PYTHONHASHSEED": "0"}  # in messages
        subprocess.run(command, env=side.environment | order_of_sets, check=True)
        found: Record = pickle.loads(path.read_bytes())
        return found


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_arguments(arguments)
    other, mine = (results(side, options.only) for side in (checkout(options.against), this()))
    found = list(differences(other, mine))
    found.sort(key=lambda each: (each.allowed, -each.size))
    for each in found[: options.show]:
        size = "" if each.size == float("inf") else f" ({each.size:.1e})"
        print(f"{each.place.kind}: {each.place.name}: {each.place.way}{size}: {each.text}")
    print(markdown(HEAD, lines(other, mine, found)))
    bad = sum(not each.allowed for each in found)
    print(f"\n{len({**other, **mine})} values, {len(found)} not bit for bit, {bad} different.")
    raise SystemExit(bad > 0)


if __name__ == "__main__":
    main()
