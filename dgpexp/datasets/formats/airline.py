"""Flights and their arrival delay: hhmm turned into minutes, outliers left out, shuffled by a fixed seed.

Columns: Month, DayofMonth, DayOfWeek, plane_age (years), AirTime (minutes), Distance (miles), ArrTime, DepTime (minutes
of the day), ArrDelay (minutes). All are small whole numbers, so the array is int16 until a model needs doubles.
"""

import csv
from array import array
from pathlib import Path

import numpy as np

from dgpexp.datasets.formats.tabular import open_text
from dgpexp.errors import UserError

_AIR_TIME, _ARR_TIME, _DEP_TIME, _DELAY = 4, 6, 7, 8  # columns
_SHUFFLE_SEED = 0
_OLDEST = 60  # years; registrations get reused, and an older "aircraft" is another aircraft
_MONTHS = range(1, 5)  # of 2008, as in Hensman et al. (2013)
_FIELDS = ("Month", "DayofMonth", "DayOfWeek", "TailNum", "AirTime", "Distance", "ArrTime", "DepTime", "ArrDelay")


def read_npz(path: Path) -> np.ndarray:
    """The array [N, 9] int16 of airline.npz, whose rows stand source after source: hence the shuffle."""
    try:
        with np.load(path, allow_pickle=False) as z:
            data = z["data"]
    except Exception as error:  # a damaged zip fails in many ways
        raise UserError(f"{path} is not the airline data ({error}); get it again.") from error
    return prepare(data)


def read_2008(flights: Path, planes: Path) -> np.ndarray:
    """The array [N, 9] int16 of Data Expo 2009: its file of 2008's flights and its table of aircraft.

    Left out: cancelled and diverted flights, and flights of aircraft whose year of manufacture is not known.
    """
    built = _years_of_manufacture(planes)
    numbers = array("h")
    try:
        with open_text(flights) as text:
            reader = csv.reader(text)
            header = next(reader)
            columns = [header.index(f) for f in _FIELDS]
            for line in reader:
                row = [line[c] for c in columns]
                age = 2008 - built.get(row[3], 0)
                if int(row[0]) in _MONTHS and 0 <= age <= _OLDEST and "NA" not in row:
                    row[3] = str(age)
                    numbers.extend(map(int, row))
    except (OSError, EOFError, ValueError, IndexError, StopIteration) as error:
        raise UserError(f"{flights} is not the flights of 2008 ({error or 'it is empty'}); get it again.") from error
    return prepare(np.frombuffer(numbers, np.int16).reshape(-1, len(_FIELDS)))


def _years_of_manufacture(planes: Path) -> dict[str, int]:
    try:
        with open_text(planes) as text:
            rows = csv.DictReader(text)
            return {r["tailnum"]: int(r["year"]) for r in rows if (r["year"] or "").isdigit()}
    except (OSError, KeyError, UnicodeDecodeError) as error:
        raise UserError(f"{planes} is not the table of aircraft ({error}); get it again.") from error


def prepare(data: np.ndarray) -> np.ndarray:
    """Hensman's steps on [n, 9] with times in hhmm: minutes of the day, ArrDelay > -60, AirTime < 700; shuffled."""
    data = data[(data[:, _DELAY] > -60) & (data[:, _AIR_TIME] < 700)]
    for column in (_ARR_TIME, _DEP_TIME):
        data[:, column] = minutes(data[:, column])
    order = np.random.RandomState(_SHUFFLE_SEED).permutation(len(data))
    return np.asarray(data[order])


def minutes(hhmm: np.ndarray) -> np.ndarray:
    """Local time 1259 is minute 779 of the day."""
    return np.asarray(hhmm // 100 * 60 + hhmm % 100)
