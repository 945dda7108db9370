"""The demonstrations, one file each."""
