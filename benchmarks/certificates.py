"""``python -m benchmarks.certificates``: certificates of every kind, and tampered ones, before both checkers.

``plain.py`` and ``check_certificate`` must accept every certificate, and refuse every one that was tampered with.  Whatever is
done to a certificate, or to its rows, makes a claim false or leaves no claim at all: numbers that only scale a proof are none.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from novikoff import CertificateError, Perceptron, check_certificate, fewest_errors, separability
from novikoff.proof.check import plain, plain_fewest
from novikoff.studies.likelihood_cones import ordered_cone, poisson_cone, trials_cone


class Case(NamedTuple):
    """A certificate, and what it is about."""

    document: Any
    X: Any
    y: list[str]

    @property
    def rows(self) -> list[list[float]]:
        return (self.X.toarray() if sparse.issparse(self.X) else self.X).tolist()


# Certificates


def problem(rng: np.random.Generator, several: bool) -> tuple[np.ndarray, np.ndarray]:
    """A few rows of whole numbers, decimals or floats of any size; labels by a plane, some of them turned over."""
    n_classes, d = int(rng.integers(3, 5)) if several else 2, int(rng.integers(1, 5))
    n = int(rng.integers(n_classes + 1, 12))
    sort = rng.integers(4)
    X = rng.normal(size=(n, d)) if sort == 0 else rng.integers(-3, 4, size=(n, d)).astype(float)
    if sort == 1:
        X = X / 10
    if sort == 2:
        X = X * 2.0 ** rng.integers(-200, 200, size=d)
    X[rng.random((n, d)) < rng.choice([0.0, 0.4])] = 0.0
    y = np.argmax(X @ rng.normal(size=(d, n_classes)) + rng.normal(size=n_classes), axis=1)
    turned = rng.random(n) < rng.choice([0.0, 0.0, 0.3, 1.0])
    y[turned] = rng.integers(n_classes, size=int(turned.sum()))
    y[:n_classes] = np.arange(n_classes)
    order = rng.permutation(n)
    return X[order], y[order]


def texts(y: np.ndarray) -> list[str]:
    return [str(label) for label in y.tolist()]


def proof_of(
    kind: str | None, several: bool, max_margin: bool = False, is_sparse: bool = False, intercept: bool = True
) -> Callable[[np.random.Generator], Case | None]:
    """Proofs of this kind; None where the rows drawn are of another."""

    def make(rng: np.random.Generator) -> Case | None:
        X, y = problem(rng, several)
        given = sparse.csr_array(X) if is_sparse else X
        proof = separability(given, y, fit_intercept=intercept, max_margin=max_margin)
        if proof.separable is None or (kind is not None and proof.kind != kind):
            return None
        return Case(through_json(proof.to_dict()), given, texts(y))

    return make


def fewest_of(several: bool, sort: str = "rows") -> Callable[[np.random.Generator], Case | None]:
    """Proofs of the fewest errors: of rows, of rows that cost whole numbers or any, or of more rows, so that it takes a tree; None where no
    row must go."""

    def make(rng: np.random.Generator) -> Case | None:
        X, y = problem(rng, several)
        if sort == "tree":
            X = rng.integers(0, 9, size=(24, 2)).astype(float)
            y = rng.integers(2 + several, size=24)
        elif rng.integers(2):
            y = rng.permutation(y)
        costs = {"costs": rng.random(len(y)), "whole": rng.integers(0, 4, len(y))}.get(sort)
        if len(np.unique(y)) < 2:
            return None
        answer = fewest_errors(X, y, sample_weight=costs, fit_intercept=bool(rng.integers(4)))
        document = through_json(answer.to_dict())
        all_go = len(document["claims"][0]["rows"]) == len(y)  # with those that cost nothing: weights of no rows are 0
        if answer.upper == 0 or (sort == "tree" and len(answer.proof.tree) == 1) or all_go:
            return None
        return Case(document, X, texts(y))

    return make


def model_of(family: str) -> Callable[[np.random.Generator], Case | None]:
    """Whether estimates of a model of counts, trials or ordered categories exist; None where all outcomes are the same."""

    def make(rng: np.random.Generator) -> Case | None:
        X, y = problem(rng, True)
        names = [f"x{j}" for j in range(X.shape[1])]
        if family == "counts":
            cone = poisson_cone(X, names, True, np.where(rng.random(len(y)) < 0.5, 0, y), "y") if y.any() else None
        elif family == "trials":
            cone = trials_cone(X, names, True, y, y.max() - y, "y")
        else:
            cone = ordered_cone(X, names, y, list(range(y.max() + 1)), "y")
        if cone is None or np.unique(cone.y).size < 2:
            return None
        proof = separability(cone.X, cone.y, fit_intercept=cone.intercept)
        return Case(through_json(proof.to_dict()), cone.X, texts(cone.y))

    def tried(rng: np.random.Generator) -> Case | None:
        try:
            return make(rng)
        except ValueError:  # no count above 0
            return None

    return tried


def cycle_of(form: str) -> Callable[[np.random.Generator], Case | None]:
    """What cycles of a perceptron prove."""

    def make(rng: np.random.Generator) -> Case | None:
        X, y = problem(rng, form != "binary")
        X = np.round(X)
        choices = {} if form == "binary" else {"multiclass": form}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clf = Perceptron(order="cyclic", max_iter=300, min_progress=None, **choices).fit(X, y)
        cycle = getattr(clf, "cycle_", None)
        if cycle is None or not (cycle.proves_inseparable or cycle.against_rest.size):
            return None
        one = None if cycle.proves_inseparable else clf.classes_[cycle.against_rest[0]]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cycle.json"
            cycle.save(path, against_rest=one)
            document = json.loads(path.read_text(encoding="utf8"))
        return Case(document, X, texts(y if one is None else y == one))

    return make


MAKERS: dict[str, Callable[[np.random.Generator], Case | None]] = {
    "complete, two classes": proof_of("complete", False),
    "complete, several classes": proof_of("complete", True),
    "quasi-complete, two classes": proof_of("quasi-complete", False),
    "quasi-complete, several classes": proof_of("quasi-complete", True),
    "overlap, two classes": proof_of("overlap", False),
    "overlap, several classes": proof_of("overlap", True),
    "sparse rows, two classes": proof_of(None, False, is_sparse=True, max_margin=True),
    "sparse rows, several classes": proof_of(None, True, is_sparse=True),
    "no intercept, two classes": proof_of(None, False, intercept=False),
    "no intercept, several classes": proof_of(None, True, intercept=False),
    "margins and bounds, two classes": proof_of("complete", False, max_margin=True),
    "margins and bounds, several classes": proof_of("complete", True, max_margin=True),
    "cycles, two classes": cycle_of("binary"),
    "cycles, several classes": cycle_of("worst"),
    "cycles, one class and the rest": cycle_of("ovr"),
    "estimates, counts": model_of("counts"),
    "estimates, trials": model_of("trials"),
    "estimates, ordered categories": model_of("ordered"),
    "fewest errors, two classes": fewest_of(False),
    "fewest errors, several classes": fewest_of(True),
    "fewest errors, whole costs": fewest_of(False, "whole"),
    "fewest errors, any costs": fewest_of(False, "costs"),
    "fewest errors, trees": fewest_of(False, "tree"),
}


def cases(kind: str, count: int, seed: int = 0) -> Iterator[Case]:
    """So many certificates of a kind."""
    rng, found = np.random.default_rng([seed, sum(kind.encode())]), 0
    while found < count:
        case = MAKERS[kind](rng)
        if case is not None:
            found += 1
            yield case


def through_json(document: Any) -> Any:
    return json.loads(json.dumps(document))


# Tampering.  Each function changes a copy of a case; None where it has nothing to change.


def parts(draw: random.Random, case: Case, name: str) -> dict[str, Any] | None:
    """A claim that has this part."""
    having = [claim for claim in case.document["claims"] if name in claim]
    return draw.choice(having) if having else None


def entry(draw: random.Random, case: Case) -> tuple[dict[str, Any], int] | None:
    """A claim with a witness, and the place of an entry of it whose row is not zero."""
    claim = parts(draw, case, "witness")
    several = parts(draw, case, "witnesses")
    if several is not None and several["witnesses"]:
        claim = {"claim": several["claim"], "witness": draw.choice(several["witnesses"])}
    if claim is None:
        return None
    some = [i for i, (row, *_) in enumerate(claim["witness"]) if case.document["intercept"] or any(case.rows[row])]
    return (claim, draw.choice(some)) if some else None


def change_a_number(draw: random.Random, case: Case) -> Case | None:
    found = entry(draw, case)
    if found is None:
        return None
    claim, place = found
    factor = draw.choice([Fraction(2), Fraction(1, 3), Fraction(10) ** 4000, 1 + Fraction(1, 10**30)])
    changed = plain.number(claim["witness"][place][2]) * factor
    claim["witness"][place][2] = f"{hex(changed.numerator)}/{hex(changed.denominator)}"
    return case


def drop_an_entry(draw: random.Random, case: Case) -> Case | None:
    found = entry(draw, case)
    if found is None:
        return None
    del found[0]["witness"][found[1]]
    return case


def repeat_an_entry(draw: random.Random, case: Case) -> Case | None:
    found = entry(draw, case)
    if found is None:
        return None
    found[0]["witness"].append(list(found[0]["witness"][found[1]]))
    return case


def spoil_a_number(draw: random.Random, case: Case) -> Case | None:
    found = entry(draw, case)
    if found is None:
        return None
    bad = [math.nan, math.inf, True, None, "", "x", "1/0", "1/2/3", [1], {}, 0, -1, "0/5", "-1/2", "1e3", 0.0, -0.5]
    found[0]["witness"][found[1]][2] = draw.choice(bad)
    return case


def name_another_row(draw: random.Random, case: Case) -> Case | None:
    """Another row, whose vector is another; or none at all."""
    found = entry(draw, case)
    if found is None:
        return None
    claim, place = found
    row, n = claim["witness"][place][0], len(case.y)
    others = [i for i in range(n) if case.y[i] != case.y[row] or case.rows[i] != case.rows[row]]
    named = {i for i, *_ in claim["witness"]}
    others = [i for i in others if i not in named]  # another that is named already might stand in for it
    if claim["claim"] == "margin at most":  # a mean that need not be 0: one of rows close by may prove it, too
        others = []
    claim["witness"][place][0] = draw.choice([*others, -1, n, 10**30, True, str(row), float(row), None, [row]])
    return case


def name_another_rival(draw: random.Random, case: Case) -> Case | None:
    found = entry(draw, case)
    if found is None:
        return None
    row = found[0]["witness"][found[1]][0]
    taken = {rival for i, rival, _ in found[0]["witness"] if i == row}
    free = [name for name in case.document["classes"] if name not in taken and name != case.y[row]]
    found[0]["witness"][found[1]][1] = draw.choice([*free, case.y[row], "no class", 0, None, ["0"]])
    return case


def turn_weights(draw: random.Random, case: Case) -> Case | None:
    claim = parts(draw, case, "weights")
    if claim is None:
        return None
    for line in claim["weights"]:
        line[:] = [-value if isinstance(value, int | float) else turned(value) for value in line]
    return case


def turned(text: str) -> str:
    return text[1:] if text.startswith("-") else f"-{text}"


def move_a_weight(draw: random.Random, case: Case) -> Case | None:
    """So far that a row falls behind."""
    claim = parts(draw, case, "weights")
    if claim is None:
        return None
    row = draw.choice([i for i in range(len(case.y)) if i not in claim.get("rows", [])])
    z = [*map(Fraction, case.rows[row]), *[Fraction(1)] * case.document["intercept"]]
    columns = [j for j, value in enumerate(z) if value]
    if not columns:
        return None
    j, names = draw.choice(columns), case.document["classes"]
    own = names.index(case.y[row])
    rival = draw.choice([k for k in range(len(names)) if k != own])
    lines = [list(map(plain.number, line)) for line in claim["weights"]]
    lead = sum((a - b) * value for a, b, value in zip(lines[own], lines[rival], z, strict=True))
    changed = lines[own][j] - (lead + Fraction(1, 10**20)) / z[j]
    claim["weights"][own][j] = f"{hex(changed.numerator)}/{hex(changed.denominator)}"
    return case


def equal_weights(draw: random.Random, case: Case) -> Case | None:
    """All classes alike: nothing leads."""
    claim = parts(draw, case, "weights")
    if claim is None:
        return None
    claim["weights"] = [list(claim["weights"][0]) for _ in claim["weights"]]
    return case


def spoil_weights(draw: random.Random, case: Case) -> Case | None:
    claim = parts(draw, case, "weights")
    if claim is None:
        return None
    line = draw.choice(claim["weights"])
    match draw.randrange(4):
        case 0:
            line[draw.randrange(len(line))] = draw.choice([math.nan, math.inf, True, None, "x", "1/0", [1], {}])
        case 1:
            line.append(0)
        case 2:
            line.pop()
        case 3:
            claim["weights"] = draw.choice([[], None, 1, claim["weights"][1:], [*claim["weights"], line]])
    return case


def better_number(draw: random.Random, case: Case) -> Case | None:
    """A margin larger, an upper bound smaller, fewer mistakes than are proved: by the least that can be."""
    numbers = [each for each in case.document["claims"] if {*each} & {"margin", "mistakes", "at_least"}]
    if not numbers:
        return None
    claim = draw.choice(numbers)
    if claim["claim"] == "fewest errors":
        name, more = draw.choice([("at_least", Fraction(1, 10**30)), ("at_most", -Fraction(1, 10**30))])
        better = plain.number(claim[name]) + more
        claim[name] = f"{better.numerator}/{better.denominator}"
    elif claim["claim"] == "complete":
        if claim["margin"] == 0 or math.nextafter(claim["margin"], math.inf) == math.inf:
            return None
        claim["margin"] = math.nextafter(claim["margin"], math.inf)
    elif claim["claim"] == "margin at most":
        claim["margin"] = math.nextafter(claim["margin"], 0.0)
    else:
        claim["mistakes"] -= 1
    return case


def spoil_a_bound(draw: random.Random, case: Case) -> Case | None:
    names = [
        (claim, name)
        for claim in case.document["claims"]
        for name in ("margin", "mistakes", "constant_squared", "at_most")
        if name in claim
    ]
    if not names:
        return None
    claim, name = draw.choice(names)
    claim[name] = draw.choice([math.nan, math.inf, -1.5, None, True, "x", [1], -(10**30)])
    return case


def another_boundary(draw: random.Random, case: Case) -> Case | None:
    claim = parts(draw, case, "boundary")
    if claim is None or claim["boundary"] is None:
        return None
    rows = claim["boundary"]
    others = [i for i in range(len(case.y)) if i not in rows]
    claim["boundary"] = draw.choice([rows[1:], [*rows, len(case.y)], sorted([*rows, *others[:1], 10**9]), [], "all"])
    return case


def forget_a_row(draw: random.Random, case: Case) -> Case | None:
    """Of those that must go: none of them can go back; or one is named that there is not."""
    claim = parts(draw, case, "tree")
    if claim is None:
        return None
    costly = [row for row in claim["rows"] if claim["costs"] is None or plain.number(claim["costs"][row]) > 0]
    forgotten = draw.choice(costly)
    rows = [row for row in claim["rows"] if row != forgotten]
    claim["rows"] = draw.choice([rows, [*claim["rows"], -1], [*claim["rows"], len(case.y)], None, [*claim["rows"]] * 2])
    return case


def change_a_cost(draw: random.Random, case: Case) -> Case | None:
    """One that is more than what is claimed; or none."""
    claim = parts(draw, case, "costs")
    if claim is None or claim["costs"] is None:
        return None
    row = draw.choice(claim["rows"])
    claim["costs"][row] = draw.choice([10**6, -1, None, True, math.nan, "x"])
    return case


def spoil_the_tree(draw: random.Random, case: Case) -> Case | None:
    claim = parts(draw, case, "tree")
    if claim is None:
        return None
    tree = claim["tree"]
    branches = [node for node in tree if "row" in node]
    leaf = draw.choice([node for node in tree if "packing" in node])
    ways = ["drop", "add", "empty", "number", "witness", "much" if len(tree) == 1 else "branch"]
    match draw.choice(ways):
        case "drop":
            tree.pop()
        case "add":
            tree.append({"packing": []})
        case "empty":
            claim["tree"] = [{"packing": []}]
        case "number":
            bad = [0, -1, "-1/2", math.nan, True, None, "x"]
            leaf["packing"] = [[j, draw.choice(bad)] for j, _ in leaf["packing"]] or [[0, 0]]
        case "witness":
            leaf["packing"] = [[len(claim["witnesses"]) + j, u] for j, u in leaf["packing"]] or [[-1, 1]]
        case "much":
            leaf["packing"] = [[j, 10**9] for j, _ in leaf["packing"]]
        case "branch":
            node = draw.choice(branches)
            node[draw.choice(["row", "removed", "kept"])] = draw.choice([-1, 10**9, None, True, 0.5, 0])
            node["kept"] = node["removed"]
    return case


def leave_out_a_part(draw: random.Random, case: Case) -> Case:
    claim = draw.choice([case.document, *case.document["claims"]])
    claim.pop(draw.choice([*claim]))
    return case


def add_a_part(draw: random.Random, case: Case) -> Case:
    claim = draw.choice([case.document, *case.document["claims"]])
    claim[draw.choice(["note", "margins", "rows_", ""])] = draw.choice([0, None, "true", [], {}])
    return case


def another_head(draw: random.Random, case: Case) -> Case:
    name, values = draw.choice(
        [
            ("format", ["novikoff certificate 2", "", None, 1]),
            ("classes", [["a", "b"], [], None, 5, case.document["classes"] * 2, case.document["classes"][:-1]]),
            ("intercept", [None, 1, 0, "true", []]),
            ("rows", [len(case.y) + 1, -1, "all", []]),
            ("claims", [[], None, {}, 5, [{}], [{"claim": "separable"}], [{"claim": None}], ["complete"]]),
        ]
    )
    case.document[name] = draw.choice(values)
    return case


def drop_a_row(draw: random.Random, case: Case) -> Case | None:
    if case.document["rows"] is None:
        return None
    dropped = draw.randrange(len(case.y))
    keep = [i for i in range(len(case.y)) if i != dropped]
    return Case(case.document, case.X[keep], [case.y[i] for i in keep])


def change_a_label(draw: random.Random, case: Case) -> Case | None:
    """Of a row that a witness names, or, if there is none, of any: all are led."""
    found = entry(draw, case)
    row = draw.randrange(len(case.y)) if found is None else found[0]["witness"][found[1]][0]
    if found is None and case.document["claims"][0]["claim"] != "complete":
        return None
    y = list(case.y)
    y[row] = draw.choice([name for name in case.document["classes"] if name != y[row]])
    return Case(case.document, case.X, y)


def change_a_value(draw: random.Random, case: Case) -> Case | None:
    """Of a row that a witness names; a row of a separable class becomes one of another class."""
    X = np.array(case.rows)
    if case.document["claims"][0]["claim"] == "complete":
        row = draw.randrange(len(case.y))
        X[row] = X[draw.choice([i for i in range(len(case.y)) if case.y[i] != case.y[row]])]
    else:
        found = entry(draw, case)
        if found is None:
            return None
        row, j = found[0]["witness"][found[1]][0], draw.randrange(X.shape[1])
        X[row, j] = X[row, j] + 1.0 if abs(X[row, j]) < 2**50 else -X[row, j]
    return Case(case.document, sparse.csr_array(X) if sparse.issparse(case.X) else X, case.y)


TAMPERINGS = [
    change_a_number,
    drop_an_entry,
    repeat_an_entry,
    spoil_a_number,
    name_another_row,
    name_another_rival,
    turn_weights,
    move_a_weight,
    equal_weights,
    spoil_weights,
    better_number,
    spoil_a_bound,
    another_boundary,
    forget_a_row,
    change_a_cost,
    spoil_the_tree,
    leave_out_a_part,
    add_a_part,
    another_head,
    drop_a_row,
    change_a_label,
    change_a_value,
]


def tampered(draw: random.Random, case: Case) -> tuple[str, Case]:
    """The case, changed in some way; and which."""
    while True:
        change = draw.choice(TAMPERINGS)
        changed = change(draw, case._replace(document=deepcopy(case.document)))
        if changed is not None:
            return change.__name__, changed


# Both checkers


def plain_accepts(case: Case) -> bool:
    try:
        page = plain_fewest if case.document["claims"][0]["claim"] == "fewest errors" else plain
        page.check(deepcopy(case.document), case.rows, case.y)
    except Exception:
        return False
    return True


def quick_accepts(case: Case) -> bool:
    try:
        check_certificate(deepcopy(case.document), case.X, np.array(case.y))
    except CertificateError:
        return False
    return True


def line(kind: str, count: int, seed: int) -> tuple[list[str], Counter[str]]:
    """A line of the table, and the ways of tampering."""
    draw, ways = random.Random(seed), Counter[str]()
    accepted, refused, seconds = [0, 0], [0, 0], [0.0, 0.0]
    for case in cases(kind, count, seed):
        way, changed = tampered(draw, case)
        ways[way] += 1
        for place, accepts in enumerate((plain_accepts, quick_accepts)):
            begin = time.perf_counter()
            accepted[place] += accepts(case)
            seconds[place] += time.perf_counter() - begin
            good = accepts(changed)
            refused[place] += not good
            if good:
                raise SystemExit(f"{kind}: {accepts.__name__} after {way}: {changed}")
    if min(accepted) < count:
        raise SystemExit(f"{kind}: accepted {accepted} of {count}")
    times = [f"{1000 * each / count:.1f} ms" for each in seconds]
    return [kind, *map(str, [count, *accepted, count, *refused]), *times], ways


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.certificates", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="certificates of every kind, and as many tampered ones")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="kinds that begin with this")
    options = parser.parse_args()
    head = ["kind", "certificates", "plain accepts", "quick accepts", "tampered", "plain refuses", "quick refuses"]
    print("| " + " | ".join([*head, "plain", "quick"]) + " |")
    print("|---|" + "---:|" * 8)
    ways: Counter[str] = Counter()
    for kind in (kind for kind in MAKERS if kind.startswith(options.only)):
        found, some = line(kind, options.count, options.seed)
        ways += some
        print("| " + " | ".join(found) + " |", flush=True)
    print("\ntampered: " + ", ".join(f"{way.replace('_', ' ')} {count}" for way, count in ways.most_common()))


if __name__ == "__main__":
    main()
