"""The benchmarks: one entry is one row of the table.  A new learner's rows are new entries here."""

from __future__ import annotations

from functools import partial

from sklearn.linear_model import Perceptron as Peer

from novikoff import KernelPerceptron, Perceptron

from . import data
from .behaviour import growth, mistakes
from .cluster import cluster_rows
from .cluster_machines import cluster_machine_rows
from .cluster_proofs import cluster_proof_rows
from .files import peak_of, sparse_to_model, start_up, table_to_model
from .first_fits import first_fit_rows
from .fits import fits, one_by_one, pass_and_product, time_to_accuracy
from .lab_page import lab_rows
from .learners import AS_WRITTEN, kernel_rows, learner_rows
from .limits import overrun
from .machines import against_svc, until_gap
from .measure import Benchmark, Limit, at_least, at_most, no_limit
from .online import online_rows
from .processes import first_fit, import_beyond, memory
from .proofs import apart, breast_cancer, growth_with_rows, labelings, one_turned, proves, warm_time, words
from .searches import search_rows
from .solvers import solver_rows

shuffle, blocks, cyclic = (
    partial(Perceptron, order=order, **AS_WRITTEN, random_state=0) for order in ("shuffle", "blocks", "cyclic")
)
peer = partial(Peer, tol=None, shuffle=True, random_state=0)
average = partial(Perceptron, keep="average", min_progress=None, random_state=0)
ovr = partial(Perceptron, multiclass="ovr", **AS_WRITTEN, random_state=0)

FIRST_FIT = "from novikoff import Perceptron; Perceptron(max_iter=5, random_state=0).fit(X, y)"
PEERS_FIRST_FIT = (
    "from sklearn.linear_model import Perceptron; Perceptron(max_iter=5, tol=None, random_state=0).fit(X, y)"
)
CODE = ("novikoff.Perceptron(max_iter=2)", "sklearn.linear_model.Perceptron(max_iter=2, tol=None)")

