"""The linear mean functions of hidden layers, (4.3.27)."""

import numpy as np

from dgpexp.blocks import blocks


def linear_maps(x: np.ndarray, width: int, count: int) -> list[np.ndarray]:
    """W_l [Q_l, width] of `count` hidden layers of the same width, for the network's inputs x [N, Q].

    Where the widths agree, the identity; where the layer widens, the identity padded with zeros; where it narrows, the
    first right-singular vectors of X, found as eigenvectors of XᵀX.
    """
    q = x.shape[1]
    # eigh sorts ascending: the leading vectors are the last columns
    first = np.linalg.eigh(_gram(x))[1][:, ::-1][:, :width] if width < q else np.eye(q, width)
    return ([first] + [np.eye(width)] * (count - 1))[:count]


def _gram(x: np.ndarray) -> np.ndarray:
    """XᵀX [Q, Q]; x may be too large to be in memory as a whole."""
    return np.sum([part.T @ part for part in blocks(x)], axis=0)
