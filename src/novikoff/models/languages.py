"""The languages that models are exported to.  A new one costs a writer and a row here.

The command line reads the names as it starts, so that writers stand here by name and are imported when a model is exported.
"""

from __future__ import annotations

LANGUAGES = {  # the module of ``export``, and its function from a recipe and the name of a file to what stands in it
    "onnx": ("export_onnx", "write_onnx"),
    "json": ("export_json", "write_json"),
    "c": ("export_c", "write_c"),
    "javascript": ("export_json", "write_javascript"),
}
