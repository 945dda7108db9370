"""How Python becomes machine code, and where that code is kept."""
