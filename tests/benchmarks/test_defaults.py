"""The table of defaults: its arithmetic, its verdicts, its files.  No test here depends on how long anything takes."""

from math import sqrt

import numpy as np
import pytest
from benchmarks.data import Data
from benchmarks.defaults import records
from benchmarks.defaults.__main__ import chosen
from benchmarks.defaults.measure import SEEDS, Trial, folds, kinds_of_columns, measure
from benchmarks.defaults.pairs import PAIRS, PLAIN
from benchmarks.defaults.sets import SETS, Absent, DataSet
from benchmarks.defaults.tables import tables
from benchmarks.defaults.verdicts import Cell, corrected_error, lower, slow, summary, verdict
from scipy import sparse
from sklearn.datasets import load_iris


def trial(ours, peer, seconds=(0.1, 0.1), **others):
    """A trial with these accuracies, one a fold, and these seconds of every fit."""
    known = {"pair": "Adaline", "data": "fake", "columns": "raw", "seed": SEEDS[0], "shape": (100, 3, 2)} | others
    times = {"ours": [seconds[0]] * len(ours), "peer": [seconds[1]] * len(peer)}
    return Trial(**known, accuracy={"ours": ours, "peer": peer}, seconds=times)


def test_the_error_is_that_of_nadeau_and_bengio():
    differences = [0.1, 0.3, 0.2, 0.4]
    variance = (0.15**2 + 0.05**2 + 0.05**2 + 0.15**2) / 3
    assert corrected_error(differences, 1 / 9) == pytest.approx(sqrt((1 / 4 + 1 / 9) * variance))
    assert corrected_error([0.2] * 5, 1.0) == pytest.approx(0, abs=1e-9)
    assert corrected_error([0.2], 1.0) == float("inf")


@pytest.mark.parametrize(
    ("mean", "error", "expected"),
    [(-0.02, 0.001, True), (-0.02, 0.01, False), (-0.004, 0.0, False), (0.02, 0.001, False), (-0.0051, 0.0016, True)],
)
def test_lower_takes_half_a_point_and_three_errors(mean, error, expected):
    assert lower(mean, error) is expected


def test_nearly_lower_takes_a_share_of_both():
    assert not lower(-0.004, 0.001)
    assert lower(-0.004, 0.001, share=2 / 3)


@pytest.mark.parametrize(
    ("ours", "peer", "expected"),
    [(0.1, 0.1, False), (0.1, 0.079, True), (0.1, 0.081, False), (0.009, 0.001, False), (0.011, 0.009, True)],
)
def test_slow_is_a_ratio_for_long_fits_and_ten_milliseconds_for_short_ones(ours, peer, expected):
    assert slow(ours, peer) is expected


def test_a_second_trial_counts_with_the_first():
    low, high = trial([0.5, 0.5, 0.5], [0.6, 0.6, 0.6]), trial([0.7, 0.7, 0.7], [0.6, 0.6, 0.6], seed=SEEDS[1])
    assert verdict(Cell((low,))) == "lower"
    assert verdict(Cell((low, high))) == ""


def test_what_is_lost_to_a_penalty_only_says_so():
    lost, held = trial([0.5, 0.5], [0.6, 0.6]), trial([0.5, 0.5], [0.5, 0.5])
    assert verdict(Cell((lost,)), Cell((held,))) == "lower (penalty)"
    assert verdict(Cell((lost,)), Cell((lost,))) == "lower"


def test_a_peer_that_has_not_converged_is_not_counted():
    bad = trial([0.5, 0.5], [0.6, 0.6], seconds=(1, 0.1))
    bad.converged = False
    assert verdict(Cell((bad,))) == "peer not converged"
    assert summary([(Cell((bad,)), "peer not converged")]).counted == 0


def test_the_summary_has_arithmetic_means_of_points_and_geometric_ones_of_ratios():
    trials = trial([0.6, 0.6], [0.5, 0.5], (0.1, 0.4)), trial([0.5, 0.5], [0.6, 0.6], (0.4, 0.1))
    found = summary([(Cell((each,)), verdict(Cell((each,)))) for each in trials])
    assert found.difference == pytest.approx(0)
    assert found.ratio == pytest.approx(1)
    assert (found.counted, found.lower, found.slow, found.not_counted) == (2, 1, 1, 0)


def test_files_keep_trials_and_the_last_file_counts(tmp_path):
    old = [trial([0.5, 0.6], [0.4, 0.7]), trial([0.5, 0.5], [0.6, 0.6], seed=SEEDS[1])]
    new = [trial([0.7, 0.7], [0.6, 0.6])]
    for name, trials in (("old", old), ("new", new)):
        records.write(tmp_path / name, trials, "")
    assert records.read(tmp_path / "old") == old
    assert records.merged([tmp_path / "old", tmp_path / "new"]) == new
    assert "+10.00 ± 0.00 (2 folds)" in tables(new)


def test_folds_are_halves_scaled_by_what_is_learned_from(rng):
    data = Data(rng.normal(5, 3, (40, 2)), np.arange(40) % 2)
    for train, test in folds(data, "standardised", SEEDS[0], 0):
        assert len(train.y) == len(test.y) == 20
        np.testing.assert_allclose(train.X.mean(axis=0), 0, atol=1e-12)
    assert kinds_of_columns(sparse.csr_matrix(data.X)) == ("raw",)


def test_a_trial_has_every_fold_of_both_sides():
    found = measure(PAIRS[0], "iris", Data(*load_iris(return_X_y=True)), "raw", SEEDS[0], repetitions=1)
    for values in (found.accuracy, found.seconds, found.wall):
        assert {side: len(each) for side, each in values.items()} == {"ours": 2, "peer": 2}


def test_large_sets_are_cut_and_absent_ones_say_why(tmp_path):
    made = DataSet("made", lambda _: Data(np.zeros((1000, 2)), np.arange(1000) % 3), rows=100)
    assert len(made.read(None).y) == 100
    penguins = next(each for each in SETS if each.name == "penguins")
    with pytest.raises(Absent, match="--data"):
        penguins.read(None)
    with pytest.raises(Absent, match=r"penguins\.csv"):
        penguins.read(tmp_path)


def test_names_choose_pairs():
    assert [pair.name for pair in chosen(PAIRS, "Adaline")] == ["Adaline", "Adaline" + PLAIN]
    with pytest.raises(SystemExit):
        chosen(PAIRS, "Nobody")
