"""What other libraries call the parameters of learners: a name of theirs gets an error that says what to use here.

The table has the parameters of scikit-learn's linear learners, of River's, and of LIBLINEAR and its interfaces that some learner
here does not have.  ``docs/migration-scikit-learn.md`` says more about them, and a test compares it with this table.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import NamedTuple


class Peer(NamedTuple):
    """A parameter of other libraries.  Of several rows with its name, the first that fits a learner counts."""

    name: str
    ours: str  # what means the same, if the learner has it; empty: nothing, which fits every learner
    advice: str  # which value means the same; or what to do instead
    learners: tuple[str, ...] = ()  # that the row fits; empty: all

    def fits(self, learner: str, parameters: Iterable[str]) -> bool:
        """Whether it is about a learner of this name with these parameters."""
        return (not self.learners or learner in self.learners) and (not self.ours or self.ours in parameters)


AGGRESSIVE = "PassiveAggressiveClassifier", "PassiveAggressiveRegressor"
SOLVED = "LinearSVM", "KernelSVM"
NO_RATE = "its steps need no learning rate"
NO_PENALTY = "it has no penalty; HingeSGD, LogisticNeuron and the support vector machines have one"
NO_L1 = "there is no L1 penalty here; scikit-learn's SGDClassifier, LogisticRegression and ElasticNet have one"
AT_ONCE = "it uses all rows at once"

PEERS = (
    # learning rates
    Peer("eta0", "eta", "the same number"),
    Peer("eta0", "C", "the same number, as with learning_rate='pa1'", AGGRESSIVE),
    Peer("eta0", "", NO_RATE),
    Peer(
        "learning_rate",
        "eta",
        "the number eta0 for 'constant', 'auto' for 'optimal', 'inverse' for 'invscaling' with power_t=1",
        ("HingeSGD",),
    ),
    Peer(
        "learning_rate", "eta", "the number eta0 for 'constant'; for rates that decrease, keep='average' does instead"
    ),
    Peer("learning_rate", "variant", "'PA-I' for 'pa1', 'PA-II' for 'pa2'"),
    Peer("learning_rate", "", NO_RATE),
    Peer("power_t", "eta", "'inverse' for power_t=1; other powers are not available", ("HingeSGD",)),
    Peer("power_t", "", "there is no rate that decreases with a power; keep='average' does instead"),
    Peer("optimizer", "eta", "the number in SGD(number)"),
    Peer("optimizer", "", NO_RATE),
    Peer("clip_gradient", "", "steps are not clipped; scale the columns instead"),
    # penalties
    Peer("alpha", "lam", "the same number"),
    Peer("alpha", "l2", "alpha times the number of rows for SGDClassifier and SGDRegressor, the same number for Ridge"),
    Peer("alpha", "C", "1 / (alpha times the number of rows)", SOLVED),
    Peer("alpha", "", NO_PENALTY),
    Peer("penalty", "lam", "the number alpha for 'l2'; 'l1' and 'elasticnet' are not available"),
    Peer("penalty", "l2", "0 for None, a larger number for 'l2'; 'l1' and 'elasticnet' are not available"),
    Peer("penalty", "", "the penalty is L2, and C is its counterpart", SOLVED),
    Peer("penalty", "", NO_PENALTY),
    Peer("l1_ratio", "", NO_L1),
    Peer("l1", "", NO_L1),
    Peer("l2", "lam", "the same number"),
    Peer("l2", "C", "1 / (l2 times the number of rows)", SOLVED),
    Peer("l2", "", NO_PENALTY),
    Peer("C", "lam", "1 / (C times the number of rows)"),
    Peer("C", "l2", "1 / C"),
    Peer("C", "", NO_PENALTY),
    Peer("cost", "C", "the same number"),
    Peer("cost", "l2", "1 / cost"),
    Peer("positive", "", "weights may have any sign; scikit-learn's Ridge(positive=True) limits them"),
    # losses
    Peer(
        "loss",
        "variant",
        "'PA-I' for 'hinge' and 'epsilon_insensitive', 'PA-II' for 'squared_hinge' and 'squared_epsilon_insensitive'",
    ),
    Peer("loss", "", "it has the hinge loss; LinearSVM has a choice", ("KernelSVM",)),
    Peer(
        "loss",
        "",
        "each learner has its own loss: HingeSGD 'hinge', LogisticNeuron 'log_loss', Adaline 'squared_error', Perceptron 'perceptron'",
    ),
    Peer("mode", "variant", "'PA' for 0, 'PA-I' for 1, 'PA-II' for 2"),
    Peer("epsilon", "", "only PassiveAggressiveRegressor has it"),
    Peer("p", "", "only p=2 is available"),
    # passes, and what is kept of them
    Peer("shuffle", "order", "'shuffle' for True, 'cyclic' for False"),
    Peer("shuffle", "", AT_ONCE),
    Peer("average", "keep", "'average' for True, 'last' for False"),
    Peer("average", "", AT_ONCE),
    Peer("max_iter", "time_limit", "seconds; iterations are not limited"),
    Peer("n_iter", "max_iter", "the same number"),
    Peer("eps", "tol", "here it is the relative duality gap", SOLVED),
    Peer("early_stopping", "", "it ends when the duality gap is at most tol", SOLVED),
    Peer("validation_fraction", "", "it ends when the duality gap is at most tol", SOLVED),
    Peer("n_iter_no_change", "", "it ends when the duality gap is at most tol", SOLVED),
    Peer(
        "warm_start",
        "",
        "call partial_fit to go on from a fit",
        (
            "ALMAClassifier",
            "AdaGradClassifier",
            "AdaGradRegressor",
            "AROWClassifier",
            "SecondOrderPerceptron",
            "KernelPerceptron",
        ),
    ),
    Peer("verbose", "", "see history_ after the fit, or set a scikit-learn callback"),
    # intercepts and first weights
    Peer("learn_intercept", "fit_intercept", "the same"),
    Peer("bias", "intercept_scaling", "the same number; fit_intercept=False for -1"),
    Peer("bias", "fit_intercept", "False for -1, else True"),
    Peer("intercept_lr", "intercept_scaling", "the square root of intercept_lr / eta"),
    Peer("intercept_scaling", "", "the intercept is not penalised, so nothing has to make it large", SOLVED),
    Peer("intercept_init", "init", "an array of the weights, with the intercept in its last column"),
    Peer("initializer", "init", "'zeros', 'ones', 'random' or an array"),
    # several classes
    Peer("multi_class", "multiclass", "the same", ("LinearSVM",)),
    Peer("multi_class", "multiclass", "'softmax' for 'multinomial', 'ovr' for 'ovr'", ("LogisticNeuron",)),
    Peer("multi_class", "multiclass", "'ovr' for 'ovr'"),
    Peer("multi_class", "", "every class is learned against the rest"),
    Peer("decision_function_shape", "multiclass", "'pairs'; pair_scores(X) has the scores of 'ovo'", ("KernelSVM",)),
    Peer("break_ties", "", "ties are always broken, as with break_ties=True"),
    # the machinery
    Peer("probability", "", "put CalibratedClassifierCV around it"),
    Peer("dual", "solver", "'auto'; the form is chosen by the shape of the data"),
    Peer("solver", "", "there is one solver"),
    Peer("shrinking", "", "leave it out; it only affects speed"),
    Peer("copy_X", "", "leave it out; X is never changed"),
    Peer("n_jobs", "", "leave it out; one thread learns all classes"),
    Peer("random_state", "", "leave it out; nothing is random"),
)
NAMES = {peer.name for peer in PEERS}


def said_here(kind: type, name: str) -> str:
    """What to use in place of a parameter that a learner does not have, in a sentence; empty if it has it, or
    if none does."""
    if name not in NAMES:
        return ""
    own = inspect.signature(kind.__init__).parameters  # type: ignore[misc]
    if name in own or any(each.kind is each.VAR_KEYWORD for each in own.values()):
        return ""
    known = {each.__name__ for each in kind.__mro__}
    found = next((peer for peer in PEERS if peer.name == name and any(peer.fits(each, own) for each in known)), None)
    if found is None:
        return ""
    return f"Use {found.ours}: {found.advice}." if found.ours else f"{found.advice[:1].upper()}{found.advice[1:]}."
