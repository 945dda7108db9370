"""Counts, trials, ordered and several classes: whether estimates exist, from definitions and from published examples."""

import subprocess
import sys
from itertools import product

import numpy as np
import pandas as pd
import pytest

from novikoff import check_certificate, explain_separation, separability_from_formula
from novikoff.course import plain
from novikoff.proof.check import plain as page
from novikoff.studies.likelihood_cones import ordered_cone, poisson_cone, trials_cone

sm = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed")
smf = pytest.importorskip("statsmodels.formula.api", reason="statsmodels is not installed")
ordinal = pytest.importorskip("statsmodels.miscmodels.ordinal_model", reason="statsmodels is not installed")
pytest.importorskip("formulaic")
pytestmark = pytest.mark.filterwarnings("ignore")  # of fits without estimates
WORDS = {(1, 1): "either", (1, 0): "+inf", (0, 1): "-inf", (0, 0): "finite"}


# The truth, from definitions: every condition of the likelihood as an inequality in fractions, two for an equality


def counts_conditions(X, y):
    for x, count in zip(X, y, strict=True):
        row = [1, *map(int, x)]
        yield [-number for number in row]
        if count > 0:
            yield row


def trials_conditions(X, good, bad):
    for x, successes, failures in zip(X, good, bad, strict=True):
        row = [1, *map(int, x)]
        if successes > 0:
            yield row
        if failures > 0:
            yield [-number for number in row]


def ordered_conditions(X, y, levels):
    """Directions (g, t): t_j - g.x >= 0 below the last category, g.x - t_(j-1) >= 0 above the first."""
    for x, category in zip(X, y, strict=True):
        if category < levels - 1:
            yield [*(-int(number) for number in x), *(int(j == category) for j in range(levels - 1))]
        if category > 0:
            yield [*map(int, x), *(-int(j == category - 1) for j in range(levels - 1))]


def classes_conditions(X, y, levels):
    for x, own in zip(X, y, strict=True):
        row = [1, *map(int, x)]
        for rival in range(levels):
            if rival != own:
                yield [
                    sign * number
                    for k in range(1, levels)
                    for sign in [int(k == own) - int(k == rival)]
                    for number in row
                ]


def expected(conditions):
    rows = list(conditions)
    limits = [
        WORDS[plain.can_be_positive(rows, place, 1), plain.can_be_positive(rows, place, -1)]
        for place in range(len(rows[0]))
    ]
    return limits, any(plain.separated_rows(rows))


def of_full_rank(X):
    return np.linalg.matrix_rank(np.column_stack([np.ones(len(X)), X])) == X.shape[1] + 1


def small(seed, rows=8):
    rng = np.random.default_rng(seed)
    while True:
        X = rng.integers(0, 3, (rows, 2)).astype(float)
        if of_full_rank(X):
            return rng, X, pd.DataFrame(X, columns=["a", "b"])


def check(proof, conditions, names):
    limits, separated = expected(conditions)
    assert (proof.kind != "overlap") == separated
    assert [proof.directions[name] for name in names] == limits


def counts_agree(seed):
    rng, X, table = small(seed)
    table["y"] = rng.poisson(np.exp(X @ [0.8, -0.8] - 1))
    table.loc[rng.integers(8), "y"] = 1
    proof = separability_from_formula("y ~ a + b", table, family="poisson")
    check(proof, counts_conditions(X, table["y"]), ["Intercept", "a", "b"])


def trials_agree(seed):
    rng, X, table = small(seed)
    table["good"] = rng.integers(0, 3, 8) * (X[:, 0] + rng.normal(size=8) > 0.8)
    table.loc[0, "good"] = 1
    table["bad"] = rng.integers(0, 2, 8) + (table["good"] == 0)
    proof = separability_from_formula("cbind(good, bad) ~ a + b", table, family="binomial")
    check(proof, trials_conditions(X, table["good"], table["bad"]), ["Intercept", "a", "b"])


def ordered_agree(seed):
    rng, X, table = small(seed, rows=9)
    scores = X @ [1.0, 0.5] + rng.normal(size=9) * (seed % 3)
    codes = np.digitize(scores, np.quantile(scores, [0.35, 0.7]))
    codes[:3] = 0, 1, 2
    table["y"] = pd.Categorical.from_codes(codes, ["low", "mid", "high"], ordered=True)
    proof = separability_from_formula("y ~ a + b", table)
    check(proof, ordered_conditions(X, codes, 3), ["a", "b", "low/mid", "mid/high"])


def classes_agree(seed):
    rng, X, table = small(seed, rows=9)
    codes = np.argmax(X @ rng.normal(size=(2, 3)) + rng.normal(size=(9, 3)) * (seed % 3) / 2, axis=1)
    codes[:3] = 0, 1, 2
    table["y"] = np.array(["p", "q", "r"])[codes]
    proof = separability_from_formula("y ~ a + b", table, family="multinomial")
    limits, separated = expected(classes_conditions(X, codes, 3))
    assert (proof.kind != "overlap") == separated
    assert [proof.directions[name][label] for label in "qr" for name in ("Intercept", "a", "b")] == limits


