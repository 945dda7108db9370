"""``novikoff.lab.show``: the page in a notebook, which begins with a trace, a proof, a machine or a scene."""

from __future__ import annotations

import os
from html import escape
from typing import Any

from ..inputs.shell import installing
from .answering import answer, checked_scene
from .catalogue_of_demos import DEMONSTRATIONS
from .page_export import exported, find_scene
from .page_files import page_files
from .scenes import MOST_LETTERS, VERSION
from .traces_dropped import scene_of_trace

HEIGHT = 1000  # pixels
SANDBOX = "allow-scripts allow-downloads"


class NotebookPage:
    """The page as notebooks show it that have no anywidget: it replays recorded answers."""

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        return (
            f'<iframe sandbox="{SANDBOX}" title="novikoff lab" width="100%" height="{self.height}" '
            f'style="border: 0" srcdoc="{escape(self.page)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"The lab: a notebook shows it. For live answers: {installing('notebook')}"


def show(what: Any, X: Any = None, y: Any = None, *, height: int = HEIGHT) -> Any:
    """Show the lab's page in a notebook (Jupyter, marimo).

    With anywidget (``pip install ".[notebook]"`` in a copy of the repository) it is the live page: rows can be dragged, and the notebook's Python
    answers.  Without it, the page replays what was recorded.

    Parameters
    ----------
    what : Trace, Proof, LinearSVM, dict or str
        What to begin with: a trace of a ``Perceptron``, what ``separability`` returns, a ``LinearSVM`` with the rows it is to
        be shown on, or a scene: as a dict, a file, a link, or the name of a demonstration.
    X : array-like of shape (n_samples, 2), default=None
        Rows, for a machine.
    y : array-like of shape (n_samples,), default=None
        Their labels.
    height : int, default=1000
        The height of the page in pixels.

    Returns
    -------
    object
        What the notebook shows, if it stands at the end of a cell.
    """
    scene = scene_for(what, X, y)
    try:
        import anywidget  # when a notebook wants it: an extra
        import traitlets  # likewise
    except ImportError:
        return NotebookPage(exported(scene), height)
    parts = {
        "_esm": page_files()["notebook_frame.js"].content.decode(),
        "page": traitlets.Unicode().tag(sync=True),
        "height": traitlets.Int(HEIGHT).tag(sync=True),
    }
    widget = type("LabWidget", (anywidget.AnyWidget,), parts)(page=exported(scene, by_port=True), height=height)
    widget.on_msg(answered)
    return widget


def answered(widget: Any, content: Any, buffers: Any) -> None:
    """Answer a message that the page sends through the notebook."""
    if isinstance(content, dict) and "id" in content:
        widget.send({"id": content["id"], "found": answer(content.get("message"))})


def scene_for(what: Any, X: Any = None, y: Any = None) -> dict[str, Any]:
    """The scene that shows this."""
    kind = type(what).__name__
    if isinstance(what, dict):
        return checked_scene(what)
    if isinstance(what, str | os.PathLike):
        return find_scene(os.fspath(what))
    if kind == "Trace":
        return checked_scene(scene_of_trace(what.to_dict()))
    if kind == "Proof":
        return _scene_of_proof(what)
    if kind == "LinearSVM":
        return _scene_of_machine(what, X, y)
    raise TypeError(f"show takes a Trace, a Proof, a LinearSVM or a scene; got {kind}.")


def _scene_of_proof(proof: Any) -> dict[str, Any]:
    pairs = proof._pairs
    rows = pairs.X.toarray() if pairs.sparse else pairs.X
    bias = "one" if proof.fit_intercept else "none"
    return _scene("verdict", rows, pairs.target, proof.feature_names, proof.classes, {"bias": bias})


def _scene_of_machine(machine: Any, X: Any, y: Any) -> dict[str, Any]:
    import numpy as np  # when there are rows: the lab's page is there before it

    if X is None or y is None:
        raise ValueError("A machine keeps no rows: show(machine, X, y) names them.")
    if machine.loss != "hinge" or not machine.fit_intercept:
        raise ValueError("The page shows machines with loss='hinge' and an intercept.")
    known = {control.name: control for control in DEMONSTRATIONS["support"].controls}["C"].options
    limit = next((value for value, _ in known if _as_limit(value) == float(machine.C)), None)
    if limit is None:
        raise ValueError(f"The page shows C = {', '.join(str(value) for value, _ in known)}; got C={machine.C!r}.")
    classes, target = np.unique(np.asarray(y), return_inverse=True)
    names = getattr(X, "columns", ["x1", "x2"])
    return _scene("support", np.asarray(X, dtype=float), target, names, classes, {"C": limit})


def _as_limit(value: str) -> float:
    return float("inf") if value == "hard" else float(value)


def _scene(demo: str, X: Any, y: Any, names: Any, classes: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    if X.shape[1] != 2 or len(classes) != 2:
        raise ValueError(f"The page shows two features and two classes; these are {X.shape[1]} and {len(classes)}.")
    data = {
        "X": X.tolist(),
        "y": [int(each) for each in y],
        "names": [str(name)[:MOST_LETTERS] for name in names],
        "classes": [str(label)[:MOST_LETTERS] for label in classes],
    }
    return checked_scene({"version": VERSION, "demo": demo, "data": data, "parameters": parameters, "view": {}})
