"""Loaded by the dask workers of the tests: their worker processes train the fake session, some with something odd."""

import os
import sys

from dgpexp.runs import engine

engine.WORKER[:] = [sys.executable, "-m", os.environ.get("FAKE_WORKER", "tests.runs.fake_worker")]
