"""The command line as tests call it, and what they feed it."""

import json

import numpy as np
from typer.testing import CliRunner

import novikoff
from common import ROOT
from novikoff.cli.main import program

PENGUINS = ROOT / "examples" / "penguins.csv"
FORMATS = ("penguins.tsv.gz", "penguins.parquet", "penguins.arrow", "penguins.jsonl")
SMALL = "x,colour,y\n1,red,a\n2,blue,b\n1.5,red,a\n2.5,,b\n"
COMPARE = {
    "command": "compare",
    "rows": 344,
    "test": {"kind": "cross-validated", "metric": "accuracy", "spread_is": "standard deviation over 5 folds"},
    "chance": 0.44,
    "learners": [
        {"name": "Perceptron", "score": 0.99, "spread": 0.01, "seconds": 0.2, "note": None},
        {"name": "Adaline", "score": None, "spread": None, "seconds": None, "note": "out of time"},
    ],
}


def run(*arguments, status=0, stdin=None):
    """What a command prints, on standard output and on standard error."""
    done = CliRunner().invoke(program(), [str(argument) for argument in arguments], input=stdin)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == status, done.output
    assert "Traceback" not in done.output
    return done.stdout, done.stderr


def results(*arguments, **more):
    return json.loads(run(*arguments, "--json", **more)[0])


def refused(*arguments):
    """The error message of a command that must fail."""
    out, error = run(*arguments, status=2)
    assert out == ""
    assert error.startswith("novikoff: ")
    return error.removeprefix("novikoff: ").strip()


def same_weights(path, other):
    """Two models are the same to the last bit, but for the seconds they took."""
    ours, theirs = (novikoff.load(each)[-1] for each in (path, other))
    for name in ("coef_", "intercept_", "classes_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert ours.n_mistakes_ == theirs.n_mistakes_
    assert ours.history_["mistakes"].tolist() == theirs.history_["mistakes"].tolist()
