"""Before anything imports numpy: one BLAS thread. On a busy machine, two that wait for each other take far longer."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
