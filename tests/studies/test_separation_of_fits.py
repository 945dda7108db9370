"""Logistic regressions of statsmodels and scikit-learn explained: published examples, every sort of fit, and what is refused."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from novikoff import LogisticNeuron, explain_separation, separability
from novikoff.course import plain
from novikoff.studies.separation_of_fits import sas_effect
from published import endometrial, lizards, sex2, silvapulle

sm = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed")
smf = pytest.importorskip("statsmodels.formula.api", reason="statsmodels is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of fits without estimates, and of other libraries
BINOMIAL = sm.families.Binomial


# Published examples


def test_endometrial():
    """Heinze and Schemper 2002: NV has no finite estimate, the others have."""
    data = endometrial()
    assert data.shape == (79, 4)
    fits = [
        smf.logit("HG ~ NV + PI + EH", data),
        smf.logit("HG ~ NV + PI + EH", data).fit(disp=0),
        smf.glm("HG ~ NV + PI + EH", data, family=BINOMIAL()).fit(),
        smf.glm("HG ~ NV + PI + EH", data, family=BINOMIAL(sm.families.links.CLogLog())).fit(),
        sm.Probit(data["HG"], sm.add_constant(data[["NV", "PI", "EH"]])).fit(disp=0),
        sm.Logit(data["HG"].to_numpy(), sm.add_constant(data[["NV", "PI", "EH"]].to_numpy())),
    ]
    for fit in fits:
        found = explain_separation(fit)
        assert (found.kind, found.separable, found.penalised) == ("quasi-complete", False, False)
        assert list(found.coefficients.values()) == ["finite", "+inf", "finite", "finite"]
        assert found.rows == data.index[data["NV"] == 1].tolist()
        assert found.proof.verify(data[["NV", "PI", "EH"]], data["HG"])
    assert found.infinite == {"x1": "+inf"}
    found = explain_separation(fits[1])
    assert found.infinite == {"NV": "+inf"}
    assert found.reasons == ["all 13 rows with NV = 1 have HG = 1"]
    text = str(found)
    for part in (
        "Logit (statsmodels) of HG",
        "coefficient of NV: runs to +infinity",
        "13 rows",
        "Firth",
        "exact NV",
        "without NV",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) <= 130
    assert "NV" in repr(found)


def test_sex2():
    data = sex2()
    assert data.shape == (239, 7)
    assert data["case"].sum() == 130
    found = explain_separation(sm.Logit(data["case"], sm.add_constant(data.drop(columns="case"))))
    assert found.kind == "quasi-complete"
    assert found.infinite == {"dia": "+inf"}
    assert found.coefficients["const"] == "finite"
    assert found.reasons == ["all 7 rows with dia = 1 have case = 1"]


def test_silvapulle():
    """Both coefficients run off: the one score of 2 in each group is all that is left on the boundary."""
    data = silvapulle()
    assert len(data) == 35
    found = explain_separation(smf.logit("case ~ ghqs", data))
    assert found.kind == "quasi-complete"
    assert found.coefficients == {"Intercept": "-inf", "ghqs": "+inf"}
    assert sorted(set(data.index) - set(found.rows)) == data.index[data["ghqs"] == 2].tolist()


def test_lizards():
    """Counts, factors, no separation: all estimates are finite."""
    data = lizards()
    assert data[["grahami", "opalinus"]].to_numpy().sum() == 564
    fit = smf.glm("grahami + opalinus ~ height + diameter + light + time", data, family=BINOMIAL()).fit()
    found = explain_separation(fit)
    assert found.kind == "overlap"
    assert set(found.coefficients.values()) == {"finite"}
    assert "height[T.>=5ft]" in found.coefficients
    assert (found.infinite, found.rows, found.remedies, found.reasons) == ({}, [], (), [])
    assert "All maximum likelihood estimates are finite." in str(found)
    none_seen = data.assign(opalinus=data["opalinus"].where(data["time"] != "late", 0))
    fit = smf.glm("grahami + opalinus ~ height + diameter + light + time", none_seen, family=BINOMIAL()).fit()
    found = explain_separation(fit)
    assert found.infinite == {"time[T.late]": "+inf"}
    assert found.rows == data.index[data["time"] == "late"].tolist()
    assert found.reasons == [f"all {len(found.rows)} rows with time = late have opalinus = 0"]
    assert "brglm2" in str(found)


def test_firth_estimates_are_those_published():
    """The line of code that is recommended gives the estimates of Heinze and Schemper, and of brglm2."""
    pytest.importorskip("firthmodels", reason="firthmodels is not installed")
    data = endometrial()
    result = smf.logit("HG ~ NV + PI + EH", data).fit(disp=0)
    lines = next(remedy.code for remedy in explain_separation(result).remedies if remedy.name == "Firth").splitlines()
    names = {"result": result, "np": np}
    exec(lines[0], names)
    fit = eval(lines[1], names)
    np.testing.assert_allclose([fit.intercept_, *fit.coef_], [3.77456, 2.92927, -0.03475, -2.60416], atol=1e-4)


def test_the_code_of_remedies_runs():
    data = endometrial()
    result = smf.logit("HG ~ NV + PI + EH", data).fit(disp=0)
    lines = next(
        remedy.code for remedy in explain_separation(result).remedies if remedy.name == "penalise"
    ).splitlines()
    names = {"result": result, "np": np}
    exec("\n".join(lines[:-1]), names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = eval(lines[-1], names)
    assert fit.coef_.shape == (1, 3)
    X, y = data[["NV", "PI", "EH"]], data["HG"]
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    lines = next(
        remedy.code for remedy in explain_separation(pipeline, X, y).remedies if remedy.name == "penalise"
    ).splitlines()
    names = {"fit": pipeline, "X": X, "y": y}
    exec("\n".join(lines[:-1]), names)
    assert eval(lines[-1], names).coef_.shape == (1, 3)


# The truth, from definitions


@pytest.mark.parametrize("seed", range(25))
def test_limits_are_those_of_plain_python(seed):
    """Small tables of every kind, with an intercept: each coefficient by two linear programmes in fractions."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (8, 2)).astype(float)
    y = (X @ [1, 1] + rng.normal(size=8) * (seed % 3) > 2).astype(int)
    y[:2] = 0, 1
    found = explain_separation(sm.Logit(y, np.column_stack([np.ones(8), X])))
    limits = [limit for limit in found.coefficients.values() if limit != "aliased"]
    kept = [limit != "aliased" for limit in list(found.coefficients.values())[1:]]
    signs = [2 * int(t) - 1 for t in y]
    rows = plain.signed_rows([[1, *map(int, x)] for x in X[:, kept].tolist()], signs, intercept=False)
    for place, limit in enumerate(limits):
        up, down = plain.can_be_positive(rows, place, 1), plain.can_be_positive(rows, place, -1)
        assert limit == {(1, 1): "either", (1, 0): "+inf", (0, 1): "-inf", (0, 0): "finite"}[up, down]
    assert found.rows == [i for i, separated in enumerate(plain.separated_rows(rows)) if separated]


