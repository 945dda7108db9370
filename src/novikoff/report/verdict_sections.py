"""What is said of each verdict, everywhere: in the title of a section, in one line, and as a sentence."""

from __future__ import annotations

from typing import Any, NamedTuple

from .sections import Limits, Section, Table, remarks, shortened
from .words import at_most, clean, count, number, seconds, share, some


class VerdictWords(NamedTuple):
    """One verdict in words."""

    title: str
    line: str
    sentence: str


VERDICTS: dict[str | None, VerdictWords] = {
    "complete": VerdictWords(
        "Separable",
        "separable",
        "The classes are linearly separable (proved): some weights classify every row correctly.",
    ),
    "quasi-complete": VerdictWords(
        "Not separable (quasi-complete)",
        "not separable, the separation is quasi-complete",
        "The classes are not linearly separable (proved): no weights classify every row correctly. Some weights have no row on the "
        "wrong side, but leave rows on the boundary.",
    ),
    "overlap": VerdictWords(
        "Not separable (overlap)",
        "not separable, the classes overlap",
        "The classes overlap (proved): no weights classify every row correctly.",
    ),
    None: VerdictWords(
        "Undecided",
        "undecided",
        "It is undecided whether the classes are linearly separable: neither weights that classify every row correctly were found, "
        "nor a proof that there are none.",
    ),
}
KIND_UNDECIDED = VerdictWords(
    "Not separable (kind undecided)",
    "not separable, the kind undecided",
    "The classes are not linearly separable (proved): no weights classify every row correctly. Whether some have no row on the "
    "wrong side is not known.",
)


def words_for(kind: str | None, separable: bool | None) -> VerdictWords:
    """What to say of a verdict."""
    return KIND_UNDECIDED if kind is None and separable is False else VERDICTS.get(kind, VERDICTS[None])


LIMITS_OF_COEFFICIENTS = {"+inf": "to +infinity", "-inf": "to -infinity", "either": "to either infinity"}


def check_sections(result: dict[str, Any], limits: Limits) -> list[Section]:
    """All sections of a check; of a verdict alone, the first of them."""
    lines = [clean(line) for line in (result.get("text") or "").splitlines()]
    lines.append(f"{some(result.get('rows') or 0, 'row')}, {some(result.get('features') or 0, 'feature')}.")
    lines += _margin(result)
    title = words_for(result.get("kind"), result.get("separable")).title
    commands = [result["next"]] if result.get("next") else []
    found = [Section(title, lines, commands=commands), *remarks(result)]
    found += _witness(result, limits)
    if "suspects" in result:
        found += _suspects(result["suspects"], result.get("n_suspects"), result.get("must_go"), limits)
    found += [*_reasons(result, limits), *_coefficients(result, limits)]
    return found


def _margin(result: dict[str, Any]) -> list[str]:
    lines = []
    if result.get("margin") is not None:
        lines.append(f"The closest row is {number(result['margin'])} from the boundary that proves it.")
    if result.get("margin_bounds"):
        lines.append(_largest_margin(*result["margin_bounds"]))
    if result.get("mistake_bound") is not None:
        bound = at_most(result["mistake_bound"])
        lines.append(f"A perceptron that learns row by row makes at most {bound} mistakes (Novikoff).")
    if result.get("seconds") is not None:
        rounds = f" in {some(result['rounds'], 'round')}" if result.get("rounds") else ""
        lines.append(f"Decided{rounds} after {seconds(result['seconds'])}.")
    return lines


def _largest_margin(low: float, high: float) -> str:
    if number(low, 6) == number(high, 6):
        return f"The largest possible margin is {number(low, 6)}, proved to within {high - low:.1g}."
    return f"The largest possible margin is between {number(low, 6)} and {number(high, 6)}."


