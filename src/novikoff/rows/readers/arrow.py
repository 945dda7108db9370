"""pyarrow, by which files and data frames are read; where it is not installed, a message says how to get it.

Modules that need it import it from here.  They are imported only when something is read, since pyarrow takes long to start.
"""

from __future__ import annotations

from ...inputs.shell import installing

try:
    import pyarrow as pa
    import pyarrow.compute as pc
except ImportError:
    raise ImportError(f"Reading files and data frames needs pyarrow: {installing('cli')}") from None

__all__ = ["pa", "pc"]
