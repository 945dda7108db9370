"""A certificate is checked by a page of plain Python and by the quick checker: both accept what is proved, and nothing else."""

import ast
import json
import random
import runpy
import shutil
import subprocess
import sys
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from benchmarks.certificates import (
    MAKERS,
    TAMPERINGS,
    Case,
    cases,
    name_another_row,
    plain_accepts,
    quick_accepts,
    tampered,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import novikoff
from mutations import certificate_changed, follow, places
from novikoff import CertificateError, Perceptron, check_certificate, separability
from novikoff.proof.check import plain, plain_fewest
from novikoff.proof.check.certificate import Certificate, Witness, is_well_formed
from novikoff.proof.check.written import as_text, exact_number, table_of
from novikoff.proof.problem.pairs import Pairs
from novikoff.theory import margin
from problems import small_problem

PAGE, FEWEST_PAGE = Path(plain.__file__), Path(plain_fewest.__file__)
EACH = 14  # certificates of each kind, about 200 in all
FILES = 8  # changed files of each of two certificates of each kind, 240 in all
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
ODD = [None, True, 0, 1, -1, 2, 10**12, 0.5, float("nan"), float("inf"), "", "0", "1", "1/2", "-1/2", "x", [], {}, [0]]


def saved(tmp_path, proof, **choices):
    proof.save(tmp_path / "certificate.json", **choices)
    return json.loads((tmp_path / "certificate.json").read_text(encoding="utf8"))


# The page


def test_the_page_is_short_and_imports_nothing_but_the_standard_library():
    text = PAGE.read_text(encoding="utf8")
    assert len(text.splitlines()) < 100
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {getattr(node, "module", None) or node.names[0].name for node in found}
    assert names == {"csv", "fractions", "json", "sys", "typing"}


def test_the_second_page_is_short_and_imports_nothing_but_the_first():
    text = FEWEST_PAGE.read_text(encoding="utf8")
    assert len(text.splitlines()) < 120
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {getattr(node, "module", None) or node.names[0].name for node in found}
    assert names == {"csv", "fractions", "json", "math", "plain", "sys", "typing"}


def test_the_second_page_runs_beside_the_first(tmp_path):
    answer = novikoff.fewest_errors(XOR[0] / 3, XOR[1])
    answer.save(tmp_path / "certificate.json", rows=tmp_path / "rows.csv")
    for page in (PAGE, FEWEST_PAGE):
        shutil.copy(page, tmp_path)
    done = subprocess.run(
        [sys.executable, "-S", FEWEST_PAGE.name, "certificate.json", "rows.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.startswith("YES, of 4 rows 1 must go, 1 suffice"), done.stderr


def run_alone(folder, *arguments):
    """plain.py in a folder of its own, with no other package in reach."""
    command = [sys.executable, "-I", "-S", "plain.py", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "labels", [[0, 1, 1, 0], [0, 0, 0, 1], [0, 1, 0, 1], [0, 1, 2, 0], ["a,b", 'c"d', "é\n", "é\n"]]
)
def test_the_page_runs_alone(tmp_path, labels):
    X = XOR[0] / 3
    proof = separability(X, labels, max_margin=True)
    document = saved(tmp_path, proof, rows=tmp_path / "rows.csv")
    shutil.copy(PAGE, tmp_path)
    done = run_alone(tmp_path, "certificate.json", "rows.csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("YES")
    assert "labels: 'label'" in done.stdout
    for claim in document["claims"]:
        assert repr(claim["claim"]) in done.stdout
    document["claims"][0].pop("claim")
    (tmp_path / "certificate.json").write_text(json.dumps(document), encoding="utf8")
    done = run_alone(tmp_path, "certificate.json", "rows.csv")
    assert done.returncode == 1
    assert done.stderr.startswith("NO")


@pytest.mark.parametrize(
    "rows",
    [
        "",
        "x0,x1,label\n",
        "x0,x1,label\n0,0,0\n",
        "x0,label\n0,0\n1,1\n1,1\n3,0\n",
        "x0,x1,label\n0,nan,0\n0,1,1\n1,0,1\n1,1,0\n",
    ],
)
def test_other_rows_are_refused_by_the_page(tmp_path, rows):
    saved(tmp_path, separability(*XOR))
    (tmp_path / "rows.csv").write_text(rows, encoding="utf8")
    shutil.copy(PAGE, tmp_path)
    done = run_alone(tmp_path, "certificate.json", "rows.csv")
    assert (done.returncode, done.stderr[:3]) == (1, "NO,")
    assert run_alone(tmp_path, "certificate.json").returncode == 1
    assert run_alone(tmp_path, "rows.csv", "certificate.json").returncode == 1


# Both checkers


@pytest.mark.parametrize("kind", MAKERS)
def test_both_checkers_accept_proofs_and_refuse_tampered_ones(kind, rng):
    draw = random.Random(int(rng.integers(2**32)))
    for case in cases(kind, EACH, int(rng.integers(2**32))):
        assert plain_accepts(case)
        assert quick_accepts(case)
        way, changed = tampered(draw, case)
        assert not plain_accepts(changed), (way, changed)
        assert not quick_accepts(changed), (way, changed)


@pytest.fixture(scope="module")
def two_of_each_kind():
    return [case for kind in MAKERS for case in cases(kind, 2, 0)]


@pytest.mark.parametrize("tamper", TAMPERINGS)
def test_every_way_of_tampering_is_refused(tamper, rng, two_of_each_kind):
    draw, seen = random.Random(int(rng.integers(2**32))), 0
    for case in two_of_each_kind:
        changed = tamper(draw, case._replace(document=deepcopy(case.document)))
        if changed is not None:
            seen += 1
            assert not plain_accepts(changed), changed
            assert not quick_accepts(changed), changed
    assert seen


def test_a_row_close_by_is_no_tampering_with_a_bound_of_margins():
    """Another row, 1e-40 away, proves the same bound."""
    X = np.array([[0.0], [1e-40], [-1e-40], [1.0], [2.0]])
    case = Case(separability(X, [0, 0, 0, 1, 1], max_margin=True).to_dict(), X, ["0", "0", "0", "1", "1"])
    assert any(claim["claim"] == "margin at most" for claim in case.document["claims"])
    for seed in range(40):
        changed = name_another_row(random.Random(seed), case._replace(document=deepcopy(case.document)))
        assert not plain_accepts(changed), changed


@settings(max_examples=200)
@given(st.integers(0, 10**6), st.data())
def test_both_checkers_agree_on_whatever_stands_in_a_certificate(seed, data):
    """Something in it is replaced, moved or removed: it may still prove something, and then it does before both."""
    X, target, _, intercept = small_problem(seed)
    document = separability(X, target, fit_intercept=intercept, max_margin=True).to_dict()
    for _ in range(data.draw(st.integers(1, 2))):
        found = list(places(document))[1:]
        *parents, key = data.draw(st.sampled_from(found))
        parent = follow(document, parents)
        if data.draw(st.booleans()):
            parent[key] = deepcopy(data.draw(st.sampled_from(ODD)))  # the next change may be within it
        elif data.draw(st.booleans()):
            parent[key] = deepcopy(follow(document, data.draw(st.sampled_from(found))))
        else:
            parent.pop(key)
        if len(list(places(document))) < 2:
            break
    case = Case(document, X, [str(label) for label in target.tolist()])
    assert plain_accepts(case) == quick_accepts(case)


def page_accepts(path, rows, monkeypatch, page=PAGE):
    """What ``python plain.py path rows`` says."""
    monkeypatch.setattr(sys, "argv", [str(page), str(path), str(rows)])
    monkeypatch.syspath_prepend(PAGE.parent)
    try:
        runpy.run_path(str(page), run_name="__main__")
    except SystemExit:
        return False
    return True


def file_accepted(path, X, y):
    try:
        check_certificate(path, X, y)
    except CertificateError:
        return False
    return True


@pytest.mark.parametrize("kind", MAKERS)
def test_both_checkers_agree_on_any_file(kind, rng, tmp_path, monkeypatch):
    """Whatever is done to its values, their kinds or its bytes."""
    draw, path, table = random.Random(int(rng.integers(2**32))), tmp_path / "certificate.json", tmp_path / "rows.csv"
    for case in cases(kind, 2, int(rng.integers(2**32))):
        table.write_text("".join(table_of(case.X, case.y, [f"x{j}" for j in range(case.X.shape[1])])), encoding="utf8")
        for _ in range(FILES):
            path.write_bytes(certificate_changed(draw, case.document))
            said = (
                page_accepts(path, table, monkeypatch) or page_accepts(path, table, monkeypatch, FEWEST_PAGE),
                file_accepted(path, case.X, np.array(case.y)),
            )
            assert said[0] == said[1], path.read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.update(classes={"0": 0, "1": 1}),
        lambda c: c.update(classes="01"),
        lambda c: c["claims"].__setitem__(0, [*map(list, c["claims"][0].items())]),
        lambda c: c["claims"][0].update(weights=["000", "111"]),
        lambda c: c["claims"][0].update(weights={"000": 0, "111": 1}),
    ],
)
def test_lists_are_lists(change):
    X, y = [[0.0, 1.0], [1.0, 1.0], [-1.0, 1.0], [-5.0, 1.0]], ["1", "1", "1", "0"]
    claim = {"claim": "complete", "margin": 0, "weights": [[0, 0, 0], [1, 1, 1]]}
    document = {
        "format": "novikoff certificate 1",
        "classes": ["0", "1"],
        "intercept": True,
        "rows": 4,
        "claims": [claim],
    }
    case = Case(document, np.array(X), y)
    assert plain_accepts(case)
    assert quick_accepts(case)
    change(document)
    assert not plain_accepts(case)
    assert not quick_accepts(case)


@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_certificates_are_utf_8(coding, tmp_path, monkeypatch):
    proof, path, table = separability(*XOR), tmp_path / "certificate.json", tmp_path / "rows.csv"
    proof.save(path, rows=table)
    assert page_accepts(path, table, monkeypatch)
    path.write_bytes(path.read_text(encoding="utf8").encode(coding))
    assert not page_accepts(path, table, monkeypatch)
    with pytest.raises(CertificateError, match="cannot be read as JSON"):
        check_certificate(path, *XOR)


@pytest.mark.parametrize("times", [2, 20_000])
def test_a_claim_is_made_once(times, monkeypatch):
    """So that no certificate is long to check because it says the same again and again."""
    document = separability(*XOR).to_dict()
    document["claims"] = document["claims"][:1] * times
    monkeypatch.setattr(plain, "prove", None)
    with pytest.raises(ValueError, match="something twice"):
        plain.check(document, XOR[0].tolist(), list(map(str, XOR[1])))
    with pytest.raises(CertificateError, match="makes a claim twice"):
        check_certificate(document, *XOR)


@settings(max_examples=100)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_both_checkers_agree_on_other_rows(seed, other):
    """A certificate of some rows says of others what it says: both find it true, or neither."""
    X, target, _, intercept = small_problem(seed)
    document = separability(X, target, fit_intercept=intercept, max_margin=True).to_dict()
    rng = np.random.default_rng(other)
    rows = rng.permutation(len(X)) if rng.random() < 0.5 else np.arange(len(X))
    moved = X[rows] + (rng.random(X.shape) < 0.1) * rng.normal(size=X.shape) * (rng.random() < 0.5)
    labels = target if rng.random() < 0.5 else target[rows]
    case = Case(document, moved, [str(label) for label in labels.tolist()])
    assert plain_accepts(case) == quick_accepts(case)


def test_scaled_proofs_are_proofs():
    """Weights in another unit, or more of the same for every class, and a witness times a number, prove the same."""
    X, y = XOR
    separable = separability(X, [0, 0, 1, 2], max_margin=True).to_dict()
    for claim in separable["claims"]:
        if "weights" in claim:
            lines = [[plain.number(value) * 10**400 + 7 for value in line] for line in claim["weights"]]
            claim["weights"] = [[str(value) for value in line] for line in lines]
    overlap = separability(X, y).to_dict()
    for claim in overlap["claims"]:
        claim["witness"] = [[row, rival, f"{plain.number(given)}/{10**300}"] for row, rival, given in claim["witness"]]
    for document, labels in ((separable, [0, 0, 1, 2]), (overlap, y.tolist())):
        case = Case(document, X, list(map(str, labels)))
        assert plain_accepts(case)
        assert quick_accepts(case)


@pytest.mark.parametrize("part", ["kind", "boundary"])
def test_what_is_not_settled_is_not_claimed(tmp_path, part):
    """Not complete, the kind undecided; and quasi-complete, the boundary unknown."""
    X, y = XOR[0], np.array([0, 1, 0, 0])
    X = np.vstack([X, X[1]])
    y = np.append(y, 0)
    proof = separability(X, y)
    less = {"kind": None, "weights": None} if part == "kind" else {}
    certificate = replace(proof.certificate, spanning=None, boundary=None, **less)
    proof = replace(proof, certificate=certificate)
    assert proof.verify(X, y)
    document = saved(tmp_path, proof)
    names = [claim["claim"] for claim in document["claims"]]
    assert names == ["not complete"] if part == "kind" else ["not complete", "quasi-complete"]
    assert plain_accepts(Case(document, X, [str(label) for label in y.tolist()]))
    if part == "boundary":
        assert document["claims"][1]["boundary"] is None


@pytest.mark.parametrize("margin", [10**400, "1" + "0" * 400, "3/2", 1.0, 0])
def test_margins_may_be_beyond_all_floats(margin):
    X, y = [[0.0], [2.0]], [0, 1]
    document = separability(X, y, max_margin=True).to_dict()
    document["claims"][1]["margin"] = margin  # at most
    case = Case(document, np.array(X), ["0", "1"])
    assert plain_accepts(case) == quick_accepts(case) == (margin != 0)
    if margin:
        assert check_certificate(document, X, y).margin_at_most == plain.number(margin)


def test_any_order_of_the_classes_will_do():
    X = XOR[0]
    document = separability(X, [0, 0, 1, 2], max_margin=True).to_dict()
    document["classes"].reverse()
    for claim in document["claims"]:
        if "weights" in claim:
            claim["weights"].reverse()
    case = Case(document, X, ["0", "0", "1", "2"])
    assert plain_accepts(case)
    assert quick_accepts(case)


# What is saved


@pytest.mark.parametrize("seed", range(20))
def test_what_is_saved_is_what_is_read(tmp_path, seed):
    X, target, _, intercept = small_problem(seed)
    proof = separability(X, target, fit_intercept=intercept, max_margin=True)
    document = saved(tmp_path, proof, rows=tmp_path / "rows.csv")
    assert document == json.loads(json.dumps(proof.to_dict()))
    checked = check_certificate(tmp_path / "certificate.json", X, target)
    assert (checked.separable, checked.kind) == (proof.separable, proof.kind)
    assert (checked.margin, checked.mistakes_at_most) == (proof.margin, proof.mistake_bound)
    assert checked.margin_at_most == (proof.margin_bounds and proof.margin_bounds[1])
    table = np.genfromtxt(tmp_path / "rows.csv", delimiter=",", skip_header=1)
    np.testing.assert_array_equal(table[:, :-1], X)
    np.testing.assert_array_equal(table[:, -1], target)


def test_sparse_rows_are_written_in_full_and_names_are_kept(tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = XOR
    frame = pd.DataFrame(X, columns=["a", "b"])
    proof = separability(sparse.csr_array(X), y)
    proof.save(tmp_path / "certificate.json", rows=tmp_path / "sparse.csv")
    separability(frame, y).save(tmp_path / "c.json", rows=tmp_path / "frame.csv")
    assert (tmp_path / "sparse.csv").read_text().splitlines()[1:3] == ["0.0,0.0,0", "0.0,1.0,1"]
    assert (tmp_path / "frame.csv").read_text().splitlines()[0] == "a,b,label"
    check_certificate(tmp_path / "certificate.json", X, y, rows=tmp_path / "checked.csv")
    assert (tmp_path / "checked.csv").read_text() == (tmp_path / "sparse.csv").read_text()
    check_certificate(tmp_path / "c.json", frame, y, rows=tmp_path / "checked.csv")
    assert (tmp_path / "checked.csv").read_text() == (tmp_path / "frame.csv").read_text()


def test_nothing_is_saved_that_is_not_so(tmp_path):
    X, y = XOR[0].copy(), [0, 0, 0, 1]
    proof = separability(X, y)
    X[0] = 5.0  # a proof refers to X
    with pytest.raises(CertificateError, match="row 0 of class '0' does not lead class '1'"):
        proof.save(tmp_path / "certificate.json")
    assert not any(tmp_path.iterdir())
    with pytest.raises(ValueError, match="Nothing was decided"):
        separability(*load_breast_cancer(return_X_y=True), time_limit=1e-9).save(tmp_path / "certificate.json")
    with pytest.raises(ValueError, match="in use"):
        separability(*XOR).save(tmp_path / "same", rows=tmp_path / "same")


def test_long_numbers_are_written_in_hexadecimal_and_read_again():
    number = Fraction(10**6000 + 1, 7**6000)
    text = exact_number(number)
    assert text.startswith("0x")
    assert plain.number(text) == number
    assert [exact_number(Fraction(3)), exact_number(Fraction(-2, 3)), exact_number(Fraction(2**60))] == [
        3,
        "-2/3",
        str(2**60),
    ]


def test_the_layout_is_json():
    for value in ({}, {"a": []}, {"a": {}, "b": [[1, "2/3"], []], "c": [{"d": None}]}, {"ä": [0.1, True]}):
        assert json.loads(as_text(value)) == value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("rows"), "its parts are"),
        (lambda c: c.update(format="novikoff certificate 9"), "this version reads 'novikoff certificate 1'"),
        (lambda c: c.update(rows=5), "about 5 rows, and X has 4"),
        (lambda c: c.update(classes=["0", "2"]), "row 1 has the label '1', which is none of its classes '0', '2'"),
        (lambda c: c.update(classes=["0", "1", "2"]), "no row has the label '2'"),
        (lambda c: c["claims"][0].update(claim="maybe"), "it claims 'maybe'; what can be claimed is complete"),
        (lambda c: c["claims"][0].pop("witness"), "it lacks 'witness'"),
        (lambda c: c["claims"][0].update(note=1), "it has ['note'], which is not checked"),
        (lambda c: c["claims"][0]["witness"][1].__setitem__(2, 2), "not complete: the witness does not sum to 0"),
        (lambda c: c["claims"][0]["witness"][1].__setitem__(2, -2), "the number of row 1 is not above 0"),
        (lambda c: c["claims"][0]["witness"][1].__setitem__(0, 9), "there is no row 9: rows are numbered from 0 to 3"),
        (lambda c: c["claims"][0]["witness"][1].__setitem__(1, "1"), "row 1 cannot have the rival '1'"),
        (lambda c: c["claims"][0]["witness"].append([1, "0", 1]), "row 1 has the rival '0' twice"),
    ],
)
def test_errors_say_what_is_wrong(change, message):
    certificate = separability(*XOR).to_dict()
    change(certificate)
    with pytest.raises(CertificateError, match="does not hold") as caught:
        check_certificate(certificate, *XOR)
    assert message in str(caught.value)


