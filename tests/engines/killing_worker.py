"""dgpexp's worker process, of which the one of rank KILL is killed once, in an evaluation; then KILLED exists."""

import os
import signal
from pathlib import Path

from dgpexp import quietly
from dgpexp.engines.worker import main
from tests.engines.processes import children, is_zombie


def killing(evaluate):
    def evaluated(self, *args, **options):
        if not (killed := Path(os.environ["KILLED"])).exists():
            killed.touch()
            others = [pid for pid in children(os.getppid()) if pid != os.getpid() and not is_zombie(pid)]
            os.kill(os.getpid() if os.environ["KILL"] == "0" else max(others), signal.SIGKILL)
        return evaluate(self, *args, **options)

    return evaluated


if __name__ == "__main__":
    quietly.import_tensorflow()
    from dgpexp.training.session import Session

    Session.evaluate = killing(Session.evaluate)
    main()
