"""A truth table as a network of perceptrons, and the functions that one of them can do (L0 11.66)."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

from ..demonstration import Ask, Demonstration, Parameters, Preset
from ..scenes import Data

MOST_INPUTS = 4
MOST_MAPPED = 3  # inputs of which every function is looked at
NAMES = (  # of the functions of two inputs, by the number that their table is
    "never",
    "AND",
    "x\u2081, not x\u2082",
    "x\u2081",
    "x\u2082, not x\u2081",
    "x\u2082",
    "XOR",
    "OR",
    "NOR",
    "equal",
    "not x\u2082",
    "x\u2081 or not x\u2082",
    "not x\u2081",
    "x\u2082 or not x\u2081",
    "NAND",
    "always",
)


def network(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """The network of the table, and what every unit of it says of every input."""
    import numpy as np

    from ...theory.boolean_networks import boolean_network  # when asked: it takes long to import

    table = _table(data)
    values = [value for _, value, _ in table]
    found = boolean_network(values)
    inputs = np.array([bits for bits, _, _ in table])
    hidden, last = (found.layers[0], found.layers[1]) if found.output else (None, found.layers[0])
    signals = inputs if hidden is None else (inputs @ hidden[0].T + hidden[1] > 0).astype(int)
    scores = np.zeros((len(table), 0), int) if hidden is None else inputs @ hidden[0].T + hidden[1]
    totals = signals @ last[0][0] + last[1][0]
    names = data.names
    middle = [f"h{_below(k + 1)}" for k in range(found.n_units - 1)]
    return {
        "names": names,
        "number": int("".join(map(str, values)), 2),
        "units": found.n_units,
        "output": found.output,
        "title": "One unit is enough" if not found.output else f"{found.n_units} units in two levels",
        "said": _said(found.output, found.n_units - 1),
        "hidden": [] if hidden is None else [_unit(w, b, names) for w, b in zip(*hidden, strict=True)],
        "last": _unit(last[0][0], last[1][0], names if hidden is None else middle),
        "middle": middle,
        "rows": [
            {
                "place": place,
                "bits": bits,
                "value": value,
                "scores": scores[k].tolist(),
                "fires": [] if hidden is None else signals[k].tolist(),
                "total": int(totals[k]),
            }
            for k, (bits, value, place) in enumerate(table)
        ],
    }


def functions(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """Which of all functions of so many inputs one unit can do."""
    from ...theory.shattering import dichotomies  # as in network

    inputs = len(_table(data)[0][0])
    one, every = dichotomies(list(product((0, 1), repeat=inputs))).count, 2**2**inputs
    units = _units(inputs) if inputs <= MOST_MAPPED else ()
    return {
        "inputs": inputs,
        "all": every,
        "one": one,
        "share": one / every,
        "units": list(units),
        "names": list(NAMES) if inputs == 2 else [],
        "counts": [{"units": each, "functions": units.count(each)} for each in sorted(set(units))],
    }


@lru_cache
def _units(inputs: int) -> tuple[int, ...]:
    """The number of units of every function of so many inputs, by the number that its table is."""
    from ...theory.boolean_networks import boolean_network  # as in network

    length = 2**inputs
    half = [
        boolean_network([number >> (length - 1 - k) & 1 for k in range(length)]).n_units
        for number in range(2 ** (length - 1))
    ]
    return (*half, *reversed(half))  # a function and its opposite need as many: OR and AND change places, planes stay


def _table(data: Data) -> list[tuple[list[int], int, int]]:
    """Inputs, value and row number, in counting order."""
    wanted = list(product((0, 1), repeat=len(data.names)))
    if len(data.names) > MOST_INPUTS or len(data.classes) != 2 or sorted(map(tuple, data.X)) != wanted:
        raise ValueError(f"A truth table has each combination of zeros and ones once, and up to {MOST_INPUTS} inputs.")
    return [
        ([int(bit) for bit in data.X[place]], data.y[place], place)
        for place in sorted(range(len(data.X)), key=lambda row: data.X[row])
    ]


def _unit(weights: Any, bias: Any, names: list[str]) -> dict[str, Any]:
    """A unit with its formula."""
    text = ""
    for number, name in [*zip(weights.tolist(), names, strict=True), (int(bias), "")]:
        if number:
            size = "" if abs(number) == 1 and name else str(abs(number))
            sign = "\u2212" if number < 0 else "+"
            text += (f" {sign} " if text else sign.removeprefix("+")) + size + name
    return {"weights": weights.tolist(), "bias": int(bias), "text": f"{text} > 0"}


def _below(number: int) -> str:
    return "".join(chr(0x2080 + int(digit)) for digit in str(number))


def _said(output: str, hidden: int) -> str:
    if not output:
        return "A line, or a plane, has the ones on one side and the zeros on the other."
    if output == "OR":
        return (
            f"No line separates ones from zeros. Each of {hidden} hidden units finds some of the ones, and the last unit is "
            "their OR."
        )
    if output == "AND":
        return (
            f"No line separates ones from zeros. Each of {hidden} hidden units rules out some of the zeros, and the last unit is their "
            "AND."
        )
    return (
        f"No line separates ones from zeros. {hidden} hidden units have parallel planes, where the function changes. The last unit fires "
        f"if {output} of them fire."
    )


def python(data: Data, parameters: Parameters) -> str:
    """The code of this view."""
    return (
        "from novikoff import theory\n\n"
        "table = [value for _, value in sorted(zip(X, y))]  # in counting order\n"
        "network = theory.boolean_network(table)\n"
        "print(network, network.n_units)\n"
        f"print(theory.dichotomies(X).count, 'of', {2**2 ** len(data.names)}, 'functions need one unit only')\n"
    )


def _preset(name: str, title: str, table: str) -> Preset:
    """A preset of a function, given by its values in counting order."""
    count = len(table).bit_length() - 1
    X = [[float(bit) for bit in bits] for bits in product((0, 1), repeat=count)]
    names = [f"x{_below(k + 1)}" for k in range(count)]
    return Preset(name, title, Data(X, [int(value) for value in table], names, ["0", "1"]))


BOOLEAN_UNITS = Demonstration(
    name="boolean",
    title="Boolean functions as networks",
    lectures="L0 11.63, 11.66",
    text=(
        "A unit gives 1 if w\u00b7x + b > 0, else 0. One unit can do a function exactly if a line, or a plane, separates the inputs where "
        "it is 1 from those where it is 0.",
        "L0: every Boolean function can be represented by some network of perceptrons only two levels deep. Hidden units find faces of the "
        "cube of inputs that hold only ones, and their OR is the function; or the same with zeros and AND; or they are parallel planes between "
        "which the function keeps its value, if that takes fewer. Hidden units and the last one are counted. Up to three inputs no network with "
        "one hidden layer has fewer; of four inputs fewer may be enough.",
    ),
    task="Find a function of two inputs that one unit cannot do, by turning values in the table. How many are there? Then find a function of three inputs "
    "that needs four units.",
    presets=(
        _preset("xor", "XOR", "0110"),
        _preset("and", "AND", "0001"),
        _preset("or", "OR", "0111"),
        _preset("implies", "If x\u2081 then x\u2082", "1101"),
        _preset("majority", "Majority of three", "00010111"),
        _preset("either", "If x\u2081 then x\u2082, else x\u2083", "01010011"),
        _preset("parity", "Parity of three", "01101001"),
        _preset("two-of-four", "Two of four", "0001011001101000"),
        _preset("parity-four", "Parity of four", "0110100110010110"),
    ),
    asks={"network": Ask(network, follows=True), "functions": Ask(functions)},
    python=python,
)
