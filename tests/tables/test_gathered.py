"""Whose page is meant, and that nothing is mixed on it."""

import pytest

from dgpexp.errors import UserError
from dgpexp.tables.gathered import gather, table_meant
from tests.store import folders
from tests.store.folders import make_run
from tests.tables.conftest import ABOUT, spec

OTHER = "flats-0badcafe"


def test_without_a_name_the_newest_table_unless_the_thesis_was_run(own, tmp_path):
    make_run(tmp_path, folders.spec(dataset=OTHER), started="2026-01-01")
    make_run(tmp_path, spec(own, 0), started="2026-01-02")
    assert table_meant(tmp_path, None, None) == own.dataset.name
    assert table_meant(tmp_path, None, "best") is None, "which has no runs"
    make_run(tmp_path, folders.spec(dataset="boston"))
    assert table_meant(tmp_path, None, None) is None
    assert table_meant(tmp_path, own.dataset.name[:-2], None) == own.dataset.name


@pytest.mark.parametrize(("name", "said"), [("flats", "could be "), ("boston", "is no table of your own")])
def test_a_name_that_is_not_one_table_is_refused_with_those_there_are(own, tmp_path, name, said):
    make_run(tmp_path, folders.spec(dataset=OTHER))
    make_run(tmp_path, spec(own, 0))
    with pytest.raises(UserError, match=f"'{name}' {said}.*{OTHER}"):
        table_meant(tmp_path, name, None)


def test_two_targets_of_one_file_are_told_apart_by_name(tmp_path):
    for table, target in (("penguins-11111111", "species"), ("penguins-22222222", "mass")):
        make_run(tmp_path, folders.spec(dataset=table), target=target)
    assert table_meant(tmp_path, "penguins.mass", None) == "penguins-22222222"
    told = r"could be penguins.species \(penguins-11111111\) or penguins.mass \(penguins-22222222\)"
    with pytest.raises(UserError, match=told):
        table_meant(tmp_path, "penguins", None)


def test_models_of_other_settings_are_other_lines_with_what_tells_them_apart(own, tmp_path):
    make_run(tmp_path, spec(own, 0), metrics={"rmse": 1.0}, started="2026-01-01")
    make_run(tmp_path, spec(own, 1), metrics={"rmse": 3.0}, started="2026-01-01")
    make_run(tmp_path, spec(own, 2), "FAILED")
    make_run(tmp_path, spec(own, 0, max_steps=99), metrics={"rmse": 7.0}, started="2026-01-02")
    make_run(tmp_path, spec(own, 0), profile="best", metrics={"rmse": 9.0}, started="2026-01-03")
    make_run(tmp_path, spec(own, 0, all_rows=True), metrics={"rmse": 0.0})
    make_run(tmp_path, folders.spec(dataset=OTHER))
    said: list[str] = []
    found = gather(tmp_path, own.dataset.name, None, said.append)
    lines = [(m.note, m.n, m.unfinished, [n["rmse"] for n in m.numbers.values()]) for m in found.models]
    assert lines == [
        ("best", 1, "", [9.0]),
        ("quick, max_steps = 99", 1, "", [7.0]),
        ("quick, max_steps = 10", 2, "1 failed", [1.0, 3.0]),
    ]
    assert [m.name for m in found.simple] == ["a linear model", "boosted trees", "an exact GP", "a Matérn GP"]
    assert all(m.n == 2 for m in found.simple) and len(said) == 1
    assert found.others == [OTHER] and len(found.final) == 1


def test_what_the_runs_know_is_enough_where_the_table_is_not(own, tmp_path, monkeypatch):
    make_run(tmp_path, spec(own, 0), **ABOUT)
    monkeypatch.setenv("DGPEXP_DATA", str(tmp_path / "elsewhere"))
    said: list[str] = []
    found = gather(tmp_path, own.dataset.name, None, said.append)
    assert (found.target, found.columns, found.train, found.test, found.simple) == ("rent", ["area", "city"], 54, 6, [])
    assert said[0].startswith("No simple models beside it: ")


def test_a_table_without_a_finished_run_says_so(own, tmp_path):
    make_run(tmp_path, spec(own, 0), "FAILED")
    with pytest.raises(UserError, match="no finished run yet"):
        gather(tmp_path, own.dataset.name, None, print)
