"""The reference lists what this package defines: methods that scikit-learn gives to every estimator are in its own reference."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx


def skipped(app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """True for what another package defines; otherwise autodoc decides."""
    home = getattr(getattr(thing, "fget", thing), "__module__", None) or "novikoff"
    return None if home.split(".")[0] == "novikoff" else True


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to autodoc."""
    app.connect("autodoc-skip-member", skipped)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
