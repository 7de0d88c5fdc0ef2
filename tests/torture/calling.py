"""Commands called in this process, thousands of them: importing what they need takes longer than most of them do."""

import io
from contextlib import redirect_stderr, redirect_stdout

from dgpexp.cli.main import main
from tests.torture.tally import Tally


def called(tally: Tally, *args: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr; an exception that gets out of it is counted."""
    out, err = io.StringIO(), io.StringIO()
    code = 1
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main(list(args))
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    except BaseException as error:
        tally.tracebacks += 1
        tally.notes.append(f"{' '.join(args)[:200]}: {type(error).__name__}: {error}"[:400])
    tally.said(err.getvalue())
    return code, out.getvalue(), err.getvalue()
