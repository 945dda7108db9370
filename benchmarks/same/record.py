"""One side, in a separate process: ``python -m benchmarks.same.record FILE [KIND,...]`` writes what all cases give."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from threadpoolctl import threadpool_limits

from ..checkouts import refuse_another_package
from ..measure import say
from . import file_cases, fit_cases, machine_cases, proof_cases, study_cases
from .cases import Case, record

PARTS = (fit_cases, machine_cases, proof_cases, study_cases, file_cases)


def chosen(only: str) -> Iterator[Case]:
    """The cases whose kinds begin with one of the given texts."""
    for part in PARTS:
        yield from (case for case in part.cases() if case.kind.startswith(tuple(only.split(","))))


def main(path: str, only: str = "") -> None:
    refuse_another_package()
    began = perf_counter()
    with threadpool_limits(1):
        found = record(chosen(only))
    Path(path).write_bytes(pickle.dumps(found))
    say(f"  {len(found)} values in {perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
