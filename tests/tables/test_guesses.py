"""What columns are taken for: codes, ids, and what is said of labels and sums."""

import bz2
import gzip

import numpy as np
import pandas as pd
import pytest

from commands import refused, results, run
from novikoff import fit_table

Y = [["a", "b"][k % 2] for k in range(200)]


def kinds(found):
    return {column["name"]: column["kind"] for column in found["columns"]}


def test_codes_with_leading_zeros_are_categories(write):
    path = write("zip,x,y\n" + "".join(f"{k % 40 + 80:05d},{k % 7}.05,{label}\n" for k, label in enumerate(Y)))
    found = results("fit", path, "-t", "y", "--no-test")
    assert kinds(found) == {"zip": "category", "x": "number"}
    assert any("'zip' looks like codes ('00080') and is read as categories" in note for note in found["notes"])
    assert kinds(results("fit", path, "-t", "y", "--no-test", "--numeric", "zip"))["zip"] == "number"


@pytest.mark.parametrize("ids", ["shuffled", "gaps"])
def test_customer_numbers_are_left_out(ids):
    rng = np.random.default_rng(0)
    numbers = {"shuffled": rng.permutation(200) + 1, "gaps": 15_600_000 + rng.choice(800, 200, replace=False)}[ids]
    table = pd.DataFrame({"customer": numbers, "x": rng.normal(size=200), "y": Y})
    result = fit_table(table, "y", test=False)
    assert [each.column for each in result.left_out] == ["customer"]
    assert [column.name for column in fit_table(table, "y", test=False, use="customer").columns] == ["customer", "x"]


def test_measured_whole_numbers_stay():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"price": rng.choice(10**6, 200, replace=False), "age": rng.integers(18, 90, 200), "y": Y})
    assert fit_table(table, "y", test=False).left_out == []


def test_labels_that_differ_in_case_and_rows_of_sums_are_named(write):
    lines = [f"{k % 9},{['Yes', 'yes', 'No'][k % 3]},{'abcdef'[k % 6]}" for k in range(60)]
    path = write("x,y,city\n" + "\n".join([*lines, "540,No,Total"]) + "\n")
    found = results("fit", path, "-t", "y", "--no-test")
    assert any("labels 'Yes' and 'yes' differ only in case" in note for note in found["notes"])
    assert any("'Total' is among the values of 'city'" in note for note in found["notes"])


def test_a_target_of_many_numbers_is_said_first(write):
    path = write("x,y\n" + "".join(f"{k % 7},{k * 1.5}\n" for k in range(100)))
    lines = run("fit", path, "-t", "y", "--no-test")[0].splitlines()
    assert lines[1].startswith("  The target 'y' holds 100 different numbers")


@pytest.mark.parametrize("ending", ["csv", "gz", "bz2", "xz", "zip", "dat"])
def test_files_are_unpacked_by_their_bytes(tmp_path, ending):
    import bz2
    import gzip
    import lzma
    import zipfile

    text = ("x,y\n" + "".join(f"{k % 7},{label}\n" for k, label in enumerate(Y))).encode()
    path = tmp_path / f"rows.{ending}"
    pack = {"csv": gzip.compress, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "dat": bz2.compress}
    if ending == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("rows.csv", text)
    else:
        path.write_bytes(pack[ending](text))
    assert results("fit", path, "-t", "y", "--no-test")["rows"]["read"] == 200


def test_other_binary_files_are_named(tmp_path):
    import bz2
    import gzip
    import zipfile

    from commands import refused

    (tmp_path / "b.csv").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    assert "is an HDF5 file" in refused("fit", tmp_path / "b.csv", "-t", "y")
    (tmp_path / "c.csv.gz").write_bytes(gzip.compress(bz2.compress(b"x,y\n1,a\n")))
    assert "holds a packed file or a workbook, packed again" in refused("fit", tmp_path / "c.csv.gz", "-t", "y")
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr("one.csv", "x,y\n1,a\n")
        archive.writestr("two.csv", "x,y\n1,a\n")
    assert "has 2 files in it; name one, as in" in refused("fit", tmp_path / "d.zip", "-t", "y")
    (tmp_path / "e.csv.xz").write_bytes(b"\xfd7zXZ\x00 damaged")
    assert "the xz data are damaged" in refused("fit", tmp_path / "e.csv.xz", "-t", "y")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (bytes([114, 2, 1, 0]) + bytes(200), "a Stata file"),
        (bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf" + bytes(200), "a SAS file"),
        (b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + bytes(200), "a MATLAB file"),
        (b"FEA1" + bytes(200), "a Feather file of the first version"),
        (b"a.csv" + bytes(252) + b"ustar  " + bytes(200), "a tar archive"),
        (gzip.compress(b"a.csv" + bytes(252) + b"ustar  " + bytes(200), mtime=0), "a tar archive"),
        (gzip.compress(b"X\n\0\0\0\3" + bytes(200), mtime=0), "an R data file"),
        (b"\n <!DOCTYPE html><html><body>Please log in</body></html>", "a web page (HTML)"),
        (b"<?xml version='1.0'?><rows><row>1</row></rows>", "an XML file"),
        (b"{\\rtf1\\ansi hello}", "a text document (RTF)"),
    ],
)
def test_files_that_hold_no_table_are_named_with_what_to_give_instead(tmp_path, content, said):
    (tmp_path / "rows.csv").write_bytes(content)
    message = refused("fit", tmp_path / "rows.csv", "-t", "y")
    assert f"is {said}, not a table; " in message
    assert "and give th" in message


@pytest.mark.parametrize("pack", [gzip.compress, pytest.param(bz2.compress, marks=pytest.mark.slow)])
def test_packed_text_that_fills_disks_is_refused(tmp_path, pack):
    (tmp_path / "bomb.csv").write_bytes(pack(b"x,y\n" + b"1,a\n" * (20 << 20)))
    message = refused("fit", tmp_path / "bomb.csv", "-t", "y", "--memory", "1GB")
    assert "unpacks to more than 250 times its size" in message


def test_the_answer_begins_with_what_makes_the_score_worth_little(tmp_path):
    rows = [f"{k},{['yes', 'Yes', 'no'][k % 3]}" for k in range(30)]
    (tmp_path / "rows.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    shown = run("fit", tmp_path / "rows.csv", "-t", "y", "--no-test")[0]
    assert shown.splitlines()[1].startswith("  The labels 'yes' and 'Yes' differ only in case")
    assert shown.count("differ only in case") == 1


def test_a_target_that_stands_in_the_first_row_says_that_the_file_has_no_header(tmp_path):
    (tmp_path / "rows.csv").write_text("0,0,yes\n1,0,no\n" * 20)
    message = refused("fit", tmp_path / "rows.csv", "-t", "yes")
    assert "if the first line is a row, pass --no-header and the target by its number" in message
    assert results("fit", tmp_path / "rows.csv", "--no-header", "-t", "3", "--no-test")["rows"]["read"] == 40


def test_a_label_that_is_nearly_one_of_training_is_compared_with_it(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n" + "1,<=50K\n2,>50K\n" * 20)
    (tmp_path / "b.csv").write_text("x,y\n" + "1,<=50K.\n2,>50K.\n" * 20)
    message = refused("fit", tmp_path / "a.csv", "-t", "y", "--test", tmp_path / "b.csv")
    assert "the label '<=50K.' is not among the classes of training (<=50K, >50K); did you mean '<=50K'?" in message
