"""Names in any script, in pictures whose font lacks some of their letters."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_word_of_missing_letters() -> Iterator[None]:
    """Within it, Matplotlib does not warn of letters that its own font lacks: a page shows them by the browser's.

    Filters of warnings belong to the whole process, so that this lasts no longer than the drawing.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support", category=UserWarning)
        yield
