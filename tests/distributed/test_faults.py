"""A cluster in trouble: the same bits, or a clear error and a checkpoint; never a hang."""

import os
import signal
from contextlib import contextmanager
from functools import partial

import dask
import numpy as np
import pytest
from benchmarks.cluster_mines import Mines, lay
from distributed import Client, LocalCluster

from novikoff import Perceptron
from novikoff.distributed import fit
from novikoff.distributed.rounds import Rounds
from novikoff.distributed.waiting import nobody_works, work_of

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # Dask may say what it likes of workers that die

LEARNER = partial(Perceptron, max_iter=5, min_progress=None, random_state=1)
SETTINGS = {
    "distributed.deploy.lost-worker-timeout": "1h",  # the local cluster is to start workers anew as often as they die
    "distributed.scheduler.allowed-failures": 1,
    "distributed.comm.timeouts.connect": "10s",
}


@pytest.fixture
def blocks(rng):
    X = rng.normal(size=(600, 4))
    y = np.where(X @ rng.normal(size=4) + rng.normal(size=600) > 0, "yes", "no")
    return [(X[first : first + 75], y[first : first + 75]) for first in range(0, 600, 75)]


@contextmanager
def cluster(workers=2):
    with (
        dask.config.set(SETTINGS),
        LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0") as made,
        Client(made) as client,
    ):
        yield made, client


def before_round(monkeypatch, number, action):
    """Have something done once, between two rounds."""
    make_pass, left = Rounds.make_pass, [action]

    def acting(self, machine, now, clock, watch):
        if now == number and left:
            left.pop()()
        return make_pass(self, machine, now, clock, watch)

    monkeypatch.setattr(Rounds, "make_pass", acting)


def read(block):
    return block


def kill_this_worker(block):
    os.kill(os.getpid(), signal.SIGKILL)


def read_otherwise_later(block, path):
    """A partition whose second reading has other rows."""
    X, y = block
    if path.exists():
        return X + 1, y
    path.touch()
    return X, y


def delayed(blocks):
    return [dask.delayed(read, pure=False)(block) for block in blocks]


def test_killed_in_the_middle_changed_meanwhile_and_killed_too_often(blocks, tmp_path):
    local = fit(LEARNER(), blocks)
    with cluster() as (_, client):
        client.register_plugin(Mines(tmp_path))
        lay(tmp_path, 2, 5)
        np.testing.assert_array_equal(fit(LEARNER(), delayed(blocks)).coef_, local.coef_)
        assert not list(tmp_path.iterdir())

        changing = dask.delayed(read_otherwise_later, pure=False)(blocks[6], tmp_path / "read")
        lay(tmp_path, 2, 6)
        with pytest.raises(ValueError, match="Partition 6 has changed"):
            fit(LEARNER(), [*delayed(blocks[:6]), changing, *delayed(blocks[7:])])

        deadly = dask.delayed(kill_this_worker, pure=False)(blocks[0])
        with pytest.raises(RuntimeError, match=r"was given up after 2 workers were lost.*tcp://.*memory_limit"):
            fit(LEARNER(), [deadly, *delayed(blocks[1:])])


def test_a_cluster_that_goes_away_leaves_a_checkpoint(blocks, tmp_path, monkeypatch):
    path = tmp_path / "rounds.checkpoint"
    local = fit(LEARNER(), blocks)
    with cluster(1) as (made, _), dask.config.set({"distributed.scheduler.no-workers-timeout": "1s"}):
        with monkeypatch.context() as patched:
            before_round(patched, 2, lambda: made.scale(0))
            with pytest.raises(RuntimeError, match=r"For . seconds the cluster has had no workers") as caught:
                fit(LEARNER(), delayed(blocks), checkpoint=path)
        assert caught.value.__notes__ == [f"What was learned is in {path}: the same call goes on from there."]

    with cluster(1) as (made, _), monkeypatch.context() as patched:
        before_round(patched, 3, lambda: made.sync(made.scheduler.close))
        with pytest.raises(RuntimeError, match="connection to the scheduler was lost") as caught:
            fit(LEARNER(), delayed(blocks), checkpoint=path)
        assert caught.value.__notes__

    resumed = fit(LEARNER(), blocks, checkpoint=path)
    assert resumed.n_iter_ == local.n_iter_
    np.testing.assert_array_equal(resumed.coef_, local.coef_)


def test_workers_that_are_all_paused_do_not_work():
    assert not nobody_works({"tcp://1": {"status": "paused"}, "tcp://2": {"status": "running"}})
    assert "all 1 workers of the cluster have been paused" in nobody_works({"tcp://1": {"status": "paused"}})


def test_work_has_the_name_of_its_partition():
    assert work_of(("mix_one-12ab", 3)) == "Partition 3 (mix_one)"
    assert work_of("read-parquet-12ab") == "The task 'read-parquet-12ab'"
    assert work_of(("merge0-12ab", 1)) == "The task ('merge0-12ab', 1)"
