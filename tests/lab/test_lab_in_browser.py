"""The page in a real browser, one file from a disk with the network off: what it shows is what its engine says, by mouse, by keyboard, by
touch, and from a link."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from common import ROOT
from novikoff import Perceptron
from novikoff.lab.page_export import export_page
from novikoff.lab.scenes import packed, unpacked
from novikoff.studies.tracing import trace
from page_engine import DEMONSTRATIONS, EIGHT, XOR, answer

playwright = pytest.importorskip(
    "playwright.sync_api", reason="the page is tested with playwright: pip install playwright"
)
PATIENT = 120_000  # milliseconds: machines may have much else to do
playwright.expect.set_options(timeout=PATIENT)
CHROMIUM = os.environ.get("NOVIKOFF_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
AXE = ROOT / ".ci" / "node_modules" / "axe-core" / "axe.min.js"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PRESETS = [(demo.name, preset.name) for demo in DEMONSTRATIONS.values() for preset in demo.presets]
every_demo = pytest.mark.parametrize("demo", list(DEMONSTRATIONS))
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")]


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """The address of the page in one file, and that there is no network."""
    path = Path(tmp_path_factory.mktemp("lab")) / "page.html"
    export_page(path)
    return path.as_uri(), {"offline": True}


@pytest.fixture
def new_page(browser, opened):
    """A function that opens the lab at a demonstration; what the console complains of fails the test."""
    problems, contexts = [], []

    def make(demo=None, fragment="", **look):
        context = browser.new_context(**opened[1], **{"viewport": {"width": 1280, "height": 900}, **look})
        context.set_default_timeout(PATIENT)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type in ("error", "warning") and problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.goto(opened[0] + fragment)
        if demo:
            choose(page, demo)
        settled(page)
        return page

    yield make
    for context in contexts:
        context.close()
    assert problems == []


def choose(page, demo, preset=None):
    page.locator("nav button").nth(list(DEMONSTRATIONS).index(demo)).click()
    if preset:
        number = [each.name for each in DEMONSTRATIONS[demo].presets].index(preset)
        page.locator(".presets button").nth(number).click()
    settled(page)


def settled(page, timeout=PATIENT):
    """Wait until all is answered, and the address is that of the view."""
    page.wait_for_selector(".demo[aria-busy=false]", timeout=timeout)
    page.wait_for_selector("html[data-address=current]", state="attached", timeout=timeout)


def scene_of(page):
    return unpacked(page.evaluate("location.hash")[3:])


def shown(page):
    """Every number that the page shows, by its place in an answer."""
    entries = page.eval_on_selector_all("[data-path]", "all => all.map(one => [one.dataset.path, one.dataset.value])")
    return dict(entries)


def told(scene):
    """What the engine says of a scene, by Node."""
    asks = [name for name, ask in DEMONSTRATIONS[scene["demo"]].asks.items() if ask.by_itself]
    about = {name: scene[name] for name in ("demo", "data", "parameters")}
    return {name: answer(about | {"ask": name}) for name in asks}


def value_at(answers, path):
    for part in path.split("."):
        answers = answers[int(part) if isinstance(answers, list) else part]
    return answers


def check_twin(page):
    """Every number in the page is one of the engine's answers."""
    found, numbers = told(scene_of(page)), shown(page)
    answers = {name: each["answer"] for name, each in found.items() if "answer" in each}
    if len(answers) < len(found):  # such as rows of one class only
        assert page.locator("[role=alert]").inner_text() in [each.get("error") for each in found.values()]
    assert bool(numbers) == bool(answers)
    for path, text in numbers.items():
        assert float(text) == pytest.approx(float(value_at(answers, path)), rel=1e-9, abs=1e-12), (
            path
        )  # exp differs in its last bit
    return numbers


@pytest.mark.parametrize(("demo", "preset"), PRESETS)
def test_twin_every_number_in_the_page_is_an_answer(new_page, demo, preset):
    page = new_page()
    choose(page, demo, preset)
    for each in page.locator("main details").all():
        each.evaluate("one => { one.open = true; }")
    settled(page)
    check_twin(page)
    for name in ("One row", "One update", "One update", "One pass", "Back one row", "To the end"):
        button = page.get_by_role("button", name=name, exact=True)
        if button.count() and button.is_enabled():
            button.click()
            settled(page)
            check_twin(page)


