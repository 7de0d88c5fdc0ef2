"""`dgpexp`, and `python -m dgpexp`."""

import os
import signal
import sys
import threading
from typing import Any


def main() -> None:
    """The command line; a Ctrl-C while it is being imported is one too."""
    sys.unraisablehook = _deliver_again
    try:
        from dgpexp.cli.main import main as command_line
    except KeyboardInterrupt:
        print("dgpexp: interrupted.", file=sys.stderr)
        sys.exit(130)
    command_line()


def _deliver_again(lost: Any) -> None:
    """A Ctrl-C that fell into a callback of Python's, where nothing can be raised, comes again a moment later."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(lost)


if __name__ == "__main__":
    main()
