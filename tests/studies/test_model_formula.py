"""Separability from a formula: the same as that of the columns it stands for, with factors and interactions named."""

import sys

import numpy as np
import pandas as pd
import pytest

from novikoff import explain_separation, separability, separability_from_formula
from published import endometrial, lizards, sex2, silvapulle

TABLE = pd.DataFrame(
    {
        "a": [1.0, 2, 3, 4, 5, 6, 7, 8],
        "b": [0.5, 0.25, 4, 1, 2, 0.125, 3, 1],
        "g": list("uvwuvwuv"),
        "y": list("nnynynyy"),
        "k": [0, 1, 2, 0, 1, 2, 0, 1],
        "far": [0, 1, np.inf, 2, 0, 1, 2, 0],
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
        assert (proof.kind, proof.directions) == (
            "quasi-complete",
            {"Intercept": "finite", "NV": "+inf", "PI": "finite", "EH": "finite"},
        )
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
        assert proof.kind == again.kind
        assert list(proof.directions.values()) == list(again.directions.values())
        assert list(proof.directions) == ["Intercept", *proof.feature_names]
        assert proof.verify(X, TABLE["y"])
        assert proof.classes.tolist() == ["n", "y"]

    def test_levels_and_interactions_have_directions(self):
        data = pd.DataFrame({"g": list("uuuvvv"), "x": [1.0, 2, 3, 1, 2, 3], "y": [0, 1, 0, 1, 1, 1]})
        proof = separability_from_formula("y ~ C(g)", data)
        assert proof.directions == {"Intercept": "finite", "C(g)[T.v]": "+inf"}
        proof = separability_from_formula("y ~ x:C(g)", data)
        assert set(proof.directions) == {"Intercept", "x:C(g)[u]", "x:C(g)[v]"}

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
        proof = separability_from_formula("y ~ . - k - far", TABLE)
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
            ("y ~ a | b", "several parts"),
            ("y ~ factor(g)", r"Write C\(g\) for R's factor\(g\)"),
            ("y ~ g:offset(a)", "multiplies an offset"),
            ("y ~ g + offset(a + far)", r"offset\(a \+ far\) is inf in row 2"),
        ],
    )
    def test_formulas_that_do_not_fit(self, formula, text):
        with pytest.raises(ValueError, match=text):
            separability_from_formula(formula, TABLE)

    @pytest.mark.parametrize("effect", ["(1|g)", "(1 | g)", "(0 + a | g)", "(1 + a || g)"])
    def test_random_effects_are_refused_in_plain_words(self, effect):
        with pytest.raises(ValueError, match="Random effects are not supported") as caught:
            separability_from_formula(f"y ~ a + {effect}", TABLE)
        assert "write C(g) in its place" in str(caught.value)
        assert separability_from_formula("y ~ a + C(g)", TABLE).kind is not None

    @pytest.mark.parametrize("formula", ["y ~ a + (1|g", "y ~ a +", "y ~ a $ b", "y ~ (a"])
    def test_no_escape_codes_are_shown(self, formula):
        with pytest.raises(ValueError, match="cannot be used") as caught:
            separability_from_formula(formula, TABLE)
        assert str(caught.value).isprintable()
        assert "\u29da" not in str(caught.value)

    def test_an_or_within_a_function_is_no_random_effect(self):
        assert separability_from_formula("y ~ I((a > 2) | (b > 1))", TABLE).kind is not None

    def test_offsets_change_no_answer(self):
        for terms in ("a + b + C(g)", "a:g - 1"):
            proof = separability_from_formula(f"y ~ {terms} + offset(log(a)) + offset(b)", TABLE)
            plain = separability_from_formula(f"y ~ {terms}", TABLE)
            assert (proof.kind, proof.directions, proof.reasons) == (plain.kind, plain.directions, plain.reasons)
        with pytest.raises(ValueError, match="dropna"):
            separability_from_formula("y ~ a + offset(b)", TABLE.assign(b=TABLE["b"].where(TABLE["b"] > 1)))

    @pytest.mark.parametrize("response", ["cbind(grahami, opalinus)", "cbind(grahami,total - grahami)"])
    def test_counts_are_refused_and_the_remedy_works(self, response):
        sm = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed")
        smf = pytest.importorskip("statsmodels.formula.api", reason="statsmodels is not installed")
        data = lizards().assign(total=lambda table: table["grahami"] + table["opalinus"])
        with pytest.raises(ValueError, match="counts as its response") as caught:
            separability_from_formula(f"{response} ~ (height + light)^2", data)
        code = str(caught.value).split("statsmodels: ")[1].rstrip(".")
        found = eval(code, {"explain_separation": explain_separation, "smf": smf, "sm": sm, "data": data})
        assert found.kind == "overlap"
        assert len(found.coefficients) == 4

    def test_aliased_columns_are_those_of_r(self):
        """R's glm of these women reports NA for vic:vicl and vis:dia: each depends on the columns before it."""
        proof = separability_from_formula("case ~ (age + oc + vic + vicl + vis + dia)**2", sex2())
        assert [name for name, limit in proof.directions.items() if limit == "aliased"] == ["vic:vicl", "vis:dia"]
        assert proof.directions["dia"] == "either"

    def test_terms_are_in_the_order_of_r(self):
        """Main effects first, then interactions by order, each in the order written; of factors the first varies fastest."""
        data = TABLE.assign(h=list("rsrsrsrs"))
        proof = separability_from_formula("y ~ a:b + (h + g)**2 + b + a", data)
        assert list(proof.directions) == [
            "Intercept", "h[T.s]", "g[T.v]", "g[T.w]", "b", "a", "a:b", "h[T.s]:g[T.v]", "h[T.s]:g[T.w]"
        ]  # fmt: skip
        three = data.assign(k=[f"k{k}" for k in data["k"]])
        names = list(separability_from_formula("y ~ g*k", three).directions)
        assert names[-4:] == ["g[T.v]:k[T.k1]", "g[T.w]:k[T.k1]", "g[T.v]:k[T.k2]", "g[T.w]:k[T.k2]"]