def test_files_that_are_no_json_are_refused(tmp_path):
    for text in ("", "{", "[" * 100_000, '{"rows": ' + "1" * 5000 + "}"):
        (tmp_path / "certificate.json").write_text(text)
        with pytest.raises(CertificateError, match="cannot be read as JSON"):
            check_certificate(tmp_path / "certificate.json", *XOR)


# Cycles


@pytest.mark.parametrize("form", ["worst", "uniform"])
@pytest.mark.parametrize("labels", [[0, 1, 1, 0, 1], ["a", "b", "b", "a", "c"]])
def test_a_cycle_is_a_witness_like_any_other(tmp_path, form, labels):
    X, y = np.vstack([XOR[0], [[9.0, 9.0]]]), np.array(labels)
    clf = Perceptron(order="cyclic", multiclass=form, max_iter=10_000, min_progress=None).fit(X, y)
    assert clf.cycle_.proves_inseparable
    assert isinstance(clf.cycle_.witness, Witness)
    assert is_well_formed(clf.cycle_.witness)
    pairs = Pairs(X, np.searchsorted(clf.classes_, y), len(clf.classes_), True)
    assert Certificate(None, witness=clf.cycle_.witness).holds(pairs, clf.classes_)
    novikoff.save(clf, tmp_path / "model")
    for cycle in (clf.cycle_, novikoff.load(tmp_path / "model").cycle_):
        cycle.save(tmp_path / "cycle.json")
        assert check_certificate(tmp_path / "cycle.json", X, y).separable is False
        case = Case(json.loads((tmp_path / "cycle.json").read_text()), X, list(map(str, labels)))
        assert plain_accepts(case)


