"""The table, and what it was measured with."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from .measure import Benchmark, Result

HEAD = ("Row", "Work", "Ours", "Peer", "Ratio", "Must", "Aim", "Verdict", "Remark")


def table(results: list[tuple[Benchmark, Result]]) -> str:
    return markdown(HEAD, [cells(benchmark, result) for benchmark, result in results])


def markdown(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table, all columns padded to their width."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines)


def cells(benchmark: Benchmark, result: Result) -> tuple[str, ...]:
    limit = benchmark.limit
    figure = f"{result.figure:.3g}{limit.unit}"
    judged = limit.verdict(result.figure)
    asked = limit.show(limit.must), limit.show(limit.aim)
    return benchmark.name, benchmark.work, result.ours, result.peer, figure, *asked, judged, result.remark


def versions() -> str:
    """What the figures depend on."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numba", "numpy", "scipy", "scikit-learn"))
    return f"Python {platform.python_version()}, {packages}; {processor()}, {os.cpu_count()} core(s), one thread used."


def processor() -> str:
    """The processor's model name."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
