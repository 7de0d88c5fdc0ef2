"""dgpexp's worker process with the fake session in it."""

from dgpexp.engines.worker import main
from tests.engines.fakes import FakeSession

if __name__ == "__main__":
    main(FakeSession)
