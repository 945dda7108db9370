"""What an exported model says of raw rows is what ``predict`` says."""

import json
import shutil
import subprocess

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from common import ROOT
from novikoff import (
    AdalineRegressor,
    KernelSVM,
    LinearSVM,
    PassiveAggressiveClassifier,
    Perceptron,
    RadialBasis,
    TableEncoder,
)
from novikoff.models.export.exporting import export
from novikoff.models.export.recipe import ExportError, recipe_of
from novikoff.rows.encoding.feature_columns import Category

PENGUINS = pd.read_csv(ROOT / "examples" / "penguins.csv")
UNSEEN = {"island": 'Atlantis "??/\\\n</script>', "sex": ""}
NASTY = ['say "NAME_"\\', "??/ é 日本\n\t", "__proto__", "</script>", "1\u2028"]


def table(target, learner, columns=None):
    """A pipeline learned from the penguins, with rows to ask of: all of them and some with unseen and missing values."""
    data = PENGUINS.dropna(subset=[target])
    frame = data.drop(columns=[target]) if columns is None else data[columns]
    model = make_pipeline(TableEncoder(unseen="zeros"), learner).fit(frame, data[target].to_numpy())
    extra = frame[:8].assign(**{name: text for name, text in UNSEEN.items() if name in frame})
    if "bill_depth_mm" in frame:
        extra.loc[extra.index[::2], "bill_depth_mm"] = np.nan
    return model, pd.concat([frame, extra], ignore_index=True)


def nasty():
    """Names, levels and classes that every language has to escape."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {text: rng.normal(size=60) if i < 2 else rng.choice(NASTY, size=60) for i, text in enumerate(NASTY)}
    )
    classes = np.array(NASTY)[np.argmax(rng.normal(size=(60, 5)) + 3 * (frame[[NASTY[2]]].to_numpy() == NASTY), axis=1)]
    return make_pipeline(TableEncoder(), Perceptron(keep="average", random_state=0)).fit(frame, classes), frame


def make(case):
    averaged = Perceptron(keep="average", max_iter=10, random_state=0)
    if case == "three classes":
        return table("species", averaged)
    if case == "ties of classes":
        model, data = table("species", averaged, ["bill_length_mm", "bill_depth_mm", "year"])
        model[1].coef_[2], model[1].intercept_[2] = model[1].coef_[1], model[1].intercept_[1]
        return model, data
    if case == "scores of zero":
        rows = sparse.csr_matrix(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [3.0, 3.0], [0.0, 0.0]]))
        model = Perceptron(order="cyclic").fit(rows[:2], ["yes", "no"])
        model.coef_[...], model.intercept_[...] = [[1.0, -1.0]], 0.0
        return model, rows
    if case == "two classes":
        return table("sex", LinearSVM())
    if case == "numbers only":
        return table("species", averaged, ["bill_length_mm", "bill_depth_mm", "year"])
    if case == "categories only":
        return table("species", averaged, ["island", "sex"])
    if case == "regression":
        return table("body_mass_g", AdalineRegressor(solver="steps", max_iter=20, random_state=0))
    if case == "nasty texts":
        return nasty()
    rows = sparse.random(300, 40, 0.1, format="csr", random_state=np.random.default_rng(1))
    labels = np.digitize(rows @ np.linspace(-1, 1, 40), [-0.3, 0.3])  # whole numbers
    return PassiveAggressiveClassifier(max_iter=5, random_state=0).fit(rows, labels), rows


CASES = ["three classes", "two classes", "numbers only", "categories only", "regression", "nasty texts", "sparse rows"]
CASES += ["ties of classes", "scores of zero"]


@pytest.fixture(scope="module", params=CASES)
def case(request):
    model, data = make(request.param)
    return model, data, raw_rows(model, data), answers(model, data)


def raw_rows(model, data):
    """Rows as dicts: numbers, texts, None for what is missing."""
    if isinstance(data, pd.DataFrame):
        return [{k: None if v != v or v is None else v for k, v in row.items()} for row in data.to_dict("records")]
    return [{f"x{j}": x for j, x in enumerate(row)} for row in data.toarray()]


def answers(model, data):
    found = model.predict(data)
    return found if found.dtype.kind == "f" else found.astype(str)


def agree(found, wanted):
    if wanted.dtype.kind == "f":
        np.testing.assert_allclose(np.array(found, dtype=float), wanted, rtol=1e-12)
    else:
        assert len(set(wanted)) > 1
        assert [str(each) for each in found] == wanted.tolist()


def test_json(case, tmp_path):
    model, _, rows, wanted = case
    export(model, tmp_path / "m.json", "json")
    document = json.loads((tmp_path / "m.json").read_text())

    def predict(row):
        scores = [0.0] * len(document["intercept"])
        for column in document["columns"]:
            value, x, at = row.get(column["name"]), 1.0, column["first_feature"]
            if column["kind"] == "number":
                x = ((column["fill"] if value is None else value) - column["center"]) / column["scale"]
            elif value in column["levels"]:
                at += column["levels"].index(value)
            elif not value and column["missing"]:
                at += len(column["levels"])
            else:
                continue
            scores = [score + weights[at] * x for score, weights in zip(scores, document["weights"], strict=True)]
        scores = [score + b for score, b in zip(scores, document["intercept"], strict=True)]
        if document["classes"] is None:
            return scores[0]
        return document["classes"][scores.index(max(scores)) if len(scores) > 1 else int(scores[0] > 0)]

    agree([predict(row) for row in rows], wanted)


def c_text(text):
    return "NULL" if text is None else '"' + "".join(f"\\{byte:03o}" for byte in text.encode()) + '"'


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler is installed")
def test_c(case, tmp_path):
    model, _, rows, wanted = case
    export(model, tmp_path / "my-model.c", "c")
    recipe = recipe_of(model)
    numbers = [float("nan") if row[c.name] is None else float(row[c.name]) for row in rows for c in recipe.numbers]
    texts = [c_text(row[c.name]) for row in rows for c in recipe.categories]
    what = '"%.17g"' if recipe.classes is None else '"%d"'
    (tmp_path / "main.c").write_text(
        f"""#include <math.h>
