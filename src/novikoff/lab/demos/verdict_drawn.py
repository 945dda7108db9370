"""Whether a line separates two classes, and the proof as a picture (L0 11.66)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..demonstration import Ask, Control, Demonstration, Parameters, Preset
from ..point_sets import AND, CLOUDS, EIGHT, OVERLAP, TOUCHING, XOR
from ..scenes import Data

SECONDS = 3.0  # for a proof; what takes longer is undecided
LONG = 120  # letters of a fraction that the page shows whole


def verdict(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """The verdict and everything that is drawn of it: no more, since it follows the pointer."""
    proof, X, y = _proof(data, parameters)
    from ...proof.answer.verdict_sentences import words_for  # as in _proof

    words = words_for(proof.kind, proof.separable)
    found: dict[str, Any] = {
        "kind": proof.kind or ("not complete" if proof.separable is False else "undecided"),
        "separable": proof.separable,
        "title": words.title,
        "sentence": words.sentence,
        "weights": weights_of(proof),
        "margin": None,
        "margin_bounds": None,
        "mistake_bound": None,
        "support": [],
        "witness": None,
        "hulls": [],
        "common": None,
    }
    if proof.separable:
        found["margin"], found["mistake_bound"] = proof.margin, str(proof.mistake_bound)
        found["margin_bounds"] = None if proof.margin_bounds is None else list(proof.margin_bounds)
        found["support"] = [] if proof.support is None else sorted(set(proof.support.rows.tolist()))
    if proof.witness is not None:
        found |= witness_drawn(proof, X, y)
    return found


def report(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """What the prover says of the same rows, the rows most in the way among it."""
    return {"lines": [line.strip() for line in str(_proof(data, parameters)[0]).splitlines()[1:]]}


def fractions(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """The same numbers as exact fractions."""
    proof, X, y = _proof(data, parameters)
    exact = proof.exact_weights
    found: dict[str, Any] = {"weights": None if exact is None else [_text(each) for each in exact[0]]}
    if proof.witness is not None:
        shares, common = _shares(proof, y), None
        found["shares"] = [_text(share) for share in shares]
        if proof.fit_intercept:
            common = [_text(each) for each in _common(proof, X, y)]
        found["common"] = common
    return found


def certificate(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """Three files that check the proof without this package: certificate, rows, and the checker."""
    from importlib.resources import files

    from ...proof.check.written import as_text, label_texts, table_of  # as in _proof

    proof, X, _ = _proof(data, parameters)
    labels = label_texts(proof.classes[proof._pairs.target])
    return {
        "certificate": as_text(proof.to_dict()),
        "rows": "".join(table_of(X, labels, proof.feature_names)),
        "checker": (files("novikoff") / "proof" / "check" / "plain.py").read_text(encoding="utf8"),
    }


def _proof(data: Data, parameters: Parameters) -> tuple[Any, Any, Any]:
    from ...proof.answer.separable import separability  # when asked: scikit-learn takes long to import

    X, y = data.arrays()
    names = None if len(set(data.names)) < len(data.names) else data.names
    free = parameters["bias"] != "none"
    return separability(X, y, fit_intercept=free, max_margin=True, time_limit=SECONDS, feature_names=names), X, y


def weights_of(proof: Any) -> list[float] | None:
    """The weights of a proof, the bias last; None if it has none."""
    if proof.coef is None:
        return None
    return [*proof.coef[0].tolist(), float(proof.intercept[0])]


def _shares(proof: Any, y: Any) -> list[Fraction]:
    """The weights of the witness, those of each class divided by their sum: the weights of two means."""
    rows, weights = proof.witness.rows, proof.witness.weights
    if not proof.fit_intercept:
        return [weight / sum(weights) for weight in weights]
    total = {k: sum(weight for row, weight in zip(rows, weights, strict=True) if y[row] == k) for k in (0, 1)}
    return [weight / total[int(y[row])] for row, weight in zip(rows, weights, strict=True)]


def _common(proof: Any, X: Any, y: Any) -> list[Fraction]:
    """The point of both hulls: the mean of the witness rows of one class."""
    own = [(share, X[row]) for share, row in zip(_shares(proof, y), proof.witness.rows, strict=True) if y[row] == 0]
    return [sum((share * Fraction(float(x[j])) for share, x in own), Fraction(0)) for j in range(X.shape[1])]


def witness_drawn(proof: Any, X: Any, y: Any) -> dict[str, Any]:
    """The rows of a witness with their weights, the hulls of both classes, and a point of both."""
    from ...theory.convex_hull import convex_hull  # as in _proof

    rows = proof.witness.rows
    shares = [float(share) for share in _shares(proof, y)]
    hulls = []
    for k in (0, 1):
        mine = rows[y[rows] == k]
        hulls.append({"class": k, "all": convex_hull(X[y == k]).tolist(), "witness": convex_hull(X[mine]).tolist()})
    return {
        "witness": [
            {"row": int(row), "class": int(y[row]), "share": share} for row, share in zip(rows, shares, strict=True)
        ],
        "hulls": hulls,
        "common": [float(each) for each in _common(proof, X, y)] if proof.fit_intercept else [0.0, 0.0],
    }


def _text(value: Fraction) -> str:
    """A fraction; a long one by its first digits."""
    text = str(value)
    return text if len(text) <= LONG else f"{text[:LONG]}\u2026 ({len(text)} letters)"


def python(data: Data, parameters: Parameters) -> str:
    """The code of this view."""
    through = ", fit_intercept=False" if parameters["bias"] == "none" else ""
    return (
        "from novikoff import separability\n\n"
        f"proof = separability(X, y, max_margin=True{through})\n"
        "print(proof)\nprint(proof.exact_weights, proof.witness)\n"
        'proof.save("certificate.json", rows="rows.csv")  # python plain.py certificate.json rows.csv\n'
    )


VERDICT_DRAWN = Demonstration(
    name="verdict",
    title="Separable or not, with proof",
    lectures="L0 11.63, 11.66; L2",
    text=(
        "Two classes are linearly separable if some line has all rows of one strictly on one side and all of the other strictly "
        "on the other side. Such a line is a proof that everybody can check.",
        "There is a proof of the opposite, too: a point that lies in the convex hulls of both classes. Its weights show it as a "
        "mean of rows of either class, so no line can have the classes on two sides.",
    ),
    task="Drag one row across the line and watch the verdict turn. Then make the classes touch in one point: is that separable?",
    presets=(
        Preset("eight", "The lecture\u2019s eight points", EIGHT),
        Preset("clouds", "Two clouds", CLOUDS),
        Preset("xor", "XOR", XOR),
        Preset("and", "AND", AND),
        Preset("touching", "Hulls that touch", TOUCHING),
        Preset("overlap", "Classes that overlap", OVERLAP),
    ),
    controls=(Control("bias", "Line", "one", (("one", "anywhere"), ("none", "only through the origin"))),),
    asks={
        "verdict": Ask(verdict, follows=True),
        "report": Ask(report),
        "fractions": Ask(fractions, by_itself=False),
        "certificate": Ask(certificate, by_itself=False),
    },
    python=python,
)
