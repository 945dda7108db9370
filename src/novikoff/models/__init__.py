"""Models as files that are safe to open, and as programs in other languages."""
