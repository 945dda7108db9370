"""A proof in words: the short report that ``print(proof)`` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from ...report.sections import NOTEBOOK, Section, Table, shortened
from ...report.verdict_sections import LIMITS_OF_COEFFICIENTS, check_sections, words_for
from ...report.words import at_most, number, share, signed, some
from ..check.certificate import Witness
from ..check.written import exact_number
from ..problem.pairs import Pairs
from .fewest import in_words
from .reasons import PLAIN, about_reference

if TYPE_CHECKING:
    from .proofs import Proof

LISTED = 8  # rows or names
REASONS_LISTED = 3
FEW_DIMENSIONS, FEW_NUMBERS = 50, 1_000_000  # up to here the limits of coefficients are soon found out


def describe(proof: Proof, pairs: Pairs) -> str:
    """A few lines: the data, the verdict, what proves it, what follows."""
    parts = {"complete": _complete, "quasi-complete": _quasi, "overlap": _overlap, None: _undecided}[proof.kind](proof)
    of = "" if proof.against_rest is None else f" of class {proof.against_rest!r} against the rest"
    return "\n".join([f"Linear separability{of}: {verdict(proof, pairs)}", *(f"  {part}" for part in parts)])


def verdict(proof: Proof, pairs: Pairs) -> str:
    """The verdict and the data; nothing is worked out for it."""
    with_intercept = "with" if proof.fit_intercept else "without"
    features = f"{pairs.n_features} feature{'s' * (pairs.n_features != 1)}"
    data = f"{proof._count} rows, {features}, {len(proof.classes)} classes, {with_intercept} intercept"
    return f"{words_for(proof.kind, proof.separable).line} ({data})"


def _complete(proof: Proof) -> list[str]:
    parts = [f"proof: weights that give every row its class; the closest row is {proof.margin:.4g} from the boundary"]
    if proof.margin_bounds is not None and proof.mistake_bound is not None:
        low, high = proof.margin_bounds
        parts.append(f"largest margin: between {low!r} and {high!r}")
        parts.append(
            f"a perceptron that learns row by row from zero weights makes at most {at_most(proof.mistake_bound)} mistakes"
        )
    return [*parts, *some_reasons(proof)]


def _overlap(proof: Proof) -> list[str]:
    if not proof._exact_at_hand:
        return [f"proof: {IN_FLOATS}", *_suspects(proof)]
    many = len(proof.spanning or [])
    pairs = f"{many} row{'s' * (many != 1)}" if len(proof.classes) == 2 else f"{many} pairs of a row and a rival class"
    return [
        f"proof: {witness_in_words(proof)}",
        f"overlap: whatever the weights, some row is on the wrong side, or all are on the boundary ({pairs} prove"
        f"{'s' * (many == 1 and len(proof.classes) == 2)} that)",
        *_suspects(proof),
    ]


def _quasi(proof: Proof) -> list[str]:
    parts = [f"proof: {witness_in_words(proof)}"]
    if proof.rows is None:
        parts.append(
            "some weights separate some rows and have no row on the wrong side; which other rows can be separated is not known"
        )
    else:
        boundary = int(np.count_nonzero(proof.rows == "boundary"))
        apart = len(proof.rows) - boundary
        parts.append(
            f"some weights have no row on the wrong side: {apart} row{' is' if apart == 1 else 's are'} separated, {boundary} always "
            f"stay{'s' * (boundary == 1)} on the boundary"
        )
    return [*parts, *_limits(proof), *some_reasons(proof), *_suspects(proof)]


def _limits(proof: Proof) -> list[str]:
    """Which coefficients of a logistic regression have no finite estimate, where that is soon found out."""
    if len(proof.classes) > 2 or not cheap_limits(proof):
        return []
    named = [f"of {name} goes {where}" for name, where in endless(proof).items()]
    return [f"in a {proof._model.regression} the coefficient {first_few(named)}"] if named else []


def some_reasons(proof: Proof) -> list[str]:
    """The first reasons, where they are soon found out."""
    if not cheap_limits(proof):
        return []
    lines = []
    for reason in proof._reasons[:REASONS_LISTED]:
        advice = about_reference(reason, proof._model)
        lines.append(reason.text)
        if advice is not None:
            lines.append(f"{advice[0].rstrip('.')}{': ' * bool(advice[1])}{advice[1]}")
    return lines


def cheap_limits(proof: Proof) -> bool:
    """Whether it is soon found out what becomes of coefficients."""
    dim = proof._pairs.dim
    return dim <= FEW_DIMENSIONS and proof._count * dim <= FEW_NUMBERS


def endless(proof: Proof) -> dict[str, str]:
    """Of two classes, the coefficients that have no finite estimate, and where they go."""
    found = (proof.directions or {}).items()
    return {name: LIMITS_OF_COEFFICIENTS[limit] for name, limit in found if limit in LIMITS_OF_COEFFICIENTS}


def _undecided(proof: Proof) -> list[str]:
    parts = ["not complete, the kind undecided: " + witness_in_words(proof)] if proof.witness is not None else []
    if proof.violation is not None:
        parts.append(f"the best weights so far miss a row by {proof.violation:.4g}; none was found to separate")
    return parts or ["nothing was found before the time limit ended, or exact arithmetic was out of reach"]


def class_names(proof: Proof) -> list[str]:
    """What the classes are called: of one class against the rest, that class and the rest."""
    return (
        [str(label) for label in proof.classes] if proof.against_rest is None else ["the rest", str(proof.against_rest)]
    )


def witness_shares(proof: Proof, witness: Witness) -> np.ndarray:
    """What share of the weights each row has: of two classes with an intercept, which weigh the same, of its class's; else of all."""
    balanced = witness.rivals is None and proof.fit_intercept
    total = sum(witness.weights) / (2 if balanced else 1)
    return np.array([float(weight / total) for weight in witness.weights])


