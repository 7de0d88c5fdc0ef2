"""Execute a run on a dask worker: a dgpexp worker process does it, and its events are passed on.

The process has one thread of TensorFlow and is kept for the next run, as the local engine's are; dask's own process
stays free to answer its scheduler. When dask's process ends, however it does, the other one sees the end of its input,
checkpoints and ends.

A run of several processes has a task of dask for each. It says where its process can be reached once that meets the
sweep's terms, and waits to be told the addresses of all; so nothing is begun before the whole gang is there.
"""

import json
import select
import threading
import time
from typing import Any

from distributed import Status, Worker, get_worker
from distributed.comm import get_address_host

from dgpexp.engines.cluster.lease import Watched
from dgpexp.engines.local import FIND, WORKER, WorkerProcess, free_addresses
from dgpexp.runs.events import Broken, Died, Ended, Event, Progress, Ready, to_json
from dgpexp.store.stored_run import INTERRUPTED

_WORKING = (Status.running, Status.paused)
_ALONE = 600.0  # seconds that a process waits to hear of the others, should its sweep have forgotten it
END = "end"  # what a process is told instead of addresses
_told: dict[str, list[Any]] = {}  # by order, what the sweep has told those of its processes that are here
_idle: list[WorkerProcess] = []
_lock = threading.Lock()


def perform(order: dict[str, Any]) -> dict[str, Any]:
    """Execute a run here, and return the event that ended it as JSON: Ended, Broken, Refused or Died."""
    worker = get_worker()
    worker.log_event(order["topic"], {"order": order["id"], "begun": True})
    if "rank" in order:
        return to_json(_take_part(order, worker))
    shape = json.dumps({**order["job"]["spec"], "split": None}, sort_keys=True)  # as it came: versions may differ
    with _lock:
        process = next((p for p in _idle if p.has_room(shape)), None)
        if process is not None:
            _idle.remove(process)
        elif _idle:
            _idle.pop(0).stop()  # it is full; a new one takes its place
    event = None if process is None else _have_done(process, order, worker)
    if process is None or event is None:  # a kept one may have been ending: its last sweep was over
        process = WorkerProcess(0, WORKER)
        event = _have_done(process, order, worker)
    process.shapes.add(shape)
    if event is None:
        event = Died(reason=process.last_words())
    if not isinstance(event, Broken | Died) and worker.status in _WORKING:
        with _lock:
            _idle.append(process)
    return to_json(event)


def tell(orders: list[str], what: Any) -> None:
    """Tell the processes of these orders that are here the addresses of their gang, or END."""
    for number in orders:
        if number in _told:
            _told[number].append(what)


def _have_done(process: WorkerProcess, order: dict[str, Any], worker: Worker) -> Event | None:
    """Return the event that ended the run; None if the process ended before the run began."""
    process.write({"do": "run", "job": order["job"], "terms": order["terms"]})
    begun = False
    while True:
        if worker.status not in _WORKING:
            process.stop()  # dask's worker is being retired: the run goes on elsewhere
        events = _heard(process)
        if events is None:
            return Died(reason=process.last_words()) if begun else None
        for event in events:
            if isinstance(event, Progress):
                begun = True
                worker.log_event(order["topic"], {"order": order["id"], "event": to_json(event)})
            elif not isinstance(event, Ready):
                return event


def _take_part(order: dict[str, Any], worker: Worker) -> Event:
    """Be one process of a gang; the event that ended it, which is that of the run if its rank is 0."""
    told = _told[order["id"]] = []
    process = WorkerProcess(0, WORKER)
    try:
        process.write({"do": "check", "job": order["job"], "terms": order["terms"]})
        return _one_of(process, order, worker, told)
    finally:
        del _told[order["id"]]
        process.process.kill()
        process.process.wait()
        process.close()


def _one_of(process: WorkerProcess, order: dict[str, Any], worker: Worker, told: list[Any]) -> Event:
    run, rank, lease = order["terms"]["run"], order["rank"], Watched(order["terms"]["sweep"])
    readies, running, since = 0, False, time.monotonic()
    while True:
        if END in told or (not told and time.monotonic() - since > _ALONE):
            return Died(reason="it was told to end")
        if worker.status not in _WORKING or lease.over():
            process.stop()  # rank 0 checkpoints, and the others outlive it for a moment
            if rank == 0:
                process.end_if_idle()
        if told and not running:
            running = True
            gang = {"rank": rank, "addresses": told[0], "deadline": FIND}
            process.write({"do": "run", "job": order["job"], "terms": order["terms"], "gang": gang})
        events = _heard(process)
        if events is None:
            return Ended(run=run, status=INTERRUPTED) if process.ended_by_us else Died(reason=process.last_words())
        for event in events:
            if isinstance(event, Ready):
                readies += 1
                if readies == 2:  # it meets the terms
                    (address,) = free_addresses(1, get_address_host(worker.address))
                    worker.log_event(order["topic"], {"order": order["id"], "address": address})
            elif isinstance(event, Progress):
                process.trains = process.trains or bool(event.total)
                worker.log_event(order["topic"], {"order": order["id"], "event": to_json(event)})
            else:
                return event


def _heard(process: WorkerProcess) -> list[Event] | None:
    """What it says within the next moment; None once it has ended."""
    return process.events() if select.select([process.stdout], [], [], 0.5)[0] else []