#include <stdio.h>
#include "my-model.c"
static const double numbers[] = {{{", ".join("NAN" if x != x else repr(x) for x in [*numbers, 0.0])}}};
static const char *const texts[] = {{{", ".join([*texts, "NULL"])}}};
int main(void) {{
  size_t i;
  for (i = 0; i < {len(rows)}; i++)
    printf({what} "\\n", my_model_predict(numbers + i * my_model_n_numbers, texts + i * my_model_n_categories));
  return 0;
}}
"""
    )
    strict = ["-Wall", "-Wextra", "-Werror", "-std=c99", "-pedantic"]
    subprocess.run(["cc", *strict, "-O1", "main.c", "-o", "main"], cwd=tmp_path, check=True)
    found = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout.split()
    agree(found if recipe.classes is None else [recipe.labels[int(place)] for place in found], wanted)


@pytest.mark.skipif(not shutil.which("node"), reason="no Node.js is installed")
def test_javascript(case, tmp_path):
    model, _, rows, wanted = case
    export(model, tmp_path / "m.mjs", "javascript")
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    (tmp_path / "main.mjs").write_text(
        'import { readFileSync } from "node:fs";\nimport { predict } from "./m.mjs";\n'
        'console.log(JSON.stringify(JSON.parse(readFileSync("rows.json", "utf8")).map(predict)));\n'
    )
    found = subprocess.run(["node", "main.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    agree(json.loads(found), wanted)


def test_onnx(case, tmp_path):
    model, data, rows, wanted = case
    export(model, tmp_path / "m.onnx", "onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    if isinstance(data, pd.DataFrame):
        feed = {}
        for column in model[0].columns_:
            values = [row[column.name] for row in rows]
            kept = ["" if v is None else v for v in values] if isinstance(column, Category) else np.array(values, float)
            feed[column.name] = np.array(kept, dtype=object if isinstance(column, Category) else float)[:, None]
    else:
        feed = {"X": data.toarray()}
    label, scores = session.run(["label", "scores"], feed)
    agree(label, wanted)
    learner = model[-1] if hasattr(model, "steps") else model
    assert scores.shape == (len(rows), np.atleast_2d(learner.coef_).shape[0])


def test_what_is_not_linear_is_refused(tmp_path):
    X, y = np.eye(4), [0, 1, 0, 1]

    def refuses(model, message, kind=ExportError, format="json"):
        with pytest.raises(kind, match=message):
            export(model, tmp_path / "m", format)
        assert list(tmp_path.iterdir()) == []

    refuses(KernelSVM().fit(X, y), "A KernelSVM has no linear weights")
    refuses(Perceptron(keep="vote").fit(X, y), 'keep="vote" predicts by a vote')
    refuses(make_pipeline(RadialBasis(), Perceptron()).fit(X, y), "Only a TableEncoder can come before")
    refuses(Perceptron(), "not fitted yet", NotFittedError)
    refuses(TableEncoder().fit(pd.DataFrame({"a": [1.0]})), "A TableEncoder is not a linear learner")
    refuses(Perceptron().fit(X, y), "no export to 'cobol'", format="cobol")
    clash = make_pipeline(TableEncoder(), Perceptron()).fit(pd.DataFrame({"label": [1.0, 2.0]}), [0, 1])
    refuses(clash, "named 'label' cannot be an input", format="onnx")


def test_javascript_refuses_text_for_a_number_and_reads_numbers_from_text(tmp_path):
    if not shutil.which("node"):
        pytest.skip("no Node.js is installed")
    model, _ = table("species", LinearSVM(), ["bill_length_mm", "bill_depth_mm"])
    export(model, tmp_path / "m.mjs", "javascript")
    (tmp_path / "main.mjs").write_text(
        'import { predict, scores } from "./m.mjs";\n'
        'console.log(scores({bill_length_mm: "40.5"})[0] === scores({bill_length_mm: 40.5, bill_depth_mm: NaN})[0]);\n'
        'try { predict({bill_length_mm: "long"}); } catch (error) { console.log(error.message); }\n'
    )
    found = subprocess.run(["node", "main.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert found == "true\ncolumn bill_length_mm: long is no number\n"


# Numbers that no model has an answer for

STRANGE = [[1.0, x] for x in (np.nan, np.inf, -np.inf, 1e100)] + [[np.inf, -np.inf], [np.nan, np.inf]]
STRANGE += [[-0.0, 0.0], [0.0, -0.0], [1.0, 2.0], [-1.0, 5.0]]
KINDS = [(kind, behind) for behind in ("alone", "table") for kind in ("two classes", "several", "numbers")]


def strange_case(kind, behind):
    """A model of two columns, rows; and what ``predict`` says of each, None where it refuses."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) * [1.0, 0.5]
    X[:3, 1] = np.nan if behind == "table" else 0.0
    score = np.where(np.isnan(X), 0.0, X) @ [1.0, 3.0]
    target = score if kind == "numbers" else np.digitize(score, [0.0] if kind == "two classes" else [-1.0, 1.0])
    learner = AdalineRegressor(random_state=0) if kind == "numbers" else Perceptron(random_state=0, max_iter=20)
    frame = pd.DataFrame(X, columns=["x0", "x1"])
    model = learner.fit(X, target) if behind == "alone" else make_pipeline(TableEncoder(), learner).fit(frame, target)
    wanted = []
    for row in STRANGE:
        given = np.array([row]) if behind == "alone" else pd.DataFrame([row], columns=["x0", "x1"])
        try:
            answer = model.predict(given)[0]
        except ValueError:
            wanted.append(None)
        else:
            wanted.append(float(answer) if kind == "numbers" else str(answer))
    assert None in wanted
    return model, wanted


