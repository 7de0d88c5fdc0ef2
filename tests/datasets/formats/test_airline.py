"""Flights: the steps from the files to the array, and that a big table stays small in memory."""

import bz2
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dgpexp.datasets import load_split
from dgpexp.datasets.formats.airline import minutes, prepare, read_2008
from dgpexp.datasets.sources.importing import import_folder
from dgpexp.errors import UserError
from tests.shared import SHARED, needs_shared

HEADER = (
    "Year,Month,DayofMonth,DayOfWeek,DepTime,CRSDepTime,ArrTime,CRSArrTime,UniqueCarrier,FlightNum,TailNum,"
    "ActualElapsedTime,CRSElapsedTime,AirTime,ArrDelay,DepDelay,Origin,Dest,Distance,TaxiIn,TaxiOut,Cancelled\n"
)


def flight(month: int = 1, tail: str = "N1", air: str = "116", delay: str = "-14") -> str:
    return f"2008,{month},3,4,2003,1955,2211,2225,WN,335,{tail},128,150,{air},{delay},8,IAD,TPA,810,4,8,0\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    rows = [flight()] * 5
    rows += [flight(air="NA", delay="NA"), flight(tail="N2"), flight(tail="N3"), flight(tail="N4"), flight(month=5)]
    rows += [flight(delay="-60"), flight(air="700"), flight(month=4, tail="N5")]
    (tmp_path / "2008.csv.bz2").write_bytes(bz2.compress((HEADER + "".join(rows)).encode()))
    (tmp_path / "plane-data.csv").write_text(
        "tailnum,type,manufacturer,issue_date,model,status,aircraft_type,engine_type,year\n"
        "N1,Corporation,BOEING,01/01/1999,737,Valid,Fixed Wing,Turbo-Fan,1998\n"
        "N2\nN3,,,,,,,,None\nN4,,,,,,,,0000\nN5,,,,,,,,2008\n"
    )
    return tmp_path / "2008.csv.bz2", tmp_path / "plane-data.csv"


def test_the_public_files_of_2008(files: tuple[Path, Path]) -> None:
    """Kept: January to April, known age of the aircraft, flown to its end, no outlier. Times are minutes."""
    rows = sorted(map(tuple, read_2008(*files)))
    expected = (1, 3, 4, 10, 116, 810, 22 * 60 + 11, 20 * 60 + 3, -14)
    assert rows == [expected] * 5 + [(4, 3, 4, 0, *expected[4:])]


def test_both_files_are_needed(files: tuple[Path, Path]) -> None:
    findings = list(import_folder(files[0].parent))
    assert {(f.outcome, f.dataset) for f in findings} == {("taken", "airline2008")}
    assert load_split("airline2008", 0).x_train.shape == (5, 8)
    files[1].unlink()
    (refused,) = (f for f in import_folder(files[0].parent) if f.file == "2008.csv.bz2")
    assert refused.outcome == "refused"
    assert "plane-data.csv" in refused.detail


def test_a_file_cut_short_is_refused(files: tuple[Path, Path]) -> None:
    files[0].write_bytes(files[0].read_bytes()[:-20])
    with pytest.raises(UserError, match="not the flights of 2008"):
        read_2008(*files)


def test_minutes_of_the_day() -> None:
    np.testing.assert_array_equal(minutes(np.array([0, 59, 100, 1259, 2400], np.int16)), [0, 59, 60, 779, 1440])


def test_the_shuffle_is_the_same_every_time_and_mixes_the_sources() -> None:
    data = np.zeros((1000, 9), np.int16)
    data[:, 5] = np.arange(1000)
    one, two = prepare(data), prepare(data)
    np.testing.assert_array_equal(one, two)
    assert sorted(one[:, 5]) == list(range(1000))
    assert 400 < one[:100, 5].mean() < 600


@needs_shared
def test_two_million_flights_load_in_less_than_a_gibibyte(data_folder: Path) -> None:
    """From the cache, in a Python of its own, which must not need TensorFlow either."""
    code = (
        "import json, resource, sys\n"
        "from dgpexp.datasets import load_split\n"
        "s = load_split('airline', 0)\n"
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024\n"
        "print(json.dumps([peak, len(s.x_train), len(s.y_test), 'tensorflow' in sys.modules]))\n"
    )
    data_folder.mkdir()
    (data_folder / "airline.npz").symlink_to(SHARED / "airline.npz")
    for _ in range(2):  # the first time parses and keeps, the second reads what was kept
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        peak, train, test, tensorflow = json.loads(done.stdout)
    assert (train, test, tensorflow) == (2068164, 229796, False)
    assert peak < 1024  # MiB
