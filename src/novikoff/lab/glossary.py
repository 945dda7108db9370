"""The words of the lab, each in a sentence."""

GLOSSARY: tuple[tuple[str, str], ...] = (
    (
        "augmented row",
        "A row with one more number, x\u2080 = 1, whose weight is the bias: then w\u00b7x + b is one product.",
    ),
    ("bias", "The number b that is added to w\u00b7x. Without it every line passes through the origin."),
    ("class", "What a row belongs to. Of two classes one is called +1, the other \u22121."),
    (
        "complete",
        "Separable: some line has all rows of one class strictly on one side and all others strictly on the other.",
    ),
    ("convex hull", "All weighted means of some points: the shape of a rubber band around them."),
    ("error", "A row that the weights predict wrongly; a score of 0 predicts \u22121."),
    ("held-out row", "A row that is not learned from: it shows how rows are predicted that were never seen."),
    ("learning rate \u03b7", "How far one update goes."),
    ("loss", "How bad a score is, as a number: most rules go down its slope."),
    ("margin", "The distance of the closest row from the line."),
    (
        "mistake",
        "A row at which the perceptron updates: y\u00b7a \u2264 0. A score of 0 is a mistake, or zero weights would never move.",
    ),
    (
        "overlap",
        "Not separable, and no line comes close: every line has a row on its wrong side, or all rows are on it.",
    ),
    (
        "over-fitting",
        "Rows learned from are predicted better and better, rows held out worse: the noise was learned, too.",
    ),
    ("pass", "Every row read once."),
    (
        "quasi-complete",
        "Not separable, but some line has no row on its wrong side: rows of both classes lie on the line.",
    ),
    ("region", "Where one class has the largest score. It is convex."),
    ("rival", "Any class but that of the row."),
    ("score", "a = w\u00b7x + b: positive on one side of the line, negative on the other."),
    ("support", "The rows that hold the margin: the closest ones, which no better line can get away from."),
    ("update", "A change of the weights: w \u2190 w + \u03b7\u00b7y\u00b7x."),
    ("weights", "The vector w that stands at right angles to the line and points to the side of +1."),
    (
        "witness",
        "A few rows that prove that no line separates the classes: weighted means of both classes are the same point.",
    ),
)
