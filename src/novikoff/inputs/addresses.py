"""Files by their addresses: ``s3://bucket/rows.parquet``, ``memory://rows.csv``, as fsspec and its file systems know them."""

from __future__ import annotations

import os
from typing import Any

from .shell import installing


def is_address(path: str | os.PathLike[str]) -> bool:
    """Whether a path is an address of a file system other than the machine's own."""
    return isinstance(path, str) and "://" in path


def file_system(address: str) -> tuple[Any, str]:
    """The file system of an address, and its own name of the file."""
    scheme = address.partition("://")[0]
    try:
        import fsspec
    except ImportError:
        raise ImportError(f"{address}: addresses need fsspec: {installing('dask')}") from None
    try:
        system, path = fsspec.core.url_to_fs(address)
    except ImportError as error:
        raise ImportError(
            f"{address}: the package that reads {scheme}:// is missing; pip install it: {error}"
        ) from None
    except ValueError as error:
        raise ValueError(f"{address}: {scheme}:// is no file system that fsspec knows ({error}).") from None
    return system, path


def open_bytes(path: str) -> Any:
    """A file's bytes, to be read from any place on."""
    if not is_address(path):
        return open(path, "rb")
    system, own = file_system(path)
    return system.open(own, "rb")


def open_to_write(address: str) -> Any:
    """A new file at an address."""
    system, own = file_system(address)
    system.makedirs(own.rpartition("/")[0], exist_ok=True)
    return system.open(own, "wb")


def size_and_stamp(path: str) -> tuple[int, Any]:
    """How many bytes a file has, and what changes when it does."""
    if not is_address(path):
        found = os.stat(path)
        return found.st_size, found.st_mtime_ns
    system, own = file_system(path)
    known = system.info(own)
    names = ("ETag", "etag", "mtime", "LastModified", "last_modified", "created", "updated")
    return int(known["size"]), str([known.get(name) for name in names])


def addresses_like(pattern: str) -> list[str]:
    """The addresses that fit a pattern, sorted."""
    system, own = file_system(pattern)
    return sorted(str(system.unstrip_protocol(each)) for each in system.glob(own))
