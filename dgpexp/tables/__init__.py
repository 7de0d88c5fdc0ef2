"""A table of the user's own, from the file to its page. The names here are the door: commands use nothing else.

file -> columns (what each column is) -> own_table (a data set, kept in the data folder) -> protocol (its runs)
-> closing, gathered, page (its results); new_rows (predictions for rows that came later).

A module is imported when one of its names is asked for, so that refusals come before TensorFlow and matplotlib.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dgpexp.tables.closing import summary as summary
    from dgpexp.tables.combined import predictor_of as predictor_of
    from dgpexp.tables.demo import write_demo as write_demo
    from dgpexp.tables.gathered import id_of as id_of
    from dgpexp.tables.gathered import model_meant as model_meant
    from dgpexp.tables.gathered import own_tables as own_tables
    from dgpexp.tables.gathered import table_meant as table_meant
    from dgpexp.tables.new_rows import cells_of as cells_of
    from dgpexp.tables.new_rows import rows_to_predict as rows_to_predict
    from dgpexp.tables.new_rows import seen_by as seen_by
    from dgpexp.tables.page import write_page as write_page
    from dgpexp.tables.protocol import table_run as table_run

Say = Callable[[str], None]
_DOOR = {
    "closing": ("summary",),
    "combined": ("predictor_of",),
    "demo": ("write_demo",),
    "gathered": ("id_of", "model_meant", "own_tables", "table_meant"),
    "new_rows": ("cells_of", "rows_to_predict", "seen_by"),
    "page": ("write_page",),
    "protocol": ("table_run",),
}


def __getattr__(name: str) -> Any:
    for module, names in _DOOR.items():
        if name in names:
            return getattr(import_module(f"dgpexp.tables.{module}"), name)
    raise AttributeError(name)
