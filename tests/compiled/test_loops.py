"""Loops of kernels that add up floats write nothing.

Before a loop that writes, machine code looks how far apart its arrays lie in memory, and goes through a short one in vector
units or not, which adds up in another order.  The same fit would have other last bits.
"""

import ast
from pathlib import Path

import novikoff

COMPILED = {"kernel", "helper", "exact", "in_place", "part", "of", "otherwise"}
COUNTS = {
    "depth",
    "rivals",
    "moves",
    "mistakes",
    "steps",
    "used",
    "left",
    "changed",
    "now",
    "place",
    "strange",
    "hard",
    "i",
    "rows",
}
ALLOWED = {
    "sweep": "each turn is a batch of rows, with loops of its own",
    "score_batch": "each turn is a row, with loops of its own",
}


def is_compiled(function):
    marks = [ast.unparse(mark).split("(")[0].split(".")[-1] for mark in function.decorator_list]
    return not COMPILED.isdisjoint(marks)


def parts(loop, kind):
    return [part for line in loop.body for part in ast.walk(line) if isinstance(part, kind)]


def adds_and_writes(loop):
    sums = [s for s in parts(loop, ast.AugAssign) if isinstance(s.target, ast.Name) and s.target.id not in COUNTS]
    written = [s for s in parts(loop, ast.Subscript) if isinstance(s.ctx, ast.Store)]
    return bool(sums and written)


def found_in(text):
    functions = [f for f in ast.walk(ast.parse(text)) if isinstance(f, ast.FunctionDef) and is_compiled(f)]
    for function in functions:
        loops = [loop for loop in ast.walk(function) if isinstance(loop, ast.For | ast.While)]
        if any(adds_and_writes(loop) for loop in loops if not parts(loop, ast.For | ast.While)):
            yield function.name


def test_the_search_finds_what_it_looks_for():
    text = "@kernel\ndef both(x, y):\n    total = 0.0\n    for i in range(x.size):\n        y[i] = x[i]\n        total += y[i]\n"
    assert list(found_in(text)) == ["both"]


def test_loops_that_add_up_write_nothing():
    texts = [path.read_text(encoding="utf-8") for path in Path(novikoff.__file__).parent.rglob("*.py")]
    assert {name for text in texts for name in found_in(text)} == set(ALLOWED)
