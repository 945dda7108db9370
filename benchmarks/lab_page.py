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

from .lab_browser import command_to_page, drag_to_verdict, rest_to_trace, step_to_frame, two_clouds
from .measure import Benchmark, Result, Settings, at_most


def along_a_drag(demo: str, ask: str, rows: int) -> Callable[[Settings], Result]:
    """The 95th percentile, in milliseconds, of answers while one row is moved through the others."""

    def measure(settings: Settings) -> Result:
        times = asyncio.run(_times(demo, ask, rows, settings.size(100, 10)))
        slow = float(np.percentile(times, 95)) * 1e3
        return Result(f"{slow:.3g} ms", "-", slow, f"median {np.median(times) * 1e3:.3g} ms")

    return measure


async def _times(demo: str, ask: str, rows: int, count: int) -> list[float]:
    data = two_clouds(rows)
    worker = Worker()
    await worker.start()
    times = []
    for number in range(count):
        data["X"][0] = [-2 + 6 * number / count] * 2
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
    asked = [("drag-60", "verdict", "verdict", 60), ("drag-200", "verdict", "verdict", 200)]
    return [
        *(
            Benchmark(
                f"lab-{name}",
                f"a pointer that drags one of {rows} rows to Python's verdict, p95",
                at_most(50, 20, " ms"),
                along_a_drag(demo, ask, rows),
            )
            for name, demo, ask, rows in asked
        ),
        Benchmark(
            "lab-trace-200",
            "a row at rest, of 200, to Python's trace, p95",
            at_most(250, 120, " ms"),
            along_a_drag("perceptron", "trace", 200),
        ),
        *(
            Benchmark(
                f"lab-painted-{rows}",
                f"a pointer that drags one of {rows} rows to the frame with the verdict, in Chromium, p95",
                at_most(50, 25, " ms"),
                drag_to_verdict(rows),
            )
            for rows in (60, 200)
        ),
        Benchmark(
            "lab-painted-trace",
            "the end of a drag, 200 rows, to the frame with the trace, in Chromium, p95",
            at_most(250, 200, " ms"),
            rest_to_trace,
        ),
        Benchmark(
            "lab-step",
            "the key for one step to the frame that shows it, 200 rows, in Chromium, p95",
            at_most(33, 17, " ms"),
            step_to_frame,
        ),
        Benchmark(
            "lab-start",
            "`novikoff lab` to a demonstration in a browser that runs, median",
            at_most(0.5, 0.3, " s"),
            command_to_page,
        ),
        Benchmark("lab-page", "source of the page with its font, gzipped", at_most(250, 100, " kB"), page_size),
        Benchmark("lab-export", "exported page", at_most(600, 400, " kB"), export_size),
    ]
