"""Write penguins.csv in every other format that novikoff reads: TSV (gzip), JSON lines, Parquet, Arrow and LIBSVM.

Run it as ``python examples/penguins_formats.py [folder]``; the files are the same every time.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from pathlib import Path

import pyarrow as pa
from pyarrow import feather, parquet

HERE = Path(__file__).parent
WHOLE = ("flipper_length_mm", "body_mass_g", "year")
MEASURED = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")
UNITS = (
    10,
    10,
    100,
    1000,
)  # of the LIBSVM file: centimetres, decimetres, kilograms, so that no column outweighs the others
SPECIES = {"Adelie": 1, "Chinstrap": 2, "Gentoo": 3}


def value(name: str, text: str) -> str | int | float | None:
    if text == "NA":
        return None
    return int(text) if name in WHOLE else float(text) if name in MEASURED else text


def main(folder: Path) -> None:
    with open(HERE / "penguins.csv", newline="") as file:
        texts = list(csv.DictReader(file))
    rows = [{name: value(name, text) for name, text in row.items()} for row in texts]
    table = pa.Table.from_pylist(rows)
    parquet.write_table(table, folder / "penguins.parquet")
    feather.write_feather(table, folder / "penguins.arrow", compression="uncompressed")
    (folder / "penguins.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    lines = io.StringIO()
    writer = csv.DictWriter(lines, list(texts[0]), delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(texts)
    (folder / "penguins.tsv.gz").write_bytes(gzip.compress(lines.getvalue().encode(), mtime=0))

    with open(folder / "penguins.svm", "w") as file:
        for row in rows:
            if None not in row.values():
                values = (row[name] / unit for name, unit in zip(MEASURED, UNITS, strict=True))
                pairs = " ".join(f"{place}:{number:.6g}" for place, number in enumerate(values, 1))
                file.write(f"{SPECIES[row['species']]} {pairs}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
