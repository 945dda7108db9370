"""Tables in partitions: the results of one machine where nothing is mixed, and the same bits wherever partitions are worked on.

One test has all that needs processes of its own: they take some seconds to start.
"""

import re
from glob import glob

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from sklearn.base import clone

from commands import PENGUINS
from novikoff import LinearSVM, Perceptron, check_table, compare_tables, fit_table, predict_table, score_table
from novikoff.rows.partitions import Here
from novikoff.rows.store.blocks import DataError
from novikoff.tables import check_table as checking

PARTS = 4
SEX = {"target": "sex", "missing": "drop"}


@pytest.fixture(scope="module")
def birds():
    return pd.read_csv(PENGUINS).sample(frac=1, random_state=0).reset_index(drop=True)


@pytest.fixture(scope="module")
def files(birds, tmp_path_factory):
    folder = tmp_path_factory.mktemp("birds")
    for number, some in enumerate(np.array_split(np.arange(len(birds)), PARTS)):
        birds.iloc[some].to_parquet(folder / f"{number}.parquet")
    return str(folder / "*.parquet")


def as_frame(birds):
    parts = [birds.iloc[some] for some in np.array_split(np.arange(len(birds)), PARTS)]
    return dd.concat([dd.from_pandas(part, npartitions=1) for part in parts])


def same_model(one, other):
    assert one.model[0].columns_ == other.model[0].columns_
    np.testing.assert_array_equal(one.model[-1].coef_, other.model[-1].coef_)
    np.testing.assert_array_equal(one.model[-1].intercept_, other.model[-1].intercept_)


def told(result, *but):
    """The document of a result, without seconds and what is named."""
    document = result.to_dict()
    for name in ("seconds", "files", "notes", "history", *but):
        document.pop(name, None)
    for part in [document.get("fit") or {}, document.get("test") or {}, *(document.get("learners") or [])]:
        for name in ("seconds", "compiling"):
            part.pop(name, None)
    document.pop("compiling", None)
    document.get("separability", {}).pop("ask", None)
    return document


def test_what_is_read_and_held_out_is_that_of_one_machine(files):
    one, apart = (fit_table(files, "species", hold_out=0.2, dask=dask) for dask in (None, Here))
    assert one.model[0].columns_ == apart.model[0].columns_
    assert one.model[0].n_missing_ == apart.model[0].n_missing_
    for name in ("columns", "left_out", "features", "classes", "task", "target", "rows", "files", "notes"):
        assert getattr(one, name) == getattr(apart, name)
    assert apart.rows.held_out == 69
    assert one.separability.kind == apart.separability.kind
    assert apart.report.test.rows == one.report.test.rows == 69
    assert apart.scores["held-out"] > 0.9
    assert print(apart) is None


def test_one_partition_tells_what_one_machine_does_of_the_same_model(birds, files, tmp_path):
    model = fit_table(files, "species", test=False, dask=Here)
    one, apart = (score_table(model, files, dask=dask) for dask in (None, Here))
    assert told(one) == told(apart)
    assert one.files == apart.files
    path = tmp_path / "birds.csv"
    birds.to_csv(path, index=False)
    one = predict_table(model, path, keep="year", scores=True)
    apart = predict_table(model, files, keep="year", scores=True, dask=Here)
    assert one.columns.keys() == apart.columns.keys()
    assert one.labels.tolist() == apart.labels.tolist()
    assert one.kept == apart.kept
    np.testing.assert_array_equal(one.scores, apart.scores)


def test_a_check_of_few_rows_is_that_of_one_machine(files):
    one, apart = (check_table(files, dask=dask, **SEX) for dask in (None, Here))
    assert told(one) == told(apart)
    assert one.notes == apart.notes
    assert [row.place for row in apart.witness] == [row.place for row in one.witness]