def test_counts_and_weights_are_rows():
    """A row of counts is a success and a failure; rows of weight 0 do not count; an offset changes nothing."""
    exog = sm.add_constant(np.array([[0.0], [1.0], [2.0], [3.0]]))
    mixed = sm.GLM(np.array([[0, 5], [2, 3], [4, 0], [6, 0]]), exog, family=BINOMIAL())
    found = explain_separation(mixed)
    assert (found.kind, found.rows) == ("quasi-complete", [0, 2, 3])
    assert len(found.proof.rows) == 5
    weights = np.array([1, 0, 1, 1])
    y = np.array([0, 1, 0, 1])
    assert explain_separation(sm.GLM(y, exog, family=BINOMIAL())).kind == "overlap"
    found = explain_separation(sm.GLM(y, exog, family=BINOMIAL(), freq_weights=weights, offset=np.arange(4.0)))
    assert (found.kind, found.rows) == ("complete", [0, 2, 3])
    with pytest.raises(
        ValueError, match=r"freq_weights is -2 in row 2: a weight is 0 or a positive number.*leave the row out"
    ):
        explain_separation(sm.GLM(y, exog, family=BINOMIAL(), freq_weights=np.array([1, 1, -2, 1])))
    shares = explain_separation(sm.GLM(np.array([0, 0.5, 1, 1]), exog, family=BINOMIAL()))
    assert (shares.kind, shares.rows) == ("quasi-complete", [0, 2, 3])