def witness_in_words(proof: Proof) -> str:
    """The rows that prove that nothing separates."""
    if proof.witness is None:
        return "in floating point, every rounding error bounded; time_limit ended before fractions were worked out"
    rows = np.unique(proof.witness.rows).tolist()
    some = f"{len(rows)} row{'s' * (len(rows) > 1)} ({first_few(rows)})"
    if hulls_meet(proof):
        return f"the convex hulls of the classes meet: {some} suffice"
    if len(rows) == 1:
        return f"row {rows[0]} is all zeros, on every boundary through the origin"
    if len(proof.classes) == 2:
        return (
            f"{some}, those of the first class with their signs changed, add up to zero with positive weights: no boundary through "
            "the origin separates them"
        )
    through = "" if proof.fit_intercept else " without intercepts"
    return (
        f"{some}, added to their own class and subtracted from a rival with positive weights, sum to zero in every class: no "
        f"weights{through} give these rows their classes"
    )


def hulls_meet(proof: Proof) -> bool:
    """Whether the witness is a point of both hulls: of two classes, and with an intercept."""
    return proof.separable is False and len(proof.classes) == 2 and proof.fit_intercept


def _suspects(proof: Proof) -> list[str]:
    if proof._model.regression != PLAIN.regression:
        return []
    return [] if proof.suspects is None else [in_words(proof._fewest)]


def first_few(items: list[Any]) -> str:
    return ", ".join(map(str, items[:LISTED])) + (", ..." if len(items) > LISTED else "")


IN_FLOATS = (
    "in floating point, every rounding error bounded; proof.witness has rows and fractions, worked out when asked for"
)
LONG_WEIGHT = 16  # letters of a fraction; where one is longer, shares are shown only
ROUNDED = "Shares and values are rounded here; proof.witness has the weights exactly."
CHECKED = "Checked in exact arithmetic, without the solver. proof.verify(X, y) checks it again, proof.save(path) writes it as a certificate."


def proof_sections(proof: Proof, reasons: bool = True) -> list[Section]:
    """All sections, the verdict first; ``reasons``: also what single variables separate."""
    verdict, *others = check_sections(_document(proof) | ({} if reasons else {"reasons": []}), NOTEBOOK)
    of = [] if proof.against_rest is None else [f"Class {proof.against_rest} against the rest."]
    footnotes = [] if proof.separable is None else [CHECKED]
    if proof._exact_at_hand and proof.witness is not None:
        others[0] = others[0]._replace(footnotes=[*others[0].footnotes, ROUNDED])
    return [
        verdict._replace(lines=[*of, *verdict.lines], footnotes=footnotes),
        *_weights(proof),
        *_support(proof),
        *others,
    ]


def _document(proof: Proof) -> dict[str, Any]:
    """The proof as the result of a check."""
    found: dict[str, Any] = {
        "kind": proof.kind,
        "separable": proof.separable,
        "text": words_for(proof.kind, proof.separable).sentence,
        "rows": proof._count,
        "features": len(proof.feature_names),
        "margin": proof.margin,
        "margin_bounds": proof.margin_bounds,
        "mistake_bound": proof.mistake_bound,
        "seconds": proof.seconds,
    }
    if proof._exact_at_hand and proof.witness is not None:
        found |= {"witness": _witness_rows(proof, proof.witness), "n_witness": len(proof.witness)}
        if not hulls_meet(proof):
            words = witness_in_words(proof)
            found["witness_is"] = f"{words[0].upper()}{words[1:]}."
    if proof.separable is False and proof.suspects is not None:
        listed = proof.suspects[: NOTEBOOK.rows].tolist()
        rows = [{"place": str(row), "label": label} for row, label in zip(listed, _labels(proof, listed), strict=True)]
        found |= {
            "suspects": rows,
            "n_suspects": len(proof.suspects),
            "must_go": in_words(proof._fewest, which=False, least=1),
        }
    return found | _limits_document(proof)


