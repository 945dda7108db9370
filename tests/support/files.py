"""Files as readers see them: their blocks, and what is said of what is wrong with them."""

import os

import numpy as np
import pytest

from novikoff.rows.readers.reading import Reading, open_data
from novikoff.rows.store.blocks import DataError


def joined(data):
    """All blocks of a table as one."""
    return [np.concatenate(parts) for parts in zip(*data.blocks(), strict=True)]


def read(path, target=None, task="classes", expect=None, **options):
    data = open_data([path], target, task=task, reading=Reading(**options), expect=expect)
    block = joined(data)
    return data, block[:4] if data.schema.columns else block  # of a table without texts


def said(path, target=None, task="classes", expect=None, **options) -> str:
    """What the error says, without the folder."""
    with pytest.raises(DataError) as caught:
        read(path, target, task, expect, **options)
    return str(caught.value).removeprefix(f"{path.parent}{os.sep}")
