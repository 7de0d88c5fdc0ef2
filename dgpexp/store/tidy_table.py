"""One tidy row per run, read from the run store or from the small copy that is committed with the repository."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from dgpexp.config import Settings
from dgpexp.errors import UserError
from dgpexp.files import writable, write_atomically
from dgpexp.predictive.metrics import METRICS, headline
from dgpexp.resources import shipped
from dgpexp.store.locks import first_locked
from dgpexp.store.stored_run import COMPLETED, StoredRun, runs_dir, stored_runs
from dgpexp.tasks import CLASSIFICATION, REGRESSION, Task, recorded_task

MEASURED = tuple(metric.key for metric in METRICS.values() if metric.tasks)  # from predictions, not by the runner
NUMBERS = (*MEASURED, "steps", "train_seconds", "seconds_per_step", "jitter", "recoveries", "y_scale")
CELL = ("dataset", "method", "layers", "split")
BIG_DATA = ("year", "airline")  # the experiments of section 5.3, whose curves against time are figures
UPDATES = "async"  # the profile of virtual workers, whose curves are a figure
ON_A_CLOCK = "rff"  # the profile of all methods on one clock, likewise
COLUMNS = (
    "run_id", "profile", "experiment", *CELL, "train_samples", "precision", "status", *NUMBERS, "started", "host",
    "cpu", "version", "tensorflow", "commit", "code", "tags", "note", "settings", "tally", "command", "error",
)  # fmt: skip
PARQUET = ".parquet"
_ORDER = ["experiment", *CELL, "train_samples", "run_id"]
_WHOLE = ("layers", "split", "train_samples", "steps", "recoveries")


def read_runs(results: Path, profile: str, tags: Iterable[str] = ()) -> pd.DataFrame:
    """Every run of the profile that is tested, one row each, or those with all of these tags.

    What a torn or missing file would have said is empty.
    """
    return _frame([_row(run, profile) for run in stored_runs(results, profile, tags) if run.begun and not run.final])


def on_random_data(runs: pd.DataFrame) -> pd.Series:
    """Which runs were made with --synthetic-shape: only their seconds say anything of the data set they are named by.

    By the recorded setting: neither the data set's name nor the experiment's says it for sure.
    """
    return pd.Series([_is_random(text) for text in runs["settings"]], runs.index, dtype=bool)


@cache
def _is_random(settings: Any) -> bool:
    return bool(recorded_settings(settings).get("synthetic_shape"))


def recorded_settings(text: Any) -> dict[str, Any]:
    """A row's `settings` as they were written; none, if they were lost."""
    return _parsed(text) or {}


def _parsed(text: Any) -> dict[str, Any] | None:
    """None: they were lost. No settings at all are another thing: every one has its default."""
    try:
        recorded = json.loads(text)
    except (TypeError, ValueError):
        return None
    return recorded if isinstance(recorded, dict) else None


def curve_columns(task: Task = REGRESSION) -> list[str]:
    """The columns of a learning curve, by step."""
    return ["train_seconds", *headline(task), "objective"]


def read_curves(run_dir: Path) -> pd.DataFrame:
    """The evaluations during a run, by step: seconds, headline of the task, objective; empty if there are none."""
    run = StoredRun(Path(run_dir))
    names = curve_columns(recorded_task(run.info))
    series = {}
    for name in names:
        if (entry := run.curves.get(name)) is not None:
            values = pd.Series(entry["values"], index=entry["steps"], dtype="float64")
            series[name] = values[~values.index.duplicated(keep="last")]
    curves = pd.DataFrame(series, columns=names)
    return curves.rename_axis("step").reset_index()


def read_measured(profile: str, folder: Path | None = None) -> pd.DataFrame:
    """The committed copy of a profile's runs; no rows if there is none."""
    return _read_table((folder or shipped("measured", "results/measured")) / profile / "runs.csv")


def _read_table(path: Path) -> pd.DataFrame:
    if not path.is_file():
        return _frame([])
    with _written_by_dgpexp(path):
        if path.suffix == PARQUET:
            return _frame(pd.read_parquet(path).to_dict("records"))
        return _frame(pd.read_csv(path, keep_default_na=False, na_values=[""]).to_dict("records"))


def read_measured_curves(path: Path) -> pd.DataFrame:
    """The learning curves that `write_measured` wrote: of `read_curves`, with run_id; empty without a file."""
    if not path.is_file():
        return pd.DataFrame(columns=["step", *curve_columns(), "run_id"])
    with _written_by_dgpexp(path):
        curves = pd.read_csv(path)
        names = curve_columns(CLASSIFICATION if "accuracy" in curves else REGRESSION)
        types = {"step": "int64", **dict.fromkeys(names, "float64"), "run_id": "str"}
        return curves[list(types)].astype(types)


@contextmanager
def _written_by_dgpexp(path: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError, KeyError, OSError) as error:  # pandas' own errors are ValueErrors
        reason = " ".join(str(error).split())[:200]
        raise UserError(f"{path} is not a table of runs that dgpexp wrote ({reason}); move it away.") from None