@pytest.mark.parametrize(
    ("agree", "seed"), list(product([counts_agree, trials_agree, ordered_agree, classes_agree], range(12)))
)
def test_limits_are_those_of_the_definitions(agree, seed):
    agree(seed)


@pytest.mark.slow
@pytest.mark.parametrize("agree", [counts_agree, trials_agree, ordered_agree, classes_agree])
def test_limits_of_many_designs(agree):
    for seed in range(100, 2100):
        agree(seed)


# Published examples


def test_poisson_of_correia_guimaraes_zylkin():
    """The examples of the authors' primer: z = 2 x1 + x2 separates the first row; single levels, and two factors together."""
    one = pd.DataFrame({"y": [0, 0, 0, 1, 2, 3], "x": [1, 1, 0, 0, 0, 0]})
    found = explain_separation(smf.poisson("y ~ x", one))
    assert (found.kind, found.infinite, found.rows) == ("quasi-complete", {"x": "-inf"}, [0, 1])
    assert found.coefficients["Intercept"] == "finite"  # log(1.5)
    two = pd.DataFrame({"y": [0, 0, 0, 1, 2, 3], "x1": [2, -1, 0, 0, 5, 6], "x2": [-1, 2, 0, 0, -10, -12]})
    found = explain_separation(smf.glm("y ~ x1 + x2", two, family=sm.families.Poisson()).fit())
    assert (found.kind, found.rows, found.infinite) == ("quasi-complete", [0], {"x1": "-inf", "x2": "-inf"})
    levels = pd.DataFrame({"y": [0, 0, 0, 1, 2, 3], "id": list("aabbcc")})
    found = explain_separation(smf.glm("y ~ C(id)", levels, family=sm.families.NegativeBinomial()))
    assert found.rows == [0, 1]
    assert found.reasons == ["all 2 rows with id = a have y = 0"]
    assert {"look", "relevel", "drop", "bias reduction"} == {remedy.name for remedy in found.remedies}
    pair = pd.DataFrame({"y": [0, 1, 0, 0, 1], "id1": list("aabbb"), "id2": list("ppp") + list("qq")})
    found = explain_separation(smf.poisson("y ~ id1 + id2", pair))
    assert (found.kind, found.rows) == ("quasi-complete", [2])
    more = pd.concat([pair, pd.DataFrame({"y": [1e-6] * 3, "id1": list("bbb"), "id2": list("ppp")})], ignore_index=True)
    assert explain_separation(smf.glm("y ~ id1 + id2", more, family=sm.families.Poisson())).kind == "overlap"


def wine():
    """Bitterness of wine, 72 ratings: J. H. Randall, The analysis of sensory data by generalized linear model, Biometrical Journal 31, 1989; in
    the R package ordinal and in Kosmidis 2014."""
    counts = {("cold", "no"): (4, 9, 5, 0, 0), ("cold", "yes"): (1, 7, 8, 2, 0), ("warm", "no"): (0, 5, 8, 3, 2)}
    counts["warm", "yes"] = (0, 1, 5, 7, 5)
    rows = [
        (*key, rating) for key, line in counts.items() for rating, count in enumerate(line, 1) for _ in range(count)
    ]
    table = pd.DataFrame(rows, columns=["temp", "contact", "rating"])
    return table.assign(rating=pd.Categorical(table["rating"], [1, 2, 3, 4, 5], ordered=True))


def test_wine_has_estimates_in_the_proportional_model_and_not_threshold_by_threshold():
    """The cumulative logit has finite estimates, 2.503 and 1.528; that of a single threshold has none: no cold wine was rated 5, and no warm one 1
    (so the partial proportional odds model of Kosmidis 2014 has infinite estimates)."""
    table = wine()
    model = ordinal.OrderedModel.from_formula("rating ~ temp + contact", table, distr="logit")
    found = explain_separation(model)
    assert (found.kind, found.infinite, found.rows) == ("overlap", {}, [])
    assert str(found).startswith("OrderedModel (statsmodels) of rating: estimates exist")
    assert model.fit(disp=0).params.iloc[:2].tolist() == pytest.approx([2.503, 1.528], abs=1e-3)
    assert separability_from_formula("rating ~ temp + contact", table).kind == "overlap"
    table["best"], table["worst"] = (table["rating"] == 5).astype(int), (table["rating"] == 1).astype(int)
    assert explain_separation(smf.logit("best ~ temp + contact", table)).infinite == {
        "Intercept": "-inf",
        "temp[T.warm]": "+inf",
    }
    assert explain_separation(smf.logit("worst ~ temp + contact", table)).infinite == {"temp[T.warm]": "-inf"}


def test_wine_of_a_cold_and_a_warm_room():
    """Only the extreme ratings: temperature then tells them apart, and its coefficient runs to infinity with both thresholds undetermined."""
    table = wine()
    table = table[table["rating"].isin([1, 5]) | ((table["rating"] == 3) & (table["contact"] == "no"))]
    found = explain_separation(ordinal.OrderedModel.from_formula("rating ~ temp", table, distr="probit"))
    assert found.kind == "quasi-complete"
    assert found.infinite["temp[T.warm]"] == "+inf"
    assert "merge categories" in str(found)
    assert "threshold" not in found.infinite


