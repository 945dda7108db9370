"""My data in a real browser: dropped or chosen, proved, fitted, compared, cancelled, taken away, and shown again from its link."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

pytest.importorskip("playwright.sync_api", reason="the page is tested with playwright: pip install playwright")
from test_lab_in_browser import AXE, CHROMIUM, PHONE, browser, new_page, playwright, settled, shown, value_at  # noqa: F401
from test_lab_my_data import asked

from common import ROOT
from novikoff import check_table, compare_tables, fit_table, load
from novikoff.report.result_sections import sections_of
from novikoff.report.sections import PAGE
from novikoff.tables.results import plain

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")]
PENGUINS = ROOT / "examples" / "penguins.csv"
LONG = 180_000  # milliseconds
expect = playwright.expect


@pytest.fixture(scope="module")
def opened(browser):  # noqa: F811
    """The address of a lab that runs, and the cookie of the browser that was opened with its token."""
    words = [sys.executable, "-m", "novikoff", "lab", "--no-browser"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as lab:
        try:
            address = re.search(r"http\S+", lab.stderr.readline())[0]
            context = browser.new_context()
            page = context.new_page()
            page.goto(address)
            settled(page, timeout=180_000)
            yield address.split("?")[0], {"storage_state": context.storage_state()}
            context.close()
        finally:
            lab.terminate()


def mine(page, path=PENGUINS):
    """My data with this file."""
    page.get_by_role("button", name="My data").click()
    page.locator("input[type=file]").set_input_files(path)
    expect(page.locator(".file h2")).to_contain_text(path.name, timeout=LONG)  # not a file that was shown before
    expect(page.locator(".progress")).to_have_count(0, timeout=LONG)  # the file has come in, and its columns
    return page


def made(page, part):
    """The result of a part of the page, once it is there."""
    page.locator(f".result-{part} .card").first.wait_for(timeout=LONG)
    page.locator(f".result-{part}[aria-busy=false]").wait_for(timeout=LONG)


def choice(page, label):
    return page.get_by_role("combobox", name=label, exact=True)


def chosen(page, label, value):
    choice(page, label).select_option(label=value)


def all_three(page):
    page.get_by_role("button", name="Prove, fit and compare").click()
    for part in ("check", "fit", "compare"):
        made(page, part)
    return page


def test_every_number_and_text_is_that_of_the_table_functions(new_page):  # noqa: F811
    page = all_three(mine(new_page()))
    results = {
        "check": check_table(PENGUINS, "species"),
        "fit": fit_table(PENGUINS, "species", top=20, regions=True),
        "compare": compare_tables(PENGUINS, "species"),
    }
    documents = {name: plain({"command": name, **result.to_dict()}) for name, result in results.items()}
    numbers = shown(page)
    assert len(numbers) > 60
    drawn = asked("curve", {"target": "species"})["answer"]["curve"]
    curve = {"curve": {"passes": list(range(1, 99)), **documents["fit"]["history"]}, "held-out": drawn}
    for path, text in numbers.items():
        assert float(text) == float(value_at(documents | curve, path)), path
    for name, document in documents.items():
        for section in sections_of(document, PAGE):
            if name == "check" or section.title in ("Weights", "Scores", "Each class", "Margins"):
                card = page.locator(f".result-{name} [data-section='{section.title}']").text_content()
                for table in section.tables:
                    assert all(str(cell) in card for row in table.rows for cell in row), (name, section.title)
    kinds = page.eval_on_selector_all(".slice .region", "all => all.map(one => one.getAttribute('d').length > 0)")
    assert kinds == [True, True, True]


def test_a_verdict_with_its_witness_and_its_suspects(new_page):  # noqa: F811
    page = mine(new_page())
    chosen(page, "Target", "sex")
    page.get_by_role("button", name="Prove", exact=True).click()
    made(page, "check")
    result = check_table(PENGUINS, "sex")
    text = page.locator(".result-check").text_content()
    assert result.separable is False
    assert "Not separable" in text
    for row in result.witness[:3]:
        assert row.place.replace(str(PENGUINS), "penguins.csv") in text
    assert page.locator(".result-check .banner.bad").count() == 1


def test_a_file_that_comes_in_again_leaves_the_settings(new_page):  # noqa: F811
    page = mine(new_page())
    chosen(page, "Target", "sex")
    page.locator("input[type=file]").set_input_files(PENGUINS)
    expect(page.locator("[role=status]")).to_contain_text("is shown already", timeout=LONG)
    assert choice(page, "Target").input_value() == "sex"


def test_parameters_of_the_learner_are_set(new_page):  # noqa: F811
    page = mine(new_page())
    page.get_by_text("Parameters of perceptron").click()
    page.get_by_label("eta", exact=True).fill("0.5")
    page.get_by_label("eta", exact=True).blur()
    chosen(page, "keep", "average")
    page.get_by_role("button", name="Fit", exact=True).click()
    made(page, "fit")
    expect(page.locator("#chart-held-out canvas")).to_have_count(1, timeout=LONG)
    expected = fit_table(PENGUINS, "species", parameters={"eta": 0.5, "keep": "average"}, top=20)
    weights = plain(expected.to_dict())["weights"][0]["features"]
    numbers = shown(page)
    assert [float(numbers[f"fit.weights.0.features.{k}.weight"]) for k in range(len(weights))] == [
        each["weight"] for each in weights
    ]
    page.locator(".result-fit").get_by_text("The same in a shell and in Python").click()
    assert "--set eta=0.5 --set keep=average" in page.locator(".result-fit").inner_text()
    chosen(page, "Learner", "hinge-sgd")
    page.get_by_text("Parameters of hinge-sgd").wait_for()
    page.get_by_label("lam", exact=True).fill("no number")
    page.get_by_label("lam", exact=True).blur()
    page.get_by_role("button", name="Fit", exact=True).click()
    expect(page.locator("[role=alert]")).to_contain_text("lam", timeout=LONG)


def test_how_a_file_is_read_is_chosen(new_page, tmp_path):  # noqa: F811
    path = tmp_path / "odd.csv"
    path.write_text("1|x;2\n" + "".join(f"{k % 9}|{'xy'[k % 2]};{'gone' if k % 5 else k}\n" for k in range(30)))
    page = mine(new_page(), path)
    page.get_by_text("How the file is read").click()
    chosen(page, "Between fields", "bar |")
    chosen(page, "First line", "a row like others")
    expect(page.locator(".file")).to_contain_text("31 rows, 2 columns", timeout=LONG)
    chosen(page, "Between fields", "semicolon")
    page.get_by_text("Columns, and what they are taken for").click()
    expect(choice(page, "column1 is taken as")).to_have_value("category", timeout=LONG)
    page.get_by_label("Words that mean: missing").fill("-9, gone")
    page.get_by_label("Words that mean: missing").blur()
    expect(page.locator(".columns-table tbody tr").nth(1).locator("td").last).to_have_text("24", timeout=LONG)
    chosen(page, "Encoding", "utf-16")
    expect(page.locator("[role=alert]")).to_have_count(1, timeout=LONG)
    assert page.locator("#main form").count() == 1  # how to read it, and nothing that needs its columns
    chosen(page, "Encoding", "utf-8")
    expect(page.locator(".file")).to_contain_text("31 rows, 2 columns", timeout=LONG)


def test_any_two_columns(new_page):  # noqa: F811
    page = mine(new_page())
    page.get_by_role("button", name="Fit", exact=True).click()
    made(page, "fit")
    chosen(page, "Across", "year")
    page.locator(".slice svg[aria-label*='year']").first.wait_for(timeout=LONG)
    before = page.locator(".region").first.get_attribute("d")
    chosen(page, "Up", "year")
    page.wait_for_function(
        "before => document.querySelector('.region').getAttribute('d') !== before", arg=before, timeout=LONG
    )
    assert choice(page, "Up").input_value() == "year"
    assert choice(page, "Across").input_value() != "year"


def test_models_and_reports_are_saved(new_page, tmp_path):  # noqa: F811
    page = mine(new_page())
    page.get_by_role("button", name="Fit", exact=True).click()
    made(page, "fit")
    for button, name in (
        ("Save the model", "model.novikoff"),
        ("Report (HTML)", "fit.html"),
        ("Export: json", "model.json"),
        ("Result (JSON)", "fit.json"),
    ):
        with page.expect_download(timeout=LONG) as waiting:
            page.locator(".result-fit").get_by_role("button", name=button).click()
        assert waiting.value.suggested_filename == name
        waiting.value.save_as(tmp_path / name)
        expect(page.locator(".result-fit").get_by_role("button", name=button)).to_be_enabled(timeout=LONG)
    model = load(tmp_path / "model.novikoff")
    assert model.steps[-1][1].coef_.tolist() == fit_table(PENGUINS, "species").model.steps[-1][1].coef_.tolist()
    assert "penguins.csv" in (tmp_path / "fit.html").read_text()
    assert json.loads((tmp_path / "model.json").read_text())["classes"] == ["Adelie", "Chinstrap", "Gentoo"]
    assert (
        "novikoff fit penguins.csv --target species --learner perceptron" in page.locator(".result-fit").text_content()
    )


def test_long_work_can_be_cancelled(new_page, tmp_path):  # noqa: F811
    path = tmp_path / "long.csv"
    path.write_text("x,y,class\n" + "".join(f"{k % 101},{k % 97},{k * k % 7 % 2}\n" for k in range(200_000)))
    page = mine(new_page(), path)
    page.get_by_text("Parameters of perceptron").click()
    page.get_by_label("min_progress", exact=True).fill(
        "None"
    )  # it would stop after a few passes, perhaps before the click
    page.get_by_label("min_progress", exact=True).blur()
    page.get_by_label("Passes, at most").fill("1000")
    page.get_by_label("Passes, at most").blur()
    page.get_by_role("button", name="Fit", exact=True).click()
    page.locator(".result-fit progress[value]").wait_for(timeout=LONG)
    page.locator(".result-fit").get_by_role("button", name="Cancel").click()
    expect(page.locator("[role=status]")).to_have_text("Cancelled.")
    expect(page.locator("progress")).to_have_count(0)
    page.get_by_label("Passes, at most").fill("1")
    page.get_by_label("Passes, at most").blur()
    page.get_by_role("button", name="Fit", exact=True).click()
    made(page, "fit")


NAMES = ["<img src=x onerror=alert(1)>", "</svg><script>alert(2)</script>", "\"'><b>z"]


def test_names_in_data_and_of_files_do_not_become_markup(new_page, tmp_path):  # noqa: F811
    path = tmp_path / "<img src=x onerror=alert(3)>.csv"
    quoted = ['"' + name.replace('"', '""') + '"' for name in NAMES]
    rows = [f"{k % 5},{k % 3},{quoted[k % 2]}" for k in range(60)]
    path.write_text("\n".join([",".join(quoted), *rows]) + "\n")
    page = all_three(mine(new_page(), path))
    for each in page.locator("details").all():
        each.evaluate("one => { one.open = true; }")
    assert page.locator("main img").count() == 0
    assert page.locator("main b").count() == 0
    text = page.locator("main").inner_text()
    for name in (*NAMES, path.name):
        assert name in text
    with page.expect_download(timeout=LONG) as waiting:
        page.locator(".result-fit").get_by_role("button", name="Report (HTML)").click()
    waiting.value.save_as(tmp_path / "report.html")
    report = (tmp_path / "report.html").read_text()
    assert "<script>alert" not in report
    assert "<img src=x" not in report


def test_a_report_keeps_to_its_policy_and_text_that_gets_into_it_does_nothing(browser, tmp_path):  # noqa: F811
    path, hostile = tmp_path / "report.html", tmp_path / "hostile.html"
    path.write_text(fit_table(PENGUINS, "species", regions=True).to_html())
    markup = "<script>document.title = 'run'</script><img src='http://127.0.0.1:9/'><p style='color: red'>red</p>"
    hostile.write_text(path.read_text().replace("<h1>", f"{markup}<h1>"))
    refused = {}
    for each in (path, hostile):
        page, told = browser.new_page(), []
        page.on("console", lambda message, told=told: told.append(message.text))
        page.goto(each.as_uri())
        assert page.title().startswith("novikoff fit")
        assert page.evaluate("getComputedStyle(document.body).maxWidth") == "832px"  # its own style holds
        pictures = page.evaluate(
            "[...document.images].filter(one => one.src.startsWith('data:')).map(one => one.naturalWidth)"
        )
        assert len(pictures) > 2
        assert all(pictures)
        refused[each] = told
        page.close()
    assert refused[path] == []
    assert len(refused[hostile]) == 3


def test_files_that_cannot_be_read_are_refused_in_words(new_page, tmp_path):  # noqa: F811
    page = new_page()
    page.get_by_role("button", name="My data").click()
    large, odd = tmp_path / "large.csv", tmp_path / "odd.csv"
    with large.open("wb") as file:
        file.truncate(50_000_001)
    odd.write_bytes(b"a,b\n1\n1,2,3\n")
    page.locator("input[type=file]").set_input_files(large)
    expect(page.locator("[role=alert]")).to_contain_text("novikoff lab --data")
    page.locator("input[type=file]").set_input_files(odd)
    expect(page.locator("[role=alert]")).to_contain_text("odd.csv", timeout=LONG)
    assert "/tmp" not in page.locator("[role=alert]").inner_text()
    page.locator("input[type=file]").set_input_files(PENGUINS)
    expect(page.locator(".file h2")).to_have_text("penguins.csv", timeout=LONG)
    expect(page.locator("[role=alert]")).to_have_count(0)


DROP = """text => {
  const data = new DataTransfer();
  data.items.add(new File([text], "dropped.csv"));
  dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
}"""


def test_a_file_dropped_on_any_demonstration_is_my_data(new_page):  # noqa: F811
    page = new_page("verdict")
    page.evaluate(DROP, "x,class\n1,a\n2,b\n3,b\n0,a\n")
    expect(page.locator(".file h2")).to_have_text("dropped.csv", timeout=LONG)
    page.get_by_role("button", name="Prove", exact=True).click()
    made(page, "check")
    assert page.locator(".result-check .banner.good").count() == 1
    page.locator("nav button").first.click()
    assert page.locator(".demo").count() == 1
    page.get_by_role("button", name="My data").click()
    expect(page.locator(".file h2")).to_have_text("dropped.csv")


def test_a_link_names_the_file_by_its_hash(new_page, tmp_path):  # noqa: F811
    path = tmp_path / "a.csv"
    path.write_text("x,z,class,other\n" + "".join(f"{k},{k % 3},{'ab'[k > 9]},{'uv'[k % 2]}\n" for k in range(20)))
    page = mine(new_page(), path)
    chosen(page, "Target", "class")
    page.get_by_label("Passes, at most").fill("7")
    page.get_by_label("Passes, at most").blur()
    page.wait_for_function("location.hash.startsWith('#d=') && location.hash.length > 60")
    page.wait_for_timeout(300)
    fragment = page.evaluate("location.hash")
    again = new_page()
    again.evaluate("hash => { location.hash = hash; }", fragment)
    again.locator(".file h2").wait_for(timeout=LONG)
    expect(again.get_by_label("Passes, at most")).to_have_value("7", timeout=LONG)
    assert choice(again, "Target").input_value() == "class"


def test_a_link_to_a_file_that_is_not_here_asks_for_it(new_page):  # noqa: F811
    from novikoff.lab.scenes import packed

    fragment = "#d=" + packed({"version": 1, "file": {"id": "f" * 64, "name": "<b>there</b>.csv"}, "settings": {}})
    page = new_page()
    page.evaluate("hash => { location.hash = hash; }", fragment)
    expect(page.locator(".note")).to_contain_text("<b>there</b>.csv")


@pytest.mark.parametrize("look", [{}, {"color_scheme": "dark"}, PHONE], ids=["light", "dark", "phone"])
def test_axe_finds_nothing_and_nothing_is_too_wide(new_page, look):  # noqa: F811
    if not AXE.exists():
        pytest.skip("axe-core is not here: npm ci --prefix .ci")
    page = all_three(mine(new_page(**look)))
    for each in page.locator("details").all():
        each.evaluate("one => { one.open = true; }")
    page.evaluate(AXE.read_text(encoding="utf8"))
    found = page.evaluate(
        "axe.run().then(all => all.violations.map(one => [one.id, one.nodes.map(node => node.html)]))"
    )
    assert found == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("innerWidth") == page.viewport_size["width"]


def test_by_keyboard_alone(new_page):  # noqa: F811
    page = mine(new_page())
    page.locator("#main").focus()
    for _ in range(30):
        page.keyboard.press("Tab")
        if "Prove, fit" in page.evaluate("document.activeElement.textContent"):
            break
    page.keyboard.press("Enter")
    made(page, "check")


def test_a_file_of_the_command_line(browser):  # noqa: F811
    words = [sys.executable, "-m", "novikoff", "lab", "--no-browser", "--data", str(PENGUINS)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as lab:
        try:
            page = browser.new_page()
            page.goto(re.search(r"http\S+", lab.stderr.readline())[0])
            expect(page.locator(".file h2")).to_have_text(str(PENGUINS), timeout=LONG)
            expect(choice(page, "Target")).to_have_value("species")
            page.close()
        finally:
            lab.terminate()
