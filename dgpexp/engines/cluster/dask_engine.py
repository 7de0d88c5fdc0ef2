"""Execute runs on the workers of a dask.distributed cluster.

It gives every thread of every worker one run at a time, and each run to one worker by name: dask neither moves nor
repeats it. A worker that is lost gives its run back to the sweep, which has it continued from its checkpoint; who may
execute it is decided by its lock and by nothing here. A run of several processes takes a thread for each (gangs.py).
"""

import queue
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from distributed import Client

from dgpexp.engines.cluster.dask_task import perform
from dgpexp.engines.cluster.gangs import Gang, Gangs, Order, Slot
from dgpexp.engines.cluster.lease import Lease
from dgpexp.engines.cluster.terms import terms_of
from dgpexp.engines.sweep import Pending
from dgpexp.runs.events import Broken, Died, Ended, Event, Note, Refused, Started, from_json
from dgpexp.runs.job import Job
from dgpexp.runs.sessions import shape
from dgpexp.store.stored_run import FAILED

_ASK_EVERY = 1.0  # seconds between two questions which workers there are
_PATIENCE = 10.0  # seconds without any worker before that is said
_FETCH = 30  # seconds for a result to come from its worker
_ALL = ""  # in place of a data set: the worker refuses every run


class DaskEngine:
    """Executes at most `most` runs at once on a scheduler's workers, each in `ranks` processes.

    `trouble()` says why no worker will come.
    """

    def __init__(self, client: Client, lease: Lease, most: int | None, trouble: Callable[[], str], ranks: int = 1):
        self._client, self._lease, self._most, self._trouble = client, lease, most, trouble
        self._gangs = Gangs(client, ranks)
        self._orders: dict[str, Order] = {}
        self._heard: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()  # what dask_task says of an order
        self._workers: dict[str, dict[str, Any]] = {}
        self._slots: list[Slot] = []  # every one there ever was: its place is its number for whoever watches
        self._shapes: dict[str, set[Any]] = {}  # of the runs that a worker has executed
        self._refused: dict[str, dict[str, str]] = {}  # by worker and data set, why
        self._held: list[Job] = []  # taken, and refused by a worker
        self._asked = self._saw_workers = time.monotonic()
        self._said_none = self._said_few = False

    def run(self, pending: Pending, on_event: Callable[[Event], None], stopping: Callable[[], bool]) -> None:
        topic = f"dgpexp-{uuid.uuid4().hex}"
        self._client.subscribe_topic(topic, lambda event: self._heard.put(event[1]))
        try:
            self._count_workers(pending, on_event)
            while self._connected(on_event):
                if stopping():
                    self._lease.end()  # which every worker sees
                    for number, order in list(self._orders.items()):
                        if not order.gang.told:
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
                self._gangs.close()
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
            if order.slot[0] not in self._workers and number in self._orders:
                self._lost(number, pending)
        if self._workers:
            self._saw_workers = self._asked
        elif not self._said_none and self._asked - self._saw_workers >= _PATIENCE:
            self._said_none = True
            on_event(Note(text="waiting for workers: the dask scheduler has none now"))

    def _lost(self, number: str, pending: Pending) -> None:
        order = self._orders[number]
        why = f"the worker at {order.slot[0]} that executed it was lost"
        if order.rank and order.gang.told:
            del self._orders[number]
            order.gang.lose(order.rank, why)
            return
        self._drop(number)
        if order.gang.told:
            pending.give_back(order.job, why)
        else:  # nothing had begun: its worker was gone when it was chosen
            self._held.append(order.job)

    def _drop(self, number: str) -> None:
        """Forget an order, with those of its gang."""
        gang = self._orders[number].gang
        for one in gang.members:
            if one in self._orders:
                self._orders.pop(one).future.cancel()
        self._gangs.end(gang)

    def _give(self, topic: str, pending: Pending, on_event: Callable[[Event], None]) -> None:
        """Give every free thread a run, or so many threads at once as a run has processes."""
        busy = {order.slot for order in self._orders.values()}
        working = {
            address: worker
            for address, worker in self._workers.items()
            if worker["status"] == "running" and _ALL not in self._refused.get(address, {})
        }
        if self._gangs.ranks > 1:
            self._gather(working, busy, topic, pending, on_event)
            working = {}
        for address, worker in working.items():
            for slot in [(address, i) for i in range(worker["nthreads"])]:
                if slot in busy or self._enough():
                    continue
                job = self._next(address, pending)
                if job is None:
                    break
                self._submit(job, [slot], topic, on_event)
        self._give_up(on_event)

    def _enough(self) -> bool:
        return self._most is not None and sum(order.rank == 0 for order in self._orders.values()) >= self._most

    def _gather(
        self,
        workers: dict[str, dict[str, Any]],
        busy: set[Slot],
        topic: str,
        pending: Pending,
        on_event: Callable[[Event], None],
    ) -> None:
        """Have the next run's gang gather, if it may and if so many threads are free."""
        for gang in self._gangs.tend():
            number, order = next(iter(gang.members.items()))
            self._drop(number)
            self._held.append(order.job)
        threads, ranks = sum(worker["nthreads"] for worker in workers.values()), self._gangs.ranks
        if workers and threads < ranks and not self._said_few:
            self._said_few = True
            on_event(Note(text=f"waiting for workers: a run needs {ranks} threads at once, and they have {threads}"))
        if self._enough() or not (self._held or len(pending)):
            return
        free = self._gangs.free(workers, busy)
        if not free:
            return
        for job in chain(list(self._held), iter(lambda: pending.take(set()), None)):
            fit = [slot for slot in free if job.spec.dataset not in self._refused.get(slot[0], {})]
            if job in self._held:
                self._held.remove(job)
            if len(fit) >= ranks:
                self._submit(job, fit[:ranks], topic, on_event)
                return
            self._held.append(job)
        self._gangs.pass_turn()

    def _next(self, address: str, pending: Pending) -> Job | None:
        """The next run that this worker has not refused."""
        refused = self._refused.get(address, {})
        for held in self._held:
            if held.spec.dataset not in refused:
                self._held.remove(held)
                return held
        while (job := pending.take(self._shapes.get(address, set()))) is not None:
            if job.spec.dataset not in refused:
                return job
            self._held.append(job)
        return None

    def _give_up(self, on_event: Callable[[Event], None]) -> None:
        """Fail the runs that every worker refuses, and end the sweep if every worker refuses all runs."""
        refused = [self._refused.get(address, {}) for address in self._workers]
        if not refused:
            return
        if all(_ALL in reasons for reasons in refused):
            on_event(Broken(reason=f"no worker of the dask cluster fits: {refused[0][_ALL]}"))
            self._held.clear()
        for job in list(self._held):
            reasons = [r.get(job.spec.dataset) or r.get(_ALL, "") for r in refused]
            if all(reasons):
                self._held.remove(job)
                on_event(Ended(run=job.spec.run_id, status=FAILED, reason=reasons[0]))

    def _submit(self, job: Job, slots: list[Slot], topic: str, on_event: Callable[[Event], None]) -> None:
        """Ask for a process on every slot, rank 0 on the first."""
        gang, several = Gang(), len(slots) > 1
        results = str(Path(job.results).absolute())
        for rank, slot in enumerate(slots):
            number = uuid.uuid4().hex
            order = {
                "id": number,
                "topic": topic,
                "job": replace(job, results=results, sweep=str(self._lease.path)).as_dict(),
                "terms": terms_of(job.spec, self._lease.path),
                **({"rank": rank} if several else {}),
            }
            key = f"dgpexp-{job.spec.run_id}-{number}"
            future = self._client.submit(perform, order, key=key, workers=[slot[0]], pure=False, retries=0)
            self._orders[number] = gang.members[number] = Order(job, slot, future, gang, rank)
            self._shapes.setdefault(slot[0], set()).add(shape(job.spec))
            future.add_done_callback(lambda _, number=number: self._heard.put({"order": number, "done": True}))
        if several:
            self._gangs.add(gang)
        on_event(Started(run=job.spec.run_id, worker=self._number(slots[0])))

    def _listen(self, pending: Pending, on_event: Callable[[Event], None]) -> None:
        """Handle all messages that have arrived, or arrive within the next moment."""
        try:
            said = self._heard.get(timeout=0.2)
            while True:
                order = self._orders.get(said["order"])
                if order is not None:
                    order.begun = order.begun or "begun" in said
                    order.gang.told = order.gang.told or (order.begun and len(order.gang.members) == 1)
                    order.address = order.address or said.get("address", "")
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
        gang = order.gang
        if isinstance(event, Died) and order.rank and gang.told:
            del self._orders[number]
            gang.lose(order.rank, event.reason)
            return None
        self._drop(number)
        match event:
            case Died(reason=why):
                pending.give_back(order.job, gang.why(why))
            case Refused():
                self._note_refusal(order, event, on_event)
            case _:
                on_event(replace(event, worker=self._number(order.slot)))
        return None

    def _note_refusal(self, order: Order, event: Refused, on_event: Callable[[Event], None]) -> None:
        reasons = self._refused.setdefault(order.slot[0], {})
        if event.dataset not in reasons:
            on_event(Note(text=f"set aside: {event.reason}"))
        reasons[event.dataset] = event.reason
        self._held.append(order.job)

    def _number(self, slot: Slot) -> int:
        if slot not in self._slots:
            self._slots.append(slot)
        return self._slots.index(slot)
