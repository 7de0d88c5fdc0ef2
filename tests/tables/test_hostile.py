"""Two hundred hostile tables: what was meant is read, or refused; `make torture` makes thousands."""

from pathlib import Path

import numpy as np
import pytest

from dgpexp.tables import reading
from tests.tables.hostile import attacked, readings


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_no_table_is_misread(tmp_path: Path, first: int) -> None:
    stories = [story for seed in range(first, first + 50) if (story := attacked(tmp_path, seed))[0]]
    assert not stories


def test_the_attack_sees_a_reader_that_guesses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def guess(sheet: object, name: str, cells: object, possible: list, *rest: object) -> reading.Reading:
        return possible[-1]

    monkeypatch.setattr(reading, "_number", guess)
    kinds = {attacked(tmp_path, seed)[0] for seed in range(40)}
    assert "misread" in kinds


def test_the_oracle_knows_the_cases_that_were_found() -> None:
    assert set(readings(["2,751", "318"])) >= {(",", ""), (".", ",")}
    assert readings(["4.956", "3,5"]) == {(",", "."): [4956.0, 3.5]}
    assert readings(["1_2"]) == {} and readings(["٣"]) == {}
    assert np.array_equal(readings(["1 234,5"])[",", " "], [1234.5])
