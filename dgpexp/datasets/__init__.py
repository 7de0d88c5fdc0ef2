"""Data sets: catalog → source (checksum) → split k → scaled on its training part."""

from dgpexp.datasets.catalog import CATALOG, Dataset
from dgpexp.datasets.loading import DataChoice, checksum, load, load_split
from dgpexp.datasets.scaling import Scaler
from dgpexp.datasets.splits import Split, split_indices
from dgpexp.datasets.table import Table, fingerprint

__all__ = [
    "CATALOG", "DataChoice", "Dataset", "Scaler", "Split", "Table", "checksum", "fingerprint", "load", "load_split",
    "split_indices",
]  # fmt: skip
