"""How the site is built: ``.ci/site``, or ``python -m sphinx -W --keep-going -b html docs docs/_build/html``.

Nothing is fetched while it is built, and its pages load nothing from elsewhere.
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions")]

from novikoff import __version__  # noqa: E402 (after the path, with the extensions)

project = "novikoff"
author = "The novikoff developers"
project_copyright = "The novikoff developers"
release = version = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
    "chapter_notebooks",
    "lab_scene",
    "mathml",
    "plain_docstrings",
    "public_members",
    "repository_links",
]
exclude_patterns = ["_build", "_extensions"]
templates_path = ["_templates"]
nitpicky = True
highlight_language = "none"  # a block that names no language is what a shell is told, or what it says

# Pages in Markdown, and chapters whose cells are run.
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_execution_timeout = 300  # seconds for a cell; on a new machine its kernels are compiled
nb_merge_streams = True
nb_ipywidgets_js = {}  # would be loaded from elsewhere

# The reference, from docstrings.
autosummary_generate = True
autodoc_typehints = "none"  # docstrings have the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the members follow, with their docstrings
numpydoc_use_plots = False

# Examples are run in a folder of the build, and their pictures are shown.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"^(?!.*cluster_on_a_laptop)",  # which starts processes and kills one: its picture is shown
    "ignore_pattern": r"(pictures|penguins_formats)\.py$",  # no examples, but what examples need
    "image_scrapers": ("written_pictures.scraper",),
    "reset_argv": "written_pictures.arguments",
    "notebook_extensions": set(),  # scripts, with arguments and a main function
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 1e9,  # how long an example took where the site was built says nothing
    "write_computation_times": False,
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "novikoff"
html_static_path = ["_static", "../src/novikoff/lab/page/vendor/stix-two-math.woff2"]  # the lab's font of formulas
html_favicon = "_static/mark.svg"
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"image_light": "_static/mark.svg", "image_dark": "_static/mark.svg", "text": "novikoff"},
    "header_links_before_dropdown": 7,
    "navbar_persistent": ["search-button"],
    "primary_sidebar_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "install": [], "tour": []}
copybutton_prompt_text = r">>> |\.\.\. |\$ "  # what is copied can be run
copybutton_prompt_is_regexp = True

linkcheck_timeout = 20
linkcheck_retries = 2
linkcheck_anchors = False  # made by scripts on many sites