@pytest.mark.parametrize("model", [sm.Logit, sm.Poisson])
def test_a_constant_below_zero_turns_the_sign_of_its_coefficient(model):
    X, y = np.array([0.0, 1, 2, 3]), np.array([0, 0, 0, 1])
    for constant, sign in ((1.0, "-inf"), (2.5, "-inf"), (-1.0, "+inf")):
        found = explain_separation(model(y, np.column_stack([np.full(4, constant), X])))
        assert (found.kind != "overlap", found.coefficients) == (True, {"const": sign, "x1": "+inf"})


def test_several_classes():
    y = np.array([0, 0, 1, 1, 2, 2, 1])
    X = np.array([0.0, 1, 2, 3, 4, 5, 2.5])
    found = explain_separation(sm.MNLogit(y, sm.add_constant(X)))
    assert found.kind == separability(X[:, None], y).kind
    assert set(found.coefficients) == {"const", "x1"}
    assert found.infinite
    assert [remedy.name for remedy in found.remedies] == ["look", "penalise"]
    assert "for 1" in str(found)


def test_names_and_row_labels_are_the_users():
    data = endometrial().set_index(np.array([f"case {i}" for i in range(79)]))
    data.loc["case 3", "PI"] = np.nan  # statsmodels leaves the row out
    found = explain_separation(smf.logit("HG ~ NV * PI + EH", data.assign(PI=data["PI"])))
    assert "case 3" not in found.rows
    assert "case 21" in found.rows
    assert "NV:PI" in found.coefficients


def test_no_intercept_and_aliased_columns():
    data = pd.DataFrame({"g": list("aabbcc"), "x": [1.0, 2, 1, 2, 1, 2], "y": [0, 1, 1, 1, 0, 1]})
    found = explain_separation(smf.logit("y ~ C(g) + x - 1", data))
    assert set(found.coefficients) == {"C(g)[a]", "C(g)[b]", "C(g)[c]", "x"}
    assert found.proof.fit_intercept is False
    twice = sm.Logit(data["y"].to_numpy(), np.column_stack([np.ones(6), data["x"], 2 * data["x"], [0, 1, 0, 1, 1, 0]]))
    assert "aliased" in explain_separation(twice).coefficients.values()


# scikit-learn


def test_fits_of_sklearn():
    data = endometrial()
    X, y = data[["NV", "PI", "EH"]], data["HG"]
    free = explain_separation(LogisticRegression(C=np.inf, max_iter=5000).fit(X, y), X, y)
    assert (free.kind, free.infinite, free.penalised) == ("quasi-complete", {"NV": "+inf"}, False)
    assert "where it stopped" in str(free)
    penalised = explain_separation(LogisticRegression().fit(X, y), X, y)
    assert (penalised.infinite, penalised.penalised) == ({"NV": "+inf"}, True)
    assert "the penalty, not the data" in str(penalised)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = LogisticNeuron(l2=0).fit(X, y)
    assert explain_separation(ours, X, y).infinite == {"NV": "+inf"}
    assert explain_separation(ours, X.to_numpy(), y).infinite == {"x0": "+inf"}
    through_origin = explain_separation(LogisticRegression(fit_intercept=False).fit(X, y), X, y)
    assert set(through_origin.coefficients) == {"NV", "PI", "EH"}


def test_pipelines():
    data = pd.DataFrame({"g": list("aaabbbccc"), "x": [1.0, 2, 3, 1, 2, 3, 1, 2, 3], "y": list("nynyyynyn")})
    encode = make_column_transformer((OneHotEncoder(drop="first"), ["g"]), remainder="passthrough")
    fit = make_pipeline(encode, LogisticRegression()).fit(data[["g", "x"]], data["y"])
    found = explain_separation(fit, data[["g", "x"]], data["y"])
    assert found.kind == "quasi-complete"
    assert list(found.infinite) == ["onehotencoder__g_b"]
    assert found.reasons == ["all 3 rows with g = b have y = y"]
    assert found.rows == [3, 4, 5]


