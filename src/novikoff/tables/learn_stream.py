"""Learn from the rows of a text that arrives, CSV or JSON lines, one at a time and for as long as it lasts.

A column is of numbers or of categories as its first value is.  A number is a feature of the column's name, a category one for each of its
levels, 1 where the row has it; what is missing is 0, and nothing is standardised.  So a row becomes features without a look at other rows,
and a stream that is cut anywhere and goes on from its model file comes to the same weights, to the last bit.
"""

from __future__ import annotations

import csv
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

from ..checks.sklearn_parts import pipeline
from ..estimators.online import online
from ..models.files.checkpoint import differences
from ..models.files.saving import load_with_notes, save
from ..report.words import count, listed, some
from ..rows.encoding.encoder import encoder_of
from ..rows.encoding.feature_columns import Category, FeatureColumn, Number, kind_of
from ..rows.readers.arrow_columns import as_text
from ..rows.readers.csv_text import DELIMITERS, NO_NAME
from ..rows.readers.jsonlines import object_in
from ..rows.readers.reading_options import Fault
from ..rows.store.blocks import LONGEST_TEXT, MISSING_TEXTS, PLAIN, Cells, DataError, Numeral, is_number
from .learner_choices import LearningSettings, choose, make

LONGEST_LINE = 16 << 20  # bytes
MOST_CLASSES = 1000  # each adds a line of weights; with more, the target is a row number or another number
Feature = tuple[str, str | None]  # a column, and the level of a category
KEEPS = ("auto", "average", "last")  # others store weights, which later columns are not among


class TooManyClasses(DataError):
    """More labels than classes can be."""


class Asked(NamedTuple):
    """What is to be learned from a stream, and how it is read."""

    target: str
    learner: str = "ada-grad-classifier"
    parameters: dict[str, Any] | None = None
    seed: int = 0
    categorical: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    na: tuple[str, ...] = ()
    delimiter: str | None = None
    header: bool = True
    decimal: str = "."
    features: int = 1 << 20  # at most; later ones are not learned
    skip_bad: bool = False
    skip_learned: bool = False


class Told(NamedTuple):
    """How a stream stands."""

    rows: int  # learned from
    mistakes: int
    accuracy: float
    loss: float
    window_rows: int
    window_accuracy: float
    window_loss: float
    unlabelled: int  # rows without a label
    bad: int  # rows that could not be read

    @property
    def text(self) -> str:
        """A line."""
        last = f", of the last {count(self.window_rows)} " if self.window_rows < self.rows else ""
        found = []
        if self.accuracy == self.accuracy:
            found.append(f"accuracy {self.accuracy:.4f}" + (f"{last}{self.window_accuracy:.4f}" if last else ""))
            found.append(some(self.mistakes, "mistake"))
        if self.loss:  # rules that are judged by their mistakes have no loss
            found.append(f"loss {self.loss:.4g}" + (f"{last}{self.window_loss:.4g}" if last else ""))
        left = [
            f"{count(number)} {what}"
            for number, what in ((self.unlabelled, "without a label"), (self.bad, "that could not be read"))
            if number
        ]
        return f"{some(self.rows, 'row')}: {'; '.join(found)}" + (f"; left out: {listed(left)}" if left else "")


SAMPLED = 200  # rows that are asked about again
LONG = 1000  # features; longer rows are not asked about again, so that those kept take no more than some 30 MB
FEW_RUNS = 0.25  # of the runs of one label that rows in random order have
WORSE = 0.1  # by so much the model answers rows worse at the end than as they came