BENCHMARKS = (
    Benchmark(
        "dense-shuffle", "dense, 200k x 100, 10 passes, shuffle", at_least(2.5, 4), fits(data.dense, shuffle, peer, 10)
    ),
    Benchmark(
        "dense-blocks", "dense, 200k x 100, 10 passes, blocks", at_least(4, 8), fits(data.dense, blocks, peer, 10)
    ),
    Benchmark(
        "dense-cyclic",
        "dense, 200k x 100, one pass, cyclic, against `X @ w`",
        at_most(1.5, 0.8),
        pass_and_product(data.dense, cyclic),
    ),
    Benchmark(
        "csr-shuffle", "CSR, 200k x 47k, 10 passes, shuffle", at_least(1.3, 2), fits(data.csr, shuffle, peer, 10)
    ),
    Benchmark("csr-blocks", "CSR, 200k x 47k, 10 passes, blocks", at_least(2, 4), fits(data.csr, blocks, peer, 10)),
    Benchmark(
        "digits-accuracy",
        "10 classes, 60k x 784 float32: time to the accuracy of scikit-learn's `Perceptron()`",
        at_least(100, 300),
        time_to_accuracy(data.digits_split, average, partial(Peer, random_state=0)),
    ),
    Benchmark(
        "digits-epoch", "10 classes, 60k x 784 float32, 5 passes", at_least(10, 30), fits(data.digits, shuffle, peer, 5)
    ),
    Benchmark(
        "digits-ovr",
        "10 classes, 60k x 784 float32, 2 passes, one against the rest on both sides",
        no_limit(),
        fits(data.digits, ovr, peer, 2),
    ),
    Benchmark(
        "partial-fit", "`partial_fit` row by row, 10k x 20", at_least(2.5, 5), one_by_one(data.small, shuffle, peer)
    ),
    Benchmark("iris", "iris, 20 passes", at_least(1, 2), fits(data.iris, shuffle, peer, 20, repeat=50)),
    Benchmark(
        "import",
        "`from novikoff import Perceptron` beyond `import sklearn`",
        at_most(0.1, 0.03, " s"),
        import_beyond("sklearn", "novikoff.estimators.perceptron", "sklearn.linear_model"),
    ),
    Benchmark(
        "first-fit-warm",
        "first fit of a process, kernels on disk",
        at_most(1, 0.4, " s"),
        first_fit(FIRST_FIT, PEERS_FIRST_FIT, warm=True),
    ),
    Benchmark(
        "first-fit-cold",
        "first fit of a process, nothing on disk",
        at_most(4, 2, " s"),
        first_fit(FIRST_FIT, PEERS_FIRST_FIT, warm=False),
    ),
    *first_fit_rows(),
    *online_rows(),
    *learner_rows(),
    *kernel_rows(partial(KernelPerceptron, max_iter=4, random_state=0)),
    *(
        Benchmark(
            f"sorted-{kind}-{passes}",
            f"mistakes on {kind} rows sorted by class, {passes} pass(es), blocks against shuffle",
            at_most(1.2, 1.2),
            mistakes(source, blocks, shuffle, passes),
        )
        for kind, source in (("dense", data.dense), ("csr", data.csr))
        for passes in (1, 5)
    ),
    Benchmark(
        "growth-dense",
        "seconds a row and pass, dense, 50 columns, 10k / 100k / 1M rows: largest over smallest",
        no_limit(),
        growth(lambda rows: data.make_dense(rows, 50), shuffle, blocks, peer),
    ),
    Benchmark(
        "growth-csr",
        "seconds a non-zero and pass, CSR, 10k / 100k / 1M rows: largest over smallest",
        no_limit(),
        growth(data.make_csr, shuffle, blocks, peer),
    ),
    Benchmark(
        "memory-float64",
        "peak memory of `fit`, dense float64, 200 MB",
        no_limit(""),
        memory(250_000, "make_dense({rows}, 100)", *CODE),
    ),
    Benchmark(
        "memory-float32",
        "peak memory of `fit`, dense float32, 200 MB",
        no_limit(""),
        memory(500_000, "make_dense({rows}, 100, 'float32')", *CODE),
    ),
    Benchmark(
        "memory-csr", "peak memory of `fit`, CSR, 200 MB", no_limit(""), memory(420_000, "make_csr({rows})", *CODE)
    ),
    *(
        Benchmark(
            f"proof-1e-{exponent}",
            f"`separability`, 100k x 20, margin 1e-{exponent}",
            at_least(15, 50),
            proves(apart(100_000, 20, 10.0**-exponent), "complete"),
        )
        for exponent in (2, 4, 7)
    ),
    Benchmark(
        "proof-turned",
        "`separability`, 100k x 20, one far label turned over",
        at_least(15, 50),
        proves(one_turned(100_000, 20, 1e-2), "overlap"),
    ),
    Benchmark("proof-1M", "`separability`, 1M x 28", at_least(15, 50), proves(apart(1_000_000, 28, 1e-3), "complete")),
    Benchmark(
        "proof-200",
        "`separability`, 100k x 200, margin 1e-3",
        at_least(5, 20),
        proves(apart(100_000, 200, 1e-3), "complete"),
    ),
    Benchmark("proof-words", "`separability`, CSR, 20k x 50k", at_least(5, 20), proves(words(20_000, 0), "complete")),
    Benchmark(
        "proof-words-twins",
        "`separability`, CSR, 20k x 50k, 20 rows once more with the other label",
        at_least(5, 20),
        proves(words(20_000, 20), "quasi-complete"),
    ),
    *(
        Benchmark(
            f"labelings-{rows}x{columns}",
            f"`theory.separable`, random labels, {rows} x {columns}, a labeling",
            at_least(5, 20),
            labelings(rows, columns, count, peers),
        )
        for rows, columns, count, peers in ((100, 50, 1000, 50), (400, 200, 200, 10), (1000, 500, 20, 3))
    ),
    Benchmark(
        "proof-cancer",
        "`separability`, breast cancer, raw, warm",
        at_most(50, 10, " ms"),
        warm_time(breast_cancer, "complete"),
    ),
    Benchmark(
        "proof-growth",
        "`separability`, seconds a row, 20 columns, 20k / 200k / 2M rows: largest over smallest",
        no_limit(),
        growth_with_rows,
    ),
    Benchmark(
        "limits",
        "seconds that calls run beyond their time limit and a tenth of it: the worst",
        at_most(0.2, 0.05, " s"),
        overrun,
    ),
    *(
        Benchmark(
            f"svm-{name}",
            f"`LinearSVM`, {work}, C=1, to a proved gap of {gap:.0e}, against LIBLINEAR",
            limit,
            until_gap(source, gap),
        )
        for name, work, source, gap, limit in (
            ("dense", "dense 100k x 50, a fifth of the labels wrong", data.noisy, 1e-6, at_least(5, 20)),
            ("wide", "dense 60k x 784 of that kind", data.noisy_wide, 1e-4, at_least(5, 20)),
            ("text", "CSR, 100k x 47k, 40 non-zeros a row", data.text, 1e-3, at_least(1.2, 3)),
            ("census", "CSR, 32k x 123 zeros and ones", data.census, 1e-6, at_least(3, 10)),
        )
    ),
    Benchmark("svm-kernel", "`KernelSVM`, RBF, 10k x 50, against `SVC`", at_least(1.5, 4), against_svc),
    *search_rows(),
    *solver_rows(),
    Benchmark(
        "file-table-script",
        "CSV of 2M x 30, file to model, 5 passes, against pandas and scikit-learn",
        Limit(2.0, None, at_least=True),
        table_to_model("script"),
    ),
    Benchmark(
        "file-table-rabbit",
        "the same against Vowpal Wabbit with its cache, in its own format",
        Limit(1.0, None, at_least=True),
        table_to_model("rabbit"),
    ),
    Benchmark(
        "file-sparse-rabbit",
        "LIBSVM of 1M x 40 non-zeros, file to model, 5 passes, against Vowpal Wabbit with its cache",
        Limit(1.0, None, at_least=True),
        sparse_to_model,
    ),
    *(
        Benchmark(
            f"file-memory-{command}",
            f"peak memory of `{command}{bound}` on a CSV file of 2 GB",
            Limit(1.0, None, at_least=False, unit=" GB"),
            peak_of(command),
        )
        for command, bound in (("fit", " --memory 1GB"), ("check", " --memory 1GB"), ("score", ""))
    ),
    *cluster_machine_rows(),
    *cluster_proof_rows(),
    *lab_rows(),
    Benchmark("file-help", "`novikoff --help`", Limit(0.3, None, at_least=False, unit=" s"), start_up),
    *cluster_rows(),
)