def test_twin_of_the_stepper_is_the_trace_of_the_library(new_page):
    page = new_page("perceptron")
    scene = scene_of(page)
    parameters = scene["parameters"]
    learner = Perceptron(parameters["eta"], order="cyclic", init=[parameters["start"]], keep="last", min_progress=None)
    steps = trace(learner, EIGHT.X, EIGHT.y, every_row=True)
    for number, step in enumerate(steps):
        page.get_by_role("button", name="One row", exact=True).click()
        numbers = shown(page)
        assert [float(numbers[f"trace.steps.{number}.after.{j}"]) for j in range(3)] == step.after[0].tolist()
        assert float(numbers[f"trace.steps.{number}.score"]) == step.scores[0]


def test_rewinding_is_exact(new_page):
    page = new_page()
    choose(page, "perceptron", "narrow")
    before, seen = shown(page), []
    for _ in range(12):
        page.get_by_role("button", name="One row", exact=True).click()
        seen.append(shown(page))
    for state in reversed(seen):
        assert shown(page) == state
        page.get_by_role("button", name="Back one row", exact=True).click()
    assert shown(page) == before


@every_demo
def test_a_row_is_dragged_and_the_link_shows_the_same(new_page, demo):
    page = new_page(demo)
    if not page.locator("[data-row]").count():
        pytest.skip("this demonstration has no rows to drag")
    first = scene_of(page)
    page.locator("[data-row='0']").scroll_into_view_if_needed()
    box = page.locator("[data-row='0'] .touch").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y + 25, steps=6)
    page.mouse.up()
    settled(page)
    moved = scene_of(page)
    assert moved["data"]["X"][0] != first["data"]["X"][0]
    assert moved["data"]["X"][1:] == first["data"]["X"][1:]
    check_twin(page)
    numbers = shown(page)
    page.reload()
    settled(page)
    assert scene_of(page) == moved
    assert shown(page) == numbers


@every_demo
def test_the_keyboard_does_everything(new_page, demo):
    page = new_page(demo)
    if not page.locator("[data-row]").count():
        pytest.skip("this demonstration has no rows to move")
    page.locator("body").press("Tab")
    for _ in range(60):
        if page.evaluate("document.activeElement.dataset.row") == "0":
            break
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.row") == "0"
    before = scene_of(page)["data"]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    settled(page)
    after = scene_of(page)["data"]
    assert after["X"][0][0] > before["X"][0][0]
    assert after["X"][0][1] > before["X"][0][1]
    page.keyboard.press("Space")
    settled(page)
    assert scene_of(page)["data"]["y"][0] == (before["y"][0] + 1) % len(before["classes"])
    assert "is now of class" in page.locator("[role=status]").inner_text()
    check_twin(page)
    if page.get_by_label("Rows read so far").count():
        page.get_by_label("Rows read so far").focus()
        page.keyboard.press("ArrowRight")
        settled(page)
        assert scene_of(page)["view"]["step"] == 1


@every_demo
def test_touch_on_a_phone(new_page, demo):
    page = new_page(demo, **PHONE)
    for each in page.locator("main details").all():
        each.evaluate("one => { one.open = true; }")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    if not page.locator("[data-row]").count():
        return
    before = scene_of(page)["data"]
    page.locator("[data-row='1']").scroll_into_view_if_needed()
    box = page.locator("[data-row='1'] .touch").bounding_box()
    assert box["width"] >= 32
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)
    for kind, at in (
        ("touchStart", (x, y)),
        ("touchMove", (x + 15, y - 10)),
        ("touchMove", (x + 30, y - 20)),
        ("touchEnd", None),
    ):
        points = [{"x": at[0], "y": at[1]}] if at else []
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    settled(page)
    assert scene_of(page)["data"]["X"][1] != before["X"][1]
    check_twin(page)


@pytest.mark.parametrize(
    "look", [{"color_scheme": "light"}, {"color_scheme": "dark"}, PHONE], ids=["light", "dark", "phone"]
)
@every_demo
def test_axe_finds_nothing(new_page, demo, look):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm install --prefix .ci")
    page = new_page(demo, **look)
    for each in page.locator("details").all():
        each.evaluate("one => { one.open = true; }")
    if page.get_by_role("button", name="One update", exact=True).count():
        page.get_by_role("button", name="One update", exact=True).click()
    if page.get_by_role("button", name="What will the next").count():
        page.get_by_role("button", name="What will the next").click()
    page.get_by_role("button", name="Python for this view").click()
    page.wait_for_selector(".code")
    page.evaluate(AXE.read_text(encoding="utf8"))
    found = page.evaluate(
        "axe.run().then(all => all.violations.map(one => [one.id, one.nodes.map(node => node.html)]))"
    )
    assert found == []


