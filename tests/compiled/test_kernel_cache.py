"""Compiled kernels on disk: found again, never stale, never in the way."""

import hashlib
import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import novikoff

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

FIT = """
import numpy as np, novikoff
from novikoff.compiled import jit
jit.compiles_at_once.append(True)
X = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -2.0]])
clf = novikoff.Perceptron(order="cyclic").fit(X, [1, 1, 0])
from novikoff.learn.sweep import sweep
print(clf.coef_.tolist(), clf.intercept_.tolist())
"""
ANSWER = "[[1.0, 2.0]] [1.0]"


def start(code, cache, package=None, **more):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1", **more}
    env["PYTHONPATH"] = str(package or Path(novikoff.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out.strip()


def files(cache):
    return {path.name: path.stat().st_mtime_ns for path in (cache / "novikoff").glob("*.bin")}


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache that two processes filled at the same time."""
    cache = tmp_path_factory.mktemp("cache")
    both = [start(FIT, cache) for _ in range(2)]
    assert [finish(process) for process in both] == [ANSWER, ANSWER]
    return cache


@pytest.fixture
def package(tmp_path):
    """A copy of the package whose sources a test may edit."""
    folder = tmp_path / "site"
    shutil.copytree(Path(novikoff.__file__).parent, folder / "novikoff", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.slow
def test_a_second_process_compiles_nothing(filled):
    before = files(filled)
    assert any(name.startswith("sweep-") for name in before)
    assert not list((filled / "novikoff").glob("*.bin?*")), "a temporary file was left behind"
    assert finish(start(FIT, filled)) == ANSWER
    assert files(filled) == before


@pytest.mark.slow
def test_a_torn_file_is_compiled_again(filled, tmp_path):
    cache = tmp_path / "torn"
    shutil.copytree(filled, cache)
    for path in (cache / "novikoff").glob("*.bin"):
        path.write_bytes(path.read_bytes()[:-100] + bytes(100))
    torn = {path.name: path.read_bytes() for path in (cache / "novikoff").glob("*.bin")}
    assert finish(start(FIT, cache)) == ANSWER
    mended = {path.name: path.read_bytes() for path in (cache / "novikoff").glob("*.bin")}
    assert mended.keys() == torn.keys()
    assert all(mended[name] != torn[name] for name in torn if name.startswith("sweep-"))


@pytest.mark.slow
@pytest.mark.parametrize("module", ["rules", "rows"])
def test_edited_sources_never_run_stale_code(filled, package, module):
    path = package / "novikoff" / "learn" / f"{module}.py"
    old, new = {
        "rules": ("return 0.0 if y * a > 0 else y\n", "return 0.0 if y * a > 0 else 10 * y\n"),
        "rows": ("scores[0] = scale[0] * scores[0] + bias[0]\n", "scores[0] = -scores[0] - bias[0]\n"),
    }[module]
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert finish(start(FIT.replace('"cyclic"', '"cyclic", max_iter=1'), filled, package)) != ANSWER


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("estimators/advice.py", '"""', '"""Edited.  '),
        ("learn/learning.py", '"""', '"""Edited.  '),
        ("learn/state.py", '"""', '"""Edited.  '),
        ("checks/rounding.py", "REMEDY = ", "REMEDY = 'Edited.' + "),
    ],
)
def test_an_edit_of_what_is_no_part_of_a_kernel_compiles_nothing(filled, package, module, old, new):
    before = files(filled)
    edit(package / "novikoff" / module, old, new)
    assert finish(start(FIT, filled, package)) == ANSWER
    assert files(filled) == before


MADE_FROM = """
from novikoff.compiled.kernel_sources import sources
from novikoff.learn.schedule import Schedule
from novikoff.learn.sweep import sweep
print(sources(sweep.py_func, [Schedule]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("learn/forms.py", '"""', '"""Edited.  '),  # ``sweep`` calls ``forms.push``,
        ("learn/rules.py", '"""', '"""Edited.  '),  # which calls ``rules.step``
        ("learn/sweep.py", "COUNTED", "SEEN as COUNTED"),  # a constant of another module, now another number
        ("learn/schedule.py", "    lam: float", "    spare: float = 0.0\n    lam: float"),  # the type of an argument
    ],
)
def test_an_edit_of_any_part_of_a_kernel_compiles_it_anew(filled, package, module, old, new):
    before = finish(start(MADE_FROM, filled, package))
    edit(package / "novikoff" / module, old, new)
    assert finish(start(MADE_FROM, filled, package)) != before


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


RULE = """
from typing import NamedTuple
from novikoff import Perceptron
from novikoff.learn.rules import loss, step
from length import LENGTH

def learner(times):
    class Mine(NamedTuple):
        factor: float

    @step.of(Mine)
    def step_mine(rule, y, a):
        return 0.0 if a != 0 else times * LENGTH * rule.factor

    @loss.of(Mine)
    def loss_mine(rule, y, a):
        return 0.0 if a != 0 else 1.0

    class Learner(Perceptron):
        def _rule(self):
            return Mine(1.0)

    return Learner(order="cyclic")

def slope(times):
    return learner(times).fit([[1.0], [2.0]], [0, 1]).coef_[0, 0]
"""


@pytest.mark.slow
def test_a_rule_of_the_users_own_is_never_stale(tmp_path, filled):
    (tmp_path / "mine.py").write_text(RULE)
    for length, factors in (3.0, (1, 2)), (5.0, (1,)):  # neither within a process nor in the next one
        (tmp_path / "length.py").write_text(f"LENGTH = {length}")
        code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import mine; print(*map(mine.slope, {factors}))"
        assert finish(start(code, filled)).split() == [str(times * length) for times in factors]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="permissions differ")
def test_without_any_writable_folder(package, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the cache folder should be")
    for folder in package.rglob("*"):
        folder.chmod(0o555 if folder.is_dir() else 0o444)
    assert finish(start(FIT, blocked, package, HOME=str(blocked))) == ANSWER
    for folder in package.rglob("*"):
        folder.chmod(0o755 if folder.is_dir() else 0o644)


COUNT = "import numpy as np; from novikoff.learn.rows import moving; print(moving(np.array([1.0, 0, 2])))"  # a kernel that is soon compiled
HOMELESS = "import os, pwd; os.environ.pop('HOME', None); pwd.getpwuid = {}.__getitem__\n"
with_modes = pytest.mark.skipif(os.name == "nt", reason="permissions differ")


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """A cache of one kernel, made by a process that keeps no right from others."""
    cache = tmp_path_factory.mktemp("counted")
    assert finish(start("import os; os.umask(0)\n" + COUNT, cache)) == "2"
    return cache / "novikoff"


class Trap:
    """What leaves a file behind when it is unpickled."""

    def __init__(self, sprung):
        self.sprung = str(sprung)

    def __reduce__(self):
        return open, (self.sprung, "w")


def plant(folder, names, sprung, named=None):
    """Fill a folder with files that are read as kernels of these names, and do harm."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        payload = pickle.dumps(Trap(sprung))
        (folder / name).write_bytes(hashlib.sha256((named or name).encode() + b"\0" + payload).digest() + payload)


def private(cache):
    cache.chmod(0o700)
    return cache


@with_modes
def test_kernels_are_kept_where_nobody_else_can_write(counted):
    assert counted.stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in counted.iterdir()] == [0o600]


def test_a_kernel_belongs_to_its_name(counted, tmp_path):
    (name,) = files(counted.parent)
    for named, trapped in ((name, True), ("moving-0.bin", False)):  # the first shows that the trap works
        plant(tmp_path / named / "novikoff", [name], tmp_path / named / "sprung", named)
        private(tmp_path / named / "novikoff")
        assert finish(start(COUNT, tmp_path / named)) == "2"
        assert (tmp_path / named / "sprung").exists() == trapped


@with_modes
@pytest.mark.parametrize("right", ["folder, group", "folder, all", "file", "owner"])
def test_what_others_could_have_written_is_not_run(counted, tmp_path, right):
    folder, sprung = tmp_path / "cache" / "novikoff", tmp_path / "sprung"
    plant(folder, files(counted.parent), sprung)
    folder.chmod({"folder, group": 0o770, "folder, all": 0o707}.get(right, 0o700))
    for path in folder.iterdir():
        path.chmod(0o606 if right == "file" else 0o600)
    if right == "owner":
        if os.geteuid() != 0:
            pytest.skip("only the superuser can give a folder away")
        os.chown(folder, 12345, 12345)
    before = files(folder.parent)
    process = start(COUNT, folder.parent)
    out, said = process.communicate(timeout=300)
    assert (process.returncode, out.strip(), sprung.exists()) == (0, "2", False)
    assert said.count("\n") == said.count("NUMBA_CACHE_DIR") == (0 if right == "file" else 1)  # a file is replaced
    assert said.count("chmod go-w") == right.startswith("folder")
    assert (files(folder.parent) == before) == (right != "file")


UNWRITABLE = {
    "a file": lambda folder: folder.write_text("a file where the cache folder should be"),
    "not absolute": lambda folder: "here",
    "nothing": lambda folder: "/proc/novikoff",  # where nobody makes folders, the superuser neither
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
@pytest.mark.parametrize("case", UNWRITABLE)
def test_one_warning_with_a_remedy_where_kernels_cannot_be_kept(case, counted, tmp_path):
    cache = tmp_path / "cache"
    given = UNWRITABLE[case](cache)
    cache = given if isinstance(given, str) else cache
    twice = COUNT + "\nfrom novikoff.distributed.blocks_given import stir\n"
    twice += "stir(np.zeros(4, np.uint64), np.zeros(4, np.uint64))"  # another kernel, which is not kept either
    process = start(twice, cache)
    out, said = process.communicate(timeout=300)
    assert (process.returncode, out.strip()) == (0, "2")
    assert said.count("\n") == 1
    assert re.search(rf"cannot be kept in {cache}/novikoff \(.+\), so every run compiles again", said)
    assert "Set the environment variable NUMBA_CACHE_DIR to a folder of your own." in said
    process = start(COUNT, counted.parent)  # a folder of one's own
    assert process.communicate(timeout=300) == ("2\n", "")


@with_modes
@pytest.mark.parametrize("lost", ["home", "relative home", "relative folder"])
def test_the_working_folder_is_never_a_cache(counted, tmp_path, lost):
    """Without HOME, and of a user whom the system does not know, "~" remains what it is."""
    folders = {"home": "~/.cache/novikoff", "relative home": "here/.cache/novikoff", "relative folder": "here/novikoff"}
    planted = tmp_path / folders[lost]
    plant(planted, files(counted.parent), tmp_path / "sprung")
    before = {path.name: path.stat().st_mtime_ns for path in private(planted).iterdir()}
    more = {"HOME": "here"} if lost == "relative home" else {}
    begin = f"import os; os.chdir({str(tmp_path)!r})\n" + (HOMELESS if lost == "home" else "")
    assert finish(start(begin + COUNT, "here" if lost == "relative folder" else "", **more)) == "2"
    assert not (tmp_path / "sprung").exists()
    assert {path.name: path.stat().st_mtime_ns for path in planted.iterdir()} == before


def test_settings_of_the_compiler_have_kernels_of_their_own(counted, tmp_path):
    """Code that checks places in arrays, and code that does not, are never taken for each other."""
    cache = tmp_path / "cache"
    shutil.copytree(counted.parent, cache)
    before = files(cache)
    assert finish(start(COUNT, cache, NUMBA_BOUNDSCHECK="1")) == "2"
    both = files(cache)
    assert (len(both), both.keys() & before.keys()) == (2, before.keys())
    assert finish(start(COUNT, cache)) == finish(start(COUNT, cache, NUMBA_BOUNDSCHECK="1")) == "2"
    assert files(cache) == both


def test_importing_does_not_load_numba():
    code = "import sys, novikoff.estimators.linear_svm, novikoff.estimators.neuron, novikoff.dual.gram, novikoff.proof.answer.separable, novikoff.solvers.smo\n"
    code += "print('numba' in sys.modules, 'matplotlib' in sys.modules)"
    assert finish(start(code, "unused")) == "False False"


FIRST = """
import sys, threading, numpy as np
from novikoff.distributed.blocks_given import stir
from novikoff.learn.rows import moving
gate, found = threading.Barrier(8), []
def first(call):
    gate.wait()
    found.append(call())
words, lanes = np.ones((2, 4), np.uint64)
calls = [lambda: moving(np.array([1.0, 0, 2])), lambda: stir(words[:0], lanes) or int(lanes.sum())] * 4
threads = [threading.Thread(target=first, args=[call]) for call in calls]
sys.setswitchinterval(1e-5)
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(*sorted(found))
"""


def test_threads_may_call_their_first_kernels_at_the_same_time(tmp_path):
    assert finish(start(FIRST, tmp_path)) == "2 2 2 2 4 4 4 4"


LATER = """
from typing import NamedTuple
from novikoff.compiled.jit import by_type, helper, kernel
@by_type
def size(thing): ...
class Small(NamedTuple):
    x: float
@size.of(Small)
def size_small(thing):
    return thing.x
@kernel
def twice(thing):
    return 2 * size(thing)
@kernel
def four_times(thing):
    return 2 * twice(thing)
print(twice(Small(1.0)), four_times(Small(1.0)), len(twice.signatures))
@helper
def tenfold(x):
    return 10 * x
@by_type
def depth(thing): ...
class Large(NamedTuple):
    x: float
@depth.of(Large)
def depth_large(thing):
    return tenfold(thing.x)
@size.of(Large)
def size_large(thing):
    return depth(thing)
print(four_times(Large(1.0)), len(twice.signatures), tenfold(2))
"""


def test_functions_may_be_added_after_the_first_call_and_kernels_call_kernels(tmp_path):
    assert finish(start(LATER, tmp_path)).split() == ["2.0", "4.0", "1", "40.0", "2", "20"]


@pytest.mark.slow
def test_a_second_fit_compiles_nothing(filled):
    code = FIT + "\nbefore = len(sweep.signatures)\nclf.fit(X, [1, 1, 0])\nassert len(sweep.signatures) == before == 1"
    assert finish(start(code, filled)) == ANSWER


IN_PLACE = """
import numpy as np
from numba.core.errors import NumbaError
from novikoff.compiled.jit import in_place
@in_place
def double(numbers):
    for i in range(numbers.size):
        numbers[i] *= 2
    return numbers.size
@in_place
def copy(numbers):
    return numbers.copy()
numbers = np.arange(3)
print(double(numbers), numbers)
try:
    copy(numbers)
except NumbaError:
    print("makes an array")
"""


def test_a_kernel_in_place_makes_no_arrays(tmp_path):
    assert finish(start(IN_PLACE, tmp_path)) == "3 [0 2 4]\nmakes an array"
