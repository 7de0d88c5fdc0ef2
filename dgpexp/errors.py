"""Errors that a person can cause, and that a person can mend."""


class UserError(Exception):
    """Something the user can put right: one sentence that says what is wrong and what to do.

    The command line prints the sentence on stderr and exits with `exit_code`; it never shows a traceback for it.
    """

    exit_code = 2


class RunFailed(UserError):
    """The work was asked for correctly and could not be done (exit code 1)."""

    exit_code = 1


class NumericalFailure(Exception):
    """A Cholesky factorisation failed or the objective became NaN; the runner recovers from it or records it."""


class GangLost(Exception):
    """A process that trains a part of the same model is gone, or cannot be reached."""