def test_a_cycle_of_one_class_and_the_rest_is_a_certificate_of_these(tmp_path):
    X, y = np.array([[-1.0], [0.0], [1.0]]), np.array(["left", "middle", "right"])
    cycle = Perceptron(order="cyclic", multiclass="ovr", max_iter=1000, min_progress=None).fit(X, y).cycle_
    assert cycle.witness is None
    assert cycle.witness_against_rest("left") is None
    assert cycle.witness_against_rest("middle").rows.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match=r"name the class with against_rest, one of \['middle'\]"):
        cycle.save(tmp_path / "cycle.json")
    with pytest.raises(ValueError, match="does not prove that class 'left'"):
        cycle.save(tmp_path / "cycle.json", against_rest="left")
    cycle.save(tmp_path / "cycle.json", against_rest="middle")
    assert check_certificate(tmp_path / "cycle.json", X, y == "middle").claims == ("not complete",)
    with pytest.raises(CertificateError, match="which is none of its classes 'False', 'True'"):
        check_certificate(tmp_path / "cycle.json", X, y)


# What is handed out is what was checked


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_weights_of_the_largest_margin_have_it(load):
    X, y = load(return_X_y=True)
    y = (y == 0).astype(int) if load is load_iris else y
    proof = separability(X, y, max_margin=True)
    intercept = proof.intercept if len(proof.classes) > 2 else proof.intercept[0]
    assert proof.certificate.weights.exact is None
    assert margin(X, y, proof.coef, intercept) >= proof.margin > 0


@pytest.mark.parametrize("seed", range(40))
def test_margins_are_those_of_the_weights_that_are_shown(seed):
    X, target, n_classes, intercept = small_problem(seed)
    proof = separability(X, target, fit_intercept=intercept, max_margin=True)
    if proof.separable and proof.certificate.weights.exact is None:
        constants = proof.intercept if n_classes > 2 else proof.intercept[0]
        assert margin(X, target, proof.coef, constants) >= proof.margin
