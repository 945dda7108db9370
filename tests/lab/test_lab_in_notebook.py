"""The page in a notebook: what it begins with, and that it is alive there."""

from __future__ import annotations

import numpy as np
import pytest

from novikoff import LinearSVM, Perceptron, separability
from novikoff.lab import show
from novikoff.lab.notebook_door import scene_for
from novikoff.studies.tracing import trace
from page_engine import EIGHT, answer

X, Y = np.array(EIGHT.X), np.array(EIGHT.y)


def test_a_trace_a_proof_and_scenes_are_shown():
    learner = Perceptron(random_state=0)
    of_trace = scene_for(trace(learner, X, Y))
    assert (of_trace["demo"], of_trace["data"]["X"]) == ("perceptron", X.tolist())
    of_proof = scene_for(separability(X, np.where(Y, "yes", "no"), fit_intercept=False))
    assert (of_proof["demo"], of_proof["data"]["classes"]) == ("verdict", ["no", "yes"])
    assert of_proof["parameters"] == {"bias": "none"}
    assert scene_for("bound")["demo"] == "bound"
    assert scene_for(of_proof) == of_proof
    for scene in (of_trace, of_proof, scene_for("bound")):
        assert "answer" in answer({"ask": "scene", "scene": scene})


def test_a_machine_is_shown_on_its_rows():
    machine = LinearSVM(C=1.0, loss="hinge")
    assert scene_for(machine, X, Y)["parameters"]["C"] == "1"
    assert scene_for(LinearSVM(C=float("inf"), loss="hinge"), X, Y)["parameters"]["C"] == "hard"
    with pytest.raises(ValueError, match="got C=7"):
        scene_for(LinearSVM(C=7.0, loss="hinge"), X, Y)
    with pytest.raises(ValueError, match="keeps no rows"):
        scene_for(machine)


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(TypeError, match="got list"):
        show([1, 2])
    with pytest.raises(ValueError, match="two features"):
        show(separability(np.eye(3), [0, 0, 1]))
    with pytest.raises(ValueError, match="none of the demonstrations"):
        show("nothing")


def test_the_page_is_a_frame_of_its_own():
    found = show("verdict", height=700)
    frame = found._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts allow-downloads"')
    assert 'height="700"' in frame
    assert "<script" not in frame
    assert "notebook" in repr(found)


@pytest.fixture
def empty_page():
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    from test_lab_in_browser import CHROMIUM

    if CHROMIUM is None:
        pytest.skip("there is no chromium here")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        page, problems = browser.new_page(), []
        page.on("console", lambda message: message.type in ("error", "warning") and problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto("about:blank")
        yield page
        browser.close()
        assert problems == []


def numbers(frame):
    return dict(
        frame.locator("[data-path]").evaluate_all("all => all.map(one => [one.dataset.path, one.dataset.value])")
    )


def check_twin(frame, data):
    """Every number in the frame equals Python's."""
    found = answer({"demo": "verdict", "ask": "verdict", "data": data, "parameters": {"bias": "one"}})["answer"]
    shown = numbers(frame)
    assert shown["verdict.weights.0"] == str(found["weights"][0])
    assert float(shown["verdict.margin"]) == found["margin"]


@pytest.mark.slow
def test_the_page_in_a_notebook_is_live(empty_page):
    scene = scene_for(separability(X, Y))
    empty_page.set_content(show(scene)._repr_html_())
    frame = empty_page.frame_locator("iframe")
    frame.locator(".demo[aria-busy=false]").wait_for(timeout=180_000)
    check_twin(frame, scene["data"])
    assert frame.get_by_role("button", name="My data").count() == 0
    frame.locator("[data-row='0']").focus()
    empty_page.keyboard.press("ArrowUp")
    before = numbers(frame)
    frame.locator(".demo[aria-busy=false]").wait_for(timeout=180_000)
    assert numbers(frame)["verdict.margin"] == before["verdict.margin"] != str(2**0.5)
