"""What a notebook shows of a proof: the verdict and what it rests on, then weights or a witness, limits of coefficients, suspects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from ...inputs.readable import number, share, signed, some
from ...inputs.sections import NOTEBOOK, Section, Table, shortened
from ..check.certificate import Witness
from ..check.written import exact_number
from .describe import cheap_limits, class_names, hulls_meet, witness_in_words, witness_shares
from .fewest import in_words
from .verdict_sections import check_sections
from .verdict_sentences import words_for

if TYPE_CHECKING:
    from .proofs import Proof

LONG_WEIGHT = 16  # letters of a fraction; where one is longer, shares are shown only
ROUNDED = "Shares and values are rounded here; proof.witness has the weights exactly."
CHECKED = "Checked in exact arithmetic, without the solver. proof.verify(X, y) checks it again, proof.save(path) writes it as a certificate."


def proof_sections(proof: Proof, reasons: bool = True) -> list[Section]:
    """All sections, the verdict first; ``reasons``: also what single variables separate."""
    verdict, *others = check_sections(_document(proof) | ({} if reasons else {"reasons": []}), NOTEBOOK)
    lines = [*([_subject(proof)] if proof.against_rest is not None else []), *verdict.lines]
    footnotes = [] if proof.separable is None else [CHECKED]
    if proof.witness is not None:
        others[0] = others[0]._replace(footnotes=[*others[0].footnotes, ROUNDED])
    return [verdict._replace(lines=lines, footnotes=footnotes), *_weights(proof), *_support(proof), *others]


def _subject(proof: Proof) -> str:
    return f"Class {proof.against_rest} against the rest."


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
    if proof.witness is not None:
        found |= {"witness": _witness_rows(proof, proof.witness), "n_witness": len(proof.witness)}
        if not hulls_meet(proof):
            words = witness_in_words(proof)
            found["witness_is"] = f"{words[0].upper()}{words[1:]}."
    if proof.separable is False and proof.suspects is not None:
        listed = proof.suspects[: NOTEBOOK.rows].tolist()
        rows = [{"place": str(row), "label": label} for row, label in zip(listed, _labels(proof, listed), strict=True)]
        found |= {"suspects": rows, "n_suspects": len(proof.suspects), "must_go": in_words(proof._fewest, which=False)}
    return found | _limits(proof)


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


def _limits(proof: Proof) -> dict[str, Any]:
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