class Order:
    """Whether rows come sorted by label: there are few runs of one label, and the model that was right as rows came, label after label,
    is wrong about the same rows at the end.  A sample of all rows so far (Vitter 1985, algorithm R) shows that."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._last: str | None = None
        self._runs = 0
        self._sample: list[tuple[dict[Feature, float], str]] = []
        self._short = 0  # rows that the sample is of
        self._random = Random(0)

    def note(self, features: dict[Feature, float], label: str) -> None:
        """Note a row that was learned from."""
        self._counts[label] += 1
        self._runs += label != self._last
        self._last = label
        if len(features) > LONG:
            return
        self._short += 1
        if len(self._sample) < SAMPLED:
            self._sample.append((features, label))
        elif (place := self._random.randrange(self._short)) < SAMPLED:
            self._sample[place] = features, label

    def warning(self, stream: Any, target: str) -> str | None:
        """What to say about a model that was learned from sorted rows; None if it was not, or is not worse for it."""
        rows = self._counts.total()
        if not self._sample:
            return None
        at_random = rows - sum(number * number for number in self._counts.values()) / rows
        right = sum(stream.predict_one(features) == label for features, label in self._sample) / len(self._sample)
        before = stream.scores().accuracy
        margin = max(WORSE, 1.5 / len(self._sample) ** 0.5)  # three standard errors at most
        if self._runs > FEW_RUNS * at_random or before - right <= margin:
            return None
        return (
            f"The rows are sorted by {target!r}: its labels come in {some(self._runs, 'run')}, in random order in about {at_random:,.0f}. "
            f"What comes last counts most, so that the model has forgotten what came first: it answered {before:.0%} of the rows correctly as "
            f"they came, and now answers {right:.0%} of {count(len(self._sample))} of them. Shuffle the rows, or use novikoff fit."
        )


class Stream:
    """What is learned from rows as they come."""

    def __init__(self, asked: Asked, path: Path) -> None:
        self.asked, self.path = asked, path
        self._choice = choose(asked.learner)
        self._learner = make(self._choice, LearningSettings(asked.parameters or {}, seed=asked.seed))
        keep = getattr(self._learner, "keep", "auto")
        if self._choice.linear and keep not in KEEPS:
            raise ValueError(
                f"keep={keep!r} stores weights of the columns so far, and new columns may come: use keep='auto', keep='average' or "
                "keep='last'."
            )
        if not (self._choice.linear and hasattr(self._learner, "partial_fit")):
            raise ValueError(
                f"{self._choice.name} needs all rows at once: choose another learner, such as ada-grad-classifier."
            )
        self._kinds: dict[str, str] = {}
        self._present: dict[str, int] = {}
        self._labels: set[str] = set()
        self._read = self._unlabelled = self._bad = self._to_skip = 0
        self._missing = frozenset((*MISSING_TEXTS, *asked.na))
        self._order = Order()
        self.changed = False  # since the model was saved
        self.resumed = path.exists()
        if self.resumed:
            self._resume()
        else:
            self._stream = online(self._learner, max_names=asked.features)

    def _resume(self) -> None:
        model, notes = load_with_notes(self.path)
        match notes:
            case {
                "stream": {
                    "read": int(read),
                    "unlabelled": int(none),
                    "bad": int(bad),
                    "progress": dict(told),
                    "made_by": made,
                }
            }:
                pass
            case _:
                raise DataError(f"{self.path}: this model is not from a stream; name another file.")
        changed = list(differences(made, self._made_by))
        if changed:
            changed = (
                changed[:1] if changed[0].startswith("learner ") else changed
            )  # another learner has other parameters
            raise DataError(
                f"{self.path}: this model was learned with other options: {'; '.join(changed)}. Pass the same options, or name another file."
            )
        encoder, learner = model[0], model[-1]
        for column in encoder.columns_:
            self._kinds[column.name] = kind_of(column)
            self._present[column.name] = told["rows"] - encoder.n_missing_[column.name]
        names = _features_of(encoder.columns_)
        self._stream = online(learner, max_names=self.asked.features, names=names, progress=told)
        self._labels.update(getattr(learner, "classes_", []))
        self._read, self._unlabelled, self._bad = read, none, bad
        self._to_skip = read if self.asked.skip_learned else 0

    @property
    def _made_by(self) -> dict[str, Any]:
        asked = self.asked
        parameters = {name: repr(value) for name, value in self._learner.get_params().items()}
        columns = {
            "categorical": sorted(asked.categorical),
            "ignored": sorted(asked.ignore),
            "missing": sorted(asked.na),
        }
        return {"target": asked.target, "learner": self._choice.name, **parameters, **columns, "decimal": asked.decimal}

    def learn(self, row: dict[str, Any] | Fault) -> None:
        """Learn from a row, unless it is bad, has no label or was learned from before."""
        if self._to_skip:
            self._to_skip -= 1
            return
        self._read += 1
        self.changed = True
        try:
            if isinstance(row, Fault):
                raise row
            label = self._label(row)
            if label is None:
                self._unlabelled += 1
                return
            features, kinds = self._features(row)
            try:
                self._stream.learn_one(features, label)
            except (ValueError, OverflowError) as error:
                raise Fault(str(error)) from None
        except Fault:
            self._bad += 1
            if not self.asked.skip_bad:
                self._read -= 1  # it is read again once it is mended
                self._bad -= 1
                raise
            return
        if self._choice.task == "classes":
            self._labels.add(label)
            self._order.note(features, label)
        for name, kind in kinds.items():
            self._kinds[name] = kind
            self._present[name] = self._present.get(name, 0) + 1

    def _label(self, row: dict[str, Any]) -> Any:
        value = row.get(self.asked.target)
        if value is None or (isinstance(value, str) and value in self._missing):
            return None
        if isinstance(value, list | dict):
            raise Fault(f"{self.asked.target!r} holds a list or an object; correct it")
        if self._choice.task == "numbers":
            number = self._number(value)
            if number is None or not abs(number) < float("inf"):
                raise Fault(f"{self.asked.target!r} is {as_text(value)!r}, and not a number; correct it")
            return number
        label = as_text(value) or ""
        if len(label) > LONGEST_TEXT:
            raise Fault(
                f"{self.asked.target!r} has a label of {count(len(label))} characters; at most {count(LONGEST_TEXT)} are read"
            )
        if label not in self._labels and len(self._labels) == MOST_CLASSES:
            raise TooManyClasses(
                f"{self.asked.target!r} has more than {count(MOST_CLASSES)} labels; name another target, or learner='ada-grad-regressor' for "
                "numbers"
            )
        return label

    def _number(self, value: Any) -> float | None:
        """The number that a value is, or None."""
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            return float(value)
        point = self.asked.decimal
        text = value if point == "." else value.replace(".", "!").replace(point, ".")
        return float(text) if is_number(text) and "(" not in text else None

    def _features(self, row: dict[str, Any]) -> tuple[dict[Feature, float], dict[str, str]]:
        """Features by column and level, and what the columns with a value are."""
        features: dict[Feature, float] = {}
        kinds: dict[str, str] = {}
        asked, missing = self.asked, self._missing
        for name, value in row.items():
            if (
                value is None
                or name == asked.target
                or name in asked.ignore
                or (isinstance(value, str) and value in missing)
            ):
                continue
            if isinstance(value, list | dict):
                raise Fault(f"{name!r} holds a list or an object; correct it, or pass ignore={name!r}")
            kind = self._kinds.get(name)
            number = None if kind == "category" or name in asked.categorical else self._number(value)
            if number is not None and number != number:
                continue
            if number is not None and abs(number) == float("inf"):
                raise Fault(f"{name!r} is infinite; correct it")
            if number is None and kind == "number":
                raise Fault(
                    f"{name!r} is {as_text(value)!r}, and was a number before; correct it, or begin again with categorical={name!r}"
                )
            kinds[name] = "number" if number is not None else "category"
            if number is not None:
                features[name, None] = number
            else:
                level = as_text(value) or ""
                if len(level) > LONGEST_TEXT:
                    raise Fault(
                        f"{name!r} has a value of {count(len(level))} characters; at most {count(LONGEST_TEXT)} are read: pass "
                        f"ignore={name!r}"
                    )
                features[name, level] = 1.0
        return features, kinds

    # What is known

    def _names(self) -> list[Feature]:
        return cast(list[Feature], self._stream.names)  # what ``_features`` made

    @property
    def told(self) -> Told:
        """How the stream stands."""
        every, last = self._stream.scores(), self._stream.scores(window=True)
        return Told(*every, last.rows, last.accuracy, last.loss, self._unlabelled, self._bad)

    @property
    def warning(self) -> str | None:
        """What to say of the order in which the rows came; None: nothing."""
        return self._order.warning(self._stream, self.asked.target)

    def save(self) -> bool:
        """Write the model, if there is one; the file is the old one or the new one at every moment."""
        levels: dict[str, list[str]] = {}
        for name, level in self._names():
            levels.setdefault(name, [])
            if level is not None:
                levels[name].append(level)
        if not levels:
            return False
        columns = [
            Category(name, tuple(sorted(found)), False) if found else Number(name, 0.0, 0.0, 1.0)
            for name, found in levels.items()
        ]
        rows = self._stream.scores().rows
        lacking = {name: rows - self._present[name] for name in levels}
        numeral = Numeral(self.asked.decimal)
        numbers = [] if numeral == PLAIN else [name for name, found in levels.items() if not found]
        encoder = encoder_of(columns, lacking, Cells(tuple(sorted(self._missing)), dict.fromkeys(numbers, numeral)))
        model = pipeline([("encoder", encoder), ("learner", self._stream.arranged(_features_of(columns)))])
        noted = {
            "read": self._read,
            "unlabelled": self._unlabelled,
            "bad": self._bad,
            "progress": self._stream.progress(),
            "made_by": self._made_by,
        }
        save(model, self.path, notes={"target": self.asked.target, "stream": noted})
        self.changed = False
        return True


def _features_of(columns: Iterable[FeatureColumn]) -> list[Feature]:
    """The features of columns, in the order of their encoder."""
    return [
        (column.name, level)
        for column in columns
        for level in (column.levels if isinstance(column, Category) else (None,))
    ]


# Rows of a text that arrives


def rows_of_text(
    chunks: Iterable[bytes | None], asked: Asked, idle: Callable[[], object]
) -> Iterator[tuple[int, dict[str, Any] | Fault]]:
    """The rows of CSV or JSON lines, each as soon as its line is there, with the line's number, or what is wrong with it.

    ``idle`` is called whenever a chunk is None: nothing has come for a while.
    """
    lines = _Lines(chunks, idle)
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        return
    lines.back = first
    if first.lstrip().startswith(b"{"):
        for line in lines:
            if line.strip():
                try:
                    yield lines.number, object_in(line, None)
                except Fault as fault:
                    yield lines.number, fault
        return
    yield from _records(lines, first, asked)


def _records(lines: _Lines, first: bytes, asked: Asked) -> Iterator[tuple[int, dict[str, Any] | Fault]]:
    """The records of CSV; a line that repeats the header is left out."""
    delimiter = asked.delimiter or max(DELIMITERS, key=first.decode("utf-8", "replace").count)
    records = csv.reader(map(bytes.decode, lines), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    while True:
        try:
            fields = next(records)
        except StopIteration:
            return
        except UnicodeDecodeError as error:
            yield (
                lines.number,
                Fault(f"byte 0x{error.object[error.start]:02x} is not UTF-8; convert the text first, as by iconv"),
            )
            continue
        except csv.Error as error:
            yield lines.number, Fault(f"this is not a record of CSV: {error}; correct it")
            continue
        fields = [field.strip() for field in fields]
        if not fields or fields == header:
            continue
        if header is None:
            names = fields if asked.header else [f"column{place}" for place in range(1, len(fields) + 1)]
            header = [name or NO_NAME.format(place) for place, name in enumerate(names, 1)]
            if len(set(header)) < len(header):
                twice = next(name for name in header if header.count(name) > 1)
                raise DataError(f"two columns are named {twice!r}; rename one.")
            if asked.target not in header:
                raise DataError(f"there is no column {asked.target!r} to predict; there are {listed(header)}.")
            if asked.header:
                continue
        if len(fields) != len(header):
            yield lines.number, Fault(f"{some(len(fields), 'field')}, and the header has {len(header)}; correct it")
        else:
            yield lines.number, dict(zip(header, fields, strict=True))


class _Lines:
    """Lines as they come."""

    def __init__(self, chunks: Iterable[bytes | None], idle: Callable[[], object]) -> None:
        self._chunks, self._idle = chunks, idle
        self.number = 0
        self.back: bytes | None = None  # a line that is to be handed out again
        self._found = self._split()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self.back is not None:
            line, self.back = self.back, None
            return line
        line = next(self._found)
        self.number += 1
        return line.removeprefix(b"\xef\xbb\xbf") if self.number == 1 else line

    def _split(self) -> Iterator[bytes]:
        rest: list[bytes] = []
        size = 0
        for chunk in self._chunks:
            if chunk is None:
                self._idle()
                continue
            *whole, tail = chunk.split(b"\n")
            for line in whole:
                yield b"".join([*rest, line, b"\n"])
                rest, size = [], 0
            rest.append(tail)
            size += len(tail)
            if size > LONGEST_LINE:
                raise DataError(
                    f"line {self.number + 1} has more than {LONGEST_LINE >> 20} MB; is this CSV or JSON lines?"
                )
        if size:
            yield b"".join(rest)


def learn_stream(
    chunks: Iterable[bytes | None],
    asked: Asked,
    path: str | os.PathLike[str],
    *,
    tell: Callable[[Told], object],
    begun: Callable[[Stream], object] = lambda stream: None,
    tell_every: float = 10.0,
    save_every: float = 60.0,
    stopping: Callable[[], bool] = lambda: False,
) -> Stream:
    """Learn from rows until they end or ``stopping()`` says so; tell and save every so many seconds, and at the end, also after an error.

    ``chunks`` are bytes as they come, None where nothing came for a while.  A model that is at ``path`` already is gone on with.
    """
    stream = Stream(asked, Path(path))
    begun(stream)
    clock = time.monotonic
    told = saved = clock()
    untold = False

    def look() -> None:
        nonlocal told, saved, untold
        now = clock()
        if untold and now - told >= tell_every:
            tell(stream.told)
            told, untold = now, False
        if stream.changed and now - saved >= save_every:
            stream.save()
            saved = clock()

    failed: DataError | None = None
    try:
        for number, row in rows_of_text(chunks, asked, look):
            if stopping():
                break
            try:
                stream.learn(row)
            except Fault as fault:
                raise DataError(f"line {number}: {fault.text}; skip_bad=True leaves out such rows.") from None
            except TooManyClasses as error:
                raise DataError(f"line {number}: {error}.") from None
            untold = True
            look()
    except DataError as error:
        failed = error
    if stream.changed and stream.save() and failed is not None:
        failed.add_note(f"What was learned before it is saved in {stream.path}.")
    if failed is not None:
        raise failed
    return stream
