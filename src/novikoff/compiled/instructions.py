"""Instructions of the processor that kernels call by name; ``machine_code`` has their compiled bodies."""

from __future__ import annotations

from typing import Any


def trailing_zeros(bits: Any) -> int:
    """How many bits of a 64-bit number are zero below its lowest one; 64: all."""
    bits = int(bits)
    return (bits & -bits).bit_length() - 1 if bits else 64


def prefetch(address: Any) -> None:
    """Bring what lies at an address into the processor's cache, which changes nothing but speed."""