def test_pipelines_of_every_length():
    data = endometrial()
    X, y = data[["NV", "PI", "EH"]], data["HG"]
    alone = explain_separation(make_pipeline(LogisticRegressionCV(max_iter=5000)).fit(X, y), X, y)
    assert (alone.infinite, alone.penalised) == ({"NV": "+inf"}, True)
    assert ".fit(X, y)" in str(alone)
    nameless = make_pipeline(FunctionTransformer(np.asarray), LogisticRegression()).fit(X, y)
    assert explain_separation(nameless, X, y).infinite == {"x0": "+inf"}
    sparse_rows = make_pipeline(FunctionTransformer(sparse.csr_array), LogisticRegression()).fit(X.to_numpy(), y)
    assert explain_separation(sparse_rows, X.to_numpy(), y.to_numpy()).rows == np.flatnonzero(X["NV"] == 1).tolist()


def test_weights_of_sklearn():
    """Rows of weight 0 do not count, as in the fit; what is no weight is refused."""
    X, y, weights = np.array([[0.0], [1], [2], [3]]), np.array([0, 1, 0, 1]), np.array([1, 0.5, 0, 2])
    fit = LogisticRegression().fit(X, y, sample_weight=weights)
    assert explain_separation(fit, X, y).kind == "overlap"
    found = explain_separation(fit, X, y, sample_weight=weights)
    assert (found.kind, found.rows) == ("complete", [0, 1, 3])
    assert "sample_weight" not in str(found)
    assert "brglm2" in str(found)
    frame = pd.DataFrame(X, columns=["dose"], index=list("pqrs"))
    found = explain_separation(fit, frame, y, sample_weight=weights.tolist())
    assert found.rows == ["p", "q", "s"]
    assert found.reasons == ["every row with dose >= 1 has y = 1, and every row with dose <= 0 has y = 0"]
    with pytest.raises(ValueError, match=r"sample_weight is -1\.0 in row 2.*leave the row out"):
        explain_separation(fit, X, y, sample_weight=[1, 1, -1, 1])
    with pytest.raises(ValueError, match="sample_weight is nan in row 0"):
        explain_separation(fit, X, y, sample_weight=[np.nan, 1, 1, 1])
    with pytest.raises(ValueError, match="one weight for each of the 4 rows"):
        explain_separation(fit, X, y, sample_weight=[1, 1])


# Reasons


GROUPS = pd.DataFrame(
    {"g": list("aaabbbbccc"), "x": [1.0, 2, 3, 1, 2, 3, 1, 1, 2, 3], "y": [1, 1, 1, 0, 1, 0, 1, 0, 1, 0]}
)


def test_a_reference_level_that_separates_is_named_and_the_remedy_works():
    found = explain_separation(smf.logit("y ~ g + x", GROUPS))
    assert found.infinite == {"Intercept": "+inf", "g[T.b]": "-inf", "g[T.c]": "-inf"}
    assert found.reasons == ["all 3 rows with g = a have y = 1"]
    remedies = {remedy.name: remedy for remedy in found.remedies}
    assert "a is the reference level of g" in remedies["relevel"].why
    assert "without g," in remedies["look"].code
    assert "replace({'a': 'b'})" in remedies["look"].code
    assert "exact g " in remedies["exact"].code
    again = explain_separation(smf.logit(f"y ~ {remedies['relevel'].code} + x", GROUPS))
    assert list(again.infinite.values()) == ["+inf"]
    assert again.reasons == found.reasons
    assert "relevel" not in [remedy.name for remedy in again.remedies]
    assert explain_separation(smf.logit("y ~ g + x", GROUPS.replace({"g": {"a": "b"}}))).kind == "overlap"


def test_reference_levels_of_pipelines_and_of_columns():
    X, y = GROUPS[["g", "x"]], GROUPS["y"]
    for drop in ("first", ["b"]):
        encode = make_column_transformer((OneHotEncoder(drop=drop), ["g"]), remainder="passthrough")
        found = explain_separation(make_pipeline(encode, LogisticRegression()).fit(X, y), X, y)
        assert found.reasons == ["all 3 rows with g = a have y = 1"]
        codes = [remedy.code for remedy in found.remedies if remedy.name == "relevel"]
        assert codes == (["OneHotEncoder(drop=['b'])"] if drop == "first" else [])
        assert len(found.infinite) == (3 if drop == "first" else 1)
    dummies = pd.get_dummies(GROUPS["g"], drop_first=True, dtype=float)
    found = explain_separation(sm.Logit(y, sm.add_constant(dummies.assign(x=GROUPS["x"]))))
    assert found.reasons == ["all 3 rows with b = c = 0 have y = 1"]
    assert "give them a column in place of b" in str(found)
    every = separability(pd.get_dummies(GROUPS["g"], dtype=float), y)
    assert every.reasons == ["all 3 rows with a = 1 have class 1"]


