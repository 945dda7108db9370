"""Dask: the same bits as on this machine, on one worker or two, and when a worker is killed in the middle.

One test has all that needs processes of its own: they take some seconds to start.
"""

import os
import signal

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from sklearn.base import clone

from novikoff import AdalineRegressor, KernelPerceptron, KernelSVM, LogisticNeuron, Perceptron
from novikoff.distributed import fit
from novikoff.distributed.rounds import Rounds

ROWS, PARTITIONS = 1000, 10
A_PARTITION = ROWS // PARTITIONS
NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(ROWS, 4))
    return X, np.where(X @ rng.normal(size=4) + rng.normal(size=ROWS) > 0, "yes", "no")


def in_partitions(X, y):
    return [(X[first : first + A_PARTITION], y[first : first + A_PARTITION]) for first in range(0, ROWS, A_PARTITION)]


def as_arrays(X, y):
    return da.from_array(X, chunks=(A_PARTITION, 3)), da.from_array(y, chunks=A_PARTITION)


def as_frame(X, y):
    frame = dd.from_pandas(pd.DataFrame(X, columns=NAMES).assign(y=y), npartitions=PARTITIONS)
    return frame[NAMES], frame["y"]


def same(one, other):
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert one.stop_reason_ == other.stop_reason_
    assert one.history_["mistakes"].tolist() == other.history_["mistakes"].tolist()
    assert one.n_errors_ == other.n_errors_


def kill_in_round_2(monkeypatch, client):
    """Kill a worker once, just before the second round."""
    [victim, *_] = client.run(os.getpid).values()
    left = [victim]
    make_pass = Rounds.make_pass

    def killing(self, machine, number, clock, watch):
        if number == 1 and left:
            os.kill(left.pop(), signal.SIGKILL)
        return make_pass(self, machine, number, clock, watch)

    monkeypatch.setattr(Rounds, "make_pass", killing)
    return left


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "default", "ignore:The partitions are sorted"
)  # Dask may say what it likes of workers that die
def test_workers_and_failures_change_no_bit(rows, monkeypatch):
    X, y = rows
    learner = Perceptron(max_iter=3, min_progress=None, random_state=1)
    local = fit(clone(learner), in_partitions(X, y))
    by_class = np.argsort(y, kind="stable")
    reshuffled = fit(clone(learner), in_partitions(X[by_class], y[by_class]))
    batch = fit(LogisticNeuron(batch_size="all", solver="steps", max_iter=2), in_partitions(X, y))
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(n_workers=1, **options) as cluster, Client(cluster) as client:
        same(fit(clone(learner), *as_arrays(X, y), client=client), local)
        cluster.scale(2)
        client.wait_for_workers(2, timeout=60)
        same(clone(learner).fit(*as_arrays(X, y)), local)
        same(fit(clone(learner), *as_arrays(X[by_class], y[by_class])), reshuffled)
        same(fit(LogisticNeuron(batch_size="all", solver="steps", max_iter=2), *as_arrays(X, y)), batch)
        left = kill_in_round_2(monkeypatch, client)
        same(fit(clone(learner), *as_arrays(X, y)), local)
        assert not left
        assert local.score(*as_arrays(X, y)) == local.score(X, y)


@pytest.mark.parametrize("collection", [as_arrays, as_frame])
def test_without_a_cluster_partitions_are_read_in_every_pass(rows, collection):
    same(Perceptron(random_state=1).fit(*collection(*rows)), fit(Perceptron(random_state=1), in_partitions(*rows)))


def test_arrays_of_unknown_sizes(rows):
    X, y = as_arrays(*rows)
    some = X[:, 0] > 0
    learner = Perceptron(random_state=1).fit(X[some], y[some])
    here = [(X[X[:, 0] > 0], y[X[:, 0] > 0]) for X, y in in_partitions(*rows)]
    same(learner, fit(Perceptron(random_state=1), here))
    assert learner.predict(X[some]).compute().tolist() == learner.predict(rows[0][rows[0][:, 0] > 0]).tolist()
    same(Perceptron(random_state=1).fit(X[some], y[some].compute()), learner)  # rows are counted first
    with pytest.raises(ValueError, match=f"X has {int(some.sum().compute())} rows, and y has {ROWS}"):
        learner.fit(X[some], rows[1])


