"""What a worker on another machine must have in common with the sweep."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dgpexp.config import RunSpec
from dgpexp.engines.cluster import terms
from dgpexp.engines.cluster.lease import Lease
from dgpexp.errors import UserError
from dgpexp.runs.events import Refused
from dgpexp.runs.job import Job
from tests.store.folders import spec

Ask = Callable[..., Refused | None]


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    """What a worker answers to a sweep whose terms for a run on sincos are changed."""
    lease = Lease(tmp_path)
    job = Job(spec("sincos"), str(tmp_path), "quick", "uci", "", 0, False, 60.0)

    def answer(read: RunSpec = job.spec, **changes: str) -> Refused | None:
        return terms.refusal({**terms.terms_of(job.spec, lease.path), **changes}, replace(job, spec=read).as_dict())

    yield answer
    lease.end()


def test_a_worker_that_is_alike_accepts_and_leaves_no_trace(ask: Ask, tmp_path: Path) -> None:
    assert ask() is None
    assert len(list((tmp_path / ".sweeps").iterdir())) == 1


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("version", " and the sweep other: install the same."),
        ("sources", "has other sources of dgpexp"),
        ("tensorflow", " and the sweep other: install the same."),
        ("run", "reads the configuration of other differently"),
    ],
)
def test_a_worker_that_differs_refuses_everything(ask: Ask, key: str, sentence: str) -> None:
    refused = ask(**{key: "other"})
    assert refused is not None and sentence in refused.reason and refused.dataset == ""


def test_settings_that_differ_are_another_configuration(ask: Ask) -> None:
    refused = ask(read=spec("sincos", epochs=7))
    assert refused is not None and "reads the configuration of sincos-vi-2-s00-" in refused.reason


def test_a_folder_that_is_not_the_sweeps_is_refused(ask: Ask, tmp_path: Path) -> None:
    refused = ask(sweep=str(tmp_path / "elsewhere" / ".sweeps" / "a.json"))
    assert refused is not None and f"does not see the results folder {tmp_path / 'elsewhere'} of" in refused.reason


def test_other_numbers_are_refused_for_their_data_set_only(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = ask(data="other")
    assert refused is not None and refused.dataset == "sincos"
    assert "has other numbers in sincos than the sweep: `dgpexp data verify sincos` there." in refused.reason

    def absent(name: str) -> str:
        raise UserError(f"{name} is not here.")

    monkeypatch.setattr("dgpexp.datasets.loading.checksum", absent)
    terms.data.cache_clear()
    refused = ask(dataset="boston", data="whatever")
    assert refused is not None and refused.dataset == "boston"
    assert refused.reason.endswith("does not have the data: boston is not here.")


def test_real_data_are_known_by_the_checksum_of_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    terms.data.cache_clear()
    monkeypatch.setattr("dgpexp.datasets.loading.checksum", lambda name: f"of {name}")
    assert terms.data("boston") == "of boston" and terms.data("sincos") == ""
    terms.data.cache_clear()
