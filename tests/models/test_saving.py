"""A model that is saved and loaded again is the same to the last bit, and learns on as if it had never been away."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from safetensors import safe_open
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import novikoff
from common import as_kind, seeded
from novikoff import (
    KernelPerceptron,
    KernelSVM,
    LinearSVM,
    PassiveAggressiveClassifier,
    Perceptron,
    RadialBasis,
    TableEncoder,
)
from novikoff.estimators.learners import LEARNERS
from novikoff.models.files import packed
from novikoff.models.files import saving as files
from novikoff.models.files.packed import file_bytes, read_file
from novikoff.models.files.saving import ModelFileError, read_header
from novikoff.models.files.value_kinds import Unstorable
from novikoff.rows.encoding.feature_columns import Category, Number
from novikoff.system import files as atomic


def drawn(rng):
    """Rows, numbers as noisy as these rows, more rows."""
    X = rng.normal(size=(40, 3))
    return X, X[:, 0] + 0.3 * rng.normal(size=40), rng.normal(size=(20, 3))


X, NOISY, MORE = drawn(seeded("saving"))
Y = np.array(["low", "mid", "top"])[np.digitize(NOISY, np.quantile(NOISY, [0.3, 0.7]))]
MORE_Y = Y[:20]


def same(a, b, path="model"):
    """Assert that two things are equal to the last bit, whatever they are made of."""
    assert type(a) is type(b) or isinstance(a, int | float | np.generic), path
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape, a.flags.c_contiguous) == (b.dtype, b.shape, b.flags.c_contiguous) or a.ndim < 2, path
        assert a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes(), path
    elif sparse.issparse(a):
        for part in ("data", "indices", "indptr"):
            same(getattr(a, part), getattr(b, part), f"{path}.{part}")
    elif isinstance(a, dict):
        assert list(a) == list(b), path
        for key in a:
            same(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, list | tuple):
        assert len(a) == len(b), path
        for i, pair in enumerate(zip(a, b, strict=True)):
            same(*pair, f"{path}.{i}")
    elif isinstance(a, np.random.Generator):
        same(a.bit_generator.state, b.bit_generator.state, path)
    elif hasattr(a, "__dict__"):
        same(dict(sorted(vars(a).items())), dict(sorted(vars(b).items())), path)
    else:
        assert a == b or (a != a and b != b), path


def unlike(model):
    """Its attributes but for the empty rows of its stream, of which only the layout counts."""
    parts = dict(sorted(vars(model).items()))
    learned = parts.get("_learned")
    if learned is not None:
        parts["_learned"] = dict(vars(learned))
        if not hasattr(learned.rows, "kernel"):
            parts["_learned"]["rows"] = learned.rows[0].dtype
    parts.pop("_plan", None)
    return parts


def again(model, folder):
    path = folder / "it.novikoff"
    novikoff.save(model, path)
    return novikoff.load(path)


def without_seconds(parts):
    history = {name: values for name, values in parts["_learned"]["history"].items() if name != "seconds"}
    return {**parts, "_learned": {**parts["_learned"], "history": history}}


STREAMS = [
    *((each.name, {}, X) for each in LEARNERS if each.name not in ("Perceptron", "KernelPerceptron")),
    *(("Perceptron", {"keep": keep}, X) for keep in ("last", "average", "run")),
    ("Perceptron", {"keep": "vote", "max_votes": 4}, X),
    ("Perceptron", {"keep": "average", "class_weight": "balanced"}, as_kind(X, "csr32")),
    ("KernelPerceptron", {"keep": "average"}, X),
    ("KernelPerceptron", {"keep": "vote", "max_votes": 5, "kernel": "poly", "coef0": 1}, as_kind(X, "csr64")),
    ("KernelPerceptron", {"keep": "last", "budget": 6}, X),
]


@pytest.mark.parametrize(("name", "choices", "rows"), STREAMS, ids=range(len(STREAMS)))
def test_learning_goes_on_where_it_was(name, choices, rows, tmp_path):
    each = next(each for each in LEARNERS if each.name == name)
    target, more = (Y, MORE_Y) if each.task == "classes" else (X[:, 1].copy(), MORE[:, 0].copy())
    learner = each.make(random_state=0, max_iter=2, **choices).fit(rows, target)
    loaded = again(learner, tmp_path)
    same(unlike(learner), unlike(loaded))
    same(learner.predict(MORE.astype(rows.dtype)), loaded.predict(MORE.astype(rows.dtype)))
    same(learner.history_, loaded.history_)
    for model in (learner, loaded):
        for part in (slice(0, 7), slice(7, 20)):
            model.partial_fit(rows[part], more[part])
    same(without_seconds(unlike(learner)), without_seconds(unlike(loaded)))
    third = again(loaded, tmp_path)  # after partial_fit
    same(unlike(loaded), unlike(third))


@pytest.mark.parametrize("keep", ["pocket", "ratchet"])
def test_pockets(keep, tmp_path):
    learner = Perceptron(keep=keep, random_state=0, max_iter=3).fit(X, Y)
    same(unlike(learner), unlike(again(learner, tmp_path)))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([False, True]),
        np.array([3, 9], np.int8),
        np.array([2**63, 2**64 - 1], np.uint64),
        np.array([0.0, 1.0]),
        np.array(["é", "日本"]),
        np.array(["one", "two"], dtype=object),
        np.array(["a", "b"], dtype="U30"),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_keep_their_type(labels, tmp_path):
    learner = Perceptron(order="cyclic").fit(X, labels[(X[:, 0] > 0).astype(int)])
    loaded = again(learner, tmp_path)
    same(learner.classes_, loaded.classes_)
    same(learner.predict(X), loaded.predict(X))


def test_names_of_columns_are_kept(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "ç"])
    loaded = again(Perceptron(order="cyclic").fit(frame, Y), tmp_path)
    assert loaded.feature_names_in_.tolist() == ["a", "b", "ç"]
    loaded.predict(frame)  # without a warning


def test_a_proof_is_kept(tmp_path):
    learner = Perceptron(order="cyclic").fit([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    loaded = again(learner, tmp_path)
    assert loaded.cycle_.proves_inseparable
    same(unlike(learner), unlike(loaded))


@pytest.mark.parametrize(
    "machine",
    [
        LinearSVM(C=np.float64(2.0), class_weight={"low": 1, "mid": 2.5, "top": 1}),
        LinearSVM(multiclass="crammer_singer"),
        LinearSVM(C=np.inf),
        KernelSVM(),
        KernelSVM(multiclass="ovr"),
        KernelSVM(kernel="precomputed"),
    ],
    ids=str,
)
def test_machines(machine, tmp_path):
    rows = X @ X.T if isinstance(machine, KernelSVM) and machine.kernel == "precomputed" else X
    machine.fit(rows, np.where(X[:, 0] > 0, "low", "top") if np.isinf(machine.C) else Y)
    loaded = again(machine, tmp_path)
    same({**unlike(machine), "C": float(machine.C)}, unlike(loaded))
    same(machine.decision_function(rows), loaded.decision_function(rows))


def test_machines_from_before_there_were_pairs(tmp_path):
    """A file that says nothing of pairs holds one class against the rest."""
    path = tmp_path / "old.novikoff"
    machine = KernelSVM(multiclass="ovr").fit(X, Y)
    novikoff.save(machine, path)
    text, arrays = read_file(path)
    about = json.loads(text)
    del about["model"]["parameters"]["multiclass"]
    path.write_bytes(file_bytes(json.dumps(about), arrays))
    loaded = novikoff.load(path)
    assert loaded.multiclass == "ovr"
    same(machine.decision_function(X), loaded.decision_function(X))


def test_machines_of_pairs_whose_parts_contradict_each_other(tmp_path):
    for change in ("n_support_", "intercept_", "dual_coef_"):
        machine = KernelSVM().fit(X, Y)
        setattr(machine, change, getattr(machine, change)[:-1])
        with pytest.raises(Unstorable, match=r"does not fit the rest|add up"):
            novikoff.save(machine, tmp_path / "m.novikoff")


def mixed():
    return pd.DataFrame({"a": [*X[:, 0].tolist()[:-1], None], "kind": np.where(X[:, 1] > 0, "x", "y"), "b": X[:, 2]})


@pytest.mark.parametrize("keep", ["last", "average", "vote"])
def test_a_support_is_written_once(keep, tmp_path):
    """It is what a learner shows and what it goes on from."""
    clf = KernelPerceptron(keep=keep, max_iter=3, random_state=0).fit(X, Y)
    novikoff.save(clf, tmp_path / "kernel")
    with safe_open(tmp_path / "kernel", "np") as file:
        stored = [file.get_tensor(name) for name in file.keys()]  # noqa: SIM118, not a dict
    assert sum(np.array_equal(array, clf.support_vectors_) for array in stored) == 1


def test_pipelines_and_notes(tmp_path):
    for model in (
        make_pipeline(TableEncoder(unseen="zeros"), Perceptron(keep="average", random_state=0)),
        make_pipeline(RadialBasis(n_centers=5, random_state=0), Perceptron(random_state=0)),
    ):
        data = mixed() if isinstance(model[0], TableEncoder) else X
        model.fit(data, Y)
        novikoff.save(model, tmp_path / "m.novikoff", notes={"rows": 40, "target": "é", "nested": {"list": [1, None]}})
        loaded = novikoff.load(tmp_path / "m.novikoff")
        vars(model[1]).pop("proof_", None)  # it holds the rows, which files do not
        for before, after in zip(model, loaded, strict=True):
            same(unlike(before), unlike(after))
        same(model.predict(data), loaded.predict(data))
    header = read_header(tmp_path / "m.novikoff")
    assert header["notes"] == {"rows": 40, "target": "é", "nested": {"list": [1, None]}}
    assert (header["format"], header["library"]) == (3, novikoff.__version__)
    assert [step["class"] for _, step in header["model"]["steps"]] == ["RadialBasis", "Perceptron"]


def test_other_readers_of_the_format_can_open_it(tmp_path):
    learner = Perceptron(random_state=0).fit(X, Y)
    novikoff.save(learner, tmp_path / "m.novikoff")
    with safe_open(tmp_path / "m.novikoff", "np") as file:
        same(file.get_tensor("coef_"), learner.coef_)
        assert json.loads(file.metadata()["novikoff"])["model"]["class"] == "Perceptron"


def test_what_cannot_be_stored_is_refused_and_nothing_written(tmp_path):
    path = tmp_path / "m.novikoff"

    def refuses(model, message, kind=TypeError, **choices):
        with pytest.raises(kind, match=message):
            novikoff.save(model, path, **choices)
        assert list(tmp_path.iterdir()) == []

    fitted = Perceptron(random_state=0).fit(X, Y)
    refuses(Perceptron(), "not fitted yet", NotFittedError)
    refuses(Perceptron(random_state=np.random.RandomState(0)).fit(X, Y), "random_state is a RandomState.*whole number")
    refuses(KernelPerceptron(kernel=lambda a, b: a @ b.T).fit(X, Y), "kernel is a function, which cannot be stored")
    refuses(fitted, "notes must be", notes={"a": {1, 2}})
    refuses(fitted, "notes must be", notes={"a": float("nan")})
    refuses(fitted, "notes must be", notes={"file": os.fsdecode(b"\xff")})
    odd = np.array([0, 1], np.float16)[(X[:, 0] > 0).astype(int)]
    refuses(Perceptron().fit(X, odd), "classes_ has values of the type float16")
    refuses(object(), "A object cannot be stored")
    refuses(Perceptron(keep="average").fit(X, Y).set_params(keep="last"), "keep was changed since")
    refuses(Perceptron().fit(X, Y).set_params(eta="huge"), "parameters are refused")
    fitted.own_ = 1
    refuses(fitted, "own_ is not an attribute")


def test_writing_is_all_or_nothing(tmp_path, monkeypatch):
    path = tmp_path / "file"
    atomic.atomic_write(path, [b"old"])
    os.chmod(path, 0o640)

    def chunks():
        yield b"new"
        raise RuntimeError("no power")

    with pytest.raises(RuntimeError):
        atomic.atomic_write(path, chunks())
    assert path.read_bytes() == b"old"
    atomic.atomic_write(path, [b"new", memoryview(b"er")])
    assert path.read_bytes() == b"newer"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]
    link = tmp_path / "link"
    link.symlink_to(path)
    atomic.atomic_write(link, [b"newest"])
    assert (link.is_symlink(), path.read_bytes()) == (True, b"newest")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        atomic.check_writable(tmp_path / "none" / "file")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        atomic.check_writable(tmp_path)

    def denied(**unused):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(atomic.tempfile, "TemporaryFile", denied)
    with pytest.raises(PermissionError, match="Permission denied; choose a folder you may write to"):
        novikoff.save(Perceptron().fit(X, Y), path)


def test_what_cannot_be_read_again_does_not_take_a_files_place(tmp_path, monkeypatch):
    path, learner = tmp_path / "m.novikoff", Perceptron().fit(X, Y)
    novikoff.save(learner, path)
    before = path.read_bytes()
    written = files.file_bytes
    with monkeypatch.context() as patch:
        patch.setattr(files, "file_bytes", lambda *parts: written(*parts)[:-1])
        with pytest.raises(TypeError, match="This model cannot be stored: it is no model file, or it is damaged"):
            novikoff.save(learner, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8"))
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner)
        | st.lists(st.fixed_dictionaries({"name": st.text(st.characters(codec="utf-8")), "parts": st.lists(inner)}))
    ),
)


@given(TREES, st.integers(0, 3))
@example({"a": [["x", "y"], [], ["z"]], "b": {str(k): k for k in range(9)}}, 1)
@example([{"kind": "n", "x": 1.0}, {"kind": "c", "levels": ["u"]}, {"kind": "n", "x": -0.0}], 2)
def test_packed_lists_come_back(tree, many):
    arrays = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed, "MANY", many)
        small = json.loads(json.dumps(packed.pack(tree, arrays)))
        back = packed.unpack(small, arrays)
    assert json.dumps(back) == json.dumps(tree)
    assert arrays == {}


def test_headers_stay_small_whatever_was_learned(tmp_path):
    """A header of the format ends at 100 MB, which 1.5 million levels or a million columns once were."""
    levels, path = [f"level {k:06}" for k in range(5000)], tmp_path / "m.novikoff"
    wide = pd.DataFrame(np.eye(2, 3000), columns=[f"column {j:06}" for j in range(3000)]).assign(k=["a", None])
    for frame, y in ((pd.DataFrame({"k": levels}), np.arange(5000) % 2), (wide, [0, 1])):
        model = make_pipeline(TableEncoder(), Perceptron(max_iter=1)).fit(frame, y)
        novikoff.save(model, path)
        content = path.read_bytes()
        assert int.from_bytes(content[:8], "little") < 10_000
        again = novikoff.load(path)
        assert again[0].columns_ == model[0].columns_
        assert again[0].n_missing_ == model[0].n_missing_
        assert again[0].feature_names_in_.tolist() == model[0].feature_names_in_.tolist()
        assert again.predict(frame).tolist() == model.predict(frame).tolist()
    many = Perceptron(max_iter=1).fit(np.eye(1500), levels[:1500])
    novikoff.save(many, path)
    assert int.from_bytes(path.read_bytes()[:8], "little") < 10_000
    assert novikoff.load(path).classes_.tolist() == levels[:1500]


def test_importing_the_package_stays_light():
    code = "import sys, novikoff; print([m for m in ('safetensors', 'onnx', 'numba') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.strip() == "[]"


def test_files_that_are_no_models(tmp_path):
    path = tmp_path / "m.novikoff"
    with pytest.raises(FileNotFoundError):
        novikoff.load(path)
    for junk in (b"", b"\x00" * 7, b"\xff" * 100, b"\x02" + b"\0" * 7 + b"{}", b"PK\x03\x04" + b"\0" * 50):
        path.write_bytes(junk)
        with pytest.raises(ModelFileError, match=r"m\.novikoff: .*; if it is damaged"):
            novikoff.load(path)


def test_votes_of_passive_aggression(tmp_path):
    learner = PassiveAggressiveClassifier(keep="vote", max_votes=None, random_state=0, max_iter=2).fit(X, Y)
    loaded = again(learner, tmp_path)
    same(unlike(learner), unlike(loaded))


GOLDEN = Path(__file__).parent / "golden"


def test_a_pipeline_written_long_ago():
    model = novikoff.load(GOLDEN / "model-1.novikoff")
    frame = pd.DataFrame({"tame": [True, False, None], "size": [1.0, 5.0, None], "coat": ["long", "short", "curly"]})
    assert model.predict(frame).tolist() == ["cat", "fox", "dog"]
    assert model[0].columns_ == (
        Number("size", 3.0, 3.0, 1.2909944487358056),
        Category("coat", ("long", "short"), True),
        Category("tame", ("false", "true"), False),
    )
    assert model[0].n_missing_ == {"size": 1, "coat": 1, "tame": 0}
    learner = model[1]
    assert learner.coef_[0].tolist() == [
        -2.8079129260003777,
        0.875,
        -0.9166666666666666,
        0.0,
        -0.9166666666666666,
        0.875,
    ]
    assert learner.intercept_.tolist() == [-0.041666666666666664, 0.08333333333333337, -0.04166666666666663]
    assert (learner.stop_reason_, learner.history_["mistakes"].tolist()) == ("cycle", [5, 3, 2, 2])
    assert read_header(GOLDEN / "model-1.novikoff")["notes"] == {"rows": 6}
    seen = pd.DataFrame({"size": [1, 2, None, 4, 5, 3], "coat": ["long", None, "short", "long", "short", "short"]})
    rows = model[0].transform(seen.assign(tame=[True, True, False, True, False, False]))
    learner.partial_fit(rows, ["cat", "cat", "fox", "dog", "fox", "dog"])
    further = [-3.0209270100417855, 0.9, -0.9333333333333333, 0.0, -0.9333333333333333, 0.9]
    assert learner.coef_[0].tolist() == pytest.approx(further, rel=1e-14)


def test_machines_written_long_ago():
    corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    voters = novikoff.load(GOLDEN / "model-1-kernel.novikoff")
    assert voters.predict(corners).tolist() == [0, 1, 1, 0]
    assert (voters.n_mistakes_, len(voters.votes_.tenure), voters.support_.tolist()) == (53, 53, [0, 1, 2, 3])
    shares = [-0.8181818181818182, 0.5, 0.06818181818181818, -0.8409090909090909]
    assert voters.decision_function(corners).tolist() == pytest.approx(shares, rel=1e-14)
    machine = novikoff.load(GOLDEN / "model-1-machine.novikoff")
    assert (machine.stop_reason_, machine.support_.tolist(), machine.classes_.tolist()) == (
        "solved",
        [1, 2, 3],
        [False, True],
    )
    assert machine.decision_function([[3, 3], [1, 1]]).tolist() == pytest.approx([1.0, -1.0], rel=1e-6)