def write_measured(results: Path, profile: str, destination: Path, tags: Iterable[str] = ()) -> int:
    """Write the profile's completed runs, or those with these tags; machines are described but not named.

    Returns how many there are. A name that ends in .parquet gives Parquet, any other CSV.

    Runs that stand there already and are not in this store were made elsewhere, and stay. Beside it, in curves.csv, the
    learning curves that figures are drawn from: of the big-data runs, of the regressions of the profile rff, and of
    the profile async. Of runs on random data only the row is written, whose settings say what they are.
    """
    if destination.suffix == PARQUET and not find_spec("pyarrow"):
        raise UserError(f"{destination.name} needs pyarrow: pip install 'dgpexp[parquet]', or write .csv.")
    runs = read_runs(results, profile, tags)
    runs = runs[runs.status == COMPLETED]
    if runs.empty:
        tagged = f" with the tag {' and '.join(tags)}" if tags else ""
        raise UserError(f"there are no completed runs of profile '{profile}'{tagged} in {results}/runs to write down.")
    runs = runs.assign(host="")
    drawn = runs.experiment.str.split("+").str[0].isin(BIG_DATA) | ((profile == ON_A_CLOCK) & runs.rmse.notna())
    drawn |= profile == UPDATES
    big = runs.run_id[drawn & ~on_random_data(runs)]
    curves = [read_curves(runs_dir(results, profile) / run_id).assign(run_id=run_id) for run_id in big]
    earlier = _read_table(destination)
    earlier = earlier[~earlier.run_id.isin(runs.run_id)]
    every_run = pd.concat([f for f in (earlier, runs) if len(f)]).sort_values(_ORDER)
    columns = _varying(every_run["settings"])
    _write_table(every_run.assign(settings=[_changed(text) for text in every_run["settings"]], **columns), destination)
    if curves:
        path = destination.with_name("curves.csv")
        every = read_measured_curves(path)
        kept = every[~every.run_id.isin(big)]
        _write_table(pd.concat([kept, *curves] if len(kept) else curves), path)
    return len(runs)


def _varying(settings: "pd.Series[str]") -> dict[str, list[Any]]:
    """A column `settings.KEY` for every setting that is not the same in all rows."""
    recorded = [recorded_settings(text) for text in settings]
    keys = [key for key in asdict(Settings()) if len({repr(row.get(key)) for row in recorded if row}) > 1]
    return {f"settings.{key}": [row.get(key) for row in recorded] for key in keys}


def _write_table(frame: pd.DataFrame, path: Path) -> None:
    with writable(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == PARQUET:
            write_atomically(path, lambda f: frame.to_parquet(f, index=False))
        else:
            text = frame.to_csv(index=False, lineterminator="\n")
            write_atomically(path, lambda f: f.write(text.encode()))


def _row(run: StoredRun, profile: str) -> dict[Any, Any]:
    config, info, host = run.config, run.info, run.record.get("host") or {}
    settings = config.get("settings") or {}
    results = {**info, **(info.get("metrics") or {})}
    return {
        **{name: config.get(name, run.named.get(name)) for name in CELL},
        **{name: results.get(name) for name in NUMBERS},
        **{name: settings.get(name) for name in ("train_samples", "precision")},
        **{
            name: info.get(name) for name in ("experiment", "cpu", "version", "tensorflow", "commit", "code", "command")
        },
        "run_id": run.run_id,
        "profile": profile,
        "status": run.status,
        "started": info.get("started") or first_locked(run.path),
        "host": host.get("hostname"),
        "tags": " ".join(run.tags),
        "note": run.note,
        "settings": _text(settings) if settings else "",
        "tally": json.dumps(info["tally"], separators=(",", ":"), ensure_ascii=False) if info.get("tally") else "",
        "error": info.get("error"),
    }


@cache
def _completed(settings: Any) -> Any:
    """What was recorded, and at their defaults the settings that are not there: not written, or not invented yet."""
    recorded = _parsed(settings)
    return "" if recorded is None else _text({**asdict(Settings()), **recorded})


@cache
def _changed(settings: Any) -> Any:
    """What of a row's settings needs to be written: a default never changes (config.py), so it can be left out."""
    recorded, defaults = _parsed(settings), asdict(Settings())
    if recorded is None:
        return ""
    return _text({key: value for key, value in recorded.items() if value != defaults.get(key)})


def _text(settings: dict[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True, separators=(",", ":"))


def _frame(rows: list[dict[Any, Any]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    frame["settings"] = [_completed(text) for text in frame["settings"]]
    for name in COLUMNS:
        if name in _WHOLE:
            frame[name] = pd.to_numeric(frame[name], errors="coerce").astype("Int64")
        elif name in NUMBERS:
            frame[name] = pd.to_numeric(frame[name], errors="coerce").astype("float64")
        else:
            frame[name] = frame[name].astype("object").where(frame[name].notna(), "")
    return frame
