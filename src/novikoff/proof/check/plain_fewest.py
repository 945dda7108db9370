"""Check a certificate of the fewest errors with nothing but Python and plain.py: python plain_fewest.py certificate.json rows.csv.

The claim: the rows that must go, so that some weights give every other row its class, cost ``at_least`` so much; and without ``rows``, which
cost ``at_most`` so much, the ``weights`` do it.  Every row costs 1 unless ``costs`` says otherwise.  Equal rows of one class are led or not
led together, so they are one row whose cost is their sum.

The second half is "complete" of the rows that stay.  The first half rests on witnesses, each of them "not complete" of the rows it names: it must
lose one of them.  The tree makes cases.  A node with a ``row`` has two: that row is removed, or it is kept.  A leaf is a packing: a number
u > 0 for each of some witnesses that have lost no row so far.  A row that goes breaks the witnesses that have it; if their numbers
sum to no more than its cost, for every row that is not kept, then what goes costs at least the sum of all u, and what was
removed before comes on top.  Where all costs are whole numbers, so is every sum of them, and the bound is rounded up.
"""

import csv
import json
import sys
from fractions import Fraction
from math import ceil
from typing import Any

try:
    from .plain import must, number, prove
except ImportError:  # run as a file, beside plain.py
    from plain import must, number, prove  # type: ignore[import-not-found, no-redef]

PARTS = ["at_least", "at_most", "claim", "costs", "rows", "tree", "weights", "witnesses"]


def prove_tree(tree: list[Any], witnesses: list[set[int]], costs: dict[int, Fraction], least: Fraction) -> None:
    """Raise an error unless every case of this tree costs at least so much; witnesses are sets of rows."""
    must(type(tree) is list, "the tree is no list")
    whole = all(cost.denominator == 1 for cost in costs.values())
    cases: list[tuple[int, set[int], set[int]]] = [(0, set(), set())]
    looked_at = 0
    while cases:
        place, removed, kept = cases.pop()
        looked_at += 1
        if "row" in tree[place]:
            row, first, second = (tree[place][part] for part in ("row", "removed", "kept"))
            must(len(tree[place]) == 3 and type(row) is int and row in costs, f"node {place} has no row to decide on")
            must(row not in removed | kept, f"node {place} decides on row {row} again")
            must(
                type(first) is type(second) is int and place < first < second < len(tree), f"node {place} has no cases"
            )
            cases += [(second, removed, kept | {row}), (first, removed | {row}, kept)]
            continue
        must([*tree[place]] == ["packing"], f"node {place} is neither a row to decide on nor a packing")
        total, load = sum((costs[row] for row in removed), Fraction(0)), dict.fromkeys(costs, Fraction(0))
        for j, given in tree[place]["packing"]:
            u = number(given)
            must(
                type(j) is int and 0 <= j < len(witnesses) and u > 0,
                f"leaf {place} has no witness {j}, or its number is not above 0",
            )
            must(witnesses[j].isdisjoint(removed), f"leaf {place} has witness {j}, which has lost a row")
            for row in witnesses[j] - kept:
                load[row] += u
            total += u
        over = [row for row in load if load[row] > costs[row]]
        must(not over, f"leaf {place} has more of row {over[:1]} than it costs")
        must((ceil(total) if whole else total) >= least, f"leaf {place} does not cost {least}")
    must(looked_at == len(tree), "the tree has nodes that are no case, or one that is two")


def check(given: dict[str, Any], rows: list[list[float]], labels: list[str]) -> None:
    """Raise an error that says why, unless the claim is proved of these rows."""
    must(sorted(given) == ["claims", "classes", "format", "intercept", "rows"], "it has other parts")
    claims, classes, intercept = given["claims"], given["classes"], given["intercept"]
    must(given["format"] == "novikoff certificate 1" and type(intercept) is bool, "it has another format")
    must(type(claims) is type(classes) is list and len(claims) == 1, "it must have a list of classes, and one claim")
    must(given["rows"] in (None, len(rows)) and len({*map(len, rows)}) == 1, f"it is not about these {len(rows)} rows")
    must(sorted(classes) == sorted({*labels}) and len(classes) > 1, f"its classes are {classes}, the labels are others")
    claim = claims[0]
    must(sorted(claim) == PARTS and claim["claim"] == "fewest errors", "it claims something else: see plain.py")
    z = [[Fraction(value) for value in row] + [Fraction(1)] * intercept for row in rows]
    own, d, n = [classes.index(label) for label in labels], len(rows[0]), len(rows)

    given_costs = [1] * n if claim["costs"] is None else claim["costs"]
    must(type(given_costs) is list and len(given_costs) == n, "costs must have a number for each row")
    prices = [number(cost) for cost in given_costs]
    must(min(prices) >= 0, "a cost is negative")
    least, most, gone = number(claim["at_least"]), number(claim["at_most"]), claim["rows"]
    must(type(gone) is list and all(type(row) is int and 0 <= row < n for row in gone), "rows has no row numbers")
    must(len({*gone}) == len(gone) and sum(prices[row] for row in gone) <= most, f"rows cost more than {most}")

    stay = [row for row in range(n) if row not in {*gone}]
    if stay:
        complete = {"claim": "complete", "margin": 0, "weights": claim["weights"]}
        prove(complete, classes, [own[row] for row in stay], [z[row] for row in stay], d)
    must(stay != [] or claim["weights"] == [[0] * len(z[0])] * len(classes), "weights of no rows must be 0")

    first: dict[Any, int] = {}
    same = [first.setdefault((own[row], *z[row]), row) for row in range(n)]
    costs = {row: sum((prices[i] for i in range(n) if same[i] == row), Fraction(0)) for row in first.values()}
    witnesses = []
    for witness in claim["witnesses"]:
        must(all(type(row) is int and 0 <= row < n for row, _, _ in witness), "a witness names no row")
        named = sorted({row for row, _, _ in witness})
        cancels = {"claim": "not complete", "witness": [[named.index(row), rival, m] for row, rival, m in witness]}
        prove(cancels, classes, [own[row] for row in named], [z[row] for row in named], d)
        witnesses.append({same[row] for row in named})
    prove_tree(claim["tree"], witnesses, costs, least)


if __name__ == "__main__":
    try:
        with open(sys.argv[1], encoding="utf-8") as file, open(sys.argv[2], newline="", encoding="utf-8-sig") as table:
            certificate, (names, *lines) = json.load(file), csv.reader(table)
        check(certificate, [[float(cell) for cell in line[:-1]] for line in lines], [line[-1] for line in lines])
        said = certificate["claims"][0]
        print(f"YES, of {len(lines)} rows {said['at_least']} must go, {said['at_most']} suffice, labels: {names[-1]!r}")
    except Exception as error:
        sys.exit(f"NO, not proved: {error} ({type(error).__name__})")
