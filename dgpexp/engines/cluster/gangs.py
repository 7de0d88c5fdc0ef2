"""The processes of one run on several dask workers: asked for together, told the addresses of all, ended together.

A gang that held some of its threads while it waited for the others would, with a second one, wait for ever. So one gang
at a time, of all sweeps on the cluster, gathers its threads; it begins with as many as are free at once, and gives them
back when another sweep came between. A lock of dask's decides whose turn it is: it is free again soon after the sweep
that held it has died.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from distributed import Client, Future, Lock

from dgpexp.engines.cluster.dask_task import END, tell
from dgpexp.engines.local import NOTICE
from dgpexp.runs.job import Job

_GATHER = 20.0  # seconds that all processes of a gang are given to begin
_ASK_EVERY = 1.0  # seconds between two questions for free threads

Slot = tuple[str, int]  # a thread of a worker: its address and a number


@dataclass
class Order:
    """A process that a worker was asked for: the one of this rank in its gang, often the only one."""

    job: Job
    slot: Slot
    future: Future
    gang: "Gang"
    rank: int = 0
    begun: bool = False
    address: str = ""  # where the others reach it


@dataclass
class Gang:
    """The orders of one run, by number, rank 0 first."""

    members: dict[str, Order] = field(default_factory=dict)
    told: bool = False  # they know each other, or one alone has begun: from now on rank 0 speaks for the run
    since: float = field(default_factory=time.monotonic)
    lost: dict[int, str] = field(default_factory=dict)  # ranks that have ended before rank 0, and why
    lost_at: float = 0.0

    def lose(self, rank: int, why: str) -> None:
        """Note the end of another process than rank 0, which notices and checkpoints."""
        self.lost[rank] = why
        self.lost_at = self.lost_at or time.monotonic()

    def why(self, reason: str) -> str:
        """Why the run was lost, where rank 0 gives this reason."""
        return "; ".join(
            [reason, *(f"process {rank} of {len(self.members)}: {why}" for rank, why in self.lost.items())]
        )


class Gangs:
    """The gangs of a sweep, `ranks` processes each."""

    def __init__(self, client: Client, ranks: int):
        self.ranks, self._client = ranks, client
        self._gangs: list[Gang] = []
        self._gathers: Gang | None = None  # the one whose turn it is
        self._lock: Any = None
        self._asked = float("-inf")
        self._late: Counter[str] = Counter()  # how often a worker let the others wait
        self._telling: list[threading.Thread] = []

    def free(self, workers: Mapping[str, Mapping[str, Any]], busy: set[Slot]) -> list[Slot]:
        """The threads that nobody uses, if it is our turn and they are enough: then `add` or `pass_turn` follows."""
        now = time.monotonic()
        if self._gathers is not None or now - self._asked < _ASK_EVERY:
            return []
        self._asked = now
        if self._lock is None:
            self._lock = Lock("dgpexp-gang", scheduler_rpc=self._client.scheduler, loop=self._client.loop)
        try:
            if not self._lock.acquire(blocking=False):
                return []
            used = self._client.processing()  # by any sweep
        except (OSError, TimeoutError):
            return []  # the scheduler is gone, which the engine finds out
        slots: list[Slot] = []
        for address in sorted(workers, key=lambda address: (self._late[address], address)):  # near each other
            mine = [(address, i) for i in range(workers[address]["nthreads"]) if (address, i) not in busy]
            slots += mine[: max(0, workers[address]["nthreads"] - len(used.get(address, ())))]
        if len(slots) < self.ranks:
            self.pass_turn()
            return []
        return slots

    def pass_turn(self) -> None:
        self._lock.release()

    def add(self, gang: Gang) -> None:
        """Have it gather: it is its turn until all its processes have begun."""
        self._gangs.append(gang)
        self._gathers = gang

    def tend(self) -> Iterable[Gang]:
        """Tell gangs that are complete who they are; those that did not gather in time."""
        now = time.monotonic()
        for gang in list(self._gangs):
            orders = list(gang.members.values())
            if gang is self._gathers and all(order.begun for order in orders):
                self._gathers = None
                self.pass_turn()
            if not gang.told and all(order.address for order in orders):
                gang.told = True
                self._tell(gang, [order.address for order in orders])
            elif gang is self._gathers and now - gang.since > _GATHER:
                self._late.update(order.slot[0] for order in orders if not order.begun)
                yield gang
            elif gang.told and gang.lost and now - gang.lost_at > NOTICE:
                self._tell(gang, END)

    def end(self, gang: Gang) -> None:
        """Have what is left of it end now."""
        if gang in self._gangs:
            self._gangs.remove(gang)
            self._tell(gang, END)
        if gang is self._gathers:
            self._gathers = None
            with suppress(Exception):  # the scheduler may have gone
                self.pass_turn()

    def close(self) -> None:
        for gang in list(self._gangs):
            self.end(gang)
        for thread in self._telling:
            thread.join(2)

    def _tell(self, gang: Gang, what: Any) -> None:
        """By a thread: a worker that does not answer must not keep the sweep from the others."""
        addresses = {order.slot[0] for order in gang.members.values()}

        def run(address: str) -> None:
            numbers = [n for n, order in gang.members.items() if order.slot[0] == address]
            with suppress(Exception):  # it is gone, and its processes with it
                self._client.run(tell, numbers, what, workers=[address], on_error="ignore")

        self._telling = [t for t in self._telling if t.is_alive()]
        self._telling += [threading.Thread(target=run, args=(address,), daemon=True) for address in addresses]
        for thread in self._telling[-len(addresses) :]:
            thread.start()
