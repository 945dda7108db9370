"""Whether the workers of a cluster are such that results are those of this machine: versions of packages, and processors."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

PACKAGES = ("novikoff", "numpy", "numba")
MOST_NAMED = 3  # workers that a message names

Found = dict[str, str]  # version by package, and the processor


def what_is_here() -> Callable[[], Found]:
    """A function that looks around where it is called.  It is sent as source, since a worker may lack this package."""
    packages = PACKAGES

    def look() -> dict[str, str]:
        from importlib import import_module

        found = {}
        for package in packages:
            try:
                found[package] = str(import_module(package).__version__)
            except ImportError:
                found[package] = "missing"
        try:
            found["processor"] = str(import_module("llvmlite.binding").get_host_cpu_name())
        except ImportError:
            found["processor"] = "unknown"
        return found

    return look


def compare_workers(client: Any) -> None:
    """Refuse workers with other versions than this process has; warn if their processors are of several types."""
    look = what_is_here()
    from .waiting import answer_of  # and Dask, which ``judge`` does without

    answers = answer_of(client, lambda: client.run(look, on_error="return"))
    judge({worker: found for worker, found in answers.items() if isinstance(found, dict)}, look())


def judge(workers: dict[str, Found], here: Found) -> None:
    """The same of what was found."""
    for package in PACKAGES:
        others = {worker: found[package] for worker, found in workers.items() if found[package] != here[package]}
        if others:
            some = ", ".join(f"{version} on {worker}" for worker, version in list(others.items())[:MOST_NAMED])
            raise RuntimeError(
                f"{len(others)} of {len(workers)} workers have another {package} than this process, which has "
                f"{here[package]}: {some}. Results would depend on which worker did what. Install {package}=={here[package]} "
                "there, or the workers' version here, and start the workers anew."
            )
    kinds = Counter(found["processor"] for found in workers.values())
    if len(kinds) > 1:
        some = ", ".join(f"{count} of {kind}" for kind, count in kinds.most_common(MOST_NAMED))
        warnings.warn(
            f"The workers have processors of several types ({some}), which may round differently: the last bits of results "
            "may depend on which worker did what. Use workers of one type where that matters.",
            UserWarning,
            stacklevel=2,
        )
