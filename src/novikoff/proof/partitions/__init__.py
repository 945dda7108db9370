"""Proofs about rows in partitions: blocks of a store that memory does not hold, or rows on a cluster."""
