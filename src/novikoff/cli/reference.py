"""The reference of the command line, made from what the commands say of themselves.

``python -m novikoff.cli.reference`` writes it to docs/cli.md, or to the file that is named.
"""

from __future__ import annotations

import sys
from inspect import cleandoc
from pathlib import Path
from typing import Any

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
    import typer

    group = typer.main.get_command(app)
    parts = [f"# The command line: `{name}`", INTRODUCTION, *_about(group, typer.Context(group, info_name=name))]
    for own, command in getattr(group, "commands", {}).items():
        if not command.hidden:
            parts += [f"## `{name} {own}`", *_about(command, typer.Context(command, info_name=f"{name} {own}"))]
    return "\n\n".join(parts) + "\n"


def _about(command: Any, context: Any) -> list[str]:
    """Help, usage, arguments, options and the last words of a command."""
    usage = " ".join([context.info_name, *command.collect_usage_pieces(context)])
    parts = [*_paragraphs(command.help), f"```console\n$ {usage}\n```"]
    for kind in ("argument", "option"):
        shown = [each for each in command.get_params(context) if each.param_type_name == kind and each.name != "help"]
        records = [each.get_help_record(context) for each in shown]
        rows = [f"| `{_cell(names)}` | {_cell(text)} |" for names, text in filter(None, records)]
        if rows:
            parts.append("\n".join([f"| {kind} | meaning |", "|---|---|", *rows]))
    return parts + _paragraphs(command.epilog)


def _paragraphs(text: str | None) -> list[str]:
    """Those of a help text; one that begins with a backspace is to be shown as it stands."""
    parts = [part for part in cleandoc(text or "").split("\n\n") if part.strip()]
    return [f"```text\n{part[1:].strip()}\n```" if part.startswith("\b") else part for part in parts]


def _cell(text: str) -> str:
    """A text that breaks no table."""
    return " ".join(text.split()).replace("|", "\\|")


def main() -> None:
    """Write the page."""
    from .main import app

    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    target.write_text(reference(app), encoding="utf-8")


if __name__ == "__main__":
    main()
