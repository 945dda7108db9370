"""Proofs about rows that do not fit into memory."""
