"""Names and commands as a terminal shows them: nothing in them steers it or hides, and what is copied from it runs."""

from __future__ import annotations

import shlex
from typing import Any


def clean(name: Any) -> str:
    """A name or value on one line, with nothing in it that could steer a terminal or hide."""
    text = str(name)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def quote(word: Any) -> str:
    """A word as it is typed into a shell; what cannot be printed is written as ``$'...'`` (POSIX, 2024) has it."""
    text = str(word)
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(map(_escaped, text)) + "'"


def _escaped(c: str) -> str:
    if c in "\\'":
        return "\\" + c
    return c if c.isprintable() else "".join(f"\\{byte:03o}" for byte in c.encode("utf-8", "surrogateescape"))


def quote_file(name: Any) -> str:
    """A file's name as it is typed into a shell; one that begins with a dash is no option."""
    text = str(name)
    return quote(f"./{text}" if text.startswith("-") and text != "-" else text)


def command(*words: Any) -> str:
    """A command as it is typed into a shell."""
    return " ".join(map(quote, words))


def installing(extra: str) -> str:
    """How to get the packages of an extra.  The package is on no index: they are installed from a copy of the repository."""
    return f'pip install ".[{extra}]" in a copy of the repository'
