"""dgpexp's worker process with the fake session in it; a gang of them is held together by sockets of its own."""

import socket
import time

from dgpexp.config import RunSpec
from dgpexp.engines.worker import main
from dgpexp.errors import GangLost
from dgpexp.runs.sessions import Sessions
from tests.engines.fakes import FakeSession

peers: list[socket.socket] = []  # the other processes of the gang, as rank 0 has them; rank 0, as the others have it


class Ranked(FakeSession):
    """Notices before every block of steps that another process has ended."""

    def advance(self, n: int) -> float:
        for peer in peers:
            peer.setblocking(False)
            try:
                if not peer.recv(1):
                    raise GangLost(f"a process of the {1 + len(peers)} was lost")
            except BlockingIOError:
                continue
        return super().advance(n)


def join(self: Sessions) -> None:
    if self.gang is None:
        return
    (host, _, port), others = self.gang.addresses[0].rpartition(":"), len(self.gang.addresses) - 1
    if self.gang.rank == 0:
        with socket.create_server((host, int(port))) as server:
            peers.extend(server.accept()[0] for _ in range(others))
        return
    while not peers:
        try:
            peers.append(socket.create_connection((host, int(port))))
        except ConnectionRefusedError:
            time.sleep(0.02)


def follow(self: Sessions, spec: RunSpec) -> None:
    join(self)
    peers[0].recv(1)
    raise GangLost("rank 0 was lost")


if __name__ == "__main__":
    Sessions.join, Sessions.follow = join, follow  # type: ignore[method-assign]
    main(Ranked)