def test_reasons_of_rows_that_are_left_out_or_have_other_names():
    data = GROUPS.assign(x=GROUPS["x"].where(GROUPS.index != 0)).set_index(np.repeat(["p", "q"], 5))
    found = explain_separation(smf.logit("y ~ g + x", data))
    assert found.reasons == ["all 2 rows with g = a have y = 1"]
    texts = GROUPS.assign(y=np.where(GROUPS["y"] == 1, "well", "ill"))
    found = explain_separation(smf.glm("y ~ g", texts, family=BINOMIAL()))
    assert found.reasons == ["all 3 rows with g = a have y = well"]


def test_what_takes_several_variables_is_said_to():
    found = explain_separation(sm.Logit([0, 0, 1, 1], [[1.0, 0, 1], [1, 2, 3], [1, 1, 0], [1, 3, 2]]))
    assert (found.kind, found.reasons) == ("complete", [])
    assert "No single variable separates these rows: it takes several together." in str(found)


# What is refused


def test_what_cannot_be_explained():
    data = endometrial()
    X, y = data[["NV", "PI", "EH"]], data["HG"]
    result = smf.logit("HG ~ NV", data).fit(disp=0)
    with pytest.raises(ValueError, match="leave X, y and sample_weight out"):
        explain_separation(result, X, y)
    result.remove_data()
    with pytest.raises(ValueError, match="fit it again"):
        explain_separation(result)
    with pytest.raises(ValueError, match=r"explain_separation explains.*OLS"):
        explain_separation(smf.ols("HG ~ NV", data).fit())
    with pytest.raises(ValueError, match="Gamma with"):
        explain_separation(smf.glm("HG ~ NV", data.assign(HG=data["HG"] + 1), family=sm.families.Gamma()))
    with pytest.raises(ValueError, match="Binomial with Log"):
        explain_separation(smf.glm("HG ~ NV", data, family=BINOMIAL(sm.families.links.Log())))
    with pytest.raises(ValueError, match="nothing to separate rows by"):
        explain_separation(smf.logit("HG ~ 1", data))
    with pytest.raises(ValueError, match="pass X and y"):
        explain_separation(LogisticRegression().fit(X, y))
    for other in (LogisticRegression(), RandomForestClassifier(n_estimators=2).fit(X, y), StandardScaler().fit(X)):
        with pytest.raises(ValueError, match="is not one, or is not fitted"):
            explain_separation(other, X, y)
    with pytest.raises(TypeError, match="got int"):
        explain_separation(3)


def test_undecided_is_said(monkeypatch):
    from novikoff.studies import separation_of_fits

    data = endometrial()
    X, y = data[["NV", "PI", "EH"]], data["HG"]
    undecided = separability(X, y, time_limit=1e-9)
    assert undecided.kind is None
    monkeypatch.setattr(separation_of_fits, "separability", lambda *a, **k: undecided)
    found = explain_separation(LogisticRegression().fit(X, y), X, y)
    assert (found.kind, found.infinite, found.rows, found.remedies) == (None, {}, [], ())
    assert "not known" in str(found)


@pytest.mark.parametrize(
    ("column", "effect"),
    [
        ("drug[T.B]", "drug"),
        ("age", "age"),
        ("C(g)[T.b]", "g"),
        ("C(g, Sum)[S.x]:age", "g*age"),
        ("a[T.1]:b[T.m]", "a*b"),
    ],
)
def test_sas_knows_factors_not_columns(column, effect):
    assert sas_effect(column) == effect


def test_a_column_with_a_level_for_each_row_is_not_gone_through_row_by_row():
    count = 3000
    X = pd.DataFrame({"name": [f"patient {i}" for i in range(count)], "dose": np.arange(count) / 8})
    y = (X["dose"] > 100).astype(int).rename("y")
    encode = make_column_transformer((OneHotEncoder(max_categories=3), ["name"]), remainder="passthrough")
    found = explain_separation(make_pipeline(encode, LogisticRegression()).fit(X, y), X, y)
    assert found.reasons[0] == "every row with dose >= 100.125 has y = 1, and every row with dose <= 100 has y = 0"
    assert len(found.reasons) <= 101
    assert "more such facts" in str(found)
