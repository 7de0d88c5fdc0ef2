"""The fake worker on a machine where ODD says what is different: the version, the sources or the data."""

import os

import dgpexp
from dgpexp.engines.cluster import terms
from dgpexp.engines.worker import main
from tests.engines.fakes import FakeSession

if __name__ == "__main__":
    match os.environ["ODD"]:
        case "version":
            dgpexp.__version__ = "0.0.1"
        case "sources":
            terms.sources = lambda: "another digest"
        case "data":
            terms.data = lambda name: "another checksum"
    main(FakeSession)
