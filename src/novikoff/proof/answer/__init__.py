"""The answer of ``separability``, and what it means for a user."""
