"""Cells that are not what their column holds: all of them in one error, with options that accept them when they are followed."""

import shlex

import pytest

from commands import refused, results, run


def follow(message, files, *arguments):
    """Run the command again with the last option that an error offers."""
    offered = message.rsplit("or pass ", 1)[1].rstrip(".").split(", or ")[-1].split(" (if")[0]
    return results("fit", *files, *arguments, *shlex.split(offered))


def test_every_bad_cell_is_counted_and_the_first_five_are_placed(write):
    lines = [f"{k},{'abc'[k % 3]}" for k in range(40)]
    for k in range(20, 28):
        lines[k] = f"old{k % 2},{'abc'[k % 3]}"
    path = write("\n".join(["x,y", *lines]) + "\n")
    message = refused("fit", path, "-t", "y")
    assert message.startswith(
        f"{path}:22:1: 'old0' is not a number, though column 'x' holds numbers; 8 such cells: this, 'old1' at"
    )
    assert f"{path}:26:1 and 3 more; correct them, or pass --categorical x." in message
    assert follow(message, [path], "-t", "y", "--no-test")["columns"][0]["kind"] == "category"


def test_words_may_be_missing_values(write):
    path = write("x,z,y\n" + "".join(f"{k},{k}.5,{'ab'[k % 2]}\n" for k in range(12)) + "unknown,none,a\nunknown,1,b\n")
    message = refused("fit", path, "-t", "y")
    assert "2 such cells" in message
    assert "'none' is not a number, though column 'z'" in message
    assert "--na none --na unknown" in message
    assert "--categorical z --categorical x" in message
    found = results("fit", path, "-t", "y", "--na", "unknown", "--na", "none", "--no-test", "--use", "x")
    assert [column["missing"] for column in found["columns"]] == [2, 1]


def test_few_numbers_and_a_word_are_levels(write):
    path = write("cylinders,y\n" + "".join(f"{4 + k % 3},{'ab'[k % 2]}\n" for k in range(30)) + "rotary,a\n")
    found = results("fit", path, "-t", "y", "--no-test")
    assert (found["columns"][0]["kind"], found["columns"][0]["levels"]) == ("category", 4)
    assert any("'cylinders' looks like numbers with words ('rotary')" in note for note in found["notes"])
    assert results("fit", path, "-t", "y", "--no-test", "--na", "rotary")["columns"][0]["kind"] == "number"


def test_a_text_with_digits_is_not_offered_as_missing(write):
    path = write("height,y\n" + "".join(f"{60 + k % 5},{'ab'[k % 2]}\n" for k in range(12)) + "5' 4\",a\n")
    assert "--na" not in refused("fit", path, "-t", "y")


@pytest.mark.parametrize("learner", ["adaline-regressor"])
def test_labels_are_no_target_of_a_regression(write, learner):
    path = write("x,y\n" + "".join(f"{k % 5},{['Yes', 'No'][k % 2]}\n" for k in range(12)))
    message = refused("fit", path, "-t", "y", "--learner", learner)
    assert "the target 'y' holds labels such as 'Yes', not numbers" in message
    assert "--na" not in message
    assert results("fit", path, "-t", "y", "--learner", "perceptron", "--no-test")["task"] == "classes"


@pytest.mark.parametrize("gap", [".", "-", "*", "--", "?", "#N/A", "n/a", "<NA>", "NULL", "\\N", "#DIV/0!", "-1.#IND"])
def test_missing_values_as_other_programs_write_them(write, gap):
    path = write("x,y\n" + "".join(f"{k % 7},{'ab'[k % 2]}\n" for k in range(20)) + f"{gap},a\n")
    found = results("fit", path, "-t", "y", "--no-test")
    assert found["columns"][0]["missing"] == 1
    assert any(f"taken as missing, in the first rows: {gap!r} in 'x'" in note for note in found["notes"])


def test_a_mark_among_texts_is_a_level(write):
    path = write("sign,y\n" + "".join(f"{'+-'[k % 2]},{'ab'[k % 2]}\n" for k in range(20)))
    assert results("fit", path, "-t", "y", "--no-test")["columns"][0]["levels"] == 2


def test_percentages_are_shown_as_they_are_written(write):
    path = write("x,y\n" + "".join(f"{k}.5%,{'ab'[k % 2]}\n" for k in range(20)))
    shown = run("fit", path, "-t", "y", "--no-test")[0]
    assert "numbers are written like 1234.5% in x" in " ".join(shown.split())


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
@pytest.mark.parametrize("unseen", ["zeros", "error"])
def test_words_among_numbers_at_prediction_are_counted_or_refused(write, tmp_path, gaps, unseen):
    """As levels that training did not have: a nightly job does not end at one new word."""
    train = write("size,y\n" + "".join(f"{'' if gaps and k == 3 else k},{'ab'[k % 2]}\n" for k in range(40)))
    model = tmp_path / "model"
    results("fit", train, "-t", "y", "--no-test", "-o", model)
    new = write("size,y\n" + "".join(f"{'rotary' if k in (5, 9) else k},{'ab'[k % 2]}\n" for k in range(40)), "new.csv")
    if unseen == "error":
        assert refused("score", model, new, "--unseen", "error").startswith(f"{new}:7:1: 'rotary' is not a number")
        run("score", model, new, "--unseen", "error", "--na", "rotary", status=0 if gaps else 2)
        return
    found = results("score", model, new)
    assert (found["rows"], found["unseen"]) == (40, {"size": 2})
    assert "2 values that training did not have, in 'size' (2)" in found["notes"][-1]


@pytest.mark.parametrize("cell", ["12 kg", "1,5", "inf", "5' 4"])
def test_other_numbers_among_numbers_at_prediction_are_refused(write, tmp_path, cell):
    """A number in another notation or unit is no word: to count it as missing would hide that a file is written otherwise."""
    model = tmp_path / "model"
    results(
        "fit",
        write("size;y\n" + "".join(f"{k};{'ab'[k % 2]}\n" for k in range(40))),
        "-t",
        "y",
        "--no-test",
        "-o",
        model,
    )
    new = write("size;y\n" + "".join(f"{cell if k == 5 else k};{'ab'[k % 2]}\n" for k in range(40)), "new.csv")
    assert refused("score", model, new).startswith(f"{new}:7:1: ")


def test_columns_that_have_changed_places_are_refused_at_prediction(write, tmp_path):
    model = tmp_path / "model"
    results(
        "fit",
        write("size,y\n" + "".join(f"{k},{'ab'[k % 2]}\n" for k in range(40))),
        "-t",
        "y",
        "--no-test",
        "-o",
        model,
    )
    new = write("y,size\n" + "".join(f"{k},{'ab'[k % 2]}\n" for k in range(40)), "new.csv")
    assert "is not a number" in refused("predict", model, new)


def test_one_command_accepts_words_in_one_column_and_other_notations_in_another(write):
    rows = [(("unknown" if k == 4 else k), ("5' 4" if k == 7 else k % 9), "ab"[k % 2]) for k in range(40)]
    path = write("size,height,y\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    message = refused("fit", path, "-t", "y")
    assert message.endswith("or pass --na unknown --categorical height.")
    found = results("fit", path, "-t", "y", "--no-test", "--na", "unknown", "--categorical", "height", "--use", "size")
    assert [column["kind"] for column in found["columns"]] == ["number", "category"]
