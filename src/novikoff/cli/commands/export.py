"""``novikoff export``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...models.languages import LANGUAGES
from ...system.files import keep_apart
from ..command_options import ModelFile, one_of
from ..errors import tell
from ..process import begin_work

if TYPE_CHECKING:

    class Language(StrEnum):
        """What a model can be exported to."""

else:
    Language = StrEnum("Language", {name.upper(): name for name in LANGUAGES})


def export(
    model: ModelFile,
    to: Annotated[Language, typer.Option("--to", help=f"{one_of(LANGUAGES)}.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write it.", show_default=False)],
) -> None:
    """Write a model as a program or a document.

    It takes raw rows and predicts the same labels.

    Example: novikoff export penguins.novikoff --to c -o penguins.c
    """
    keep_apart(output, [model])
    from ...models.export import exporting  # when it runs: scikit-learn takes long to import
    from ...models.files.saving import load  # likewise

    begin_work()
    exporting.export(load(model), output, to.value)
    tell(f"{output}: written.")