@every_demo
def test_every_picture_has_its_table(new_page, demo):
    page = new_page(demo)
    for chart in page.locator("main figure.chart").all():
        assert chart.locator("details.table table").count() == 1
    assert page.locator("main figure.plane, main .net svg, main .tiles").count()
    if page.locator("[data-row]").count():
        page.get_by_text("The rows as a table").click()
        playwright.expect(page.locator("input[aria-label^='Row 0,']")).to_have_count(2)
    assert page.locator("main table").count()


@every_demo
def test_nothing_moves_by_itself_for_those_who_want_that(new_page, demo):
    page = new_page(demo, reduced_motion="reduce")
    moving = """all => all.filter(one => {
      const look = getComputedStyle(one);
      return look.animationName !== "none" || look.transitionDuration.split(",").some(each => parseFloat(each) > 0)
        || look.scrollBehavior === "smooth";
    }).length"""
    assert page.eval_on_selector_all("*", moving) == 0


@every_demo
def test_a_printed_page_has_the_picture_and_no_buttons(new_page, demo):
    page = new_page(demo, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    for gone in ("nav", ".controls", ".actions", ".tools", ".stepper", ".status", "footer"):
        for each in page.locator(gone).all():
            assert not each.is_visible(), gone
    assert page.locator("h1").is_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    names = ["--ink", "--soft", "--rule", "--shade", "--class-0", "--class-1", "--good", "--bad-paper"]
    colours = "names => names.map(name => getComputedStyle(document.documentElement).getPropertyValue(name))"
    dark = page.evaluate(colours, names)
    page.evaluate("document.querySelector('header button').click()")  # which is not printed
    assert page.evaluate(colours, names) == dark  # paper has one theme
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_formulas_are_set_in_the_font_of_the_page(new_page):
    page = new_page("perceptron")
    page.get_by_role("button", name="One row", exact=True).click()
    page.wait_for_function("document.fonts.check('16px \"Lab Math\"')")
    assert page.evaluate("getComputedStyle(document.querySelector('math')).fontFamily").startswith('"Lab Math"')


def test_a_verdict_that_turns_is_read_out(new_page):
    page = new_page("verdict")
    page.locator("[data-row='3']").focus()
    page.keyboard.press("Space")
    playwright.expect(page.locator("[role=status]")).to_contain_text("Row 3 is now of class \u22121. Not separable")


def test_a_preset_ends_what_plays(new_page):
    page = new_page("perceptron")
    page.get_by_role("button", name="Play", exact=True).click()
    playwright.expect(page.locator(".place")).to_contain_text("row 1 of")
    page.get_by_role("button", name="A narrow gap").click()
    settled(page)
    assert page.get_by_role("button", name="Play", exact=True).count() == 1
    page.wait_for_timeout(1000)
    assert scene_of(page)["view"]["step"] == 0
    page.get_by_role("button", name="Play", exact=True).click()
    page.locator("nav button").nth(1).click()
    settled(page)
    page.wait_for_timeout(1000)
    assert scene_of(page)["view"]["step"] == 0


def test_every_question_of_the_lectures_leads_to_its_preset(new_page):
    page = new_page()
    questions = answer({"ask": "catalogue"})["answer"]["questions"]
    for number, each in enumerate(sorted(questions, key=lambda each: not each["marked"])):
        page.get_by_role("button", name="Questions of the lectures").click()
        assert page.locator("[data-question]").count() == len(questions)
        page.locator("[data-question]").nth(number).click()
        settled(page)
        scene = scene_of(page)
        assert (scene["demo"], scene["view"]["preset"]) == (each["demo"], each["preset"])
    page.goto(page.url.split("#")[0] + "#q=")
    page.reload()
    page.wait_for_selector(".questions")


def test_the_theme_can_be_turned(new_page):
    page = new_page(color_scheme="dark")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(paper)
    page.get_by_role("button", name="Light theme").click()
    assert page.evaluate(paper) != dark
    page.reload()
    settled(page)
    assert page.evaluate(paper) != dark


def test_adding_turning_and_removing_rows(new_page):
    page = new_page("verdict")
    page.get_by_label("adds \u22121").check()
    box = page.locator(".plane svg").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.1)
    settled(page)
    data = scene_of(page)["data"]
    assert len(data["X"]) == 9
    assert data["y"][-1] == 0
    page.get_by_label("removes a row").check()
    page.locator("[data-row='8'] .touch").click()
    settled(page)
    assert scene_of(page)["data"] == EIGHT.as_dict()
    check_twin(page)


