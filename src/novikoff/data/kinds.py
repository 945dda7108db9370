"""What a column of texts holds: numbers or categories."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pyarrow as pa

from .tables import is_number, is_text, trim


def kind_of_texts(column: Any, missing: frozenset[str]) -> str:
    """ "number" if more than half of what is there are numbers, or if nothing is there."""
    column = column.combine_chunks()
    with suppress(pa.ArrowInvalid):  # nearly always there is nothing to trim, which takes long
        column.cast(pa.float64())
        return "number"
    texts = trim(column, missing).drop_null()
    try:
        texts.cast(pa.float64())
        return "number"
    except pa.ArrowInvalid:
        counted = texts.value_counts()
        pairs = zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True)
        numbers = sum(count for text, count in pairs if is_number(text))
        return "number" if 2 * numbers > len(texts) else "category"


def kind_of_type(kind: Any) -> str | None:
    """What an Arrow type holds; None: nothing that can be learned from."""
    types = pa.types
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind):
        return "number"
    if is_text(kind) or types.is_boolean(kind):
        return "category"
    if types.is_dictionary(kind):
        return "category" if kind_of_type(kind.value_type) else None
    return None
