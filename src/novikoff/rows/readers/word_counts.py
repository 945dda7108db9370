"""Texts as counted words and pairs of neighbouring words, as scikit-learn's vectorisers find them.

A word is a run of two or more letters, digits or underscores, in lower case (``token_pattern=r"(?u)\\b\\w\\w+\\b"``); a pair is two words
of a text that follow each other, with a blank between (``ngram_range=(1, 2)``).  Arrow cuts and counts; nothing here is slower than
reading the file.

A column's words are numbered as they appear, up to a limit.  After that, new ones share ``BUCKETS`` numbers, by a checksum
(K. Weinberger and others, Feature hashing for large scale multitask learning, 2009): those that are frequent came first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from ..store.blocks import LONGEST_TEXT, MISSING
from .arrow_columns import as_one_array, decoded, pa, pc, trim

OTHER = r"[^\p{L}\p{N}_]+"  # what stands between words
MOST_WORDS = 1 << 20  # of a column, that have their own numbers
BYTES_AT_ONCE = 1 << 18  # of texts, which take up to 70 times as much while their words are counted
BUCKETS = 1 << 18  # numbers that further words share
BYTES_A_WORD = 1000  # in lists, dicts, an encoder and a model, with its weights (measured)
STRINGS = 1 << 14
SHARED = "#"  # begins the name of a shared number; no word does


class Words(NamedTuple):
    """What texts have in them: of each pair of a row and a word, how often."""

    texts: Any  # an Arrow array of words and pairs; strings of Python take five times the memory
    rows: np.ndarray  # ascending
    codes: np.ndarray  # places in ``texts``
    counts: np.ndarray

    def keep(self, kept: np.ndarray) -> Words:
        """Of these rows, by their places among them."""
        places = np.searchsorted(kept, self.rows)
        there = kept[np.minimum(places, len(kept) - 1)] == self.rows if len(kept) else np.zeros(len(self.rows), bool)
        return Words(self.texts, places[there], self.codes[there], self.counts[there])


def words_of(column: Any, missing: frozenset[str]) -> Words:
    """The words of a column of texts."""
    texts = decoded(as_one_array(column))
    texts = trim(texts.cast(pa.string()), missing).fill_null("")
    few = max(1, len(texts) * BYTES_AT_ONCE // max(1, texts.nbytes))
    parts, first = [count_words(texts.slice(row, few)) for row in range(0, max(1, len(texts)), few)], 0
    for place, part in enumerate(parts):
        parts[place] = part._replace(rows=part.rows + np.int32(place * few), codes=part.codes + np.int32(first))
        first += len(part.texts)
    rows, codes, counts = (np.concatenate(each) for each in list(zip(*parts, strict=True))[1:])
    return Words(pa.concat_arrays([part.texts for part in parts]), rows, codes, counts)


def count_words(texts: Any) -> Words:
    """The words of a few texts."""
    found = pc.split_pattern_regex(pc.utf8_lower(texts), OTHER)
    rows = pc.list_parent_indices(found).to_numpy()
    tokens = found.flatten()
    sizes = pc.utf8_length(tokens).to_numpy(zero_copy_only=False)
    fit = np.flatnonzero((sizes >= 2) & (sizes <= LONGEST_TEXT // 2))
    tokens, rows = tokens.take(pa.array(fit)), rows[fit]
    near = np.flatnonzero(rows[1:] == rows[:-1])
    first, second = (tokens.take(pa.array(near + step)) for step in (0, 1))
    pairs = pc.binary_join_element_wise(first, second, " ") if len(near) else pa.array([], pa.string())
    coded = pa.concat_arrays([tokens, pairs.cast(tokens.type)]).dictionary_encode()
    codes, rows = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64), np.concatenate([rows, rows[near]])
    width = max(1, len(coded.dictionary))
    both, counts = np.unique(rows.astype(np.int64) * width + codes, return_counts=True)
    small = (each.astype(np.int32) for each in (both // width, both % width, counts))
    return Words(coded.dictionary, *small)


def shared_name(word: str) -> str:
    """The name of the number that a word shares with others."""
    return f"{SHARED}{crc32(word.encode()) % BUCKETS}"


def few_at_a_time(texts: Any) -> Iterator[str]:
    """The strings of a list or of an Arrow array, of which few are strings of Python at a time."""
    for start in range(0, len(texts), STRINGS):
        some = texts[start : start + STRINGS]
        yield from some if isinstance(some, list) else some.to_pylist()


def number_words(texts: Any, known: dict[str, int], names: list[str] | None, limit: int) -> np.ndarray:
    """The numbers of words; new ones are added to ``known`` and ``names``, up to the limit by their own names.  Where there are no
    ``names``, new ones have none (``MISSING``) unless the known ones have shared numbers."""
    found = np.empty(len(texts), np.int32)
    for place, text in enumerate(few_at_a_time(texts)):
        code = known.get(text, MISSING)
        if code == MISSING:
            own = text.startswith(SHARED) or (names is not None and len(names) < limit)
            name = text if own else shared_name(text)
            code = known.get(name, MISSING)
            if code == MISSING and names is not None:
                code = known[name] = len(names)
                names.append(name)
        found[place] = code
    return found


def in_rows(columns: list[Words], codes: list[np.ndarray], rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Words of several columns as compressed rows: counts, numbers (those of column c are ``columns * code + c``) and starts."""
    wide = len(columns)
    parts = [
        (own.rows, code[own.codes].astype(np.int64) * wide + place, own.counts)
        for place, (own, code) in enumerate(zip(columns, codes, strict=True))
    ]
    at, numbers, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
    known = numbers >= 0
    width = int(numbers.max(initial=0)) + 1
    both, where = np.unique(at[known].astype(np.int64) * width + numbers[known], return_inverse=True)
    total = np.bincount(where, counts[known], len(both))  # words that share a number add up
    starts = np.searchsorted(both, np.arange(rows + 1, dtype=np.int64) * width)
    return total, (both % width).astype(np.int32), starts
