"""What float64 cannot hold is not proved of: every kind of input is looked at before it is rounded; gaps are found whatever
scikit-learn is told to assume."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff import (
    KernelSVM,
    LinearSVM,
    LogisticNeuron,
    Perceptron,
    SeparationError,
    distributed,
    separability,
    theory,
)
from novikoff.checks.rounding import first_rounded, rounded_text, rounded_whole
from novikoff.proof.check.cycles import read_cycle
from novikoff.proof.problem.read_rows import read_rows

ODD = 2**53 + 1  # the first whole number that float64 cannot hold
LONG = np.finfo(np.longdouble).nmant > 52
COLUMN = np.array([[ODD], [1]])
DATES = np.array(["2024-01-01T00:00:00.000001", "2024-01-01"], "M8[us]")

ROUNDED = {
    "a frame of whole numbers beside floats": pd.DataFrame({"id": [ODD, 1], "v": [0.5, 0.5]}),
    "lists of whole numbers beside floats": [[ODD, 0.5], [2**53, 0.5]],
    "tuples": ((ODD, 0.5), (1, 0.5)),
    "a list of arrays": [np.array([ODD]), np.array([0.5])],
    "more than 63 bits beside a negative number": [[2**63 + 1, -1], [2**63, -1]],
    "int64 beside uint64": pd.DataFrame({"a": np.array([2**63 + 1, 1], np.uint64), "b": np.array([-1, 1])}),
    "int64": COLUMN,
    "the smallest of int64 but one": np.array([[1 - 2**63], [0]]),
    "uint64": COLUMN.astype(np.uint64),
    "polars": pl.DataFrame({"a": [ODD, 1], "b": [0.5, 0.5]}),
    "polars, 128 bits": pl.DataFrame({"a": [2**100 + 1, 1]}, schema={"a": pl.Int128}),
    "an Arrow table": pa.table({"a": [ODD, 1], "b": [0.5, 0.5]}),
    "an Arrow batch": pa.record_batch({"a": [ODD, 1], "b": [0.5, 0.5]}),
    "nullable whole numbers": pd.DataFrame({"a": pd.Series([ODD, 1], dtype="Int64"), "b": [0.5, 0.5]}),
    "columns that Arrow holds": pd.DataFrame({"a": pd.Series([ODD, 1], dtype="int64[pyarrow]"), "b": [0.5, 0.5]}),
    "decimals that Arrow holds": pd.DataFrame({"a": pd.Series([Decimal("0.1")] * 2, dtype=pd.ArrowDtype(pa.decimal128(3, 1)))}),
    "dates": np.array([["2024-01-01T00:00:00.000000001"], ["2024-01-01"]], "M8[ns]"),
    "dates of two units": pd.DataFrame({"a": DATES, "b": DATES[::-1].astype("M8[ns]")}),
    "polars, dates of two units": pl.DataFrame({"a": DATES, "b": DATES[::-1].astype("M8[ns]")}),
    "no date": np.array([["NaT"], ["2024-01-01"]], "M8[ns]"),
    "times": COLUMN.astype("m8[ns]"),
    "texts": [[str(ODD)], ["1"]],
    "an array of texts": np.array([[f"{ODD}.0"], ["1"]]),
    "bytes": np.array([[str(ODD)], ["1"]], "S"),
    "a frame of texts": pd.DataFrame({"a": [str(ODD), "1"]}),
    "texts with an exponent": [["9.007199254740993e15"], ["1"]],
    "objects": np.array([[ODD], [0.5]], dtype=object),
    "fractions": [[Fraction(1, 3)], [1]],
    "decimals": [[Decimal("0.1")], [1]],
    "larger than any float": [[10**400], [1]],
    "more digits than Python writes": [[10**5000], [1]],
    "COO": sparse.coo_array(COLUMN),
    "CSR": sparse.csr_array(COLUMN),
    "CSC": sparse.csc_array(COLUMN),
    "LIL": sparse.lil_array(COLUMN),
    "DOK": sparse.dok_array(COLUMN),
    "DIA": sparse.dia_array(COLUMN),
    "BSR": sparse.bsr_array(COLUMN),
    "entries that add up": sparse.coo_array(([2**53, 1], ([0, 0], [0, 0])), shape=(2, 1)),
    "floats that add up": sparse.csr_array(([2.0**53, 1.0, 1.0], [0, 0, 0], [0, 2, 3]), shape=(2, 1)),
}  # fmt: skip
if LONG:
    ROUNDED["long doubles"] = np.array([[1], [3]], np.longdouble) / 3
    ROUNDED["long doubles beside floats"] = pd.DataFrame({"a": np.array([1, 3], np.longdouble) / 3, "b": [0.5, 0.5]})

EXACTLY = {
    "large powers of two": np.array([[2**60], [-(2**63)]]),
    "and of 64 bits": np.array([[2**63], [2**64 - 2**11]], np.uint64),
    "beside floats": [[2**60, 0.5], [2**61, 0.25]],
    "truth values": np.array([[True], [False]]),
    "float32": np.array([[0.1], [0.2]], np.float32),
    "dates of days": np.array([["2024-01-01"], ["2025-01-01"]], "M8[ns]"),
    "decimal texts": [["0.1"], ["1e23"]],
    "CSR": sparse.csr_array(np.array([[2**60], [1]])),
    "entries that add up": sparse.coo_array(([2**53, 2], ([0, 0], [0, 0])), shape=(2, 1)),
    "a frame": pd.DataFrame({"a": [1, 2], "b": [True, False], "c": [0.1, 0.2]}),
    "polars": pl.DataFrame({"a": [1, 2], "b": [0.1, 0.2]}),
    "halves": [[Fraction(1, 2)], [Decimal("0.25")]],
}


@pytest.mark.parametrize("X", ROUNDED.values(), ids=ROUNDED)
def test_nothing_is_proved_of_what_would_be_rounded(X):
    proof = separability([[0.0], [1.0]], [0, 1])
    for claim in (
        lambda: separability(X, [0, 1]),
        lambda: proof.verify(X, [0, 1]),
        lambda: theory.radius(X),
        lambda: theory.can_shatter(X),
        lambda: theory.dichotomies(X),
        lambda: theory.margin(X, [0, 1], [1.0]),
        lambda: theory.novikoff_bound(X, [0, 1]),
        lambda: distributed.separability([(X, [0, 1])]),
    ):
        with pytest.raises(ValueError, match=r"in row 0, column 0.* which float64 cannot hold exactly: .*subtract"):
            claim()


@pytest.mark.parametrize("X", EXACTLY.values(), ids=EXACTLY)
def test_what_float64_holds_is_proved_of(X):
    proof = separability(X, [0, 1])
    assert proof.kind == "complete"
    assert proof.verify(X, [0, 1])


def test_the_column_is_named():
    X = pd.DataFrame({"v": [0.5, 0.5, 0.5], "id": [1, 2, ODD]})
    with pytest.raises(ValueError, match=rf"{ODD} in row 2, column 1 \('id'\)"):
        separability(X, [0, 1, 1])


def test_labels_are_not_merged():
    """A float among them makes floats of all."""
    with pytest.raises(ValueError, match=f"label {ODD} in row 1"):
        separability([[1.0], [2.0], [3.0]], [2**53, ODD, 0.0])
    assert separability([[1.0], [2.0]], [2**53, ODD]).classes.tolist() == [2**53, ODD]


def test_weights_are_not_rounded():
    with pytest.raises(ValueError, match=f"coef has {ODD}"):
        theory.margin([[1.0], [2.0]], [0, 1], [[ODD]])
    with pytest.raises(ValueError, match="intercept has 1/3"):
        theory.margin([[1.0], [2.0]], [0, 1], [1.0], Fraction(1, 3))


whole = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.builds(lambda m, s: m << s, st.integers(1 - 2**53, 2**53 - 1), st.integers(0, 10)),
)


@given(st.lists(whole, min_size=2, max_size=6), st.sampled_from(["pandas", "polars", "arrow", "lists", "objects"]))
@settings(max_examples=200)
def test_whole_numbers_beside_floats_are_rounded_or_not(numbers, kind):
    floats = [0.1] * len(numbers)
    make = {
        "pandas": lambda: pd.DataFrame({"a": floats, "b": np.array(numbers, np.int64)}),
        "polars": lambda: pl.DataFrame({"a": floats, "b": numbers}, schema={"a": pl.Float64, "b": pl.Int64}),
        "arrow": lambda: pa.table({"a": floats, "b": pa.array(numbers, pa.int64())}),
        "lists": lambda: [list(row) for row in zip(floats, numbers, strict=True)],
        "objects": lambda: np.array([floats, numbers], dtype=object).T,
    }[kind]
    wrong = [int(float(number)) != number for number in numbers]
    found = first_rounded(make())
    assert (found is not None) == any(wrong)
    if found is not None:
        assert (found.row, found.column, found.value) == (wrong.index(True), 1, numbers[wrong.index(True)])


@given(st.lists(st.integers(0, 2**64 - 1) | st.sampled_from([0, 2**53, ODD, 2**63, 2**64 - 1, 2**64 - 2**11])))
def test_unsigned_whole_numbers_are_rounded_or_not(numbers):
    wrong = [int(float(number)) != number for number in numbers]
    assert rounded_whole(np.array(numbers, np.uint64)).tolist() == wrong


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 30))
def test_what_programs_write_of_a_float_stands_for_it(value, digits):
    assert not rounded_text(repr(value), value)
    assert not rounded_text(f"{value:.{digits}f}", value)
    text = f"{value:.{digits}e}"
    if np.isfinite(float(text)):
        assert not rounded_text(text, float(text))


@given(st.integers(-(10**40), 10**40), st.integers(0, 3))
def test_whole_numbers_that_are_written_out_stand_for_themselves(number, zeros):
    text = f"{number}.{'0' * zeros}" if zeros else str(number)
    assert rounded_text(text, float(text)) == (int(float(number)) != number)


KINDS = {
    "int64": (whole, np.int64),
    "uint64": (st.integers(0, 2**64 - 1) | st.integers(0, 9), np.uint64),
    "int16": (st.integers(-(2**15), 2**15 - 1), np.int16),
    "float64": (st.floats(-1e300, 1e300), np.float64),
    "float32": (st.floats(-(2.0**99), 2.0**99, width=32), np.float32),
    "bool": (st.booleans(), bool),
    "object": (st.one_of(whole, st.fractions(max_denominator=8), st.floats(-9, 9).map(Decimal)), object),
}


@given(st.data(), st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4), st.integers(1, 4))
@settings(max_examples=300)
def test_what_is_taken_is_what_was_given(data, kinds, rows):
    """Whatever columns stand side by side, in whatever container: a number that a proof sees is the number handed in."""
    columns = [data.draw(st.lists(KINDS[kind][0], min_size=rows, max_size=rows)) for kind in kinds]
    arrays = [np.array(column, KINDS[kind][1]) for column, kind in zip(columns, kinds, strict=True)]
    held = all(Fraction(float(value)) == Fraction(value) for column in columns for value in column)
    containers = [pd.DataFrame(dict(enumerate(arrays))), np.array(columns, dtype=object).T]
    if "object" not in kinds:
        containers.append(pl.DataFrame({str(j): array for j, array in enumerate(arrays)}))
        containers.append([list(row) for row in zip(*columns, strict=True)])
    for X in containers:
        assert (first_rounded(X) is None) == held
        if held:
            given = read_rows(X)
            assert [list(map(Fraction, row)) for row in given.T.tolist()] == [list(map(Fraction, c)) for c in columns]


# Fits go on, and prove nothing


def test_a_logistic_neuron_does_not_say_whether_rounded_rows_are_separated():
    X, y = [[ODD, 0.0], [ODD, 5.0]], [0, 1]
    for choice in ("warn", "raise"):
        with pytest.warns(ConvergenceWarning, match=f"{ODD} in row 0, column 0, .* is not said"):
            neuron = LogisticNeuron(on_separation=choice, batch_size="all").fit(X, y)
        assert neuron.coef_.shape == (1, 2)
    with pytest.raises(SeparationError):
        LogisticNeuron(on_separation="raise").fit([[2**53, 0.0], [2**53, 5.0]], y)


def test_a_cycle_of_rounded_rows_proves_nothing():
    y = [0, 1]
    with pytest.warns(ConvergenceWarning, match=f"{ODD} in row 1, .* proves nothing") as said:
        clf = Perceptron(order="cyclic").fit([[2**53, 0.5], [ODD, 0.5]], y)
    assert clf.stop_reason_ == "cycle"
    assert not clf.cycle_.proves_inseparable
    assert not any("not linearly separable" in str(warning.message) for warning in said)
    with pytest.warns(ConvergenceWarning):
        assert Perceptron(order="cyclic").fit([[2**53, 0.5], [2**53, 0.5]], y).cycle_.proves_inseparable
    assert "_rounded" not in vars(clf)


@pytest.mark.parametrize("machine", [LinearSVM(), LinearSVM(C=np.inf), KernelSVM(kernel="linear")])
def test_a_machine_says_that_it_is_of_rounded_numbers(machine):
    with pytest.warns(ConvergenceWarning, match=f"{ODD} in row 0, column 0, .* for rounded numbers"):
        machine.fit([[ODD, 0.0], [ODD, 5.0]], [0, 1])


def test_a_hard_margin_that_rounding_took_is_not_called_proved():
    with pytest.raises(ValueError, match=f"proves nothing about X: it has {ODD} in row 1") as caught:
        LinearSVM(C=np.inf).fit([[2**53, 0.5], [ODD, 0.5]], [0, 1])
    assert "no weights separate" not in str(caught.value)


# Gaps


GAPS = {
    "NaN": np.array([[0.0, np.nan], [1.0, 2.0]]),
    "infinity": np.array([[0.0, np.inf], [1.0, 2.0]]),
    "float32": np.array([[0.0, np.nan], [1.0, 2.0]], np.float32),
    "CSR": sparse.csr_array([[0.0, np.nan], [1.0, 2.0]]),
    "a frame": pd.DataFrame({"a": [0.0, 1.0], "b": [np.nan, 2.0]}),
    "a nullable frame": pd.DataFrame({"a": [0.0, 1.0], "b": pd.Series([None, 2], dtype="Int64")}),
    "masked": np.ma.array([[0.0, 7.0], [1.0, 2.0]], mask=[[0, 1], [0, 0]]),
}


@pytest.mark.parametrize("finite", [True, False])
@pytest.mark.parametrize("X", GAPS.values(), ids=GAPS)
def test_nothing_is_proved_of_gaps_whatever_is_assumed(X, finite):
    y, proof = [0, 1], separability([[0.0, 0.0], [1.0, 1.0]], [0, 1])
    with sklearn.config_context(assume_finite=finite):
        for claim in (
            lambda: separability(X, y),
            lambda: proof.verify(X, y),
            lambda: theory.radius(X),
            lambda: theory.can_shatter(X),
            lambda: theory.dichotomies(X),
            lambda: theory.margin(X, y, [1.0, 1.0]),
            lambda: theory.novikoff_bound(X, y),
            lambda: distributed.separability([(X, y)]),
        ):
            with pytest.raises(ValueError, match="row 0, column 1") as caught:
                claim()
            assert "Reader" not in str(caught.value)


@pytest.mark.parametrize("name", ["NaN", "infinity", "CSR", "a frame"])
def test_learners_prove_nothing_of_gaps_whatever_is_assumed(name):
    X, y = GAPS[name], [0, 1]
    with sklearn.config_context(assume_finite=True):
        for learner in (
            LinearSVM(),
            LinearSVM(C=np.inf),
            KernelSVM(),
            LogisticNeuron(on_separation="raise"),
            LogisticNeuron(on_separation="warn", batch_size="all"),
        ):
            with pytest.raises((ValueError, OverflowError)):
                learner.fit(X, y)


def test_a_label_that_is_missing_is_no_class():
    with sklearn.config_context(assume_finite=True), pytest.raises(ValueError, match="label nan in row 2"):
        separability([[1.0], [2.0], [3.0]], [0, 1, np.nan])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_cycle_with_gaps_proves_nothing(bad):
    tally, target = np.array([[1.0], [-1.0]]), np.array([1, 0])
    assert read_cycle(tally, np.array([[2.0], [2.0]]), target, "binary", True).proves_inseparable
    assert not read_cycle(tally, np.array([[bad], [bad]]), target, "binary", True).proves_inseparable