# Weights, offsets, certificates, refusals


def test_weights_and_offsets():
    table = pd.DataFrame({"y": [0, 0, 3, 1, 0, 2], "g": list("aaabbb"), "t": [1.0, 2, 3, 4, 5, 6]})
    model = smf.glm(
        "y ~ g",
        table,
        family=sm.families.Poisson(),
        freq_weights=np.array([1, 1, 0, 1, 1, 1]),
        offset=np.log(table["t"]),
    )
    found = explain_separation(model)
    assert (found.rows, found.infinite) == ([0, 1], {"Intercept": "-inf", "g[T.b]": "+inf"})
    whole = smf.glm("y ~ g", table, family=sm.families.Poisson(), exposure=table["t"])
    assert explain_separation(whole).kind == "overlap"
    assert separability_from_formula("y ~ g + offset(t)", table, family="negative binomial").kind == "overlap"


@pytest.mark.parametrize("make", ["counts", "trials", "ordered"])
def test_certificates_of_models_are_read_by_both_checkers(make, tmp_path):
    rng, _, table = small(3)
    y = rng.integers(0, 3, 8)
    y[:3] = 0, 1, 2
    table["n"], table["m"] = y, 2 - y
    table["o"] = pd.Categorical(y, [0, 1, 2], ordered=True)
    formula, family = {
        "counts": ("n ~ a + b", "poisson"),
        "trials": ("cbind(n, m) ~ a + b", "binomial"),
        "ordered": ("o ~ a + b", "ordered"),
    }[make]
    proof = separability_from_formula(formula, table, family=family)
    proof.save(tmp_path / "c.json", rows=tmp_path / "rows.csv")
    read = pd.read_csv(tmp_path / "rows.csv")
    assert check_certificate(tmp_path / "c.json", read.iloc[:, :-1], read["label"].astype(str))
    done = subprocess.run(
        [sys.executable, page.__file__, tmp_path / "c.json", tmp_path / "rows.csv"], capture_output=True, text=True
    )
    assert done.stdout.startswith("YES")
    text = (tmp_path / "c.json").read_text()
    (tmp_path / "c.json").write_text(text.replace('"overlap"', '"complete"').replace('"quasi-complete"', '"complete"'))
    done = subprocess.run(
        [sys.executable, page.__file__, tmp_path / "c.json", tmp_path / "rows.csv"], capture_output=True, text=True
    )
    assert done.stdout.startswith("NO") or done.returncode


def test_cones_are_conditions_on_scores():
    X = np.array([[1.0], [2.0], [3.0]])
    cone = poisson_cone(X, ["x"], True, [0, 2, 0.5], "y")
    assert (cone.y.tolist(), cone.places.tolist()) == ([0, 1, 1, 0, 0], [0, 1, 2, 1, 2])
    cone = trials_cone(X, ["x"], True, [0, 1, 2], [2, 1, 0], "y")
    assert (cone.y.tolist(), cone.places.tolist()) == ([0, 1, 1, 0], [0, 1, 2, 1])
    cone = ordered_cone(X, ["x"], np.array([0, 3, 5]), list("abcdef"), "y")
    assert cone.names == ["x", "a/d", "d/f"]
    assert cone.X.tolist() == [[1, -1, 0], [2, 0, -1], [3, 0, -1], [2, -1, 0]]
    assert (cone.y.tolist(), cone.intercept) == ([0, 0, 1, 1], False)


def test_what_is_refused_says_what_to_do():
    table = pd.DataFrame({"y": [0, 0, 0], "x": [1.0, 2, 3], "n": [1, -1, 2], "w": ["lo", "mid", "hi"], "z": [0, 1, 1]})
    for formula, family, words in [
        ("y ~ x", "poisson", "no estimate exists"),
        ("n ~ x", "poisson", "n is -1.0 in row 1: a count is 0 or more"),
        ("w ~ x", "ordered", "ordered categorical"),
        ("y ~ x", "ordered", "one category only"),
        ("y ~ x", "gamma", "family is one of"),
        ("cbind(y, y) ~ x", "binomial", "two columns"),
        ("cbind(y, z) ~ x", "binomial", "0 successes and 0 failures in row 0"),
    ]:
        with pytest.raises(ValueError, match=words):
            separability_from_formula(formula, table, family=family)
    with pytest.raises(ValueError, match="with the link Log"):
        explain_separation(sm.GLM([0, 1, 2], np.ones((3, 1)), family=sm.families.Poisson(sm.families.links.Sqrt())))
    from scipy import stats

    model = ordinal.OrderedModel(
        pd.Categorical([0, 1, 2], ordered=True), np.array([[1.0], [3.0], [2.0]]), distr=stats.cauchy
    )
    with pytest.raises(ValueError, match="log-concave"):
        explain_separation(model)
