"""Columns of texts: found, counted as scikit-learn counts, larger than memory, in partitions, saved."""

import random

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import FeatureUnion

import novikoff
from commands import refused, results, run
from novikoff import TableEncoder, fit_table, predict_table
from novikoff.rows.partitions import Here
from novikoff.rows.readers import word_counts as words
from novikoff.tables.table_parameters import source_of
from novikoff.tables.table_rows import rows_of
from novikoff.tables.training import fit_encoder

SOME = [
    "good",
    "bad",
    "fine",
    "awful",
    "great",
    "poor",
    "film",
    "plot",
    "actor",
    "ÉTÉ",
    "straße",
    "naïve",
    "x1",
    "a_b",
    "42",
    "don't",
    "I",
    "Über-raschung",
    "日本",
    "ok;",
    "end",
]


def frame(rows=300, seed=0):
    rng = random.Random(seed)
    label = [rng.choice("pq") for _ in range(rows)]
    more = {"p": ["good", "Great!"], "q": ["bad", "poor,"]}
    text = [" ".join(rng.choices(SOME + more[each] * 3, k=rng.randint(3, 12))) for each in label]
    text[7] = ""
    other = [
        " ".join(rng.choices(["red", "green", "blue", "dark", "light"], k=4)) + f" n{rng.randint(0, 10**6)}"
        for _ in label
    ]
    return pd.DataFrame({"size": [rng.random() for _ in label], "review": text, "other": other, "y": label})


def test_texts_are_found_and_counted_as_scikit_learn_counts(tmp_path):
    table = frame()
    table.to_csv(tmp_path / "t.csv", index=False)
    with rows_of(source_of(str(tmp_path / "t.csv"), "y", {}), "classes") as rows:
        assert rows.schema.texts == ["review", "other"]
        encoder = fit_encoder(rows, None, True)
        X, _ = rows.gather(encoder, None)
    assert isinstance(encoder, TableEncoder)
    at = 1
    for name in ("review", "other"):
        kinds = [("words", TfidfVectorizer()), ("pairs", TfidfVectorizer(ngram_range=(2, 2)))]
        theirs = FeatureUnion(kinds, transformer_weights={"pairs": 0.5})
        wanted = theirs.fit_transform(table[name])
        order = np.argsort([word.split("__")[1] for word in theirs.get_feature_names_out()])
        names = [f"{name}: {word.split('__')[1]}" for word in theirs.get_feature_names_out()[order]]
        assert encoder.get_feature_names_out()[at : at + len(names)].tolist() == names
        np.testing.assert_allclose(X[:, at : at + len(names)].toarray(), wanted.toarray()[:, order], rtol=1e-12)
        at += len(names)
    np.testing.assert_allclose(encoder.transform(table).toarray(), X.toarray(), rtol=1e-12)


@pytest.mark.parametrize("learner", ["perceptron", "logistic-neuron"])
def test_a_model_of_texts_is_saved_and_predicts(tmp_path, learner):
    table = frame()
    table.to_csv(tmp_path / "t.csv", index=False)
    found = results("fit", tmp_path / "t.csv", "-t", "y", "--learner", learner, "-o", tmp_path / "m")
    assert [column["kind"] for column in found["columns"]] == ["number", "text", "text"]
    assert found["test"]["score"] > 0.7
    assert any("'review' is read as text" in note for note in found["notes"])
    table.sample(frac=1, random_state=1).to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    new = table.assign(review="entirely new words nobody used " + table.review)
    model = novikoff.load(tmp_path / "m")
    new.to_csv(tmp_path / "new.csv", index=False)
    assert run("predict", tmp_path / "m", tmp_path / "new.csv")[0].split()[1:] == model.predict(new).tolist()
    assert "reads 'review' by its words" in refused("export", tmp_path / "m", "--to", "c", "-o", tmp_path / "m.c")
    assert "review: good" in run("weights", tmp_path / "m")[0]


def test_the_user_decides(tmp_path):
    frame().to_csv(tmp_path / "t.csv", index=False)
    kinds = {}
    for option in (["--categorical", "review"], ["--ignore", "other"], ["--text", "size"]):
        found = results("fit", tmp_path / "t.csv", "-t", "y", "--no-test", *option)
        kinds[option[0]] = {column["name"]: column["kind"] for column in found["columns"]}
    assert kinds["--categorical"]["review"] == "category"
    assert "other" not in kinds["--ignore"]
    assert kinds["--text"]["size"] == "text"
    assert "cannot be both" in refused("fit", tmp_path / "t.csv", "-t", "y", "--text", "size", "--numeric", "size")


def test_names_of_few_words_are_categories(tmp_path):
    table = frame().assign(review=[f"city {k % 40}" for k in range(300)], other="always the same text")
    table.to_csv(tmp_path / "t.csv", index=False)
    assert results("fit", tmp_path / "t.csv", "-t", "y", "--no-test")["columns"][1]["kind"] == "category"


def test_partitions_count_the_same_words(tmp_path):
    for part in range(3):
        frame(200, part).to_csv(tmp_path / f"{part}.csv", index=False)
    files = [str(tmp_path / f"{part}.csv") for part in range(3)]
    found = []
    for where in (None, Here):
        with rows_of(source_of(files, "y", {}, None, where), "classes") as rows:
            encoder = fit_encoder(rows, None, True)
            found.append((encoder.columns_, rows.gather(encoder, None)[0].toarray()))
    assert found[0][0] == found[1][0]
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_words_beyond_the_limit_share_features(tmp_path, monkeypatch):
    from novikoff.rows.readers import tables

    monkeypatch.setattr(tables, "MOST_WORDS", 50)
    monkeypatch.setattr(words, "BUCKETS", 16)
    monkeypatch.setattr(tables, "BUCKETS", 16)
    table = frame()
    table.to_csv(tmp_path / "t.csv", index=False)
    result = fit_table(str(tmp_path / "t.csv"), "y", "logistic-neuron", hold_out=0.3)
    text = next(column for column in result.model[0].columns_ if column.name == "review")
    assert sum(word.startswith("#") for word in text.words) == 16
    assert len(text.words) <= 50 + 16
    assert any("share features" in note for note in result.notes)
    answers = predict_table(result, table)
    assert answers.labels.tolist() == predict_table(result, str(tmp_path / "t.csv")).labels.tolist()
    assert np.mean(answers.labels == table.y) > 0.8
