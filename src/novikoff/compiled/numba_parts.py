"""What this package takes of Numba beyond its documented interface: all of it is here.

``pyproject.toml`` therefore says below which version of Numba these names are known to be there.
"""

from llvmlite import __version__ as llvmlite_version
from numba.core import cgutils, config
from numba.core.caching import CompileResultCacheImpl, _Cache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.event import TimingListener, install_listener
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.typing.templates import infer, infer_global, make_overload_template
from numba.cpython.unsafe.numbers import trailing_zeros
from numba.misc.appdirs import AppDirs

__all__ = [
    "WITHOUT_COUNTS",
    "AppDirs",
    "CompileResultCacheImpl",
    "TimingListener",
    "_Cache",
    "cgutils",
    "config",
    "dumps",
    "global_compiler_lock",
    "infer",
    "infer_global",
    "install_listener",
    "llvmlite_version",
    "make_overload_template",
    "rtsys",
    "trailing_zeros",
]

WITHOUT_COUNTS = {"_nrt": False}  # an option of njit: no counts of references to arrays