def test_a_guess_is_judged(new_page):
    page = new_page("perceptron")
    page.get_by_role("button", name="What will the next").click()
    for name, value in (("w\u2081", "-1.5"), ("w\u2082", "-2.5"), ("b", "9")):
        page.locator(".guess").get_by_label(name, exact=True).fill(value)
    page.get_by_role("button", name="Check", exact=True).click()
    playwright.expect(page.locator(".guess .verdict")).to_contain_text("look at b again")
    page.locator(".guess").get_by_label("b", exact=True).fill("2.5")
    page.get_by_role("button", name="Check", exact=True).click()
    playwright.expect(page.locator(".guess .verdict")).to_contain_text("Right")


def test_the_bowl_is_walked_and_a_click_in_it_sets_the_start(new_page):
    page = new_page("descent")
    steps = page.get_by_role("slider", name="Steps of descent")
    steps.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    settled(page)
    assert scene_of(page)["view"]["descent"] == 1
    assert "bowl.errors.1" in check_twin(page)
    before = scene_of(page)["parameters"]["start"]
    picture = page.get_by_role("img", name="Lines of equal error")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.4)
    settled(page)
    after = scene_of(page)["parameters"]["start"]
    assert after != before
    check_twin(page)


def test_one_row_makes_the_coefficients_finite(new_page):
    page = new_page("separation")
    playwright.expect(page.locator(".banner")).to_contain_text("No finite estimate")
    page.locator("[data-row='6']").focus()
    for _ in range(3):
        page.keyboard.press("Shift+ArrowDown")
    settled(page)
    playwright.expect(page.locator(".banner")).to_contain_text("A finite estimate")
    assert "live.estimate.errors.0" in check_twin(page)


def test_a_dragged_point_is_one_change(new_page):
    page = new_page("neuron")
    before = scene_of(page)
    box = page.locator("[data-handle] .touch").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y + 40, steps=5)
    page.mouse.up()
    settled(page)
    assert scene_of(page)["parameters"]["point"] != before["parameters"]["point"]
    check_twin(page)
    page.keyboard.press("Control+z")
    settled(page)
    assert scene_of(page)["parameters"] == before["parameters"]


def test_a_small_file_is_decided_in_the_page(new_page):
    page = new_page()
    page.get_by_role("button", name="My data").click()
    rows = "a,b,kind\n" + "".join(f"{k},{k % 3},{'yes' if k > 4 else 'no'}\n" for k in range(10))
    file = {"name": "small.csv", "mimeType": "text/csv", "buffer": rows.encode()}
    page.locator("main input[type=file]").set_input_files(file)
    playwright.expect(page.get_by_label("Verdict")).to_contain_text("Separable")
    playwright.expect(page.get_by_label("Weights")).to_contain_text("bias")
    page.get_by_label("Target").select_option("b")
    playwright.expect(page.get_by_label("Verdict")).to_contain_text("Not separable")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if AXE.exists():
        page.evaluate(AXE.read_text(encoding="utf8"))
        found = "axe.run().then(all => all.violations.map(one => [one.id, one.nodes.map(node => node.html)]))"
        assert page.evaluate(found) == []
    bad = {"name": "bad.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2,3\n"}
    page.locator("main input[type=file]").set_input_files(bad)
    playwright.expect(page.locator("[role=alert]")).to_contain_text("Line 2 has 3 fields")


def test_a_field_says_that_it_is_wrong(new_page):
    page = new_page("neuron", viewport={"width": 1280, "height": 900})
    field = page.get_by_label("Threshold \u03b8")
    field.fill("none")
    field.press("Tab")
    assert field.get_attribute("aria-invalid") == "true"
    playwright.expect(page.locator("[role=status]")).to_contain_text("give a number")
    field.fill("2")
    field.press("Tab")
    assert field.get_attribute("aria-invalid") == "false"
    settled(page)
    assert scene_of(page)["parameters"]["theta"] == 2
    field.fill("much")
    field.press("Tab")
    assert field.get_attribute("aria-invalid") == "true"
    page.locator("header").get_by_role("button", name="Undo").click()
    settled(page)
    assert field.get_attribute("aria-invalid") == "false"
    assert float(field.input_value()) == scene_of(page)["parameters"]["theta"]


def test_a_random_start_is_drawn(new_page):
    page = new_page("perceptron")
    before = scene_of(page)["parameters"]["start"]
    page.get_by_role("button", name="Random start").click()
    settled(page)
    assert scene_of(page)["parameters"]["start"] != before
    check_twin(page)