def test_many_rows_are_checked_where_they_lie(files, monkeypatch):
    """The rows of a witness are counted among those that are not left out; results name them by their places in the files."""
    monkeypatch.setattr(checking, "CHEAP", 0)
    one, apart = (check_table(files, dask=dask, **SEX) for dask in (None, Here))
    assert apart.rounds
    assert apart.kind == one.kind == "overlap"
    rows = pd.concat([pd.read_parquet(path) for path in sorted(glob(files))]).dropna().reset_index(drop=True)
    assert [row.label for row in apart.witness] == rows["sex"][apart.proof.witness.rows].tolist()
    assert [row.values["body_mass_g"] for row in apart.witness] == rows["body_mass_g"][
        apart.proof.witness.rows
    ].tolist()
    for row in apart.witness:
        path, _, number = row.place.partition(": row ")
        assert pd.read_parquet(path)["body_mass_g"].iloc[int(number) - 1] == row.values["body_mass_g"]
    with pytest.raises(ValueError, match="max_margin=True needs all rows in memory at once: leave out dask"):
        check_table(files, max_margin=True, dask=Here, **SEX)


def test_learners_are_compared_on_the_same_parts(files):
    learners = [Perceptron(max_iter=3), "adaline"]
    one, apart = (compare_tables(files, "species", learners, folds=2, dask=dask) for dask in (None, Here))
    assert one.scores.keys() == apart.scores.keys()
    assert all(score > 0.9 for score in apart.scores.values())
    assert (one.test, one.rows, one.chance) == (apart.test, apart.rows, apart.chance)


@pytest.mark.parametrize("name", ["logistic-neuron", "adaline"])
def test_learners_that_are_solved_here_are_solved_over_partitions(name, files):
    one, apart = (fit_table(files, "species", name, hold_out=0.3, dask=dask) for dask in (None, Here))
    assert apart.report.fit.stop_reason == one.report.fit.stop_reason == "solved"
    assert (apart.report.fit.solver, apart.report.fit.l2) == (one.report.fit.solver, one.report.fit.l2)
    assert apart.report.fit.progressive is None  # no row was asked before it was learned from
    all_rows = (
        fit_table(files, "species", name, parameters={"tol": 1e-9}, test=False, dask=dask).model[-1]
        for dask in (None, Here)
    )
    np.testing.assert_allclose(*(learner.coef_ for learner in all_rows), atol=1e-3)


def test_numbers_are_predicted(files):
    one, apart = (
        fit_table(files, "body_mass_g", "adaline-regressor", hold_out=0.3, dask=dask) for dask in (None, Here)
    )
    assert apart.scores["held-out"] == pytest.approx(one.scores["held-out"], abs=0.05)
    scored = score_table(apart, files, dask=Here)
    assert scored.score == pytest.approx(score_table(apart, files).score)
    assert scored.mean_squared_error == pytest.approx(score_table(apart, files).mean_squared_error)


def test_sparse_rows(tmp_path):
    lines = (PENGUINS.parent / "penguins.svm").read_text().splitlines()
    for number in range(3):
        (tmp_path / f"{number}.svm").write_text("\n".join(lines[number::3]) + "\n")
    source = str(tmp_path / "*.svm")
    one, apart = (fit_table(source, test=False, dask=dask) for dask in (None, Here))
    assert apart.features == one.features
    assert apart.classes == one.classes
    assert score_table(apart, source, dask=Here).score == score_table(apart, source).score


def test_regions_are_of_rows_at_even_distances(files):
    one, apart = (fit_table(files, "species", test=False, regions=True, dask=dask) for dask in (None, Here))
    pairs = [sorted(zip(*found.report.regions.names, strict=False)) for found in (one, apart)]
    assert all(pairs)
    assert len(apart.report.regions.points) == len(one.report.regions.points)


def test_answers_may_be_written_one_file_a_partition(files, tmp_path):
    model = fit_table(files, "species", test=False)
    here = predict_table(model, files, keep="year")
    found = predict_table(model, files, keep="year", dask=Here, output=tmp_path / "answers")
    assert found.parts == [f"part-{number:05d}.csv" for number in range(PARTS)]
    assert len(found) == 344
    assert "Written to part-00000.csv" in str(found)
    written = pd.concat([pd.read_csv(tmp_path / "answers" / name, dtype=str) for name in found.parts])
    assert written["prediction"].tolist() == here.labels.tolist()
    assert written["year"].tolist() == here.kept["year"]
    with pytest.raises(FileExistsError, match="name a new folder"):
        predict_table(model, files, dask=Here, output=tmp_path / "answers")
    with pytest.raises(ValueError, match=r"goes with dask=\.\.\., or a Dask frame"):
        predict_table(model, files, output=tmp_path / "others")
    memory = predict_table(model, files, dask=Here, output="memory://answers")
    assert memory.parts == found.parts


