"""dgpexp's command line, whose workers train the fake session; everything else about them is real."""

import sys

from dgpexp.__main__ import main

if __name__ == "__main__":
    try:
        from dgpexp.engines import local
    except KeyboardInterrupt:  # as dgpexp itself answers it
        sys.exit(130)
    local.WORKER[:] = [sys.executable, "-m", "tests.engines.fake_worker"]
    main()
