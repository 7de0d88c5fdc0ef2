"""One attempt at a locked run: from its checkpoint, or from step 0, to its end or to where it is stopped."""

import os
import time
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from dgpexp.datasets.catalog import find
from dgpexp.datasets.kept import EXPERIMENT
from dgpexp.files import replacing, writable
from dgpexp.memory import begin_peak, peak_mib
from dgpexp.runs import checkpoint, code, provenance
from dgpexp.runs.course import Course
from dgpexp.runs.events import TRAINING, Ended, Progress
from dgpexp.runs.job import GANG_LOST, Job, Watch
from dgpexp.runs.record import Failed, Record, RunObserver, Stopped, record
from dgpexp.runs.sessions import Sessions
from dgpexp.store.locks import Lock, first_locked
from dgpexp.store.stored_run import COMPLETED, FAILED, INTERRUPTED, StoredRun, labelled

_BEAT = 10.0  # seconds between two writings of metrics and progress


class Attempt:
    """Ties the session, the checkpoint, the lock and the Sacred record of one run together."""

    def __init__(self, job: Job, lock: Lock, sessions: Sessions, watch: Watch):
        self.job, self.lock, self.sessions, self.watch = job, lock, sessions, watch
        self.checkpoint = job.run_dir / "checkpoint.npz"
        earlier = StoredRun(job.run_dir)  # read now: this attempt writes the same files
        self.meta = labelled(None, job.note or earlier.note, (*earlier.tags, *job.tags))
        self.modules_before = earlier.info.get("modules")
        self.course: Course | None = None
        self.session: Any = None
        self.evaluations_recorded = 0
        self.metrics: dict[str, float] = {}

    def ended(self) -> Ended:
        """Make the attempt. StoreError and LockLost pass: they are not the run's fault (see record.py)."""
        run = self.job.spec.run_id
        try:
            with writable(self.job.run_dir):
                observer = RunObserver(self.job.run_dir.parent, lambda: self.lock.held)
                record(self.job.spec, observer, self._about(), self._train, self.meta)
        except Stopped:
            return Ended(run=run, status=INTERRUPTED)
        except Failed as error:
            self.sessions.forget()
            self.checkpoint.unlink(missing_ok=True)  # a retry begins anew
            return Ended(run=run, status=FAILED, reason=str(error))
        self.checkpoint.unlink(missing_ok=True)
        return Ended(run=run, status=COMPLETED, metrics=self.metrics)

    def _about(self) -> dict[str, Any]:
        job = self.job
        return {
            "experiment": job.experiment,
            "profile": job.profile,
            "command": job.command,
            "started": first_locked(job.run_dir),
            "claim": self.lock.number,
            "load": os.getloadavg(),  # of the machine: seconds measured beside other work are worth less
            **provenance.describe(),
            **_code(code.modules()),
        }

    def _train(self, record: Record) -> float:
        """Train; what befalls the gang is not the run's fault."""
        try:
            return self._trained(record)
        except Exception as error:
            if self.sessions.lost(error):
                self._leave_gang(error)
            raise

    def _trained(self, record: Record) -> float:
        """From the data to the trained model; the result is the first of the metrics that are watched."""
        spec = self.job.spec
        begin_peak()
        self._tell("loading")
        self.sessions.join()
        split = self.sessions.load(spec)
        self.sessions.compare(spec)
        record.note(task=split.task.name, n_train=len(split.x_train), n_test=len(split.y_test))
        record.note(y_scale=float(np.squeeze(split.y_scaler.std)))  # what other papers divide RMSE by
        record.note(features=split.features, target=split.target, levels=dict(split.levels))
        record.note(reading=find(spec.dataset).reading)  # how a table of the user's own is written
        self._stop_if_asked()
        self._tell("building")
        self._begin()
        course = self.course
        assert course is not None
        record.note(total_steps=course.total, resumed_at=course.step)
        if course.step:
            record.note(**_code(code.continued(self.modules_before)))
        print(f"{spec.run_id}: from step {course.step} of {course.total}")
        try:
            self._stop_if_asked()
            self._loop(record, course)
            self._tell("the whole test set")
            whole = course.whole_test(self._stop_if_asked)
            # all of the test set says more than a part of it; medians over a window are what section 5.3 reports
            self.metrics = whole if whole and not spec.settings.final_window else course.final()
            record.note(metrics=self.metrics, whole_test=whole, tally=course.tally(self._stop_if_asked))
            if find(spec.dataset).experiment == EXPERIMENT:
                record.note(several_modes=self.session.several_modes())
            self._save_model(record)
        finally:
            self._write_down(record)  # how far it came, whatever ends it
        return float(self.metrics[split.task.headline[0]])

    def _begin(self) -> None:
        """From the checkpoint if there is one that fits; a checkpoint that cannot be restored is worth nothing."""
        spec, split = self.job.spec, self.sessions.load(self.job.spec)
        if self.job.retry:
            self.checkpoint.unlink(missing_ok=True)
        start = checkpoint.load(self.checkpoint, self.sessions.identity(spec))
        self.session = self.sessions.session(spec, split)
        size = len(split.x_train), len(split.y_test)
        if start is not None:
            try:
                self.course = Course(self.session, spec.settings, *size, start)
                return
            except Exception:  # arrays of other shapes, numbers that are not finite, a step that cannot be
                self.session = self.sessions.session(spec, split)
        self.course = Course(self.session, spec.settings, *size, None)

    def _loop(self, record: Record, course: Course) -> None:
        saved = beaten = time.monotonic()
        recoveries = len(course.recoveries)
        self._write_down(record)
        while not course.finished:
            course.advance(self._stop_if_asked)
            for recovery in course.recoveries[recoveries:]:
                print(f"recovered: {recovery}")
            recoveries = len(course.recoveries)
            now = time.monotonic()
            if now - saved >= self.job.checkpoint_seconds:
                self._save_checkpoint(course)
                saved = now
            if course.finished or now - beaten >= _BEAT:
                self._write_down(record)
                beaten = now
            self._tell(TRAINING)
            self._stop_if_asked()

    def _leave_gang(self, error: Exception) -> NoReturn:
        """Keep what was reached and end the process at once: TensorFlow would wait for those that are gone."""
        if self.course is not None:
            self._save_checkpoint(self.course)
        self.lock.release(INTERRUPTED)
        os.write(2, f"{error}\n".encode())
        os._exit(GANG_LOST)

    def _save_checkpoint(self, course: Course) -> None:
        self.lock.check()
        with writable(self.job.run_dir):
            checkpoint.save(self.checkpoint, course.good, self.sessions.identity(self.job.spec))

    def _write_down(self, record: Record) -> None:
        """Metrics and progress to disk; an evaluation once a snapshot holds it: before, a recovery may revoke it."""
        course, session = self.course, self.session
        assert course is not None
        evaluations = course.good.progress["looks"]
        for evaluation in evaluations[self.evaluations_recorded :]:
            record.evaluation(evaluation)
            numbers = (f"{name} {value:.5g}" for name, value in evaluation.items() if name != "step")
            print(f"step {evaluation['step']}: {', '.join(numbers)}")
        self.evaluations_recorded = len(evaluations)
        record.note(
            steps=course.step,
            train_seconds=session.seconds,
            seconds_per_step=session.seconds / course.step if course.step else None,
            jitter=session.jitter,
            recoveries=len(course.recoveries),
            recovery_log=course.recoveries,
            peak_memory_mib=int(peak_mib()),
        )
        record.beat()

    def _save_model(self, record: Record) -> None:
        path = self.job.run_dir / "model.npz"
        with writable(self.job.run_dir), replacing(path) as part:
            self.session.predictor().save(part)
        record.artifact(path)

    def _stop_if_asked(self) -> None:
        """Asked between two blocks of steps and between two parts of a test set."""
        if not self.watch.stop():
            return
        if self.course is not None:
            self._save_checkpoint(self.course)
        raise Stopped

    def _tell(self, phase: str) -> None:
        course, run = self.course, self.job.spec.run_id
        if course is None:
            self.watch.tell(Progress(run=run, phase=phase))
            return
        headline = self.sessions.load(self.job.spec).task.headline
        last = course.evaluations[-1] if course.evaluations else {}
        numbers = {"objective": course.objective, **{name: last.get(name) for name in headline}}
        self.watch.tell(Progress(run=run, phase=phase, step=course.step, total=course.total, numbers=numbers))


def _code(modules: Mapping[str, str]) -> dict[str, Any]:
    """What made the run, as it is kept; of a run that was begun by a version that kept nothing, nothing."""
    return {"code": code.overall(modules) if modules else None, "modules": dict(modules)}