def in_json(model, folder):
    export(model, folder / "m.json", "json")
    document = json.loads((folder / "m.json").read_text())
    found = []
    for row in STRANGE:
        sums = np.array(document["intercept"])
        for value, column in zip(row, document["columns"], strict=True):
            value = column["fill"] if np.isnan(value) else value
            x = np.nan if value is None else (value - column["center"]) / column["scale"]
            sums = sums + np.array(document["weights"])[:, column["first_feature"]] * (x if np.isfinite(x) else np.nan)
        if np.isnan(sums).any():
            found.append(None)
        elif document["classes"] is None:
            found.append(sums[0])
        else:
            found.append(str(document["classes"][int(np.argmax(sums) if sums.size > 1 else sums[0] > 0)]))
    return found


def in_c(model, folder):
    export(model, folder / "m.c", "c")
    recipe = recipe_of(model)
    rows = ", ".join("NAN" if x != x else "INFINITY" if x == np.inf else repr(x) for row in STRANGE for x in row)
    what = "%.17g" if recipe.classes is None else "%d"
    (folder / "main.c").write_text(
        f"""#include <stdio.h>
#include "m.c"
static const double rows[] = {{{rows.replace("-inf", "-INFINITY")}}};
int main(void) {{
  size_t i, k;
  double scores[m_n_scores];
  for (i = 0; i < {len(STRANGE)}; i++) {{
    m_scores(rows + 2 * i, NULL, scores);
    for (k = 1; k < m_n_scores; k++) if (isnan(scores[k]) != isnan(scores[0])) return 1;
    printf("{what} %d\\n", m_predict(rows + 2 * i, NULL), isnan(scores[0]) != 0);
  }}
  return 0;
}}
"""
    )
    subprocess.run(["cc", "-Wall", "-Werror", "-std=c99", "-pedantic", "main.c", "-o", "main"], cwd=folder, check=True)
    lines = subprocess.run([folder / "main"], capture_output=True, text=True, check=True).stdout.splitlines()
    found = [line.split() for line in lines]
    if recipe.classes is None:
        return [None if refused == "1" else float(answer) for answer, refused in found]
    assert all((answer == "-1") == (refused == "1") for answer, refused in found)
    return [None if answer == "-1" else recipe.labels[int(answer)] for answer, refused in found]