def test_delayed_blocks(rows):
    local = fit(Perceptron(random_state=1), in_partitions(*rows))
    whole = [dask.delayed(block) for block in in_partitions(*rows)]
    same(fit(Perceptron(random_state=1), whole), local)
    frames = [dask.delayed((pd.DataFrame(X, columns=NAMES), y)) for X, y in in_partitions(*rows)]
    named = fit(Perceptron(random_state=1), frames)
    same(named, local)
    assert named.feature_names_in_.tolist() == NAMES
    X, y = zip(*in_partitions(*rows), strict=True)
    same(fit(Perceptron(random_state=1), [dask.delayed(part) for part in X], list(y)), local)


def test_rows_that_change_between_two_passes_are_refused(rng):
    """Without a cluster they are read in every fold."""
    X, reads = rng.normal(size=(20, 3)), []

    def read():
        reads.append(1)
        return X + (len(reads) > 3), np.arange(20) % 2

    block = X, np.arange(20) % 2
    with pytest.raises(ValueError, match=r"Partition 1 has changed.*frame.persist\(\)"):
        fit(Perceptron(), [dask.delayed(block), dask.delayed(read, pure=False)()])


def test_targets_may_be_in_memory_or_cut_elsewhere(rows):
    X, y = rows
    local = fit(Perceptron(random_state=1), in_partitions(X, y))
    chunked = da.from_array(X, chunks=(A_PARTITION, 4))
    same(Perceptron(random_state=1).fit(chunked, y), local)
    same(Perceptron(random_state=1).fit(chunked, da.from_array(y, chunks=333)), local)
    with pytest.raises(ValueError, match="X has 1000 rows, and y has 999"):
        Perceptron().fit(chunked, y[1:])
    with pytest.raises(ValueError, match="X has 1000 rows, and y has 999"):
        Perceptron().fit(chunked, da.from_array(y[1:], chunks=333))
    frame, labels = as_frame(X, y)
    with pytest.raises(ValueError, match="take both from one data frame"):
        Perceptron().fit(frame, labels.repartition(npartitions=3))
    with pytest.raises(ValueError, match="y is missing"):
        fit(Perceptron(), chunked)


def test_weights(rows):
    X, y = as_arrays(*rows)
    weight = np.arange(ROWS) % 3.0
    blocks = [(*block, part) for block, part in zip(in_partitions(*rows), weight.reshape(PARTITIONS, -1), strict=True)]
    local = fit(Perceptron(random_state=1), blocks)
    same(Perceptron(random_state=1).fit(X, y, da.from_array(weight, chunks=A_PARTITION)), local)
    same(Perceptron(random_state=1).fit(X, y, sample_weight=weight), local)
    assert local.score(X, y, weight) == pytest.approx(local.score(*rows, weight))


def test_frames_keep_the_names_of_their_columns(rows):
    X, y = as_frame(*rows)
    learner = Perceptron(random_state=1).fit(X, y)
    assert learner.feature_names_in_.tolist() == NAMES
    assert learner.score(X, y) == learner.score(pd.DataFrame(rows[0], columns=NAMES), rows[1])
    np.testing.assert_array_equal(learner.predict(X).compute(), learner.predict(X.compute()))
    with pytest.raises(ValueError, match="feature names"):
        learner.score(X[NAMES[::-1]], y)
    with pytest.raises(ValueError, match="feature names"):
        learner.predict(X[NAMES[::-1]]).compute()


def test_answers_are_lazy_and_those_for_rows_in_memory(rows):
    X, y = as_arrays(*rows)
    learner = LogisticNeuron(random_state=1).fit(X, y)
    for method in ("predict", "decision_function", "predict_proba", "signed_distance"):
        answers = getattr(learner, method)(X)
        assert isinstance(answers, da.Array)
        here = getattr(learner, method)(rows[0])
        assert answers.shape == here.shape
        if method == "predict":
            assert answers.compute().tolist() == here.tolist()
        else:
            np.testing.assert_allclose(answers.compute(), here)
    numbers = rows[0] @ [1.0, 2.0, 3.0, 4.0]
    line = AdalineRegressor(random_state=1).fit(X, numbers)
    assert line.score(X, numbers) == pytest.approx(line.score(rows[0], numbers))


