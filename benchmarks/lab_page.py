"""The lab: how long a question of the page takes from the browser's side of the server, and how large the page is."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable
from time import perf_counter

import numpy as np

from novikoff.lab.page_export import exported
from novikoff.lab.page_files import page_files
from novikoff.lab.worker import Worker

from .measure import Benchmark, Result, Settings, at_most


def along_a_drag(demo: str, ask: str, rows: int) -> Callable[[Settings], Result]:
    """The 95th percentile, in milliseconds, of answers while one row is moved through the others."""

    def measure(settings: Settings) -> Result:
        times = asyncio.run(_times(demo, ask, rows, settings.size(100, 10)))
        slow = float(np.percentile(times, 95)) * 1e3
        return Result(f"{slow:.3g} ms", "-", slow, f"median {np.median(times) * 1e3:.3g} ms")

    return measure


async def _times(demo: str, ask: str, rows: int, count: int) -> list[float]:
    rng = np.random.default_rng(0)
    y = [0, 1] * (rows // 2)
    X = np.round((rng.normal(size=(rows, 2)) + 2.5 * np.array(y)[:, None]) * 64) / 64
    worker = Worker()
    await worker.start()
    times = []
    for number in range(count):
        X[0] = -2 + 6 * number / count
        data = {"X": X.tolist(), "y": y, "names": ["a", "b"], "classes": ["-", "+"]}
        began = perf_counter()
        found = await worker.ask({"demo": demo, "ask": ask, "data": data, "parameters": {}})
        times.append(perf_counter() - began)
        assert "answer" in found, found
    await worker.stop()
    return times[1:]


def page_size(settings: Settings) -> Result:
    size = sum(len(gzip.compress(file.content)) for file in page_files().values()) / 1e3
    return Result(f"{size:.0f} kB", "-", size)


def export_size(settings: Settings) -> Result:
    size = len(exported(None).encode()) / 1e3
    return Result(f"{size:.0f} kB", "-", size, "all demonstrations")


def lab_rows() -> list[Benchmark]:
    return [
        Benchmark(
            "lab-drag-60",
            "drag to verdict, 60 rows, p95",
            at_most(50, 20, " ms"),
            along_a_drag("verdict", "verdict", 60),
        ),
        Benchmark(
            "lab-drag-200",
            "drag to verdict, 200 rows, p95",
            at_most(50, 25, " ms"),
            along_a_drag("verdict", "verdict", 200),
        ),
        Benchmark(
            "lab-trace-200",
            "rest to trace, 200 rows, p95",
            at_most(250, 120, " ms"),
            along_a_drag("perceptron", "trace", 200),
        ),
        Benchmark("lab-page", "source of the page, gzipped", at_most(250, 100, " kB"), page_size),
        Benchmark("lab-export", "exported page", at_most(600, 400, " kB"), export_size),
    ]
