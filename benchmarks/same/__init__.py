"""Whether two checkouts give the same results: ``python -m benchmarks.same --against PATH``."""