def test_every_item_of_the_lectures_leads_to_its_preset(new_page):
    page = new_page()
    items = answer({"ask": "catalogue"})["answer"]["items"]
    page.get_by_role("button", name="Questions of the lectures").click()
    assert page.locator("[data-item]").evaluate_all("all => all.map(one => one.dataset.item)") == [
        f"{each['demo']}/{each['preset']}" for each in items
    ]
    page.locator("[data-item]").last.click()
    settled(page)
    assert scene_of(page)["view"]["preset"] == items[-1]["preset"]


def test_the_regions_are_those_of_the_step(new_page):
    page = new_page()
    choose(page, "classes", "line")
    told_regions = told(scene_of(page))["trace"]["answer"]
    for name, regions in (
        ("To the start", told_regions["start_regions"]),
        ("One update", told_regions["steps"][0]["regions"]),
    ):
        button = page.get_by_role("button", name=name, exact=True)
        if button.is_enabled():
            button.click()
        assert page.locator("polygon.region").count() == sum(map(bool, regions))


def test_the_line_after_some_passes_is_chosen(new_page):
    page = new_page("passes")
    page.get_by_label("2 passes", exact=True).check()
    settled(page)
    assert scene_of(page)["view"]["after"] == 2
    assert "curve.lines.1.held_out" in check_twin(page)
    page.get_by_label("each order").check()
    assert page.locator("line.line").count() >= 3


def test_a_tile_gives_the_points_its_labels(new_page):
    page = new_page("shattering")
    page.locator(".tile").nth(5).click()
    settled(page)
    assert scene_of(page)["data"]["y"] == [0, 1, 0, 1]
    assert page.locator(".tile").nth(5).get_attribute("aria-pressed") == "true"
    assert "a line separates them" in page.locator("[role=status]").inner_text()
    page.get_by_role("button", name="Show it: Some set, every labeling, 3 points").click()
    settled(page)
    playwright.expect(page.locator(".banner")).to_contain_text("Shattered")
    assert page.locator(".tile").count() == 8
    check_twin(page)


def test_rounds_of_random_labels_are_in_the_link(new_page):
    page = new_page("shattering")
    for name in ("Ten", "One round"):
        page.get_by_role("button", name=name, exact=True).click()
    page.get_by_text("These curves as a table").click()
    settled(page)
    numbers = check_twin(page)
    assert "cover.means.10" in numbers
    assert any(path.startswith("cover.shares.10.") for path in numbers)
    page.reload()
    settled(page)
    assert shown(page) == numbers


def test_a_centre_is_moved_by_pointer_and_by_keys(new_page):
    page = new_page("features")
    box = page.locator("[data-handle='c\u2082'] .touch").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y + 40, steps=5)
    page.mouse.up()
    settled(page)
    scene = scene_of(page)
    assert scene["data"] == XOR.as_dict()
    assert scene["parameters"]["centres"][:2] == [0, 0]
    assert scene["parameters"]["centres"][2] < 1 > scene["parameters"]["centres"][3]
    page.locator("[data-handle='c\u2081']").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    assert scene_of(page)["parameters"]["centres"][0] > 0
    assert "c\u2081 at" in page.locator("[role=status]").inner_text()
    check_twin(page)


def test_a_truth_table_is_turned_by_mouse_and_by_keys(new_page):
    page = new_page("boolean")
    page.get_by_role("button", name="y for 1 1 is 0: turn it").click()
    settled(page)
    assert scene_of(page)["data"]["y"] == [0, 1, 1, 1]
    playwright.expect(page.locator(".banner")).to_contain_text("One unit is enough")
    page.get_by_role("button", name="y for 0 0 is 0: turn it").focus()
    page.keyboard.press("Space")
    settled(page)
    assert scene_of(page)["data"]["y"] == [1, 1, 1, 1]
    page.get_by_label("Show 1 0 in the network").check()
    settled(page)
    assert scene_of(page)["view"]["input"] == 2
    check_twin(page)


def test_a_function_is_chosen_on_the_map_and_by_its_number(new_page):
    page = new_page()
    choose(page, "boolean", "majority")
    page.locator(".map svg").scroll_into_view_if_needed()
    box = page.locator(".map .function").nth(105).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    settled(page)
    assert scene_of(page)["data"]["y"] == [0, 1, 1, 0, 1, 0, 0, 1]
    assert check_twin(page)["network.units"] == "4"
    page.get_by_label("Another number").fill("23")
    page.get_by_label("Another number").press("Enter")
    settled(page)
    assert scene_of(page)["data"]["y"] == [0, 0, 0, 1, 0, 1, 1, 1]
    check_twin(page)


