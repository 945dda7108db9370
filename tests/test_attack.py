"""Damaged files of every kind are refused by name or work, and no kernel leaves its arrays over them.

``NOVIKOFF_ATTACKS=5000 NOVIKOFF_SEED=7 python -m pytest tests/test_attack.py`` damages that many of each kind.
"""

import os
import subprocess
import sys

import pytest

from attack import attack
from common import ROOT

ATTACKS = int(os.environ.get("NOVIKOFF_ATTACKS", "300"))
SEED = int(os.environ.get("NOVIKOFF_SEED", "20"))
HARNESS = ROOT / "tests" / "support" / "attack.py"


@pytest.mark.parametrize("kind", ["texts", "columns", "models"])
def test_damaged_files_are_refused_or_work(kind):
    assert 0 < attack(kind, ATTACKS, SEED) < ATTACKS  # both ends are met


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["texts", "columns", "models"])
def test_no_kernel_leaves_its_arrays(kind):
    """Compiled with a check of every place; machine code without it would read and write whatever lies there."""
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    arguments = [sys.executable, str(HARNESS), kind, str(ATTACKS), str(SEED + 1)]
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{kind}: ")
