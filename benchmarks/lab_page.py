"""The lab: how soon the page shows what a pointer, a key or a command asks for, and how large it is."""

from __future__ import annotations

import gzip

from novikoff.lab.page_export import exported
from novikoff.lab.page_files import page_files

from .lab_browser import command_to_page, drag_to_verdict, rest_to_trace, step_to_frame
from .measure import Benchmark, Result, Settings, at_most


def page_size(settings: Settings) -> Result:
    size = sum(len(gzip.compress(file.content)) for file in page_files().values()) / 1e3
    return Result(f"{size:.0f} kB", "-", size)


def export_size(settings: Settings) -> Result:
    size = len(exported(None).encode()) / 1e3
    return Result(f"{size:.0f} kB", "-", size, "all demonstrations")


def lab_rows() -> list[Benchmark]:
    return [
        *(
            Benchmark(
                f"lab-painted-{rows}",
                f"a pointer that drags one of {rows} rows to the frame with the verdict, painted as soon as it is ready, in Chromium, p95",
                at_most(most, aim, " ms"),
                drag_to_verdict(rows),
            )
            for rows, most, aim in ((60, 16, 12), (500, 50, 33))
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
        Benchmark("lab-export", "exported page", at_most(1000, 600, " kB"), export_size),
    ]
