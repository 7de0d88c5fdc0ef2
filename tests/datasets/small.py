"""A data set of four rows that comes in every way a real one does, for tests of the ways."""

import hashlib
import io
import zipfile
from typing import Any

import numpy as np

from dgpexp.datasets import Dataset, fingerprint

VALUES = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.5], [0.0, 1.0, 2.25]])  # [4, 2 + 1]
TEXT = b"a,b,c\n1,2,3\n4,5,6\n7,8,9.5\n0,1,2.25\n"
SHA = hashlib.sha256(TEXT).hexdigest()


def small(**changes: Any) -> Dataset:
    """The entry of `small`, which has nothing but what a test gives it."""
    entry: dict[str, Any] = {
        "name": "small",
        "experiment": "uci",
        "rows": 4,
        "features": ("a", "b"),
        "target": "c",
        "licence": "ours",
        "citation": "this file",
        "fingerprint": fingerprint(VALUES),
    }
    return Dataset(**{**entry, **changes})


def zipped(**members: bytes) -> bytes:
    """A zip; `folder__name_txt` is the member folder/name.txt."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as z:
        for name, content in members.items():
            z.writestr(name.replace("__", "/").replace("_", "."), content)
    return buffer.getvalue()
