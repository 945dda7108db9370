"""Check a certificate of novikoff with nothing but Python: python plain.py certificate.json rows.csv.

rows.csv has a line of names, then a line for each row: its numbers, and last its label.  All numbers become fractions: nothing is rounded.
z is a row's numbers, then a 1 if there is an intercept.  Every class has weights and the score weights times z; a row leads a rival
class by the score of its own class less the rival's.  So a lead is all weights times one vector: z for the own class, -z for the rival.
A witness is rows, a rival of each, and numbers m > 0.  If m times its vectors sum to 0, so do m times its leads, whatever the weights.
"""

import csv
import json
import sys
from fractions import Fraction
from typing import Any

CLAIMS = ("complete", "not complete", "quasi-complete", "overlap", "margin at most", "mistakes at most")


def must(true: bool, why: str) -> None:
    if not true:
        raise ValueError(why)


def number(given: Any) -> Fraction:  # a number as JSON has it, or a text: "2/3", in hexadecimal "0x2/0x3"
    must(type(given) in (int, float, str), "something else stands in the place of a number")
    return Fraction(*(int(part, 0) for part in given.split("/"))) if isinstance(given, str) else Fraction(given)


def rank(vectors: list[list[Fraction]]) -> int:  # how many are independent (Gauss): here, up to (n - 1) width
    found = 0
    while vectors := [v for v in vectors if any(v)]:
        found, first = found + 1, vectors[0]
        j = next(j for j, value in enumerate(first) if value)
        vectors = [[a - v[j] / first[j] * b for a, b in zip(v, first, strict=True)] if v[j] else v for v in vectors]
    return found


def prove(claim: dict[str, Any], classes: list[str], own: list[int], z: list[list[Fraction]], d: int) -> None:
    name, n, width = claim.pop("claim"), len(classes), len(z[0])
    must(name in CLAIMS, f"it claims {name!r}, which is none of {CLAIMS}")
    pairs = [(i, k) for i in range(len(z)) for k in range(n) if k != own[i]]
    vectors = {(i, k): [((c == own[i]) - (c == k)) * v for c in range(n) for v in z[i]] for i, k in pairs}
    m, leads, two = {}, dict.fromkeys(pairs, Fraction(0)), 1 + (n == 2)
    if name in ("complete", "quasi-complete", "mistakes at most"):
        lines = claim.pop("weights")
        must([type(v) is list and len(v) for v in lines] == [width] * n, f"{name}: it needs {n} times {width} weights")
        w = [number(value) for line in lines for value in line]
        leads = {pair: Fraction(sum(a * b for a, b in zip(w, vectors[pair], strict=True) if b)) for pair in pairs}
        least, (i, k) = min((lead, pair) for pair, lead in leads.items())
        may_be_0 = name == "quasi-complete" and max(leads.values()) > 0
        must(least > 0 or (may_be_0 and least == 0), f"{name}: row {i} does not lead class {classes[k]!r}")
        squares = [sum(v * v for v in w[j::width]) - sum(w[j::width]) ** 2 / n for j in range(width)]  # less their mean
    if name in ("not complete", "quasi-complete", "overlap", "margin at most"):
        for row, rival, given in claim.pop("witness"):
            pair = row, classes.index(rival)
            must(type(row) is int and pair in vectors and pair not in m, f"{name}: row {row} and {rival!r} are no pair")
            m[pair] = number(given)
        must(len(m) > 0 and min(m.values()) > 0, f"{name}: the witness has no rows, or a number that is not above 0")
        sums = [sum(m[pair] * vectors[pair][j] for pair in m) for j in range(n * width)]
        must(name == "margin at most" or not any(sums), f"{name}: the witness does not sum to 0")
    if name in ("overlap", "quasi-complete"):  # if none is < 0, leads are 0 on the witness, and on all that it spans
        zero = [pair for pair in pairs if leads[pair] == 0]
        spans = (r := rank([vectors[p] for p in m])) == (n - 1) * width or r == rank([vectors[p] for p in [*m, *zero]])
        stay = sorted({i for i, _ in zero}) if spans else None
        must(spans if name == "overlap" else claim.pop("boundary") in (None, stay), f"{name}: its rows are not spanned")
    if name == "complete":  # margin: the least lead over the length of the weights, of two classes of their difference
        margin = number(claim.pop("margin"))
        must(margin >= 0 and margin**2 * two * sum(squares[:d]) <= least**2, f"{name}: row {i} has a smaller margin")
    if name == "margin at most":  # no margin is longer than a mean of vectors in which the ones of z cancel
        margin, mean = number(claim.pop("margin")), sum(m.values()) == 1 and not any(sums[d :: d + 1] * (width > d))
        must(mean and margin >= 0 and sum(v * v for v in sums) <= margin**2 * two, f"{name}: there may be larger ones")
    if name == "mistakes at most":  # Novikoff's (R / g)^2, where z ends in c instead of 1
        c2, bound = number(claim.pop("constant_squared")), claim.pop("mistakes")
        longest = max(sum(v * v for v in row[:d]) for row in z) + c2 * (width > d)
        steps = 2 * longest * (sum(squares[:d]) + sum(squares[d:]) / c2) / least**2
        must(type(bound) is int and c2 > 0 and steps < bound + 1, f"{name}: there may be more")
    must(not claim, f"{name}: it has {[*claim]}, which is not checked")  # what was checked has been taken out


def check(given: dict[str, Any], rows: list[list[float]], labels: list[str]) -> None:
    """Raise an error that says why, unless every claim is proved of these rows."""
    claims, classes, form, intercept, n = map(given.__getitem__, ("claims", "classes", "format", "intercept", "rows"))
    kinds = type(intercept) is bool and type(classes) is type(claims) is list and len({*map(len, rows)}) == 1
    must(kinds and form == "novikoff certificate 1" and len(given) == 5, "it has another format, or rows differ")
    must(0 < len(claims) == len({claim["claim"] for claim in claims}), "it claims nothing, or something twice")
    must(n in (None, len(rows)), f"it is about {n} rows, and there are {len(rows)}")
    must(sorted(classes) == sorted({*labels}) and len(classes) > 1, f"its classes are {classes}, the labels are others")
    z = [[Fraction(value) for value in row] + [Fraction(1)] * intercept for row in rows]
    for claim in claims:
        prove({**claim}, classes, [classes.index(label) for label in labels], z, len(rows[0]))


if __name__ == "__main__":
    try:
        with open(sys.argv[1], encoding="utf-8") as file, open(sys.argv[2], newline="", encoding="utf-8-sig") as table:
            certificate, (names, *lines) = json.load(file), csv.reader(table)
        check(certificate, [[float(cell) for cell in line[:-1]] for line in lines], [line[-1] for line in lines])
        print(f"YES, {[claim['claim'] for claim in certificate['claims']]} of {len(lines)} rows, labels: {names[-1]!r}")
    except Exception as error:
        sys.exit(f"NO, not proved: {error} ({type(error).__name__})")