def in_javascript(model, folder):
    export(model, folder / "m.mjs", "javascript")
    rows = str([{"x0": repr(a), "x1": repr(b)} for a, b in STRANGE])
    (folder / "main.mjs").write_text(
        f"""import {{ predict, scores }} from "./m.mjs";
const number = (text) => Number(text.replace("nan", "NaN").replace("inf", "Infinity"));
const rows = {rows}.map((row) => ({{ x0: number(row.x0), x1: number(row.x1) }}));
const tried = (ask, row) => {{ try {{ return ask(row); }} catch (error) {{ return error instanceof TypeError ? null : "?"; }} }};
console.log(JSON.stringify(rows.map((row) => [tried(predict, row), tried(scores, row) === null])));
"""
    )
    done = subprocess.run(["node", "main.mjs"], cwd=folder, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert all((answer is None) == refused for answer, refused in found)
    return [answer if answer is None or isinstance(answer, float) else str(answer) for answer, _ in found]


def in_onnx(model, folder):
    export(model, folder / "m.onnx", "onnx")
    session = onnxruntime.InferenceSession(folder / "m.onnx", providers=["CPUExecutionProvider"])
    rows = np.array(STRANGE)
    feed = {"X": rows} if len(session.get_inputs()) == 1 else {"x0": rows[:, :1], "x1": rows[:, 1:]}
    label, scores = session.run(["label", "scores"], feed)
    refused = np.isnan(scores).all(axis=1)
    assert np.array_equal(refused, np.isnan(scores).any(axis=1))
    if label.dtype.kind == "f":
        assert np.array_equal(np.isnan(label), refused)
        return [None if np.isnan(answer) else answer for answer in label.tolist()]
    assert np.array_equal(label == "", refused)
    return [answer or None for answer in label.tolist()]


@pytest.mark.parametrize(
    ("language", "program"), [(in_json, "python3"), (in_c, "cc"), (in_javascript, "node"), (in_onnx, "python3")]
)
@pytest.mark.parametrize(("kind", "behind"), KINDS)
def test_numbers_that_are_not_finite_have_no_answer_in_any_language(kind, behind, language, program, tmp_path):
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    model, wanted = strange_case(kind, behind)
    found = language(model, tmp_path)
    if kind == "numbers":
        wanted, found = (np.array(each, dtype=float) for each in (wanted, found))  # None becomes NaN
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)
    else:
        assert found == wanted


@pytest.mark.skipif(not shutil.which("node"), reason="no Node.js is installed")
def test_columns_that_a_row_leaves_out_are_zero_without_an_encoder(tmp_path):
    """As in sparse rows; null is a missing number, which is refused."""
    export(strange_case("numbers", "alone")[0], tmp_path / "m.mjs", "javascript")
    (tmp_path / "main.mjs").write_text(
        'import { predict } from "./m.mjs";\n'
        "console.log(predict({ x1: 2 }) === predict({ x0: 0, x1: 2 }), predict({}) === predict({ x0: 0, x1: -0 }));\n"
        "try { predict({ x0: null, x1: 2 }); } catch (error) { console.log(error.message); }\n"
    )
    found = subprocess.run(["node", "main.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert found == "true true\ncolumn x0: null is no number\n"