class TestReasons:
    """Which level, or which number, separates."""

    DATA = pd.DataFrame(
        {
            "g": list("aaabbbbccc"),
            "x": [1.0, 2, 3, 1, 2, 3, 1, 1, 2, 3],
            "y": [1, 1, 1, 0, 1, 0, 1, 0, 1, 0],
        }
    )

    @pytest.fixture(autouse=True)
    def formulaic(self):
        pytest.importorskip("formulaic", reason="formulaic is not installed")

    def test_a_reference_level_is_named_and_can_be_changed(self):
        proof = separability_from_formula("y ~ g + x", self.DATA)
        assert proof.directions["g[T.b]"] == proof.directions["g[T.c]"] == "-inf"
        assert proof.directions["Intercept"] == "+inf"
        assert proof.reasons == ["all 3 rows with g = a have y = 1"]
        assert "a is the reference level of g" in str(proof)
        advice = "C(g, contr.treatment(base='b'))"
        assert advice in str(proof)
        again = separability_from_formula(f"y ~ {advice} + x", self.DATA)
        assert [limit for limit in again.directions.values() if limit != "finite"] == ["+inf"]
        assert again.reasons == proof.reasons
        assert "reference level" not in str(again)

    def test_several_factors(self):
        data = self.DATA.assign(f=list("pqqqqqqppq"), y=[1, 1, 1, 0, 1, 0, 1, 0, 0, 0])
        data.loc[0, "f"] = "q"
        proof = separability_from_formula("y ~ g + f", data)
        assert sorted(proof.reasons) == [
            "all 2 rows with f = p have y = 0",
            "all 3 rows with g = a have y = 1",
            "all 3 rows with g = c have y = 0",
        ]

    def test_a_cell_of_two_factors(self):
        data = pd.DataFrame({"g": list("aaaabbbb"), "h": list("rrssrrss"), "y": [0, 1, 1, 1, 0, 1, 0, 1]})
        proof = separability_from_formula("y ~ g * h", data)
        assert proof.reasons == ["all 2 rows with g = a and h = s have y = 1"]
        assert separability_from_formula("y ~ g + h", data).reasons == []

    def test_numbers(self):
        assert separability_from_formula("case ~ ghqs", silvapulle()).reasons == [
            "every row with ghqs > 2 has case = 1, and every row with ghqs < 2 has case = 0; rows with ghqs = 2 have both"
        ]
        data = pd.DataFrame({"x": [1.5, 2, 3, 7.25], "y": ["n", "n", "y", "y"]})
        assert separability_from_formula("y ~ x", data).reasons == [
            "every row with x >= 3 has y = y, and every row with x <= 2 has y = n"
        ]
        data = pd.DataFrame({"x": [1.0, 2, 2, 2], "y": [1, 0, 1, 0]})
        assert separability_from_formula("y ~ x", data).reasons == [
            "every row with x < 2 has y = 1; rows with x = 2 have both"
        ]

    def test_a_number_within_a_level(self):
        data = pd.DataFrame({"g": list("aaaabbbb"), "x": [1.0, 2, 3, 4] * 2, "y": [0, 1, 0, 1, 0, 0, 1, 1]})
        proof = separability_from_formula("y ~ g * x", data)
        assert proof.reasons == [
            "of the rows with g = b, every row with x >= 3 has y = 1, and every row with x <= 2 has y = 0"
        ]

    def test_what_takes_several_variables_has_no_reason(self):
        data = pd.DataFrame({"a": [0.0, 2, 1, 3], "b": [1.0, 3, 0, 2], "y": [0, 0, 1, 1]})
        proof = separability_from_formula("y ~ a + b", data)
        assert (proof.kind, proof.reasons) == ("complete", [])

    @pytest.mark.parametrize("seed", range(20))
    def test_levels_are_named_if_and_only_if_all_their_rows_have_one_label_and_are_separated(self, seed):
        rng = np.random.default_rng(seed)
        data = pd.DataFrame({"g": rng.choice(list("abcd"), 14), "h": rng.choice(list("rst"), 14)})
        data["y"] = np.where(rng.random(14) < 0.3, 1 - (data["g"] > "b"), data["g"] > "b").astype(int)
        data.loc[:1, "y"] = 0, 1
        proof = separability_from_formula("y ~ g + h", data)
        named = set()
        for name in ("g", "h"):
            for level, rows in data.groupby(name):
                if rows["y"].nunique() == 1:
                    assert (proof.rows[rows.index] == "separated").all()  # the indicator of a level is a direction
                    named.add((name, level, rows["y"].iloc[0]))
        found = {
            (text.split(" with ")[1].split(" = ")[0], text.split(" = ")[1].split()[0], int(text[-1]))
            for text in proof.reasons
        }
        assert found == named