def _labels(proof: Proof, rows: Any) -> list[str]:
    names = class_names(proof)
    return [names[k] for k in np.asarray(proof._target[np.asarray(rows, dtype=np.intp)]).tolist()]


def _witness_rows(proof: Proof, witness: Witness) -> list[dict[str, Any]]:
    """The first rows of a witness, with as many values as are shown."""
    some_rows = witness.rows[: NOTEBOOK.rows]
    shares = witness_shares(proof, witness).tolist()
    exact = max(len(str(exact_number(weight))) for weight in witness.weights) <= LONG_WEIGHT
    rivals = [None if witness.rivals is None else str(witness.rivals[i]) for i in range(len(some_rows))]
    labels, values = _labels(proof, some_rows), _values(proof, some_rows)
    return [
        {"place": str(row), "label": labels[i], "rival": rivals[i], "share": shares[i], "values": values[i]}
        | ({"exact": str(exact_number(witness.weights[i]))} if exact else {})
        for i, row in enumerate(some_rows.tolist())
    ]


def _values(proof: Proof, rows: np.ndarray) -> list[dict[str, float]]:
    """The values of these rows by the names of the features; of sparse rows, of features that some of them have."""
    X, names = proof._given(rows), proof.feature_names
    columns = np.arange(len(names))
    if sparse.issparse(X):
        columns = np.unique(X.indices)
        X = X[:, columns].toarray()
    return [dict(zip((names[j] for j in columns), row, strict=True)) for row in np.asarray(X, dtype=float).tolist()]


def _limits_document(proof: Proof) -> dict[str, Any]:
    """What becomes of the coefficients of a logistic regression, where that is soon found out."""
    why = {"reasons": proof.reasons} if cheap_limits(proof) else {}
    if proof.kind == "complete":
        return {"finite_coefficients": 0, **why}
    if proof.kind != "quasi-complete" or not cheap_limits(proof) or proof.directions is None:
        return why
    found = [
        {"feature": name, "class": None if label is None else str(label), "direction": where}
        for name, limit in proof.directions.items()
        for label, where in (limit if isinstance(limit, dict) else {None: limit}).items()
    ]
    return why | {"directions": found, "undecided_coefficients": sum(each["direction"] is None for each in found)}


def _weights(proof: Proof) -> list[Section]:
    """The weights that prove it, or that no row contradicts, the largest first."""
    if proof.coef is None or proof.intercept is None:
        return []
    names, several = class_names(proof), len(proof.classes) > 2
    shown = range(min(len(proof.coef), NOTEBOOK.classes))
    order = np.argsort(-np.abs(proof.coef).max(axis=0), kind="stable").tolist()
    rows = [[proof.feature_names[j], *(signed(float(proof.coef[k, j])) for k in shown)] for j in order]
    heads = ["feature", *(f"weight for {names[k]}" if several else "weight" for k in shown)]
    more, table = shortened(Table(heads, rows, "l" + "r" * len(shown)), NOTEBOOK.rows - 1, "feature")
    if proof.fit_intercept:
        table = table._replace(rows=[*table.rows, ["intercept", *(signed(float(proof.intercept[k])) for k in shown)]])
    left = len(proof.coef) - len(shown)
    more += [f"The weights of {some(left, 'more class', 'more classes')} are not shown."] * (left > 0)
    if proof.separable:
        rule = "the class of the largest w.x + b" if several else f"class {names[1]} where w.x + b > 0"
        line = f"These weights prove it: {rule}. (Rounded here; proof.exact_weights has them exactly.)"
    else:
        line = "With these weights no row is on the wrong side, and some rows are strictly on the correct side."
    return [Section("The proof" if proof.separable else "Weights with no row on the wrong side", [line], [table], more)]


def _support(proof: Proof) -> list[Section]:
    """The rows that hold the largest margin."""
    if proof.support is None:
        return []
    rows = [
        [row["place"], row["label"], *([row["rival"]] if row["rival"] is not None else []), share(row["share"])]
        for row in _witness_rows(proof, proof.support)
    ]
    rivals = ["rival"] * (proof.support.rivals is not None)
    table = Table(["row", "class", *rivals, "share"], rows, "pl" + "l" * len(rivals) + "r")
    more, table = shortened(table, NOTEBOOK.rows, "row", total=len(proof.support))
    most = number(proof.margin_bounds[1], 6) if proof.margin_bounds is not None else "this"
    line = f"No margin is larger than {most}: these rows, mixed with these shares, prove it."
    return [Section("Rows that hold the margin", [line], [table], more)]
