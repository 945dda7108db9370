"""The words of the lab, each in a sentence."""

GLOSSARY: tuple[tuple[str, str], ...] = (
    (
        "augmented row",
        "A row with one more number, x\u2080 = 1, whose weight is the bias: then w\u00b7x + b is one product.",
    ),
    ("average", "The mean of the weights after every row that was read."),
    ("bias", "The number b that is added to w\u00b7x. Without it every line passes through the origin."),
    ("class", "What a row belongs to. Of two classes one is called +1, the other \u22121."),
    (
        "complete",
        "Separable: some line has all rows of one class strictly on one side and all others strictly on the other.",
    ),
    ("convex hull", "All weighted means of some points: the shape of a rubber band around them."),
    ("cycle", "Weights that come back at the same row: from there on a perceptron only repeats itself."),
    (
        "dual",
        "A problem with one number \u03b1 for each row; each of its values is below every value of the first problem, the primal.",
    ),
    ("error", "A row that the weights predict wrongly; a score of 0 predicts \u22121."),
    ("feature \u03c6(x)", "A number worked out from a row; a line between features is a curve between rows."),
    ("gap", "The distance between primal and dual. Where it is 0, both are solved, and that is proved."),
    (
        "general position",
        "Points in d dimensions of which no d + 1 lie on one hyperplane; in the plane: no three on a line.",
    ),
    ("held-out row", "A row that is not learned from: it shows how rows are predicted that were never seen."),
    (
        "kernel k(x, z)",
        "The product \u03c6(x)\u00b7\u03c6(z) of the features of two rows, which can be known without the features.",
    ),
    ("labeling", "A choice of +1 or \u22121 for each of some points."),
    ("learning rate \u03b7", "How far one update goes."),
    ("loss", "How bad a score is, as a number: most rules go down its slope."),
    ("margin", "The distance of the closest row from the line."),
    (
        "mistake",
        "A row at which the perceptron updates: y\u00b7a \u2264 0. A score of 0 is a mistake, or zero weights would never move.",
    ),
    (
        "over-fitting",
        "Rows learned from are predicted better and better, rows held out worse: the noise was learned, too.",
    ),
    (
        "overlap",
        "Not separable, and no line comes close: every line has a row on its wrong side, or all rows are on it.",
    ),
    ("pass", "Every row read once."),
    (
        "penalty C",
        "The price of slack in a support vector machine: a large one makes the margin hard, a small one soft.",
    ),
    ("pocket", "A place for the best weights so far, while learning goes on with others."),
    ("primal", "What a support vector machine minimises: \u00bd\u2016w\u2016\u00b2 + C times the sum of slacks."),
    (
        "quasi-complete",
        "Not separable, but some line has no row on its wrong side: rows of both classes lie on the line.",
    ),
    ("ratchet", "A pocket that takes weights only if they have both a longer run and fewer errors."),
    ("region", "Where one class has the largest score. It is convex."),
    ("rival", "Any class but that of the row."),
    ("run", "How many rows in a row the same weights answered rightly."),
    ("score", "a = w\u00b7x + b: positive on one side of the line, negative on the other."),
    ("shattered", "Points are shattered by lines if for each of their labelings some line separates the labels."),
    ("slack \u03be", "By how much y\u00b7(w\u00b7x + b) of a row falls short of 1."),
    ("support", "The rows that hold the margin: the closest ones, which no better line can get away from."),
    ("support vector", "A row with \u03b1 > 0: one of those that a machine\u2019s line depends on."),
    ("unit", "A perceptron in a network: it gives 1 if w\u00b7x + b > 0, else 0."),
    ("update", "A change of the weights: w \u2190 w + \u03b7\u00b7y\u00b7x."),
    ("vote", "All weights of a perceptron answer, each with as many votes as rows it survived; the majority decides."),
    ("weights", "The vector w that stands at right angles to the line and points to the side of +1."),
    (
        "witness",
        "A few rows that prove that no line separates the classes: weighted means of both classes are the same point.",
    ),
)
