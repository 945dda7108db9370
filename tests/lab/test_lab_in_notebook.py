"""The page in a notebook: what it begins with, and that it is live through the notebook's Python."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from novikoff import LinearSVM, Perceptron, separability
from novikoff.lab import show
from novikoff.lab.answering import answer, checked_scene
from novikoff.lab.notebook_door import NotebookPage, answered, scene_for
from novikoff.lab.page_files import page_files
from novikoff.lab.point_sets import EIGHT
from novikoff.studies.tracing import trace

X, Y = np.array(EIGHT.X), np.array(EIGHT.y)


def test_a_trace_a_proof_and_scenes_are_shown():
    learner = Perceptron(random_state=0)
    of_trace = scene_for(trace(learner, X, Y))
    assert (of_trace["demo"], of_trace["data"]["X"]) == ("perceptron", X.tolist())
    of_proof = scene_for(separability(X, np.where(Y, "yes", "no"), fit_intercept=False))
    assert (of_proof["demo"], of_proof["data"]["classes"]) == ("verdict", ["no", "yes"])
    assert of_proof["parameters"] == {"bias": "none"}
    assert scene_for("bound")["demo"] == "bound"
    assert checked_scene(scene_for(of_proof)) == of_proof


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


def test_without_anywidget_the_page_is_a_frame_of_its_own(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    found = show("verdict")
    assert isinstance(found, NotebookPage)
    frame = found._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts allow-downloads"')
    assert "<script" not in frame
    assert "notebook" in repr(found)


def test_with_anywidget_messages_are_answered():
    pytest.importorskip("anywidget", reason="pip install '.[notebook]'")
    widget = show("verdict", height=700)
    assert "data-by-port" in widget.page
    assert widget.height == 700
    assert "novikoff lab" in str(widget._esm)
    sent = []

    class Widget:
        send = staticmethod(sent.append)

    answered(Widget, {"id": 3, "message": {"ask": "catalogue"}}, [])
    answered(Widget, "nonsense", [])
    assert sent == [{"id": 3, "found": answer({"ask": "catalogue"})}]


HOST = """async ([frame, page]) => {
  const heard = [];
  const model = {
    get: (name) => ({ page, height: 800 })[name],
    send: async (content) => { const found = await window.python(content); heard.forEach((each) => each(found)); },
    on: (name, each) => heard.push(each), off: () => {},
  };
  const module = await import(URL.createObjectURL(new Blob([frame], { type: "text/javascript" })));
  module.default.render({ model, el: document.body });
}"""


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
    from novikoff.lab.page_export import exported

    asked = []

    def python(content):
        asked.append(content["message"])
        return {"id": content["id"], "found": answer(content["message"])}

    empty_page.expose_function("python", python)
    scene = scene_for(separability(X, Y))
    empty_page.evaluate(HOST, [page_files()["notebook_frame.js"].content.decode(), exported(scene, by_port=True)])
    frame = empty_page.frame_locator("iframe")
    frame.locator(".demo[aria-busy=false]").wait_for(timeout=180_000)
    check_twin(frame, scene["data"])
    assert asked == []  # what was recorded
    assert frame.get_by_role("button", name="My data").count() == 0
    frame.locator("[data-row='0']").focus()
    empty_page.keyboard.press("ArrowUp")
    frame.locator(".demo[aria-busy=false]").wait_for(timeout=180_000)
    assert asked
    check_twin(frame, asked[-1]["data"])


@pytest.mark.slow
def test_a_page_without_a_widget_replays(empty_page, monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    empty_page.set_content(show("verdict")._repr_html_())
    frame = empty_page.frame_locator("iframe")
    frame.locator(".demo[aria-busy=false]").wait_for(timeout=180_000)
    assert frame.get_by_text("This page replays recorded answers").count() == 1
    check_twin(frame, scene_for("verdict")["data"])
