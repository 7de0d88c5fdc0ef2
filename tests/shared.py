"""Real data for tests: ../shared/data beside the checkout, or the folder that DGPEXP_TEST_DATA names."""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("DGPEXP_TEST_DATA") or Path(__file__).parents[2] / "shared" / "data")

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data is not beside this checkout")
