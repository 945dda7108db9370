"""A cluster in trouble: the same bits, or a clear error and a checkpoint; never a hang."""

import logging
import os
import signal
import threading
import time
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

import dask
import numpy as np
import pytest
from benchmarks.cluster_mines import Mines, lay
from distributed import Client, LocalCluster

from novikoff import Perceptron
from novikoff.distributed import fit
from novikoff.distributed.rounds import Rounds
from novikoff.rows import dask_engine as waiting
from novikoff.rows.dask_engine import ClusterLost, trouble_of, work_of

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
def cluster(workers=2, settings=()):
    with (
        dask.config.set({**SETTINGS, **dict(settings)}),
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
            with pytest.raises(RuntimeError, match=r"Given up after . seconds: the cluster has no workers") as caught:
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


SHORT_OF_MEMORY = {  # workers pause as soon as they look at their memory
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": 1e-6,
    "distributed.worker.memory.terminate": False,
}


def allow_memory(share, dask_worker):
    dask_worker.memory_manager.memory_pause_fraction = share


def until_paused(client):
    while {worker["status"] for worker in client.scheduler_info()["workers"].values()} != {"paused"}:
        time.sleep(0.05)


def test_paused_workers_are_waited_for_and_said_and_given_up(blocks, caplog, monkeypatch):
    local = fit(LEARNER(), blocks)
    monkeypatch.setattr(waiting, "SAY_AFTER", 1.0)
    with cluster(2, SHORT_OF_MEMORY) as (_, client):
        until_paused(client)
        warn = waiting.log.warning

        def warn_and_go_on(*told):
            warn(*told)
            client.run(allow_memory, 1e6)

        with monkeypatch.context() as patched:
            patched.setattr(waiting.log, "warning", warn_and_go_on)
            np.testing.assert_array_equal(fit(LEARNER(), delayed(blocks)).coef_, local.coef_)
        (told,) = [each.getMessage() for each in caplog.records if each.name == waiting.__name__]
        assert told.startswith("Waiting for the cluster: all 2 workers of the cluster are paused")
        assert told.endswith("it is given up after 300 seconds.")

        client.run(allow_memory, 1e-6)
        until_paused(client)
        with (
            dask.config.set({"distributed.scheduler.no-workers-timeout": "2s"}),
            pytest.raises(
                ClusterLost,
                match=r"Given up after . seconds: all 2 workers.* are paused.*memory_limit.*, and try again",
            ),
        ):
            fit(LEARNER(), delayed(blocks))


def test_a_scheduler_that_gives_up_first_says_the_same(blocks, monkeypatch):
    monkeypatch.setattr(waiting, "FIRST_LOOK", 100.0)
    with cluster(1, {**SHORT_OF_MEMORY, "distributed.scheduler.no-workers-timeout": "2s"}) as (_, client):
        until_paused(client)
        with pytest.raises(ClusterLost, match="Given up after 2 seconds: all 1 workers of the cluster are paused"):
            fit(LEARNER(), delayed(blocks))


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot stop a process")
def test_a_worker_that_hangs_is_named_and_waited_for(blocks, caplog, monkeypatch):
    local = fit(LEARNER(), blocks)
    monkeypatch.setattr(waiting, "SILENT_AFTER", 3.0)
    warn = waiting.log.warning
    with cluster() as (_, client):
        hung, pid = next(iter(client.run(os.getpid).items()))
        os.kill(pid, signal.SIGSTOP)

        def warn_and_go_on(*told):
            warn(*told)
            os.kill(pid, signal.SIGCONT)

        monkeypatch.setattr(waiting.log, "warning", warn_and_go_on)
        np.testing.assert_array_equal(fit(LEARNER(), delayed(blocks)).coef_, local.coef_)
    told = [each.getMessage() for each in caplog.records if each.name == waiting.__name__]
    assert any(f"Worker {hung} has not reported for" in each for each in told)


def test_what_workers_that_do_not_work_are_doing():
    def of(*states):
        return trouble_of({f"tcp://{k}": {"status": state} for k, state in enumerate(states)})

    assert of("paused", "running") is None
    assert of("closing", "init") is None
    assert "has no workers" in of().why
    assert "all 1 workers of the cluster are paused" in of("paused").why
    assert of("closing_gracefully", "paused", "closing_gracefully").why.endswith("(2 closing gracefully, 1 paused)")


def test_a_worker_is_named_once_each_time_that_it_falls_silent(monkeypatch, caplog):
    now = [0.0]
    monkeypatch.setattr(waiting, "monotonic", lambda: now[0])
    news = waiting.News()
    for seconds, seen in [(0, 1), (29, 1), (31, 1), (60, 1), (61, 2), (90, 2), (92, 2)]:
        now[0] = seconds
        news.hear({"tcp://a": {"last_seen": seen}, "tcp://b": {"last_seen": seconds}})
    told = [each.getMessage() for each in caplog.records]
    assert all(each.startswith("Worker tcp://a has not reported for 31 seconds:") for each in told)
    assert len(told) == 2
    with dask.config.set({"distributed.scheduler.worker-ttl": None}):
        now[0] = 200.0
        news.hear({"tcp://b": {"last_seen": 92}})
    assert "Dask is set never to drop it" in caplog.records[-1].getMessage()
    assert {each.levelno for each in caplog.records} == {logging.WARNING}


def test_a_scheduler_that_does_not_answer(monkeypatch):
    gate = threading.Event()
    monkeypatch.setattr(waiting, "SCHEDULER_SECONDS", 0.01)
    found = waiting.look(SimpleNamespace(scheduler_info=lambda **more: gate.wait()), waiting.News())
    gate.set()
    assert found.why == "the scheduler does not answer"


def test_work_has_the_name_of_its_partition():
    assert work_of(("mix_one-12ab", 3)) == "Partition 3 (mix_one)"
    assert work_of("read-parquet-12ab") == "The task 'read-parquet-12ab'"
    assert work_of(("merge0-12ab", 1)) == "The task ('merge0-12ab', 1)"
