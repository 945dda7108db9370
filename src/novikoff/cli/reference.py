"""The reference of the command line, made from what the commands say of themselves.

``python -m novikoff.cli.reference`` writes it to docs/cli.md, or to the file that is named.
"""

from __future__ import annotations

import sys
from inspect import cleandoc
from pathlib import Path
from typing import Any

import typer

from ..system.files import atomic_write
from .main import program

PAGE = Path("docs") / "cli.md"
INTRODUCTION = "Made from the commands' own help by `python -m novikoff.cli.reference`."


def reference(app: Any, name: str = "novikoff") -> str:
    """The page, in Markdown: one section for each command of a typer app, with its help and a table of its options.

    Parameters
    ----------
    app : typer.Typer
        The commands.
    name : str, default="novikoff"
        What is typed to run them.
    """
    group = typer.main.get_command(app)
    parts = [f"# The command line: `{name}`", INTRODUCTION, *_about(group, typer.Context(group, info_name=name))]
    for own, command in getattr(group, "commands", {}).items():
        if not command.hidden:
            parts += [f"## `{name} {own}`", *_about(command, typer.Context(command, info_name=f"{name} {own}"))]
    return "\n\n".join(parts) + "\n"


def _about(command: Any, context: Any) -> list[str]:
    """Help, usage, arguments, options and the last words of a command."""
    shown = [each for each in command.get_params(context) if each.name != "help"]
    arguments = [each for each in shown if each.param_type_name == "argument"]
    options = [each for each in shown if each.param_type_name == "option"]
    names = [each.name.upper() + ("..." if each.nargs == -1 else "") for each in arguments]
    commands = ["COMMAND ..."] if hasattr(command, "commands") else []
    parts = [
        *_paragraphs(command.help),
        f"```console\n$ {' '.join([context.info_name, '[OPTIONS]', *names, *commands])}\n```",
    ]
    for kind, rows in (
        ("argument", [f"| `{name}` | {_cell(each.help or '')} |" for name, each in zip(names, arguments, strict=True)]),
        ("option", [_option(each) for each in options]),
    ):
        if rows:
            parts.append("\n".join([f"| {kind} | meaning |", "|---|---|", *rows]))
    return parts + _paragraphs(command.epilog)


def _option(option: Any) -> str:
    """A line of the table of options."""
    names = ", ".join(sorted(option.opts, key=len)) + "".join(f" / {other}" for other in option.secondary_opts)
    words = [option.help or ""]
    if option.required:
        words.append("Required.")
    default = getattr(option.default, "value", option.default)
    if default not in (None, False, True, [], ()):
        words.append(f"Default: {default}.")
    return f"| `{_cell(names)}` | {_cell(' '.join(words))} |"


def _paragraphs(text: str | None) -> list[str]:
    """Those of a help text; one that begins with a backspace is to be shown as it stands."""
    parts = [part for part in cleandoc(text or "").split("\n\n") if part.strip()]
    return [f"```text\n{part[1:].strip()}\n```" if part.startswith("\b") else part for part in parts]


def _cell(text: str) -> str:
    """A text that breaks no table."""
    return " ".join(text.split()).replace("|", "\\|")


def main() -> None:
    """Write the page."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    atomic_write(target, [reference(program()).encode()])


if __name__ == "__main__":
    main()
