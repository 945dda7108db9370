"""``python -m benchmarks.cluster_faults``: a cluster in trouble, and whether the bits are those of a quiet one.

Workers killed in the middle of a round, a scheduler killed and a fit resumed on another, workers without enough memory, a host that
is cut off (in a network namespace, where the system permits that: as root, with ``ip``).  It takes some minutes.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple

import dask
import numpy as np
from dask import delayed
from distributed import Client

from novikoff import Perceptron
from novikoff.distributed import fit
from novikoff.distributed.rounds import Rounds
from novikoff.rows.dask_engine import ClusterLost

from .cluster_mines import Mines, lay
from .cluster_run import cluster, planted_block

PARTITIONS, ROWS, COLUMNS, ROUNDS, KILLS = 8, 2_000, 20, 16, 12
TIME_OUT = 12  # seconds after which Dask gives up a silent wire, here; it takes no fewer than 11
NAMESPACE, HERE, THERE = "novikoff-faults", "10.83.19.1", "10.83.19.2"

LEARNER = partial(Perceptron, min_progress=None, random_state=1)


class Fault(NamedTuple):
    """What happened."""

    name: str
    same: bool  # as on a machine where nothing happened
    said: str


def blocks(partitions: int = PARTITIONS, rows: int = ROWS) -> list[Any]:
    return [delayed(planted_block, pure=False)(number, rows, COLUMNS) for number in range(partitions)]


def quiet_weights(rounds: int = ROUNDS, partitions: int = PARTITIONS, rows: int = ROWS) -> np.ndarray:
    return fit(LEARNER(max_iter=rounds), made(partitions, rows)).coef_


def made(partitions: int = PARTITIONS, rows: int = ROWS) -> list[Any]:
    return [planted_block(number, rows, COLUMNS) for number in range(partitions)]


def times_of_rounds(learner: Any) -> np.ndarray:
    return np.diff(learner.history_["seconds"], prepend=0.0)


def killed_workers() -> Fault:
    """A worker is killed in the middle of a round, again and again."""
    with tempfile.TemporaryDirectory() as folder, cluster() as client:
        client.register_plugin(Mines(Path(folder)))
        for number in range(2, 2 + KILLS):
            lay(Path(folder), number, 3 * number % PARTITIONS)
        learner = fit(LEARNER(max_iter=ROUNDS), blocks(), client=client)
        left = len(list(Path(folder).iterdir()))
    same = np.array_equal(learner.coef_, quiet_weights()) and not left
    slow = times_of_rounds(learner)
    said = f"rounds with a death {np.median(slow[2 : 2 + KILLS]):.1f} s (longest {slow.max():.1f} s), others {np.median(slow[-2:]):.2f} s"
    return Fault(f"{KILLS - left} workers killed in the middle of rounds", same, said)


@contextmanager
def process(*command: str, prefix: tuple[str, ...] = ()) -> Iterator[subprocess.Popen[bytes]]:
    """A command of Dask, which is killed at the end."""
    silent: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = subprocess.Popen([*prefix, sys.executable, "-m", *command], start_new_session=True, **silent)
    try:
        yield running
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


@contextmanager
def separate_cluster(port: int) -> Iterator[tuple[Client, subprocess.Popen[bytes]]]:
    """Scheduler and two workers as processes of their own; the scheduler's is handed out."""
    address = f"tcp://127.0.0.1:{port}"
    worker = "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny"
    with ExitStack() as stack:
        scheduler = stack.enter_context(
            process("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        )
        for _ in range(2):
            stack.enter_context(process(*worker))
        client = stack.enter_context(Client(address, timeout=60))
        client.wait_for_workers(2, timeout=120)
        yield client, scheduler


def killed_scheduler() -> Fault:
    """The scheduler is killed between two rounds; the fit goes on with another from its checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rounds.checkpoint"
        with separate_cluster(18786) as (client, scheduler), before_round(5, scheduler.kill):
            began, error = monotonic(), None
            try:
                fit(LEARNER(max_iter=ROUNDS), blocks(), client=client, checkpoint=path)
            except ClusterLost as lost:
                error, seconds = lost, monotonic() - began
        with separate_cluster(18787) as (client, _):
            learner = fit(LEARNER(max_iter=ROUNDS), blocks(), client=client, checkpoint=path)
    same = error is not None and np.array_equal(learner.coef_, quiet_weights())
    return Fault("scheduler killed, resumed on another", same, f'"{str(error)[:46]}..." after {seconds:.1f} s')


@contextmanager
def before_round(number: int, action: Callable[[], object]) -> Iterator[None]:
    """Within it something is done once, before a round."""
    make_pass, left = Rounds.make_pass, [action]

    def acting(self: Rounds, machine: Any, now: int, clock: Any, watch: Any) -> str:
        if now == number and left:
            left.pop()()
        return make_pass(self, machine, now, clock, watch)

    Rounds.make_pass = acting  # type: ignore[method-assign]
    try:
        yield
    finally:
        Rounds.make_pass = make_pass  # type: ignore[method-assign]


def too_little_memory() -> Fault:
    """Rows that do not fit into the workers' memory, so that Dask puts some of them on disk."""
    partitions, rows, rounds = 24, 250_000, 3  # 40 MB a partition
    with cluster(memory_limit="800MiB") as client:
        spilled: list[int] = []
        with before_round(2, lambda: spilled.extend(client.run(bytes_on_disk).values())):
            learner = fit(LEARNER(max_iter=rounds), blocks(partitions, rows), client=client)
    same = np.array_equal(learner.coef_, quiet_weights(rounds, partitions, rows)) and sum(spilled) > 0
    return Fault("800 MiB a worker, 960 MB of rows", same, f"{sum(spilled) / 1e6:.0f} MB on disk before the last round")


def bytes_on_disk(dask_worker: Any) -> int:
    return int(dask_worker.data.spilled_total.disk)


def no_workers_left() -> Fault:
    """All workers are stopped, for good."""
    with (
        tempfile.TemporaryDirectory() as folder,
        cluster() as client,
        dask.config.set({"distributed.scheduler.no-workers-timeout": f"{TIME_OUT}s"}),
        before_round(5, lambda: client.cluster.scale(0)),
    ):
        path = Path(folder) / "rounds.checkpoint"
        began = monotonic()
        try:
            fit(LEARNER(max_iter=ROUNDS), blocks(), client=client, checkpoint=path)
        except ClusterLost as lost:
            said = f'"{str(lost)[:46]}..." after {monotonic() - began:.1f} s, time-out {TIME_OUT} s'
        learner = fit(LEARNER(max_iter=ROUNDS), made(), checkpoint=path)
    return Fault("all workers stopped, resumed on this machine", np.array_equal(learner.coef_, quiet_weights()), said)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextmanager
def other_host() -> Iterator[tuple[str, ...]]:
    """A network namespace at the end of a wire; how a command is started there."""
    with suppress(subprocess.CalledProcessError):
        ip("netns", "del", NAMESPACE)
    ip("netns", "add", NAMESPACE)
    try:
        ip("link", "add", "novikoff0", "type", "veth", "peer", "name", "novikoff1", "netns", NAMESPACE)
        ip("addr", "add", f"{HERE}/24", "dev", "novikoff0")
        ip("link", "set", "novikoff0", "up")
        ip("-n", NAMESPACE, "addr", "add", f"{THERE}/24", "dev", "novikoff1")
        ip("-n", NAMESPACE, "link", "set", "novikoff1", "up")
        ip("-n", NAMESPACE, "link", "set", "lo", "up")
        yield "ip", "netns", "exec", NAMESPACE
    finally:
        ip("netns", "del", NAMESPACE)


def cut_wire() -> Fault:
    """A worker on another host, whose wire is cut."""
    name = "host cut off"
    timeouts = {"distributed.comm.timeouts.tcp": f"{TIME_OUT}s", "distributed.comm.timeouts.connect": f"{TIME_OUT}s"}
    try:
        with other_host() as there, dask.config.set(timeouts), cluster(1, host=HERE) as client:
            address = client.scheduler.address
            worker = "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny"
            with process(*worker, prefix=there):
                client.wait_for_workers(2, timeout=120)
                with before_round(5, lambda: ip("link", "set", "novikoff0", "down")):
                    learner = fit(LEARNER(max_iter=ROUNDS), blocks(), client=client)
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        return Fault(f"{name}: not tried, as network namespaces are not permitted here", True, str(error))
    longest = times_of_rounds(learner)[5]
    same = np.array_equal(learner.coef_, quiet_weights()) and longest > 1
    return Fault(name, same, f"that round took {longest:.1f} s, time-out {TIME_OUT} s")


FAULTS = {
    "killed": killed_workers,
    "scheduler": killed_scheduler,
    "memory": too_little_memory,
    "gone": no_workers_left,
    "wire": cut_wire,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster_faults", description=__doc__)
    parser.add_argument("--only", choices=FAULTS, help="one of the faults")
    only = parser.parse_args().only
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    failed = 0
    settings = {"distributed.deploy.lost-worker-timeout": "1h", "logging.distributed": "critical"}
    print("| fault | same bits | what was seen |\n| --- | --- | --- |", flush=True)
    with dask.config.set(settings):
        for name, happens in FAULTS.items():
            if only in (None, name):
                fault = happens()
                failed += not fault.same
                print(f"| {fault.name} | {'yes' if fault.same else 'NO'} | {fault.said} |", flush=True)
                sleep(1)
    sys.exit(min(1, failed))


if __name__ == "__main__":
    main()
