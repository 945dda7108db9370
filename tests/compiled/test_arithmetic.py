"""Sums, exponentials and logarithms have the same bits compiled and not, and on every processor."""

import json
import math
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import novikoff
from novikoff.compiled import arithmetic
from novikoff.compiled.jit import JIT_OFF
from novikoff.learn import rules

compiled_only = pytest.mark.skipif(JIT_OFF, reason="nothing is compiled")


def defined_sum(products, lane_bytes):
    """The definition at the head of ``arithmetic``, one number at a time."""
    lanes = lane_bytes // products.itemsize
    zero = products.dtype.type(0)
    sums, left = [zero] * lanes, list(products)
    while len(left) >= lanes:
        sums, left = [s + p for s, p in zip(sums, left, strict=False)], left[lanes:]
    while lanes > 1:
        lanes //= 2
        sums = [a + b for a, b in zip(sums[:lanes], sums[lanes:], strict=True)]
        if len(left) >= lanes:
            sums, left = [s + p for s, p in zip(sums, left, strict=False)], left[lanes:]
    return sums[0]


def lines(rng, shape, dtype):
    return (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(dtype)


@pytest.mark.plain_python
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_are_those_of_the_definition(rng, dtype):
    for width in [*range(1, 70), 127, 128, 200]:
        x, w = lines(rng, (2, width), dtype), lines(rng, (3, width), dtype)
        scores = np.empty(3, dtype)
        arithmetic.dots(x, 1, w, scores)
        assert scores.tolist() == [defined_sum(x[1] * line, arithmetic.SEVERAL_BYTES) for line in w]
        assert arithmetic.dot(x, 1, w, 2) == defined_sum(x[1] * w[2], arithmetic.ONE_BYTES)
        wide = x[0].astype(np.float64)
        assert arithmetic.square_of_row(x, 0) == defined_sum(wide * wide, arithmetic.ONE_BYTES)


@pytest.mark.plain_python
def test_exp_and_log_are_those_of_the_library_up_to_rounding(rng):
    powers = [0.0, -1e-300, -math.log(2) / 2, -math.log(2), -708.0, *(-(10.0 ** rng.uniform(-9, 2.8, 3000)))]
    for x in powers[:-1]:
        if x > -707:
            assert rules.exp(x) == pytest.approx(math.exp(x), rel=3e-16, abs=0)
    assert rules.exp(-800.0) == rules.exp(-math.inf) == 0
    for x in [1.0, 2.0, 3.0, *(1 + 10.0 ** rng.uniform(-9, 6, 3000))]:
        assert rules.log(x) == pytest.approx(math.log(x), rel=1e-15, abs=0)


@compiled_only
def test_machine_code_has_the_same_bits(rng):
    import numba

    from novikoff.compiled import machine_code  # has the bodies  # noqa: F401

    exp, log = (rules.exp.compiled, rules.log.compiled)
    one = numba.njit(lambda x, i, w, k: arithmetic.dot(x, i, w, k))
    square = numba.njit(lambda x, i: arithmetic.square_of_row(x, i))
    several = numba.njit(lambda x, i, w, scores: arithmetic.dots(x, i, w, scores))
    apart = numba.njit(lambda x: exp(x)), numba.njit(lambda x: log(x))
    for x_type, w_type in [(np.float64, np.float64), (np.float32, np.float32), (np.float32, np.float64)]:
        for width in [*range(70), 127, 128, 200, 784]:
            x, w = lines(rng, (2, width), x_type), lines(rng, (7, width), w_type)
            found, wanted = np.empty((2, 7), w_type)
            several(x, 1, w, found)
            arithmetic.dots(x, 1, w, wanted)
            assert found.tobytes() == wanted.tobytes()
            assert one(x, 1, w, 3) == arithmetic.dot(x, 1, w, 3)
            assert square(x, 0) == arithmetic.square_of_row(x, 0)
    for x in 10.0 ** rng.uniform(-9, 3.2, 2000):
        assert apart[0](-x) == rules.exp(-x)
        assert apart[1](1 + x) == rules.log(1 + x)


# Fits

LEARNERS = {
    "Perceptron": {},
    "HingeSGD": {},
    "PassiveAggressiveClassifier": {},
    "LogisticNeuron": {"solver": "steps"},
    "Adaline": {"solver": "steps", "eta": 0.01},
    "ALMAClassifier": {},
    "AdaGradClassifier": {},
    "AROWClassifier": {},
    "SecondOrderPerceptron": {},
}
SAMPLE = int(os.environ.get("NOVIKOFF_ATTACKS", "6"))  # choices that are compiled: each takes some seconds


def choices():
    """Every learner with every form, keep and batch that it has, for rows of every kind."""
    forms = [(2, None), *((4, form) for form in ("ovr", "worst", "uniform", "all", "softmax"))]
    for name, (classes, form), keep, batch, dtype, rows in product(
        LEARNERS, forms, ("last", "average", "vote", "pocket"), (1, 7), ("float64", "float32"), ("dense", "sparse")
    ):
        more = LEARNERS[name] | {"keep": keep, "batch_size": batch} | ({"multiclass": form} if form else {})
        if set(more) <= set(getattr(novikoff, name)().get_params()):
            yield name, more, classes, dtype, rows


FITS = """
import json, sys, warnings
import numpy as np
from scipy import sparse
import novikoff
from novikoff.compiled import jit

warnings.simplefilter("ignore")
jit.compiles_at_once.append(True)
found = []
for name, more, classes, dtype, rows in json.load(sys.stdin):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 37)).astype(dtype)
    if rows == "sparse":
        X[rng.random(X.shape) < 0.6] = 0
    y = (X @ rng.standard_normal((37, classes)) + rng.standard_normal((40, classes))).argmax(axis=1)
    X = sparse.csr_array(X) if rows == "sparse" else X
    try:
        learner = getattr(novikoff, name)(max_iter=3, random_state=0, **more).fit(X, y)
        found.append(learner.coef_.tobytes().hex() + learner.intercept_.tobytes().hex())
    except ValueError:  # choices that do not go together
        found.append(None)
print(json.dumps(found))
"""


def fits(chosen, **environment):
    """The bits of the weights, by a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(Path(novikoff.__file__).parents[1]), **environment}
    done = subprocess.run(
        [sys.executable, "-c", FITS], env=env, capture_output=True, text=True, check=True, input=json.dumps(chosen)
    )
    return json.loads(done.stdout)


@pytest.mark.slow
@compiled_only
def test_fits_have_the_same_bits_compiled_or_not_and_on_every_processor(rng, tmp_path):
    every = list(choices())
    drawn = [every[place] for place in rng.choice(len(every), min(len(every), 4 * SAMPLE), replace=False)]
    plain = fits(drawn, NUMBA_DISABLE_JIT="1")
    drawn, expected = zip(
        *[(choice, bits) for choice, bits in zip(drawn, plain, strict=True) if bits][:SAMPLE], strict=True
    )
    assert fits(drawn) == list(expected)
    for processor in ("x86-64", "haswell", "skylake-avx512") if os.uname().machine == "x86_64" else ("generic",):
        environment = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(tmp_path)}
        assert fits(drawn[:2], **environment) == list(expected[:2])