def test_fractions_and_files_of_a_proof(new_page, tmp_path):
    page = new_page()
    choose(page, "verdict", "xor")
    page.get_by_role("button", name="Show exact fractions").click()
    playwright.expect(page.locator(".side")).to_contain_text("The point is exactly (1/2, 1/2)")
    for name in ("certificate.json", "rows.csv", "plain.py"):
        with page.expect_download() as saved:
            page.get_by_role("button", name=name).click()
        saved.value.save_as(tmp_path / name)
    words = [sys.executable, "plain.py", "certificate.json", "rows.csv"]
    assert subprocess.run(words, cwd=tmp_path, capture_output=True, check=False).returncode == 0


def test_the_keys_of_the_questions_and_axe(new_page):
    page = new_page()
    page.get_by_role("button", name="Questions of the lectures").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".questions")
    assert page.evaluate("document.activeElement.id") == "main"
    if AXE.exists():
        page.evaluate(AXE.read_text(encoding="utf8"))
        assert page.evaluate("axe.run().then(all => all.violations.map(one => one.id))") == []


@pytest.mark.parametrize("preset", ["noisy", "xor", "eight"])
def test_twin_of_a_cycle(new_page, preset):
    live = new_page()
    choose(live, "inseparable", preset)
    live.get_by_label("the cycle of a fixed order").check()
    for name in ("One row", "One update", "To the end"):
        live.get_by_role("button", name=name, exact=True).click()
        settled(live)
        numbers = check_twin(live)
        assert any(path.startswith("cycle.steps") for path in numbers)
    proved = preset != "eight"
    assert live.get_by_role("region", name="The proof").count() == proved
    if proved:
        live.get_by_role("button", name="To the beginning of the cycle").click()
        weights = [live.locator(".weights dd .num").nth(k).get_attribute("data-value") for k in range(3)]
        live.get_by_role("button", name="To its end").click()
        assert [live.locator(".weights dd .num").nth(k).get_attribute("data-value") for k in range(3)] == weights


def test_lines_that_are_kept_are_drawn_when_ticked(new_page):
    page = new_page("inseparable")
    page.get_by_role("button", name="To the end", exact=True).click()
    assert page.locator(".plane .line.average").count() == 0
    page.get_by_label("average", exact=True).check()
    assert page.locator(".plane .line.average").count() == 1
    settled(page)
    page.reload()
    settled(page)
    assert page.locator(".plane .line.average").count() == 1


def test_a_row_that_supports_nothing_is_dragged(new_page):
    page = new_page()
    choose(page, "support", "far")
    before, row = shown(page), len(scene_of(page)["data"]["X"]) // 2
    assert before["machine.rows.10.alpha"] == "0"
    box = page.locator("[data-row='10'] .touch").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 20, y + 90, steps=5)
    page.mouse.up()
    settled(page)
    after = check_twin(page)
    for name, moves in (("weights", False), ("gaussian", True)):
        gone = [abs(float(after[f"machine.{name}.{j}"]) - float(before[f"machine.{name}.{j}"])) for j in range(3)]
        assert (max(gone) > 0.05) == moves
        assert (max(gone) < 1e-4) != moves
    assert page.locator(".plane .line.ghost").count() == 2
    assert f"What moved with row {row}?" in page.locator(".side").inner_text()


def test_c_is_made_softer_by_keyboard_until_slack_appears(new_page):
    page = new_page("support")
    assert page.locator(".slack").count() == 0
    page.get_by_label("C = ").focus()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    settled(page)
    assert scene_of(page)["parameters"]["C"] == "0.03"
    assert page.locator(".plane .slack").count() > 3
    check_twin(page)


def test_a_trace_file_is_shown(new_page, tmp_path):
    learner = Perceptron(order="cyclic", init=[[1.0, -1.0, 0.5]], keep="last", min_progress=None)
    trace(learner, EIGHT.X, EIGHT.y, every_row=True).save(tmp_path / "steps.json")
    page = new_page("verdict")
    page.locator("input[type=file]").set_input_files(tmp_path / "steps.json")
    playwright.expect(page.locator("[role=status]")).to_contain_text("steps.json is shown")
    settled(page)
    assert scene_of(page)["parameters"]["start"] == [1.0, -1.0, 0.5]
    check_twin(page)
    (tmp_path / "odd.json").write_text('{"version": 1, "demo": "../x"}')
    page.locator("input[type=file]").set_input_files(tmp_path / "odd.json")
    playwright.expect(page.locator("[role=status]")).to_contain_text("There is no demonstration")


