"""The lab in a browser: from a pointer, a key or a command to what is painted.  Needs playwright and Chromium."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np

from novikoff.lab.scenes import packed

from .measure import Result, Settings

WIDE = {"width": 1280, "height": 900}
# Runs before the page does.  ``painted`` are times in milliseconds: of every pointer event of a drag, until the frame with the new verdict was
# painted; of the end of a drag, until that with all answers was; and of keys, until the next frame was.
WATCH = """(() => {
  const painted = { verdict: [], trace: [], key: [], frames: [] };
  window.painted = painted;
  let down = false;
  const afterPaint = (done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done(performance.now());
    channel.port2.postMessage(0);
  });
  addEventListener("pointerdown", () => { down = true; }, true);
  const place = () => document.querySelector("[data-row='0']")?.getAttribute("transform");
  addEventListener("pointermove", (event) => {
    if (!down) return;
    const before = place(); // a move within one step of the grid changes nothing
    afterPaint((at) => { if (place() !== before) painted.verdict.push(at - event.timeStamp); });
  }, true);
  addEventListener("pointerup", (event) => {
    down = false;
    const look = () => (document.querySelector(".demo[aria-busy=false]") ? afterPaint((at) => painted.trace.push(at - event.timeStamp)) : setTimeout(look));
    setTimeout(look);
  }, true);
  addEventListener("keydown", (event) => {
    const place = document.querySelector(".place")?.textContent;
    requestAnimationFrame(() => painted.frames.push(document.querySelector(".place")?.textContent !== place));
    afterPaint((at) => painted.key.push(at - event.timeStamp));
  }, true);
})()"""


PAINTED = """() => new Promise((done) => {
  const look = () => requestAnimationFrame(() => {
    if (!document.querySelector(".plane svg")) return look();
    const channel = new MessageChannel(); // its message comes after this frame is painted
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  });
  look();
})"""
AT_ONCE = ("--disable-frame-rate-limit", "--disable-gpu-vsync")  # no frame waits for a display


def chromium() -> str:
    """Where the browser is."""
    found = os.environ.get("NOVIKOFF_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        raise SystemExit("the rows of the lab in a browser need Chromium: install it, or leave them out with --only")
    return found


@contextmanager
def new_browser(*flags: str) -> Iterator[Any]:
    """A browser that runs."""
    from playwright.sync_api import sync_playwright  # what only these rows need

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-dev-shm-usage", *flags]
        )
        yield browser
        browser.close()


@contextmanager
def lab_process() -> Iterator[tuple[str, float]]:
    """A lab that runs: its address, and when it was started.  Modules are kept compiled, as pip leaves them."""
    began = perf_counter()
    words = [sys.executable, "-m", "novikoff", "lab", "--no-browser"]
    compiled = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=compiled) as lab:
        assert lab.stderr is not None
        found = re.search(r"http\S+", lab.stderr.readline())
        assert found is not None
        yield found[0], began
        lab.terminate()


def two_clouds(rows: int) -> dict[str, Any]:
    """Rows of two classes that overlap a little."""
    rng = np.random.default_rng(0)
    y = [0, 1] * (rows // 2)
    X = np.round((rng.normal(size=(rows, 2)) + 2.5 * np.array(y)[:, None]) * 64) / 64
    return {"X": X.tolist(), "y": y, "names": ["a", "b"], "classes": ["-", "+"]}


@contextmanager
def opened(demo: str, rows: int, *flags: str) -> Iterator[Any]:
    """A page of the lab with so many rows."""
    scene = {"version": 1, "demo": demo, "data": two_clouds(rows), "parameters": {}, "view": {}}
    with new_browser(*flags) as browser, lab_process() as (address, _):
        page = browser.new_page(viewport=WIDE)
        page.add_init_script(WATCH)
        page.goto(address)
        page.wait_for_selector(".demo[aria-busy=false]", timeout=180_000)
        page.goto(address.split("?")[0] + "#s=" + packed(scene))
        page.reload()
        page.wait_for_selector(f".demo-{demo}[aria-busy=false]", timeout=60_000)
        yield page


def clock_of(page: Any) -> Callable[[], float]:
    """Tells the processor time of the page's own thread, in milliseconds: its scripts, styles, layout and painting."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1e3 * next(float(each["value"]) for each in metrics if each["name"] == "TaskDuration")

    return worked


