"""The page as one file: self-contained, safe, small."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

from commands import run as run_command
from novikoff.lab.page_export import exported, find_scene, fragment_of
from novikoff.lab.page_files import page_files, page_modules, presets
from novikoff.lab.scenes import packed
from novikoff.lab.single_script import single_script


@pytest.mark.parametrize("name", [None, "perceptron", "verdict"])
def test_an_exported_page_is_one_small_file(tmp_path, name):
    words = ["lab", *([name] if name else []), "--export", tmp_path / "page.html"]
    assert "without a network" in run_command(*words)[1]
    page = (tmp_path / "page.html").read_text(encoding="utf8")
    assert len(page.encode()) < 1_000_000
    assert not re.search(r"<(link|script|img)[^>]+(src|href)=\"(?!data:)", page)
    assert "http-equiv" in page


def test_its_policy_has_the_hashes_of_what_is_in_it():
    page = exported(find_scene("verdict"))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    assert "unsafe" not in policy
    script, style = (
        re.search(r"<script>(.*?)</script>", page, re.S)[1],
        re.search(r"<style>(.*?)</style>", page, re.S)[1],
    )
    for text in (script, style):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy


def test_its_font_is_in_it():
    page = exported(find_scene("perceptron"))
    assert "font-src data:" in page
    held = re.search(r'url\(data:font/woff2;base64,([^)]+)\) format\("woff2"\)', page)[1]
    assert base64.b64decode(held) == page_files()["vendor/stix-two-math.woff2"].content
    assert len(held) < 60_000


def test_names_in_data_cannot_end_the_element_they_stand_in():
    scene = find_scene("perceptron") | {"data": {"classes": ["</script><script>alert(1)</script>", "b"]}}
    page = exported(scene)
    assert "<script>alert" not in page
    assert json.loads(re.search(r'id="scene">(.*?)</script>', page, re.S)[1]) == scene


def test_a_scene_is_found_by_name_by_link_and_by_file(tmp_path):
    scene = find_scene("bound")
    assert find_scene(f"http://127.0.0.1:1/{fragment_of(scene)}") == scene
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    assert find_scene(str(tmp_path / "scene.json")) == scene
    (tmp_path / "odd.json").write_text("[]")
    with pytest.raises(ValueError, match="is no scene"):
        find_scene(str(tmp_path / "odd.json"))
    with pytest.raises(ValueError, match="no demonstration"):
        find_scene("#s=" + packed(scene | {"demo": "none"}))


def test_modules_that_one_script_cannot_hold_are_refused():
    with pytest.raises(ValueError, match="cannot be put into one script"):
        single_script({"a.js": 'import x from "./b.js";\n'}, "a.js")
    with pytest.raises(ValueError, match="around a corner"):
        single_script({"a.js": 'import {b} from "./b.js";', "b.js": 'import {a} from "./a.js";'}, "a.js")


def test_comments_stay_behind_and_code_does_not():
    code = """// one
/** @param {number} a
 * @returns {number} */
export function f(a) {
  /** @type {any} */ (a).b = "// no comment"; // stays
  return `/** stays */
`;
}
"""
    made = single_script({"a.js": code}, "a.js")
    assert "// one" not in made
    assert "@param" not in made
    assert '  /** @type {any} */ (a).b = "// no comment"; // stays' in made
    assert "return `/** stays */\n`;" in made


def test_every_demonstration_has_a_view_and_every_view_a_demonstration():
    views = {name[6:-3] for name in page_modules() if name.startswith("demos/")} - {"views"}
    assert views == set(presets())
    assert (
        set(re.search(r"VIEWS = \{([^}]*)\}", page_modules()["demos/views.js"])[1].replace(",", " ").split()) == views
    )


def test_the_page_is_small():
    import gzip

    assert sum(len(gzip.compress(file.content)) for file in page_files().values()) <= 250_000
