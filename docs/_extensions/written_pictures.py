"""The gallery's examples write their pictures into a folder that they are given: a folder of the build, where they are found."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import figure_rst

FOLDER = Path(tempfile.mkdtemp(prefix="novikoff-gallery-"))


def arguments(gallery_conf: dict[str, Any], script_vars: dict[str, Any]) -> list[str]:
    """What an example is told on its command line: where to write its picture."""
    return [str(FOLDER)]


def scraper(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """The pictures that an example has just written, as the gallery shows them."""
    taken = []
    for picture in sorted(FOLDER.glob("*.png")):
        taken.append(next(block_vars["image_path_iterator"]))
        shutil.move(picture, taken[-1])
    return figure_rst(taken, gallery_conf["src_dir"])
