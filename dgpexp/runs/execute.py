"""Execute one run, here and now: lock it, train it with checkpoints, record it. Any engine can call this."""

from contextlib import suppress

from dgpexp.files import writable
from dgpexp.runs.events import Ended
from dgpexp.runs.job import BUSY, Job, Watch
from dgpexp.runs.sessions import Sessions
from dgpexp.store.locks import LockLost, acquire
from dgpexp.store.stored_run import COMPLETED, FAILED, INTERRUPTED, StoredRun

PASSED = "PASSED"  # how a lock is released by whoever found the run ended by another process


def execute(job: Job, sessions: Sessions, watch: Watch) -> Ended:
    """Execute the run unless it is complete or somebody else does. StoreError passes: it concerns every run."""
    from dgpexp.runs.attempt import Attempt  # imports Sacred

    run_dir, run = job.run_dir, job.spec.run_id
    if StoredRun(run_dir).status == COMPLETED:
        return Ended(run=run, status=COMPLETED, already=True)
    with writable(run_dir):
        lock = acquire(run_dir, expected=job.locks if job.retry else None, sweep=job.sweep)
    if lock is None:
        return Ended(run=run, status=BUSY)
    ended = Ended(run=run, status=INTERRUPTED)
    try:
        status = StoredRun(run_dir).written  # again: somebody may have ended it while we came
        if status == COMPLETED or (status == FAILED and not job.retry):
            ended = Ended(run=run, status=status, already=True)
        else:
            ended = Attempt(job, lock, sessions, watch).ended()
    except LockLost:
        ended = Ended(run=run, status=BUSY)
    finally:
        with suppress(OSError):
            lock.release(PASSED if ended.already else ended.status)
    return ended
