"""How workers on other machines know that their sweep lives."""

import json
import os
import time
from pathlib import Path

import pytest

from dgpexp.engines.cluster import lease
from dgpexp.engines.cluster.lease import Lease, Watched
from dgpexp.store.locks import STALE_SECONDS, holder, identity
from tests.store.folders import make_lock


def test_a_lease_is_over_when_its_sweep_ends(tmp_path: Path) -> None:
    held = Lease(tmp_path)
    watched = Watched(str(held.path))
    assert not watched.over()
    held.end()
    assert Watched(str(held.path)).over() and not (tmp_path / ".sweeps").exists()


def test_a_lease_is_over_when_its_sweep_was_killed_on_this_machine(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({**identity(), "process_started": "long ago"}))
    assert Watched(str(path)).over()


def test_on_another_machine_it_is_over_after_a_long_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, now = tmp_path / "a.json", [0.0]
    monkeypatch.setattr(lease.time, "monotonic", lambda: now[0])
    path.write_text(json.dumps({**identity(), "machine": "another"}))
    os.utime(path, (1, 1))  # whatever the folder's clock says, what counts is that it changes
    watched = Watched(str(path))
    assert not watched.over()
    now[0] += STALE_SECONDS - 1
    assert not watched.over()
    os.utime(path, (2, 2))
    now[0] += 2
    assert not watched.over(), "it was touched"
    now[0] += STALE_SECONDS + 1
    assert watched.over()


def test_a_new_sweep_clears_away_the_leases_of_killed_ones_only(tmp_path: Path) -> None:
    living = Lease(tmp_path)
    dead = living.path.with_name("dead.json")
    dead.write_text(json.dumps({**identity(), "machine": "another"}))
    os.utime(dead, (time.time() - STALE_SECONDS - 1,) * 2)
    other = Lease(tmp_path)
    assert not dead.exists() and living.path.exists()
    living.end()
    other.end()


def test_a_run_is_about_to_be_given_back_when_the_sweep_it_is_done_for_is_gone(tmp_path: Path) -> None:
    held = Lease(tmp_path)
    make_lock(tmp_path, machine="another", sweep=str(held.path))
    assert holder(tmp_path).alive() and not holder(tmp_path).ending()
    held.end()
    assert holder(tmp_path).ending()
