"""Models as files: ``save`` and ``load``.  Reading a file executes nothing that is in it."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from typing import Any

from sklearn.exceptions import NotFittedError

from ... import __version__
from ...checks.sklearn_parts import is_pipeline, pipeline
from ...system.files import atomic_write, check_writable
from . import packed as packing
from .packed import FORMAT, file_bytes, parsed, read_file
from .value_kinds import Free, Out, ReadArrays, String, Unreadable, Unstorable, is_unicode

PASSING = ("_skl", "_callback_", "_metadata_request", "_plan")  # begin names of what scikit-learn or an encoder adds
NOT_STORED = ("proof_",)  # it holds the rows that it is about


class ModelFileError(ValueError):
    """A model file that cannot be read; the message says which, why, and what to do."""


def save(model: Any, path: str | os.PathLike[str], *, notes: dict[str, Any] | None = None) -> None:
    """Write a fitted model to a file that is safe to share: it holds numbers and texts, no code.

    A loaded model has the same bits in every attribute, and ``partial_fit`` continues as in the original.  If writing fails, there
    is no incomplete file; and the new file is read again before it takes its place.

    Parameters
    ----------
    model : estimator
        Any fitted learner, support vector machine, ``TableEncoder`` or ``RadialBasis`` of this library, or a scikit-learn
        ``Pipeline`` of these.
    path : str or path
        The file to write, usually with the ending ``.novikoff``.
    notes : dict, default=None
        Notes to store with the model: anything that JSON can hold.

    Examples
    --------
    >>> import tempfile, novikoff
    >>> clf = novikoff.Perceptron().fit([[0.0], [1.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     novikoff.save(clf, f"{folder}/yes.novikoff", notes={"made for": "an example"})
    ...     novikoff.load(f"{folder}/yes.novikoff").predict([[2.0]]).tolist()
    ['yes']
    """
    path = check_writable(path)
    out = Out()
    packed = packing.pack(_pack(model, out), out.arrays)
    header = {"format": FORMAT, "library": __version__, "model": packed, "notes": _checked_notes(notes)}
    try:
        atomic_write(path, [file_bytes(json.dumps(header, allow_nan=False), out.arrays)], check=_read)
    except Unreadable as error:
        raise Unstorable(f"This model cannot be stored: {error}.") from None


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that ``save`` wrote.

    Everything in the file is checked before it is used: a damaged or malicious file raises a
    ``ModelFileError`` (a ``ValueError``), and nothing in the file is ever executed.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    estimator
        The model, with all its parameters and attributes.

    Examples
    --------
    >>> import tempfile, novikoff
    >>> clf = novikoff.Perceptron().fit([[0.0], [1.0]], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     novikoff.save(clf, f"{folder}/step.novikoff")
    ...     again = novikoff.load(f"{folder}/step.novikoff")
    >>> bool((again.coef_ == clf.coef_).all()), again.stop_reason_
    (True, 'separated')
    """
    return load_with_notes(path)[0]


def load_with_notes(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """The model and its notes, from one look at the file: what it holds may be another's a moment later."""
    try:
        return _read(path)
    except (Unreadable, RecursionError) as error:
        raise _told(path, error) from None


def _read(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    text, arrays = read_file(path)
    header = _header(text)
    return _unpack(packing.unpack(header["model"], arrays), arrays), header["notes"]


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a model file says of itself, without building the model: ``format``, ``library``, ``model``, ``notes``."""
    try:
        return _header(read_file(path)[0])
    except (Unreadable, RecursionError) as error:
        raise _told(path, error) from None


def _told(path: str | os.PathLike[str], error: Exception) -> ModelFileError:
    what = str(error) if isinstance(error, Unreadable) else "it is nested too deeply"
    return ModelFileError(f"{os.fspath(path)}: {what}; if it is damaged, use another copy or fit the model again")


def _header(text: str) -> dict[str, Any]:
    header = parsed(text)
    if not isinstance(header, dict) or set(header) != {"format", "library", "model", "notes"}:
        raise Unreadable("its header lacks something, or has something unknown")
    if type(header["format"]) is not int or not 1 <= header["format"] <= FORMAT:
        raise Unreadable(f"it has the unknown format {header['format']!r}")
    if not isinstance(header["notes"], dict):
        raise Unreadable("its notes are not a mapping")
    if not is_unicode(json.dumps(header["notes"], ensure_ascii=False)):
        raise Unreadable("its notes hold text that is not valid Unicode")
    return header


def _checked_notes(notes: dict[str, Any] | None) -> dict[str, Any]:
    notes = {} if notes is None else notes
    try:
        if not isinstance(notes, dict) or json.loads(json.dumps(notes, allow_nan=False)) != notes:
            raise TypeError("they change when they are read again")
        json.dumps(notes, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise Unstorable(f"notes must be a dict that JSON can hold: {error}") from None
    return notes


def _pack(model: Any, out: Out) -> dict[str, Any]:
    if not is_pipeline(model):
        return _pack_one(model, "", out)
    if model.memory is not None:
        raise Unstorable("A pipeline with memory cannot be stored: set memory=None.")
    return {"steps": [[name, _pack_one(step, f"{name}.", out)] for name, step in model.steps]}


def _pack_one(model: Any, prefix: str, out: Out) -> dict[str, Any]:
    from ...estimators.base import REMEMBERED, remembered  # here, since most fits are not saved
    from .catalogue import CATALOGUE, IF_ANY  # likewise; it imports all learners
    from .learning_kinds import refuse_changed  # likewise

    kind = type(model)
    if kind not in CATALOGUE:
        raise Unstorable(
            f"A {kind.__name__} cannot be stored: only models of this library, and pipelines of them, can."
        )
    entry, found = CATALOGUE[kind], remembered(model)
    if entry.needed[-1] not in found:
        raise NotFittedError(f"This {kind.__name__} is not fitted yet: there is nothing to store.")
    if "stream" in found:
        refuse_changed(model)
    parameters = model.get_params(deep=False)
    packed = {name: Free().pack(value, f"{prefix}{name}", out) for name, value in parameters.items()}
    others = {name for name in found if name not in (*parameters, *NOT_STORED) and not name.startswith(PASSING)}
    unknown = others - set(entry.fitted) - set(REMEMBERED)
    if unknown:
        raise Unstorable(f"{min(unknown)} is not an attribute that can be stored with a {kind.__name__}.")
    fitted = {
        name: how.pack(found[name], prefix + name, out)
        for name, how in entry.fitted.items()
        if name in others and not (name in IF_ANY and not found[name])
    }
    return {"class": kind.__name__, "parameters": packed, "fitted": fitted}


def _unpack(stored: Any, arrays: dict[str, Any]) -> Any:
    if not isinstance(stored, dict) or set(stored) != {"steps"}:
        return _unpack_one(stored, arrays)
    steps: list[tuple[str, Any]] = []
    for item in stored["steps"] if isinstance(stored["steps"], list) else []:
        if not isinstance(item, list) or len(item) != 2:
            raise Unreadable("a step of its pipeline is described wrongly")
        name = String().unpack(item[0], "the name of a step", ReadArrays({}))
        if "__" in name or name in ("", "steps", "memory", "verbose", "transform_input", *dict(steps)):
            raise Unreadable(f"{name!r} is not a valid name of a step, or is there twice")
        steps.append((name, _unpack_one(item[1], arrays)))
    _check_steps([step for _, step in steps])
    return pipeline(steps)


def _check_steps(steps: list[Any]) -> None:
    """Whether each step can read what the one before hands on."""
    if not steps:
        raise Unreadable("its pipeline has no steps")
    for before, after in pairwise(steps):
        if not hasattr(before, "transform") or hasattr(after, "columns_"):
            raise Unreadable("its pipeline has steps in an impossible order")
        if len(before.get_feature_names_out()) != after.n_features_in_:
            raise Unreadable("its pipeline has steps of different widths")


def _unpack_one(stored: Any, arrays: dict[str, Any]) -> Any:
    from ...estimators.base import remember  # as above
    from .catalogue import CATALOGUE, CLASSES_BY_NAME, check_choices  # as above

    if not isinstance(stored, dict) or set(stored) != {"class", "parameters", "fitted"}:
        raise Unreadable("its model is described wrongly")
    name, parameters, fitted = stored["class"], stored["parameters"], stored["fitted"]
    if not isinstance(name, str) or name not in CLASSES_BY_NAME:
        raise Unreadable(f"it holds a model of the unknown class {name!r}")
    kind = CLASSES_BY_NAME[name]
    entry, source = CATALOGUE[kind], ReadArrays(arrays)
    known = kind().get_params(deep=False)
    if not isinstance(parameters, dict) or not set(parameters) <= set(known):
        raise Unreadable(f"it has parameters that a {name} does not have")
    given = {key: Free().unpack(value, key, source) for key, value in parameters.items()}
    model = kind(**(entry.before | given))
    check_choices(model)
    source.learner = model
    if not isinstance(fitted, dict) or not set(entry.needed) <= set(fitted) <= set(entry.fitted):
        raise Unreadable(f"it lacks something that a {name} has, or has something unknown")
    for key, how in entry.fitted.items():
        if key in fitted:
            value = how.unpack(fitted[key], key, source)
            remember(model, key, value)
            _note_sizes(key, value, source)
    entry.check(model, source)
    return model


def _note_sizes(attribute: str, value: Any, source: ReadArrays) -> None:
    """Sizes that arrays read later must have."""
    if attribute == "n_features_in_":
        source.sizes["features"] = value
        source.sizes["outputs"] = 1
    elif attribute == "classes_" and len(value) > 2:
        source.sizes["outputs"] = len(value)