def test_what_is_wrong_is_said_with_its_place(files, birds):
    model = fit_table(files, "species", test=False)
    strange = birds.assign(island=birds["island"].where(birds.index != 200, "Atlantis"))
    place = (
        r"dask DataFrame, partition 2 \(rows count from 0\): row 28, column 'island': training had no 'Atlantis' among"
    )
    with pytest.raises(DataError, match=place):
        score_table(model, as_frame(strange), unseen="error")
    with pytest.raises(DataError, match=place):
        predict_table(model, as_frame(strange), unseen="error")
    huge = birds.assign(year=birds["year"].where(birds.index != 200, np.inf).astype(float))
    with pytest.raises(
        DataError, match=r"partition 2 .*: row 28, column 'year': 'inf' in column 'year' is not a finite"
    ):
        fit_table(as_frame(huge), "species")
    with pytest.raises(DataError, match=r"parquet: row \d+, column .* is missing") as one:
        fit_table(files, "species", missing="error")
    with pytest.raises(DataError, match=re.escape(str(one.value))):
        fit_table(files, "species", missing="error", dask=Here)
    with pytest.raises(ValueError, match="every row has the same label"):
        fit_table(as_frame(birds[birds["species"] == "Gentoo"]), "species")
    with pytest.raises(ValueError, match="cannot be read together"):
        fit_table([as_frame(birds), birds], "species")
    with pytest.raises(ValueError, match="no frame in memory"):
        fit_table(birds, "species", dask=Here)
    with pytest.raises(TypeError, match=r"distributed\.Client; got 4"):
        fit_table(files, "species", dask=4)
    with pytest.raises(ValueError, match="names no number of workers"):
        fit_table(files, "species", dask="local:")


def test_learning_goes_on_from_a_checkpoint(files, tmp_path):
    learner, path = (
        Perceptron(max_iter=6, keep="average", min_progress=None, random_state=0),
        tmp_path / "rounds.checkpoint",
    )
    whole = fit_table(files, "species", learner, test=False, dask=Here)
    fit_table(files, "species", learner, test=False, dask=Here, checkpoint=path)
    assert path.exists()
    again = fit_table(files, "species", learner, test=False, dask=Here, checkpoint=path)
    assert np.array_equal(again.model[-1].coef_, whole.model[-1].coef_)
    with pytest.raises(ValueError, match=r"checkpoint=\.\.\. needs learning pass by pass"):
        fit_table(files, "species", LinearSVM(), test=False, dask=Here, checkpoint=tmp_path / "other")
    with pytest.raises(ValueError, match="eta"):
        fit_table(files, "species", clone(learner).set_params(eta=2.0), test=False, dask=Here, checkpoint=path)


def test_a_frame_without_a_cluster_is_worked_on_here(birds, files):
    frame = fit_table(as_frame(birds), "species", test=False)
    same_model(frame, fit_table(files, "species", test=False, dask=Here))
    assert frame.files == ["dask DataFrame"]
    empty = as_frame(birds)
    empty = dd.concat([empty.map_partitions(lambda part: part[:0]), empty])
    assert fit_table(empty, "species", test=False).rows == frame.rows
    with pytest.raises(TypeError, match="a Dask data frame with named columns"):
        fit_table(as_frame(birds)["year"], "species")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask may say what it likes of its ports
def test_workers_change_no_bit(birds, files, tmp_path):
    asked = {"target": "species", "hold_out": 0.2, "passes": 3}
    local = fit_table(files, dask=Here, **asked)
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with LocalCluster(n_workers=1, **options) as cluster, Client(cluster) as client:
        same_model(fit_table(files, dask=client, **asked), local)
        cluster.scale(2)
        client.wait_for_workers(2, timeout=60)
        for found in (fit_table(files, dask=cluster.scheduler_address, **asked), fit_table(as_frame(birds), **asked)):
            same_model(found, local)
            assert told(found) == told(local)
        assert told(score_table(local, files, dask=client)) == told(score_table(local, files))
        assert told(check_table(files, dask=client, **SEX)) == told(check_table(files, **SEX))
        assert len(predict_table(local, files, dask=client, output=tmp_path / "answers").parts) == PARTS
