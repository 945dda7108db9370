"""Separability from a formula: the same as that of the columns it stands for, with factors and interactions named."""

import sys

import numpy as np
import pandas as pd
import pytest

from novikoff import separability, separability_from_formula
from published import endometrial, silvapulle

TABLE = pd.DataFrame(
    {
        "a": [1.0, 2, 3, 4, 5, 6, 7, 8],
        "b": [0.5, 0.25, 4, 1, 2, 0.125, 3, 1],
        "g": list("uvwuvwuv"),
        "y": list("nnynynyy"),
        "k": [0, 1, 2, 0, 1, 2, 0, 1],
    }
)


def test_without_formulaic_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(ImportError, match=r"pip install \"\.\[formula\]\" in a copy"):
        separability_from_formula("y ~ a", TABLE)


class TestWithFormulaic:
    @pytest.fixture(autouse=True)
    def formulaic(self):
        pytest.importorskip("formulaic", reason="formulaic is not installed")

    def test_published_examples(self):
        proof = separability_from_formula("HG ~ NV + PI + EH", endometrial())
        assert (proof.kind, proof.directions) == ("quasi-complete", {"NV": "+inf", "PI": "finite", "EH": "finite"})
        assert proof.verify(endometrial()[["NV", "PI", "EH"]], endometrial()["HG"])
        assert separability_from_formula("case ~ ghqs", silvapulle()).kind == "quasi-complete"

    def test_the_docstring(self):
        table = pd.DataFrame({"dose": [1, 2, 3, 4, 5, 6], "sex": list("mfmfmf"), "died": list("nnnyyy")})
        assert separability_from_formula("died ~ dose + sex", table).kind == "complete"

    def test_it_is_the_model_matrix(self):
        proof = separability_from_formula("y ~ a*b + C(g)", TABLE)
        names = ["a", "b", "C(g)[T.v]", "C(g)[T.w]", "a:b"]
        assert sorted(proof.feature_names) == sorted(names)
        columns = {
            "a": TABLE["a"],
            "b": TABLE["b"],
            "C(g)[T.v]": 1.0 * (TABLE["g"] == "v"),
            "C(g)[T.w]": 1.0 * (TABLE["g"] == "w"),
            "a:b": TABLE["a"] * TABLE["b"],
        }
        X = np.column_stack([columns[name] for name in proof.feature_names])
        again = separability(X, TABLE["y"], feature_names=proof.feature_names)
        assert (proof.kind, proof.directions) == (again.kind, again.directions)
        assert proof.verify(X, TABLE["y"])
        assert proof.classes.tolist() == ["n", "y"]

    def test_levels_and_interactions_have_directions(self):
        data = pd.DataFrame({"g": list("uuuvvv"), "x": [1.0, 2, 3, 1, 2, 3], "y": [0, 1, 0, 1, 1, 1]})
        proof = separability_from_formula("y ~ C(g)", data)
        assert proof.directions == {"C(g)[T.v]": "+inf"}
        proof = separability_from_formula("y ~ x:C(g)", data)
        assert set(proof.directions) == {"x:C(g)[u]", "x:C(g)[v]"}

    def test_intercepts_and_classes(self):
        assert separability_from_formula("k ~ a", TABLE).classes.tolist() == [0, 1, 2]
        assert separability_from_formula("g ~ a", TABLE).classes.tolist() == ["u", "v", "w"]
        assert separability_from_formula("y ~ a", TABLE).fit_intercept
        proof = separability_from_formula("y ~ a - 1", TABLE, max_margin=True)
        assert not proof.fit_intercept
        boolean = separability_from_formula("late ~ a", TABLE.assign(late=TABLE["a"] > 4), max_margin=True)
        assert boolean.kind == "complete"
        assert boolean.margin_bounds is not None

    def test_a_point_stands_for_all_other_columns(self):
        proof = separability_from_formula("y ~ . - k", TABLE)
        named = separability_from_formula("y ~ a + b + g", TABLE)
        assert (proof.kind, proof.directions) == (named.kind, named.directions)

    def test_rows_keep_their_numbers(self):
        data = TABLE.copy()
        data.loc[2, "a"] = np.nan
        with pytest.raises(ValueError, match=r"y ~ a.*dropna"):
            separability_from_formula("y ~ a", data)
        assert separability_from_formula("y ~ b", data).rows.shape == (8,)

    @pytest.mark.parametrize("formula", ["~ a", "y", "", 3, "y ~ a ~ b", None])
    def test_formulas_without_a_response(self, formula):
        with pytest.raises(ValueError, match="A formula has a response"):
            separability_from_formula(formula, TABLE)

    @pytest.mark.parametrize(
        ("formula", "text"),
        [
            ("y ~ nothing", "cannot be used"),
            ("y ~ a +", "cannot be used"),
            ("y ~ 1", "no terms"),
            ("y + k ~ a", "one column of labels"),
        ],
    )
    def test_formulas_that_do_not_fit(self, formula, text):
        with pytest.raises(ValueError, match=text):
            separability_from_formula(formula, TABLE)
