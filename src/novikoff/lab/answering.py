"""One pure function that answers everything the page asks: ``answer(message)``.

The server, an exported page and the tests all call it.  Nothing that the page shows is worked out anywhere else.
"""

from __future__ import annotations

import json
from typing import Any

from .catalogue_of_demos import DEMONSTRATIONS
from .demonstration import Demonstration
from .glossary import GLOSSARY
from .lecture_questions import LECTURE_QUESTIONS
from .python_code import data_code
from .scenes import read_data, read_scene
from .traces_dropped import scene_of_trace


def answer(message: Any) -> dict[str, Any]:
    """What the page wants to know.

    Parameters
    ----------
    message : dict
        ``{"ask": "catalogue"}``: the demonstrations, the questions of the lectures and the glossary.  ``{"ask": "scene", "scene": ...}``: a scene, checked.
        ``{"ask": "trace file", "trace": ...}``: the scene of a trace that was saved.  Else a question of a demonstration:
        ``{"demo": name, "ask": name, "data": ..., "parameters": ..., "more": ...}``; every one answers "python".

    Returns
    -------
    dict
        ``{"answer": ...}``, or ``{"error": text}`` if something is wrong with the message.  Of what JSON holds.
    """
    try:
        found = _answer(message)
        json.dumps(found, allow_nan=False)
    except (ValueError, OverflowError) as error:
        return {"error": str(error)}
    return {"answer": found}


def _answer(message: Any) -> dict[str, Any]:
    if not isinstance(message, dict) or not isinstance(message.get("ask"), str):
        raise ValueError("A message says what it asks.")
    ask = message["ask"]
    if "demo" not in message:
        if ask == "catalogue":
            return {
                "demonstrations": [each.described() for each in DEMONSTRATIONS.values()],
                "questions": [each._asdict() for each in LECTURE_QUESTIONS],
                "glossary": [list(entry) for entry in GLOSSARY],
            }
        if ask == "scene":
            return checked_scene(message.get("scene"))
        if ask == "trace file":
            return checked_scene(scene_of_trace(message.get("trace")))
        raise ValueError(f"Nobody can answer {ask!r}.")
    demo = demonstration(message["demo"])
    data, parameters = read_data(message.get("data")), demo.parameters(message.get("parameters"))
    if ask == "python":
        return {"code": data_code(data) + demo.python(data, parameters)}
    if ask not in demo.asks:
        raise ValueError(f"{demo.title}: nobody can answer {ask!r}.")
    from ..estimators.advice import heard_remarks  # and scikit-learn, which the page is there before

    with heard_remarks():  # answers say in their own words what became of a fit
        return demo.asks[ask].answer(data, parameters, message.get("more"))


def demonstration(name: Any) -> Demonstration:
    """The demonstration of this name."""
    if not isinstance(name, str) or name not in DEMONSTRATIONS:
        raise ValueError(f"There is no demonstration {name!r}. There are: {', '.join(DEMONSTRATIONS)}.")
    return DEMONSTRATIONS[name]


def checked_scene(given: Any) -> dict[str, Any]:
    """A scene with all its parameters."""
    scene = read_scene(given)
    return scene | {"parameters": demonstration(scene["demo"]).parameters(scene["parameters"])}
