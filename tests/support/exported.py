"""Exported models where they are used: in JavaScript, and JSON followed by hand."""

import json
import math
import shutil
import subprocess

import numpy as np
import pytest

needs_node = pytest.mark.skipif(not shutil.which("node"), reason="no Node.js is installed")
needs_cc = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler is installed")
SCRIPT = """import { readFileSync } from "node:fs";
import { predict, scores } from "./m.mjs";
const asked = JSON.parse(readFileSync(0, "utf8"), (key, value) => (value === "NaN!" ? NaN : value));
const answers = asked.map((row) => {
  try { return process.argv[2] === "scores" ? scores(row) : predict(row); } catch (error) { return "refused"; }
});
console.log(JSON.stringify(answers));
"""


def in_node(folder, rows, what="labels"):
    asked = [{k: "NaN!" if v != v else v for k, v in row.items()} for row in rows]
    done = subprocess.run(
        ["node", "main.mjs", what], cwd=folder, input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def follow(document, row):
    """What ``how`` says, followed."""
    scores = np.zeros(len(document["intercept"]))
    weights = np.array(document["weights"])
    for column in document["columns"]:
        value, f = row[column["name"]], column["first_feature"]
        if column["kind"] == "number":
            missing = math.isnan(value) or value in document["missing_numbers"]
            scores += weights[:, f] * (((column["fill"] if missing else value) - column["center"]) / column["scale"])
        elif value in document["missing_texts"]:
            scores += weights[:, f + len(column["levels"])] * column["missing"] if column["missing"] else 0
        elif value in column["levels"]:
            scores += weights[:, f + column["levels"].index(value)]
    return document["classes"][int(np.argmax(scores + document["intercept"]))]
