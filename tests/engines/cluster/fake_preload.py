"""Loaded by the dask workers of the tests: their worker processes train the fake session, some with something odd."""

import os
import sys

from dgpexp.engines import local

local.WORKER[:] = [sys.executable, "-m", os.environ.get("FAKE_WORKER", "tests.engines.fake_worker")]
