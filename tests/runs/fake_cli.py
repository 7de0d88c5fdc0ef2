"""dgpexp's command line, whose workers train the fake session; everything else about them is real."""

import sys

from dgpexp.cli.main import main
from dgpexp.runs import engine

if __name__ == "__main__":
    engine.WORKER[:] = [sys.executable, "-m", "tests.runs.fake_worker"]
    main()