def test_no_rows_are_fetched_without_a_word(rows):
    X, y = as_arrays(*rows)
    with pytest.raises(ValueError, match="KernelPerceptron cannot learn from partitions"):
        KernelPerceptron().fit(X, y)
    with pytest.raises(ValueError, match="KernelSVM cannot learn from partitions"):
        KernelSVM().fit(X, y)
    with pytest.raises(TypeError, match="needs rows in memory"):
        Perceptron().partial_fit(X, y, classes=["no", "yes"])


def columns_of(frame):
    return frame[NAMES], frame["y"]


@pytest.fixture
def written(rows, tmp_path):
    """A folder of Parquet files, whose columns Dask would read in different partitions: a file is small, and y is one column of many."""
    X, y = rows
    frame = pd.DataFrame(X, columns=NAMES).assign(y=y, **{f"z{k}": 0.0 for k in range(20)})
    (tmp_path / "parquet").mkdir()
    for first in range(0, ROWS, 50):
        frame[first : first + 50].to_parquet(tmp_path / "parquet" / f"{first:04}.parquet", index=False)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path


FROM_ONE_SOURCE = {
    "parquet": lambda folder: dd.read_parquet(folder / "parquet"),
    "csv": lambda folder: dd.read_csv(folder / "rows.csv", blocksize=20_000),
    "filtered": lambda folder: (lambda frame: frame[frame["z1"] == 0])(dd.read_parquet(folder / "parquet")),
    "repartitioned": lambda folder: dd.read_parquet(folder / "parquet").repartition(npartitions=3),
    "persisted": lambda folder: dd.read_parquet(folder / "parquet").persist(),
    "in memory": lambda folder: dd.from_pandas(pd.read_csv(folder / "rows.csv"), npartitions=7),
    "joined": lambda folder: dd.concat([dd.read_parquet(folder / "parquet"), dd.read_csv(folder / "rows.csv")]),
}


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, about Dask
@pytest.mark.parametrize("source", FROM_ONE_SOURCE)
def test_columns_of_one_data_frame_stay_beside_each_other(rows, written, source):
    X, y = columns_of(FROM_ONE_SOURCE[source](written))
    learner = Perceptron(random_state=1).fit(X, y)
    assert learner.score(X, y) == learner.score(pd.DataFrame(rows[0], columns=NAMES), rows[1])
    weighted = Perceptron(random_state=1).fit(X, y, sample_weight=X[NAMES[0]] * 0 + 2)
    assert weighted.n_features_in_ == len(NAMES)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # likewise
def test_what_cannot_be_aligned_is_refused_with_a_remedy_that_works(rows, written):
    X, y = columns_of(dd.read_parquet(written / "parquet"))
    with pytest.raises(ValueError, match=r"y has 3, or others: take both from one data frame"):
        Perceptron().fit(X, y.repartition(npartitions=3))
    learner = fit(Perceptron(random_state=1), X, rows[1], count_errors=True)  # y in memory: the rows of X are counted
    assert learner.n_errors_ == round((1 - learner.score(X, y)) * ROWS)


@pytest.mark.filterwarnings("ignore")  # Dask's, on text in arrays
def test_blocks_of_unknown_sizes_are_brought_together(rows, written):
    """Dask reads the arrays of some columns in other blocks: their rows are counted."""
    frame = dd.read_parquet(written / "parquet")
    X, y = columns_of(frame)
    one, other = Perceptron(random_state=1).fit(X.values, y.values), Perceptron(random_state=1).fit(X, y)
    assert one.score(*rows) > 0.7
    assert abs(one.score(*rows) - other.score(X, y)) < 0.05
    truth = Perceptron(random_state=1).fit(X.values, (y == "yes").values)  # Dask makes objects of these
    assert truth.classes_.dtype == bool
    apart = [(X[:10], y[:9]) for X, y in in_partitions(*rows)]
    with pytest.raises(ValueError, match=r"Partition 0: X has 10 rows, and y has 9. Take both from one data frame"):
        fit(Perceptron(), apart)


@pytest.mark.filterwarnings("ignore")  # likewise
def test_rows_that_a_shuffle_orders_differently_each_time_can_be_kept(rows, written):
    frame = dd.read_parquet(written / "parquet").shuffle("a").persist()
    X, y = columns_of(frame)
    assert Perceptron(random_state=1).fit(X, y).score(X, y) > 0.7