def _witness(result: dict[str, Any], limits: Limits) -> list[Section]:
    rows = result.get("witness") or []
    if not rows:
        return []
    names = list(dict.fromkeys(name for row in rows for name in row.get("values") or {}))
    left_out = len(names) - limits.values
    names = names[: limits.values]
    rivals = any(row.get("rival") is not None for row in rows)  # of more than two classes
    exact = all("exact" in row for row in rows)
    cells = [
        [
            clean(row["place"]),
            clean(row["label"]),
            *([clean(row["rival"] or "")] if rivals else []),
            *([row["exact"]] if exact else []),
            share(row["share"]),
            *(_value(row, name) for name in names),
        ]
        for row in rows
    ]
    heads = ["row", "class", *["rival"] * rivals, *["weight"] * exact, "share", *map(clean, names)]
    table = Table(heads, cells, "pl" + "l" * rivals + "r" * (exact + 1 + len(names)))
    more, table = shortened(table, limits.rows, "row", total=result.get("n_witness"))
    line = "These rows prove it: with these shares as weights, both classes have the same mean."
    if result.get("witness_is"):
        line = result["witness_is"]
    elif rivals:
        line = "These rows prove it: added to their own class and subtracted from a rival with these shares, they sum to zero in every class."
    if left_out > 0:
        more = [*more, f"{some(left_out, 'more column')} {'is' if left_out == 1 else 'are'} not shown."]
    return [Section("The proof", [line], [table], more)]


def _value(row: dict[str, Any], name: str) -> str:
    value = (row.get("values") or {}).get(name)
    if value is None or value != value:
        return "(missing)"
    return number(value) if isinstance(value, int | float) else clean(value)


def _suspects(rows: list[dict[str, Any]], total: int | None, must_go: str | None, limits: Limits) -> list[Section]:
    if total is None:
        return [Section("Rows most in the way", ["The time limit ended before any were found."])]
    if not rows:
        return []
    without = f"Without {'this row' if total == 1 else f'these {count(total)} rows'} the rest is separable:"
    line = without if must_go is None else f"{must_go[0].upper()}{clean(must_go[1:])}. {without}"
    cells = [(clean(row["place"]), clean(row["label"])) for row in rows]
    more, table = shortened(Table(["row", "class"], cells, "pl"), limits.rows, "row", total=total)
    return [Section("Rows most in the way", [line], [table], more)]


def _reasons(result: dict[str, Any], limits: Limits) -> list[Section]:
    """What single variables separate."""
    reasons = [clean(f"{reason[0].upper()}{reason[1:]}.") for reason in result.get("reasons") or []]
    left = len(reasons) - limits.rows
    more = [f"{some(left, 'more reason')} {'is' if left == 1 else 'are'} not shown."] * (left > 0)
    return [Section("What separates rows", reasons[: limits.rows], footnotes=more)] if reasons else []


def _coefficients(result: dict[str, Any], limits: Limits) -> list[Section]:
    """The coefficients without a finite estimate, and how many are undecided."""
    title = "What it means for a logistic regression"
    if result.get("kind") == "complete" and result.get("finite_coefficients") == 0:
        return [Section(title, ["No coefficient has a finite estimate: the classes are completely separated."])]
    undecided = result.get("undecided_coefficients") or 0
    aliased = [clean(each["feature"]) for each in result.get("directions") or [] if each.get("direction") == "aliased"]
    held = _held_at_zero(list(dict.fromkeys(aliased)), limits)
    left = [f"{some(undecided, 'coefficient')} {'is' if undecided == 1 else 'are'} undecided: {_why(result)}."]
    endless = [each for each in result.get("directions") or [] if each.get("direction") in LIMITS_OF_COEFFICIENTS]
    if not endless:
        return [Section(title, left)] if undecided else []
    left = left * (undecided > 0) + held
    of_classes = any(each.get("class") is not None for each in endless)  # more than two
    cells = [
        (
            clean(each["feature"]),
            *([clean(each.get("class") or "")] if of_classes else []),
            LIMITS_OF_COEFFICIENTS[each["direction"]],
        )
        for each in endless
    ]
    heads = ["coefficient of", *["class"] * of_classes, "goes"]
    more, table = shortened(Table(heads, cells, "l" * len(heads)), limits.rows, "coefficient")
    lines = ["These coefficients have no finite estimate:"]
    return [Section(title, lines, [table], [*more, *left])]


def _held_at_zero(names: list[str], limits: Limits) -> list[str]:
    """Which columns are aliased."""
    if len(names) < 2:
        said = [f"The coefficient of {name} is held at zero: its column" for name in names]
        return [f"{text} is determined by the intercept and other columns." for text in said]
    listed = ", ".join(names[: limits.rows]) + ", ..." * (len(names) > limits.rows)
    text = f"The coefficients of {count(len(names))} columns are held at zero, as the intercept and other columns determine them"
    return [f"{text}: {listed}."]


def _why(result: dict[str, Any]) -> str:
    return (
        "the time limit ended" if result.get("directions") else "sparse rows have too many features to solve for them"
    )
