"""Execute runs on the workers of a dask.distributed cluster.

It gives every thread of every worker one run at a time, and each run to one worker by name: dask neither moves nor
repeats it. A worker that is lost gives its run back to the sweep, which has it continued from its checkpoint; who may
execute it is decided by its lock and by nothing here.
"""

import queue
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from distributed import Client, Future

from dgpexp.engines.cluster.dask_task import perform
from dgpexp.engines.cluster.lease import Lease
from dgpexp.engines.cluster.terms import terms_of
from dgpexp.engines.engine import Pending
from dgpexp.runs.events import Broken, Died, Ended, Event, Note, Refused, Started, from_json
from dgpexp.runs.job import Job
from dgpexp.runs.sessions import shape
from dgpexp.store.stored_run import FAILED

_ASK_EVERY = 1.0  # seconds between two questions which workers there are
_PATIENCE = 10.0  # seconds without any worker before that is said
_FETCH = 30  # seconds for a result to come from its worker
_ALL = ""  # in place of a data set: the worker refuses every run

Slot = tuple[str, int]  # a thread of a worker: its address and a number


@dataclass
class _Order:
    """A run that a worker was given."""

    task: Job
    slot: Slot
    future: Future
    begun: bool = False


class DaskEngine:
    """Executes at most `most` runs at once on a scheduler's workers; `trouble()` says why no worker will come."""

    def __init__(self, client: Client, lease: Lease, most: int | None, trouble: Callable[[], str]):
        self._client, self._lease, self._most, self._trouble = client, lease, most, trouble
        self._orders: dict[str, _Order] = {}
        self._heard: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()  # what dask_task says of an order
        self._workers: dict[str, dict[str, Any]] = {}
        self._slots: list[Slot] = []  # every one there ever was: its place is its number for whoever watches
        self._shapes: dict[str, set[Any]] = {}  # of the runs that a worker has executed
        self._refused: dict[str, dict[str, str]] = {}  # by worker and data set, why
        self._held: list[Job] = []  # taken, and refused by a worker
        self._asked = self._saw_workers = time.monotonic()
        self._said_none = False

    def run(self, pending: Pending, on_event: Callable[[Event], None], stopping: Callable[[], bool]) -> None:
        topic = f"dgpexp-{uuid.uuid4().hex}"
        self._client.subscribe_topic(topic, lambda event: self._heard.put(event[1]))
        try:
            self._count_workers(pending, on_event)
            while self._connected(on_event):
                if stopping():
                    self._lease.end()  # which every worker sees
                    for number, order in list(self._orders.items()):
                        if not order.begun:
                            self._drop(number)
                else:
                    self._give(topic, pending, on_event)
                if not self._orders and (stopping() or not (self._held or len(pending))):
                    return
                self._listen(pending, on_event)
                if time.monotonic() - self._asked >= _ASK_EVERY:
                    self._count_workers(pending, on_event)
        finally:
            if self._client.status == "running":
                for number in list(self._orders):
                    self._drop(number)
                self._client.unsubscribe_topic(topic)

    def _connected(self, on_event: Callable[[Event], None]) -> bool:
        reason = self._trouble() if not self._workers else ""
        if self._client.status != "running":
            reason = (
                "the connection to the dask scheduler was lost, and its workers checkpoint and stop: when there is a "
                "scheduler again, the same command continues."
            )
        if not reason:
            return True
        self._lease.end()
        on_event(Broken(reason=reason))
        return False

    def _count_workers(self, pending: Pending, on_event: Callable[[Event], None]) -> None:
        """Ask the scheduler for its workers, and give back the runs of workers that are gone."""
        self._asked = time.monotonic()
        if self._client.status != "running":
            return
        try:
            self._workers = self._client.scheduler_info()["workers"]
        except (OSError, TimeoutError):
            return  # the client notices too, and `_connected` says so
        for number, order in list(self._orders.items()):
            if order.slot[0] not in self._workers:
                self._lost(number, pending)
        if self._workers:
            self._saw_workers = self._asked
        elif not self._said_none and self._asked - self._saw_workers >= _PATIENCE:
            self._said_none = True
            on_event(Note(text="waiting for workers: the dask scheduler has none now"))

    def _lost(self, number: str, pending: Pending) -> None:
        order = self._drop(number)
        pending.give_back(order.task, f"the worker at {order.slot[0]} that executed it was lost")

    def _drop(self, number: str) -> _Order:
        order = self._orders.pop(number)
        order.future.cancel()
        return order

    def _give(self, topic: str, pending: Pending, on_event: Callable[[Event], None]) -> None:
        """Give every free thread a run."""
        busy = {order.slot for order in self._orders.values()}
        for address, worker in self._workers.items():
            if worker["status"] != "running" or _ALL in self._refused.get(address, {}):
                continue
            for slot in [(address, i) for i in range(worker["nthreads"])]:
                if slot in busy or (self._most is not None and len(self._orders) >= self._most):
                    continue
                task = self._next(address, pending)
                if task is None:
                    break
                self._submit(task, slot, topic)
                on_event(Started(run=task.spec.run_id, worker=self._number(slot)))
        self._give_up(on_event)

    def _next(self, address: str, pending: Pending) -> Job | None:
        """The next run that this worker has not refused."""
        refused = self._refused.get(address, {})
        for held in self._held:
            if held.spec.dataset not in refused:
                self._held.remove(held)
                return held
        while (task := pending.take(self._shapes.get(address, set()))) is not None:
            if task.spec.dataset not in refused:
                return task
            self._held.append(task)
        return None

    def _give_up(self, on_event: Callable[[Event], None]) -> None:
        """Fail the runs that every worker refuses, and end the sweep if every worker refuses all runs."""
        refused = [self._refused.get(address, {}) for address in self._workers]
        if not refused:
            return
        if all(_ALL in reasons for reasons in refused):
            on_event(Broken(reason=f"no worker of the dask cluster fits: {refused[0][_ALL]}"))
            self._held.clear()
        for task in list(self._held):
            reasons = [r.get(task.spec.dataset) or r.get(_ALL, "") for r in refused]
            if all(reasons):
                self._held.remove(task)
                on_event(Ended(run=task.spec.run_id, status=FAILED, reason=reasons[0]))

    def _submit(self, task: Job, slot: Slot, topic: str) -> None:
        number = uuid.uuid4().hex
        results = str(Path(task.results).absolute())
        order = {
            "id": number,
            "topic": topic,
            "task": replace(task, results=results, sweep=str(self._lease.path)).as_dict(),
            "terms": terms_of(task.spec, self._lease.path),
        }
        key = f"dgpexp-{task.spec.run_id}-{number}"
        future = self._client.submit(perform, order, key=key, workers=[slot[0]], pure=False, retries=0)
        self._orders[number] = _Order(task, slot, future)
        self._shapes.setdefault(slot[0], set()).add(shape(task.spec))
        future.add_done_callback(lambda _: self._heard.put({"order": number, "done": True}))

    def _listen(self, pending: Pending, on_event: Callable[[Event], None]) -> None:
        """Handle all messages that have arrived, or arrive within the next moment."""
        try:
            said = self._heard.get(timeout=0.2)
            while True:
                order = self._orders.get(said["order"])
                if order is not None:
                    order.begun = order.begun or "begun" in said
                    if "done" in said:
                        self._done(said["order"], pending, on_event)
                    elif "event" in said:
                        on_event(replace(from_json(said["event"]), worker=self._number(order.slot)))
                said = self._heard.get_nowait()
        except queue.Empty:
            return

    def _done(self, number: str, pending: Pending, on_event: Callable[[Event], None]) -> None:
        order = self._orders[number]
        if order.future.status == "error":
            error = order.future.exception()
            if type(error).__name__ == "KilledWorker":
                return self._lost(number, pending)
            reason = f"the worker at {order.slot[0]} cannot execute runs of dgpexp ({type(error).__name__}: {error})."
            event: Event = Refused(reason=reason, dataset=_ALL)
        else:
            try:
                event = from_json(order.future.result(timeout=_FETCH))
            except Exception:  # cancelled, or its worker went away with it; the run store knows better
                if self._client.status == "running":
                    self._lost(number, pending)
                return None
        self._drop(number)
        match event:
            case Died(reason=why):
                pending.give_back(order.task, why)
            case Refused():
                self._note_refusal(order, event, on_event)
            case _:
                on_event(replace(event, worker=self._number(order.slot)))
        return None

    def _note_refusal(self, order: _Order, event: Refused, on_event: Callable[[Event], None]) -> None:
        reasons = self._refused.setdefault(order.slot[0], {})
        if event.dataset not in reasons:
            on_event(Note(text=f"set aside: {event.reason}"))
        reasons[event.dataset] = event.reason
        self._held.append(order.task)

    def _number(self, slot: Slot) -> int:
        if slot not in self._slots:
            self._slots.append(slot)
        return self._slots.index(slot)