@every_demo
def test_names_in_data_do_not_become_markup(new_page, demo):
    preset = DEMONSTRATIONS[demo].presets[0]
    names = ["<img src=x onerror=alert(1)>", "</svg><script>alert(2)</script>"]
    classes = [names[number % 2] for number in range(len(preset.data.classes))]
    data = preset.data.as_dict() | {"names": names[: len(preset.data.names)], "classes": classes}
    scene = {"version": 1, "demo": demo, "data": data, "parameters": preset.parameters, "view": {}}
    page = new_page(fragment="#s=" + packed(scene))
    assert page.locator("img").count() == 0
    assert names[0] in page.locator("main").inner_text()
    check_twin(page)


def test_a_hostile_link_shows_the_first_demonstration_and_says_why(new_page):
    scene = {"version": 1, "demo": "perceptron", "data": EIGHT.as_dict() | {"y": [7] * 8}, "parameters": {}, "view": {}}
    page = new_page(fragment="#s=" + packed(scene))
    assert "The class of row 0" in page.locator("[role=status]").inner_text()
    assert scene_of(page)["data"] == EIGHT.as_dict()


def test_a_link_that_is_cut_off_says_so(new_page):
    scene = {"version": 1, "demo": "verdict", "data": XOR.as_dict(), "parameters": {}, "view": {}}
    page = new_page(fragment="#s=" + packed(scene)[:-9])
    assert "damaged" in page.locator("[role=status]").inner_text()
    assert scene_of(page)["demo"] == "perceptron"


@every_demo
def test_a_link_with_an_odd_view_is_drawn(new_page, demo):
    odd = {
        "frame": [1, 1, "a", {}],
        "tool": 5,
        "lines": [[]],
        "marked": {"row": 0},
        "step": "x",
        "part": [],
        "after": {},
    }
    preset = DEMONSTRATIONS[demo].presets[0]
    scene = {"version": 1, "demo": demo, "data": preset.data.as_dict(), "parameters": preset.parameters, "view": odd}
    page = new_page(fragment="#s=" + packed(scene))
    assert scene_of(page)["view"].keys() <= {"frame", "playing"}
    check_twin(page)


def test_a_drag_that_is_undone_before_it_ends(new_page):
    page = new_page("verdict")
    before = scene_of(page)
    box = page.locator("[data-row='0'] .touch").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - 60, box["y"] + 60, steps=3)
    page.keyboard.press("Control+z")
    page.mouse.up()
    settled(page)
    assert scene_of(page)["data"] == before["data"]
    page.keyboard.press("Control+Shift+z")
    settled(page)
    assert scene_of(page)["data"]["X"][0] != before["data"]["X"][0]


def test_an_exported_scene_is_what_the_page_begins_with(browser, tmp_path):
    scene = {
        "version": 1,
        "demo": "perceptron",
        "data": EIGHT.as_dict(),
        "parameters": {"eta": 3.0},
        "view": {"step": 2},
    }
    scene = answer({"ask": "scene", "scene": json.loads(json.dumps(scene))})["answer"]
    export_page(tmp_path / "page.html", scene)
    context = browser.new_context()
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    settled(page)
    assert scene_of(page)["parameters"]["eta"] == 3.0
    assert "row 2 of" in page.locator(".place").inner_text()
    check_twin(page)
    context.close()


SIZES = {"wide": (1280, 720), "beam": (1024, 768), "phone": (390, 844)}
SEEN = """all => all.map(one => one.getBoundingClientRect()).filter(box => box.width && box.height)
    .map(box => box.top >= 0 && box.bottom <= innerHeight)"""


@every_demo
@pytest.mark.parametrize("size", SIZES)
def test_the_picture_comes_first(new_page, demo, size):
    width, height = SIZES[size]
    page = new_page(demo, viewport={"width": width, "height": height})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture = page.locator("main svg").first.bounding_box()
    assert picture["y"] + picture["height"] <= height
    assert picture["width"] >= (300 if size == "phone" else 420)
    assert all(page.eval_on_selector_all("main .stepper", SEEN))
    numbers = page.locator(":is(.side, .pair.cards) [data-path]").first.bounding_box()
    assert numbers["y"] + numbers["height"] <= height


def test_what_is_chosen_is_in_sight(new_page):
    """Also where lists scroll sideways: by a link, or from the questions."""
    page = new_page(viewport={"width": 1024, "height": 768})
    page.get_by_role("button", name="Questions of the lectures").click()
    page.locator("[data-item='perceptron/batch']").first.click()  # the last of fifteen presets
    settled(page)
    for chosen in (".presets [aria-pressed=true]", "nav [aria-current]"):
        box = page.locator(chosen).bounding_box()
        assert box["x"] >= 0
        beside = page.locator(chosen).evaluate("one => one.closest('ol, .presets').getBoundingClientRect().right")
        assert box["x"] + box["width"] <= min(beside, 1024)


