"""What is different for a data set of very many rows: nothing that has a number for every row may be in memory.

Its rows stay in its file (streaming.py). Which of them are tested, and the order in which an epoch sees them, are not
drawn and kept but computed, row by row, when they are asked for.
"""

import numpy as np

MANY = 10_000_000  # rows of a data set from which on all this holds; no published set has as many
EVALUATED = 10_000  # test rows that are enough for an evaluation of such a set
_ROUNDS = 6


def is_large(rows: int) -> bool:
    return rows > MANY


def _mixed(a: np.ndarray, key: int) -> np.ndarray:
    """Numbers [n] of 64 bits that look random: the finaliser of SplitMix64, after `key` was added."""
    with np.errstate(over="ignore"):
        a = a.astype(np.uint64) + np.uint64(key * 0x9E3779B97F4A7C15 % 2**64)
        a = (a ^ (a >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        a = (a ^ (a >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(a ^ (a >> np.uint64(31)))


def _numbers(at: np.ndarray | slice, length: int) -> np.ndarray:
    return np.arange(*at.indices(length)) if isinstance(at, slice) else np.asarray(at, dtype=np.int64)


class Shuffled:
    """A permutation of 0, ..., n - 1 by a key, of which any part is computed alone: `Shuffled(n, seed)[5:8]`.

    A Feistel network permutes the numbers of 2b bits, at least n of them, for any function of its halves of b bits.
    What falls beyond n is sent through again until it falls below, which leaves a permutation of the first n.
    """

    def __init__(self, n: int, *key: int) -> None:
        self._n, self._half = n, max(1, -(-(n - 1).bit_length() // 2))
        self._keys = _mixed(np.arange(1, _ROUNDS + 1), sum(int(k) << 32 * i for i, k in enumerate(key)))

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, at: np.ndarray | slice) -> np.ndarray:
        found = self._sent(_numbers(at, self._n).astype(np.uint64))
        while len(beyond := np.flatnonzero(found >= self._n)):
            found[beyond] = self._sent(found[beyond])
        return found.astype(np.int64)

    def _sent(self, a: np.ndarray) -> np.ndarray:
        half, mask = np.uint64(self._half), np.uint64(2**self._half - 1)
        left, right = a >> half, a & mask
        for key in self._keys:
            left, right = right, left ^ (_mixed(right, int(key)) & mask)
        return np.asarray(left << half | right)


class Tenth:
    """The rows of a part: of every ten rows in the order of the file one is tested, at random; all others train."""

    def __init__(self, rows: int, split: int, tested: bool) -> None:
        self._groups, self._split, self._tested = rows // 10, split, tested
        self._length = self._groups if tested else rows - self._groups

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, at: np.ndarray | slice) -> np.ndarray:
        i = _numbers(at, self._length)
        if self._tested:
            return np.asarray(10 * i + self._place(i))
        group, place = np.divmod(i, 9)
        shifted = 10 * group + place + (place >= self._place(group))
        # The last rows, fewer than ten, train.
        return np.asarray(np.where(group < self._groups, shifted, i + self._groups))

    def _place(self, group: np.ndarray) -> np.ndarray:
        return (_mixed(group, self._split + 1) % np.uint64(10)).astype(np.int64)


def tenths(rows: int, split: int) -> tuple[Tenth, Tenth]:
    """The rows that train and those that are tested in split `split`, both in the order of the file."""
    return Tenth(rows, split, tested=False), Tenth(rows, split, tested=True)


def some(rows: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """At most `count` different row numbers at random."""
    if is_large(rows):
        return np.asarray(rng.choice(rows, count, replace=False))
    return rng.permutation(rows)[:count]


def fixed_part(rows: int, count: int) -> np.ndarray:
    """At most `count` row numbers, in order: always the same, for every method."""
    return np.sort(np.random.RandomState(rows).permutation(rows)[:count])
