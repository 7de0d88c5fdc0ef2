"""Flights and their arrival delay: hhmm turned into minutes, outliers left out, shuffled by a fixed seed."""

from pathlib import Path

import numpy as np

from dgpexp.errors import UserError

_ARR_TIME, _DEP_TIME, _AIR_TIME, _DELAY = 6, 7, 4, 8  # columns of the canonical order
_SHUFFLE_SEED = 0


def read_npz(path: Path) -> np.ndarray:
    """The array [N, 9] int16 of airline.npz: sources of eleven years one after the other, hence the shuffle."""
    try:
        with np.load(path, allow_pickle=False) as z:
            data = z["data"]
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise UserError(f"{path} is not the airline data ({error}); get it again.") from error
    return prepare(data)


def prepare(data: np.ndarray) -> np.ndarray:
    """Hensman's steps on [n, 9] with times in hhmm: minutes of the day, ArrDelay > -60, AirTime < 700; shuffled."""
    data = data[(data[:, _DELAY] > -60) & (data[:, _AIR_TIME] < 700)]
    for column in (_ARR_TIME, _DEP_TIME):
        data[:, column] = minutes(data[:, column])
    order = np.random.RandomState(_SHUFFLE_SEED).permutation(len(data))
    return np.asarray(data[order])


def minutes(hhmm: np.ndarray) -> np.ndarray:
    """Local time 1259 is minute 779 of the day."""
    return hhmm // 100 * 60 + hhmm % 100
