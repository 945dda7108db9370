"""One side of a comparison, in a separate process: ``python -m benchmarks.worker NAME DATA``.

It reads the data from a file, does the work once that everything is compiled, says "ready", and then does it once for each
line it is sent; each time it prints the seconds that this took: by the clock, and of the processor.
"""

from __future__ import annotations

import gc
import pickle
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import process_time

from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from .checkouts import refuse_another_package
from .measure import timed
from .works import WORKS


def main(name: str, path: str) -> None:
    refuse_another_package()
    warnings.simplefilter("ignore", ConvergenceWarning)
    work = next(work for work in WORKS if work.name == name)
    run = work.make(pickle.loads(Path(path).read_bytes()))
    with threadpool_limits(1):
        run()
        gc.collect()
        print("ready", flush=True)
        for _ in sys.stdin:
            print(*both_clocks(run), flush=True)


def both_clocks(run: Callable[[], object]) -> tuple[float, float]:
    """Seconds of one call by the clock, and of the processor."""
    processor: list[float] = []

    def watched() -> None:
        began = process_time()
        run()
        processor.append(process_time() - began)

    return timed(watched), processor[0]


if __name__ == "__main__":
    main(*sys.argv[1:])
