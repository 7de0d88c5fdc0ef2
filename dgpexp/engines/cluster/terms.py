"""Check that a worker on another machine has the same code, TensorFlow and data as the sweep."""

import hashlib
import socket
import uuid
from functools import cache
from pathlib import Path

import dgpexp
from dgpexp.config import RunSpec
from dgpexp.errors import UserError
from dgpexp.runs.events import Refused
from dgpexp.runs.job import Job
from dgpexp.runs.provenance import PACKAGE, version_of

Terms = dict[str, str]


def terms_of(spec: RunSpec, sweep: Path) -> Terms:
    """State the terms of a sweep, known by its lease, for one of its runs."""
    return {
        "sweep": str(sweep),
        "run": spec.run_id,
        "dataset": "" if spec.settings.synthetic_shape else spec.dataset,
        "version": dgpexp.__version__,
        "sources": sources(),
        "tensorflow": version_of("tensorflow", "tensorflow-cpu"),
        "data": "" if spec.settings.synthetic_shape else data(spec.dataset),
    }


def refusal(terms: Terms, job: dict[str, object]) -> Refused | None:
    """Say in one sentence why this process may not execute the run; None if it may."""
    reason, dataset = _reason(terms, job), ""
    if not reason and terms["dataset"]:
        dataset = terms["dataset"]
        try:
            if data(dataset) != terms["data"]:
                reason = f"has other numbers in {dataset} than the sweep: `dgpexp data verify {dataset}` there."
        except UserError as error:
            reason = f"does not have the data: {error}"
    if not reason:
        return None
    return Refused(run=terms["run"], reason=f"the worker on {socket.gethostname()} {reason}", dataset=dataset)


def _reason(terms: Terms, job: dict[str, object]) -> str:
    """Why it may execute no run of the sweep."""
    installed = version_of("tensorflow", "tensorflow-cpu")
    if terms["version"] != dgpexp.__version__:
        return f"has dgpexp {dgpexp.__version__} and the sweep {terms['version']}: install the same."
    if terms["sources"] != sources():
        return f"has other sources of dgpexp {dgpexp.__version__} than the sweep: install the same."
    if terms["tensorflow"] != installed:
        return f"has TensorFlow {installed} and the sweep {terms['tensorflow']}: install the same."
    results = Path(terms["sweep"]).parents[1]
    if not Path(terms["sweep"]).is_file():
        return f"does not see the results folder {results} of the sweep: mount it there too."
    try:
        probe = Path(terms["sweep"]).with_name(f".{uuid.uuid4().hex}")
        probe.touch()
        probe.unlink()
    except OSError as error:
        return f"cannot write in the results folder {results} ({error.strerror}): let it."
    if Job.from_dict(job).spec.run_id != terms["run"]:
        return f"reads the configuration of {terms['run']} differently: install the same dgpexp."
    return ""


@cache
def sources() -> str:
    """A digest of the package's own files as this process found them."""
    digest = hashlib.sha256()
    for path in sorted(p for p in PACKAGE.rglob("*") if p.suffix in (".py", ".toml") and "_shipped" not in p.parts):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def data(name: str) -> str:
    """The checksum of a data set as it is read here; what is generated is as good as the sources."""
    from dgpexp.datasets.catalog import find
    from dgpexp.datasets.loading import checksum

    return "" if find(name).synthetic else checksum(name)
