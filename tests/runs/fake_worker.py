"""dgpexp's worker process with the fake session in it."""

from dgpexp.runs.worker import main
from tests.runs.fakes import FakeSession

if __name__ == "__main__":
    main(FakeSession)
