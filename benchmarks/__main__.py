"""``python -m benchmarks``: run the benchmarks and print one Markdown table."""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Sequence

from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from . import against, solvers
from .catalogue import BENCHMARKS
from .checkouts import checkout, this
from .measure import Benchmark, Result, Settings, say, timed
from .table import table, versions


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", metavar="NAME[,NAME]", help="rows to measure: full names, or how names begin")
    parser.add_argument(
        "--quick", action="store_true", help="smaller data, fewer repeats: to try things, not to report"
    )
    parser.add_argument(
        "--against", metavar="PATH", help="compare the times of this checkout with those of another one, at this path"
    )
    parser.add_argument(
        "--launches", type=int, default=against.LAUNCHES, help="with --against: how often both sides start anew"
    )
    parser.add_argument("--list", action="store_true", help="list the rows and stop")
    parser.add_argument(
        "--mnist",
        metavar="PATH",
        default=os.environ.get("NOVIKOFF_MNIST"),
        help=".npz with X, y and n_train; without it (or NOVIKOFF_MNIST) made data stand in",
    )
    return parser.parse_args(arguments)


def chosen(only: str | None) -> list[Benchmark]:
    """The rows whose names begin with one of the given ones."""
    if not only:
        return list(BENCHMARKS)
    rows = [row for row in BENCHMARKS if row.name.startswith(tuple(only.split(",")))]
    if not rows:
        raise SystemExit(f"no row's name begins with {only!r}; see --list")
    return rows


def measure(row: Benchmark, settings: Settings) -> Result:
    say(f"{row.name}: {row.work}")
    results: list[Result] = []
    seconds = timed(lambda: results.append(row.measure(settings)))
    say(f"  {results[0].ours}, {results[0].peer}: {results[0].figure:.3g}{row.limit.unit}  ({seconds:.0f} s)")
    return results[0]


def compare(options: argparse.Namespace) -> None:
    """Times of this checkout against those of another."""
    names = against.chosen(options.only)
    if options.list:
        print("\n".join(names))
        return
    settings = Settings(options.quick, options.mnist)
    raise SystemExit(min(1, against.main(checkout(options.against), this(), names, settings, options.launches)))


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_arguments(arguments)
    if options.against:
        compare(options)
        return
    rows = chosen(options.only)
    if options.list:
        for row in rows:
            print(f"{row.name:18} {row.work}")
        return
    settings = Settings(options.quick, options.mnist)
    warnings.simplefilter("ignore", ConvergenceWarning)
    with threadpool_limits(1):
        results = [(row, measure(row, settings)) for row in rows]
    print(table(results))
    if solvers.MEASURED:
        print(f"\n{solvers.summary(solvers.MEASURED)}")
    print(f"\n{versions()}" + (" Quick run: smaller data, figures not to be reported." if options.quick else ""))


if __name__ == "__main__":
    main()