def test_changes_are_undone_and_done_again(new_page):
    page = new_page("verdict")
    before = scene_of(page)
    pressed = "one => one.getAttribute('aria-pressed')"
    assert page.locator(".presets button").first.evaluate(pressed) == "true"
    page.locator("[data-row='0']").focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowUp")
    settled(page)
    assert page.locator(".presets button").first.evaluate(pressed) == "false"  # it is no preset any more
    after = scene_of(page)
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    settled(page)
    assert scene_of(page) == before
    check_twin(page)
    page.get_by_role("button", name="Redo").click()
    page.keyboard.press("Control+Shift+z")
    settled(page)
    assert scene_of(page) == after
    check_twin(page)


def test_fewer_classes_follow_more(new_page):
    page = new_page("classes")
    page.get_by_role("button", name="To the end", exact=True).click()
    page.locator(".presets button").nth(1).click()  # five classes
    settled(page)
    assert len(scene_of(page)["data"]["classes"]) == 5
    page.keyboard.press("Control+z")
    settled(page)
    assert len(scene_of(page)["data"]["classes"]) == 3
    check_twin(page)


def test_back_goes_to_the_last_scene(new_page):
    page = new_page("perceptron")
    choose(page, "verdict", "xor")
    choose(page, "kernel")
    page.go_back()
    page.wait_for_function("document.querySelector('h1').textContent.startsWith('Separable')")
    settled(page)
    assert scene_of(page)["view"]["preset"] == "xor"
    check_twin(page)


def test_back_knows_a_change_that_no_address_has_yet(new_page):
    page = new_page("verdict")
    turn = "document.querySelector('[data-row=\"0\"]').dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }))"
    page.evaluate(turn + "; document.querySelectorAll('nav button')[4].click()")
    settled(page)
    assert scene_of(page)["demo"] == "inseparable"
    page.go_back()
    page.wait_for_function("document.querySelector('h1').textContent.startsWith('Separable')")
    settled(page)
    assert scene_of(page)["data"]["y"][0] == 1 - EIGHT.y[0]
    address = page.url
    page.evaluate("location.hash = '#q='")
    page.wait_for_selector(".questions")
    page.evaluate(f"location.hash = {address.split('#')[1]!r}")
    settled(page)
    assert scene_of(page)["data"]["y"][0] == 1 - EIGHT.y[0]


def test_a_projector_shows_the_picture_and_nothing_else(new_page):
    page = new_page("perceptron", viewport={"width": 1024, "height": 768})
    page.get_by_role("button", name="Projector").click()
    for gone in ("nav", "footer", ".about", ".actions", ".presets", ".tools"):
        assert not page.locator(gone).first.is_visible()
    assert page.locator(".plane > svg").is_visible()
    assert all(page.eval_on_selector_all("main .stepper", SEEN))
    page.keyboard.press("Escape")
    assert page.locator("nav").is_visible()


@every_demo
@pytest.mark.parametrize("size", SIZES)
def test_a_projector_shows_more_of_the_picture(new_page, demo, size):
    width, height = SIZES[size]
    page = new_page(demo, viewport={"width": width, "height": height})
    before = page.locator("main svg").first.bounding_box()["width"]
    page.get_by_role("button", name="Projector").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture = page.locator("main svg").first.bounding_box()
    assert picture["y"] + picture["height"] <= height
    assert picture["width"] >= 0.97 * before
    assert all(page.eval_on_selector_all("main .stepper", SEEN))
    numbers = page.locator(":is(.side, .pair.cards) [data-path]").first.bounding_box()
    assert numbers["y"] + numbers["height"] <= height


def test_weight_space_stands_beside_the_plane(new_page):
    page = new_page(viewport={"width": 1024, "height": 768})
    choose(page, "perceptron", "space")
    space = page.get_by_label("Weight space", exact=True).bounding_box()
    assert space["y"] + space["height"] <= 768


def test_the_fewest_rows_that_must_go(new_page):
    page = new_page()
    choose(page, "verdict", "xor")
    playwright.expect(page.get_by_label("Rows in the way")).to_contain_text("No fewer than 1")
    page.get_by_role("button", name="Take it out").click()
    settled(page)
    playwright.expect(page.locator(".banner")).to_contain_text("Separable")
    assert len(scene_of(page)["data"]["X"]) == 3
