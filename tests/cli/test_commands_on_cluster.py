"""Commands with ``--dask``: on workers of their own, and on a scheduler that is there."""

import csv
import sys

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster

from commands import PENGUINS, refused, results, run, same_weights

PARTS = 3
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Dask may say what it likes of its ports


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("birds")
    birds = pd.read_csv(PENGUINS).sample(frac=1, random_state=0)
    for number, some in enumerate(np.array_split(np.arange(len(birds)), PARTS)):
        birds.iloc[some].to_parquet(folder / f"{number}.parquet")
    return folder / "*.parquet"


def test_every_command(files, tmp_path):
    model, again = tmp_path / "birds.novikoff", tmp_path / "again.novikoff"
    learning = ["--target", "species", "--passes", 3]
    shown, _ = run("fit", files, *learning, "--no-test", "--dask", "local:2", "-o", model)
    assert "344 rows read" in shown
    assert ".parquet' --target species --dask local:2" in shown
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        there = ["--dask", cluster.scheduler_address]
        found = results("fit", files, *learning, "--no-test", *there, "-o", again)
        assert found["rows"]["read"] == 344
        same_weights(model, again)
        scored = results("score", model, files, *there)
        assert scored["score"] == results("score", model, files)["score"]
        checked = results("check", files, "--target", "sex", "--missing", "drop", *there, status=1)
        assert checked["kind"] == "overlap"
        compared = results("compare", files, *learning, "--folds", 2, "--learner", "perceptron", *there)
        assert compared["learners"][0]["score"] > 0.9
        folder = tmp_path / "answers"
        assert run("predict", model, files, "--keep", "year", *there, "-o", folder) == ("", "")
    whole, _ = run("predict", model, files, "--keep", "year")
    rows = []
    for part in sorted(folder.iterdir()):
        with part.open(newline="") as file:
            heading, *own = csv.reader(file)
        rows += own
    assert len(list(folder.iterdir())) == PARTS
    assert [heading, *rows] == list(csv.reader(whole.splitlines()))


def test_what_is_refused(files, tmp_path, monkeypatch):
    said = refused("fit", files, "--target", "species", "--dask", "tcp://127.0.0.1:1")
    assert "No Dask scheduler answers at tcp://127.0.0.1:1 within 5 seconds" in said
    assert "--dask local:4 starts workers" in said
    assert "name a new folder with -o" in refused("predict", tmp_path / "m", files, "--dask", "local:2")
    assert "names no number" in refused("fit", files, "--target", "species", "--dask", "local:no")
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.setitem(sys.modules, "dask", None)
    for where in ("local:2", "tcp://127.0.0.1:1"):
        assert 'pip install ".[dask]" in a copy of the repository' in refused(
            "fit", files, "--target", "species", "--dask", where
        )
