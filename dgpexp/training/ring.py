"""Processes that train one model together, one for each shard: a ring of TensorFlow's collectives between them.

Every process has the whole model, and adds up the same rows in the same order, so all have the same bits. Rank 0 leads:
before each block of steps it tells the others how many there are, and the state where theirs may be another one.
TensorFlow finds a process that died within a second, one that is silent within some ten. A process whose ring is
broken has to end: what it waits for can come no more.
"""

import signal
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.datasets import Split
from dgpexp.errors import GangLost, NumericalFailure
from dgpexp.training.session import Session

_SAME, _CHANGED = 0.0, 1.0


class Ring:
    """This process's place among those at `addresses` (host:port); made before anything else asks TensorFlow for work.

    Waits for the others, for at most `deadline` seconds: then SIGALRM ends the process, which is deaf meanwhile.
    """

    def __init__(self, rank: int, addresses: Sequence[str], deadline: int) -> None:
        self.rank, self.size = rank, len(addresses)
        self._graphs: dict[int, Any] = {}
        before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
        signal.alarm(deadline)
        try:
            cluster = tf.train.ClusterSpec({"worker": list(addresses)})
            resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
                cluster, task_type="worker", task_id=rank, rpc_layer="grpc"
            )
            ring = tf.distribute.experimental.CommunicationImplementation.RING
            options = tf.distribute.experimental.CommunicationOptions(implementation=ring)
            self._strategy = tf.distribute.MultiWorkerMirroredStrategy(resolver, options)
            self.gather(np.zeros((1, 1)))
        except tf.errors.OpError as error:
            raise GangLost(
                f"process {rank} of {self.size} could not listen at {addresses[rank]} or reach the others: is the port "
                f"taken, or closed by a firewall? ({error.message.splitlines()[0][:200]})"
            ) from None
        finally:
            signal.alarm(0)
            for number, handler in before.items():  # TensorFlow has put its own in their place
                signal.signal(number, handler)

    def mine(self, shards: int) -> Sequence[int]:
        """The shard that has this process's rank."""
        return (self.rank,)

    def gather(self, rows: Any) -> tf.Tensor:
        """Every process's row, in rank order: [ranks, P], from this one's [1, P]."""
        size = int(rows.shape[1])
        if size not in self._graphs:
            self._graphs[size] = self._trace(size)
        try:
            return self._graphs[size](tf.convert_to_tensor(rows, tf.float64))
        except tf.errors.OpError as error:
            raise GangLost(f"a process of the {self.size} was lost ({type(error).__name__})") from None

    def _trace(self, size: int) -> Any:
        def gathered(rows: tf.Tensor) -> tf.Tensor:
            return tf.distribute.get_replica_context().all_gather(
                tf.identity(rows), axis=0
            )  # the copy is on a device of the strategy

        @tf.function(input_signature=[tf.TensorSpec([1, size], tf.float64)], autograph=False)
        def gather(rows: tf.Tensor) -> tf.Tensor:
            return tf.ensure_shape(self._strategy.run(gathered, args=(rows,)), [self.size, size])

        return gather.get_concrete_function()


class Leader(Session):
    """The session of rank 0, which the others follow."""

    def __init__(self, method: str, layers: int, settings: Settings, split: Split, seed: int, *, ring: Ring) -> None:
        super().__init__(method, layers, settings, split, seed, ring)
        self._ring, self._changed = ring, True

    def advance(self, count: int) -> float:
        self._ring.gather(np.array([[_CHANGED if self._changed else _SAME, count]]))
        if self._changed:
            self._ring.gather(_packed(self.state()))
            self._changed = False
        return super().advance(count)

    def restore(self, state: dict[str, np.ndarray]) -> None:
        super().restore(state)
        self._changed = True  # and the jitter, which only changes after a restoration


def follow(session: Session, ring: Ring) -> None:
    """Do what rank 0 says, until it is gone: GangLost."""
    while True:
        changed, count = ring.gather(np.zeros((1, 2)))[0].numpy()
        if changed == _CHANGED:
            mine = session.state()
            session.restore(_unpacked(ring.gather(_packed(mine))[0].numpy(), mine))
        try:
            session.advance(int(count))
        except NumericalFailure:
            continue  # rank 0 has it too, goes back, and says so


def _packed(state: dict[str, np.ndarray]) -> np.ndarray:
    return np.concatenate([np.ravel(value).astype(np.float64) for value in state.values()])[None]


def _unpacked(row: np.ndarray, like: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    ends = np.cumsum([np.size(value) for value in like.values()])
    parts = zip(like.items(), np.split(row, ends[:-1]), strict=True)
    return {name: part.reshape(np.shape(value)).astype(value.dtype) for (name, value), part in parts}
