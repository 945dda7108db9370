"""Data files as streams: readers, blocks of rows, their encoding into numbers, and learning from them pass by pass."""
