"""Speed, memory and behaviour of novikoff, as ratios against peers timed in the same run: ``python -m benchmarks``."""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    # heard only if set before NumPy is imported
    os.environ[_name] = os.environ.get("NOVIKOFF_BENCHMARK_THREADS", "1")
