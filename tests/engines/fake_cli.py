"""dgpexp's command line, whose workers train the fake session; everything else about them is real."""

import sys

from dgpexp.cli.main import main
from dgpexp.engines import local

if __name__ == "__main__":
    local.WORKER[:] = [sys.executable, "-m", "tests.engines.fake_worker"]
    main()
