"""Execute a run on a dask worker: a dgpexp worker process does it, and its events are passed on.

The process has one thread of TensorFlow and is kept for the next run, as the local engine's are; dask's own process
stays free to answer its scheduler. When dask's process ends, however it does, the other one sees the end of its input,
checkpoints and ends.
"""

import json
import select
import threading
import time
from typing import Any

from distributed import Status, Worker, get_worker

from dgpexp.engines.local import WORKER, WorkerProcess
from dgpexp.runs.events import TRAINING, Broken, Died, Event, Progress, Ready, to_json

_WORKING = (Status.running, Status.paused)
_TELL = 2.0  # seconds between two messages about the progress of a run
_idle: list[WorkerProcess] = []
_lock = threading.Lock()


def perform(order: dict[str, Any]) -> dict[str, Any]:
    """Execute a run here, and return the event that ended it as JSON: Ended, Broken, Refused or Died."""
    worker = get_worker()
    worker.log_event(order["topic"], {"order": order["id"], "begun": True})
    shape = json.dumps({**order["task"]["spec"], "split": None}, sort_keys=True)  # as it came: versions may differ
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


def _have_done(process: WorkerProcess, order: dict[str, Any], worker: Worker) -> Event | None:
    """Return the event that ended the run; None if the process ended before the run began."""
    process.write({"do": "run", "task": order["task"], "terms": order["terms"]})
    begun, told = False, float("-inf")
    while True:
        if worker.status not in _WORKING:
            process.stop()  # dask's worker is being retired: the run goes on elsewhere
        if not select.select([process.stdout], [], [], 0.5)[0]:
            continue
        events = process.events()
        if events is None:
            return Died(reason=process.last_words()) if begun else None
        for event in events:
            if isinstance(event, Progress):
                begun = True
                if time.monotonic() - told >= _TELL or event.phase != TRAINING:
                    told = time.monotonic()
                    worker.log_event(order["topic"], {"order": order["id"], "event": to_json(event)})
            elif not isinstance(event, Ready):
                return event