def percentile(page: Any, name: str) -> tuple[float, str]:
    """The 95th percentile of these times, in milliseconds, and a remark."""
    times = page.evaluate(f"painted.{name}")
    slow = float(np.percentile(times, 95))
    return slow, f"median {np.median(times):.3g} ms of {len(times)}"


def dragged(page: Any, moves: int, pause: float) -> None:
    """Drag one row through the others."""
    box = page.locator("[data-row='0'] .touch").bounding_box()
    picture = page.locator(".plane svg").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    for number in range(moves):
        part = 0.15 + 0.7 * number / moves
        page.mouse.move(picture["x"] + part * picture["width"], picture["y"] + (1 - part) * picture["height"])
        page.wait_for_timeout(pause)
    page.mouse.up()


def drag_to_verdict(rows: int) -> Callable[[Settings], Result]:
    """While a row is dragged: from a pointer event to the frame with its verdict.

    A display of 60 frames a second begins a frame 0 to 16.7 ms after the event, whatever the page does: so frames are painted as soon as they
    are ready, and what it was in step with such a display is told beside it.
    """

    def measured(settings: Settings, *flags: str) -> tuple[float, str, float]:
        moves = settings.size(150, 15)
        with opened("verdict", rows, *flags) as page:
            worked = clock_of(page)
            before = worked()
            dragged(page, moves, 40)
            work = worked() - before
            page.wait_for_selector(".demo[aria-busy=false]", timeout=60_000)
            return *percentile(page, "verdict"), work / moves

    def measure(settings: Settings) -> Result:
        slow, remark, work = measured(settings, *AT_ONCE)
        in_step, _, _ = measured(settings)
        told = f"{remark}, {work:.2g} ms of processor time a move; {in_step:.3g} ms at 60 frames a second"
        return Result(f"{slow:.3g} ms", "-", slow, told)

    return measure


def rest_to_trace(settings: Settings) -> Result:
    """From the end of a drag to the frame with the new trace."""
    with opened("perceptron", 200) as page:
        for _ in range(settings.size(20, 3)):
            dragged(page, 3, 20)
            page.wait_for_timeout(200)
        slow, remark = percentile(page, "trace")
    return Result(f"{slow:.3g} ms", "-", slow, f"{remark}")


def step_to_frame(settings: Settings) -> Result:
    """From the key that goes on by a step to the frame that shows it."""
    with opened("perceptron", 200) as page:
        page.get_by_label("Rows read so far").focus()
        for _ in range(settings.size(100, 10)):
            page.keyboard.press("ArrowRight")
            page.wait_for_timeout(30)
        slow, remark = percentile(page, "key")
        shown = page.evaluate("painted.frames")
    return Result(f"{slow:.3g} ms", "-", slow, f"{remark}; {sum(shown)} of {len(shown)} steps were in the next frame")


def command_to_page(settings: Settings) -> Result:
    """From the start of the command to a demonstration in the browser, which runs already."""
    times = []
    with new_browser() as browser:
        for _ in range(settings.size(7, 2)):
            page = browser.new_page(viewport=WIDE)
            with lab_process() as (address, began):
                page.goto(address, wait_until="commit")
                page.evaluate(PAINTED)
                times.append(perf_counter() - began)
            page.close()
    middle = float(np.median(times))
    return Result(f"{middle:.3g} s", "-", middle, f"{min(times):.3g} s to {max(times):.3g} s")
