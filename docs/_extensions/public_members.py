"""The reference lists what this package defines: methods that scikit-learn gives to every estimator are in its own reference."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx


def ours(thing: Any) -> bool:
    """Whether a member of a class (a method, or a property of any kind) is defined by this package."""
    for inside in ("fget", "func", "fn"):  # of a property, a cached one, a method that not every instance has
        thing = getattr(thing, inside, None) or thing
    return (getattr(thing, "__module__", None) or "").split(".")[0] == "novikoff"


def skipped(app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """True for what another package defines; otherwise autodoc decides."""
    return None if what == "module" or ours(thing) else True


def shown_signature(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str, None] | None:
    """None at all for results: a function makes them, nobody calls their class."""
    made = what == "class" and "Made by" in (thing.__doc__ or "")
    return ("", None) if made else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to autodoc."""
    app.connect("autodoc-skip-member", skipped)
    app.connect("autodoc-process-signature", shown_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
