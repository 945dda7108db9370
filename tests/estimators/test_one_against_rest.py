"""A proof of one class against the rest says which class that is."""

import pickle

import numpy as np
import pytest

from novikoff import LogisticNeuron, Perceptron, SeparationError, distributed
from novikoff.estimators.advice import heard_warnings

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [5.0, 5.0], [6.0, 5.0]])
Y = np.array(["even", "odd", "odd", "even", "far", "far"])


def inseparable():
    with heard_warnings() as heard:
        clf = Perceptron(multiclass="ovr", random_state=0).fit(X, Y)
    assert clf.stop_reason_ == "inseparable"
    return clf, heard


def test_the_proof_names_its_class_everywhere():
    clf, heard = inseparable()
    proof = clf.proof_
    assert proof.against_rest == "even"
    assert str(proof).startswith("Linear separability of class 'even' against the rest: ")
    assert "against_rest='even'" in repr(proof)
    assert "Class even against the rest." in proof._repr_html_()
    assert any("separate class 'even' from all others together" in text for text in heard)
    assert pickle.loads(pickle.dumps(proof)).against_rest == "even"


def test_it_is_verified_on_labels_of_all_classes_or_of_one():
    proof = inseparable()[0].proof_
    for labels in (Y, Y.tolist(), Y == "even", (Y == "even").tolist()):
        assert proof.verify(X, labels)
    assert not proof.verify(X, Y == "odd")
    assert not proof.verify(X, np.roll(Y, 1))


def test_a_picture_says_who_is_who():
    pytest.importorskip("matplotlib")
    ax = inseparable()[0].proof_.plot()
    assert ax.get_title().startswith("class even against the rest: not separable")
    named = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"even", "the rest"} <= set(named)


def test_over_partitions_too():
    with heard_warnings():
        clf = distributed.fit(Perceptron(multiclass="ovr", random_state=0), [(X[:4], Y[:4]), (X[4:], Y[4:])])
    assert clf.stop_reason_ == "inseparable"
    assert clf.proof_.against_rest in ("even", "odd")
    assert clf.proof_.verify(X, Y)


def test_a_refused_logistic_regression_names_it():
    with pytest.raises(SeparationError) as refused:
        LogisticNeuron(multiclass="ovr", on_separation="raise").fit(X, Y)
    assert refused.value.proof.against_rest == "far"


def test_proofs_of_all_classes_at_once_are_against_nobody():
    from novikoff import separability

    proof = separability(X, Y)
    assert proof.against_rest is None
    assert "against" not in str(proof)
