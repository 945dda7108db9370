"""What is said of each verdict, everywhere: in the title of a section, in one line, and as a sentence."""

from __future__ import annotations

from typing import NamedTuple


class VerdictWords(NamedTuple):
    """One verdict in words."""

    title: str
    line: str
    sentence: str


VERDICTS: dict[str | None, VerdictWords] = {
    "complete": VerdictWords(
        "Separable", "complete, the classes are separable", "Some weights give every row its class."
    ),
    "quasi-complete": VerdictWords(
        "Not separable (quasi-complete)",
        "quasi-complete, not separable",
        "No weights give every row its class, but some have no row on the wrong side and some rows strictly on the correct side.",
    ),
    "overlap": VerdictWords(
        "Not separable (overlap)",
        "overlap, not separable",
        "Whatever the weights, some row is on the wrong side, or all are on the boundary.",
    ),
    None: VerdictWords(
        "Undecided",
        "undecided",
        "Neither weights that give every row its class were found, nor a proof that there are none.",
    ),
}
KIND_UNDECIDED = VerdictWords(
    "Not separable (kind undecided)",
    "not separable, the kind undecided",
    "No weights give every row its class; whether some have no row on the wrong side is not known.",
)


def words_for(kind: str | None, separable: bool | None) -> VerdictWords:
    """What to say of a verdict."""
    return KIND_UNDECIDED if kind is None and separable is False else VERDICTS.get(kind, VERDICTS[None])
