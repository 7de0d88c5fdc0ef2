"""A protocol is data: experiments/*.toml says which runs an experiment is made of, and this file reads and checks it.

about = "..."                    one line for people
timing = false                   true: seconds are what is measured, so its runs have the machine to themselves
[sweep]                          datasets, methods, layers (depths), splits (how many), samples (S of VI and AEPMCM)
[settings]                       for every run; any key of config.Settings
[methods.NAME], [datasets.NAME]  for the runs of one method, of one data set
[profiles.NAME]                  the same tables again (sweep, settings, methods, datasets), which win
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dgpexp.config import RunSpec, Settings
from dgpexp.errors import UserError
from dgpexp.methods import METHODS, SAMPLING
from dgpexp.resources import experiments_dir

CSV = "csv"  # the protocol for a table of the user's own, whose name it does not know
_TABLES = ("sweep", "settings", "methods", "datasets")
_ACCEPTS = {
    "datasets": "a list of names of data sets",
    "methods": "a list of names of methods",
    "layers": "a list of depths, whole numbers of at least 1",
    "splits": "a whole number of at least 1: how many splits",
    "samples": "a list of whole numbers of at least 1: S in training",
}


@dataclass(frozen=True)
class Select:
    """What the command line picks out of a protocol; an empty tuple means all of it."""

    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    layers: tuple[int, ...] = ()
    splits: tuple[int, ...] = ()
    samples: tuple[int, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Protocol:
    """A checked TOML file."""

    name: str  # uci, synthetic, year, airline, or the name of a person's own file
    source: str  # what the command line calls it
    about: str
    timing: bool
    tables: Mapping[str, Any]
    profiles: Mapping[str, Mapping[str, Any]]
    options: tuple[str, ...] = ()  # what the command line needs besides: the file of `csv`, its target

    @property
    def default_profile(self) -> str:
        return next(iter(self.profiles), self.name)

    def sweep(self, profile: str) -> dict[str, Any]:
        return {"datasets": [], **self.tables.get("sweep", {}), **self._profile(profile).get("sweep", {})}

    def runs(self, profile: str, select: Select | None = None) -> list[RunSpec]:
        """Every run of the profile that was selected; what `select` names beyond the protocol (a depth 1) is added."""
        select, sweep = select or Select(), self.sweep(profile)
        for name in select.datasets:
            if name not in sweep["datasets"]:
                names = ", ".join(sweep["datasets"])
                raise UserError(f"'{name}' is not a data set of {self.name}; its data sets are: {names}.")
        runs = []
        for dataset in select.datasets or sweep["datasets"]:
            for method in select.methods or sweep["methods"]:
                settings = self.settings(profile, dataset, method).change(select.changes)
                for s in _paths(settings, method, select.samples or sweep.get("samples", ())):
                    for layers in select.layers or sweep["layers"]:
                        for split in select.splits or range(sweep["splits"]):
                            runs.append(RunSpec(dataset=dataset, method=method, layers=layers, split=split, settings=s))
        return list({run.run_id: run for run in runs}.values())

    def settings(self, profile: str, dataset: str, method: str) -> Settings:
        """The later table wins: everything, the method, the data set; first the file's, then the profile's."""
        settings = Settings()
        for tables in (self.tables, self._profile(profile)):
            settings = settings.change(tables.get("settings", {}))
            settings = settings.change(tables.get("methods", {}).get(method, {}))
            settings = settings.change(tables.get("datasets", {}).get(dataset, {}))
        return settings

    def _profile(self, profile: str) -> Mapping[str, Any]:
        if not self.profiles and profile == self.name:
            return {}
        if profile not in self.profiles:
            known = ", ".join(self.profiles) or self.name
            raise UserError(f"{self.name} has no profile '{profile}'; its profiles are: {known}.")
        return self.profiles[profile]


def _paths(settings: Settings, method: str, samples: Iterable[int]) -> list[Settings]:
    """One variant for each S; a method that samples nothing is one run whatever S is."""
    if not samples or method not in SAMPLING:
        return [settings]
    return [replace(settings, train_samples=s) for s in samples]


def shipped_protocols() -> list[str]:
    """The names of the thesis's experiments; `csv`, which needs a table, is not one of them."""
    return sorted(p.stem for p in experiments_dir().glob("*.toml") if p.stem != CSV)


def read_protocol(source: str) -> Protocol:
    """A protocol by its name, or from a person's own TOML file."""
    path = Path(source) if source.endswith(".toml") else experiments_dir() / f"{source}.toml"
    if not path.is_file():
        known = ", ".join(shipped_protocols())
        raise UserError(
            f"there is no experiment '{source}'; name one of {known}, csv FILE, or a TOML file of your own."
        )
    try:
        tables = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not TOML: {error}.") from error
    return _checked(path.stem, source, tables, str(path.name))


def _checked(name: str, source: str, tables: dict[str, Any], file: str) -> Protocol:
    _refuse_unknown(tables, {"about", "timing", "profiles", *_TABLES}, file)
    about, timing, profiles = tables.pop("about", ""), tables.pop("timing", False), tables.pop("profiles", {})
    if not isinstance(about, str):
        raise UserError(f"{file}: about = {about!r} is not possible: it accepts a line of text.")
    if not isinstance(timing, bool):
        raise UserError(f"{file}: timing = {timing!r} is not possible: it accepts true or false.")
    named = () if source == CSV else ("datasets",)
    _check_tables(tables, file, needed=(*named, "methods", "layers", "splits"))
    for profile, changes in _table(profiles, f"{file} [profiles]").items():
        where = f"{file} [profiles.{profile}]"
        _refuse_unknown(_table(changes, where), set(_TABLES), where)
        _check_tables(changes, where)
    return Protocol(name, source, about, timing, tables, profiles)


def _check_tables(tables: Mapping[str, Any], where: str, needed: tuple[str, ...] = ()) -> None:
    from dgpexp.datasets.catalog import find

    sweep = _table(tables.get("sweep", {}), f"{where} [sweep]")
    _refuse_unknown(sweep, set(_ACCEPTS), f"{where} [sweep]")
    for key in needed:
        if key not in sweep:
            raise UserError(f"{where} [sweep] lacks {key}: {_ACCEPTS[key]}.")
    for key, value in sweep.items():
        if not _acceptable(key, value):
            raise UserError(f"{where} [sweep]: {key} = {value!r} is not possible: it accepts {_ACCEPTS[key]}.")
    _check_settings(tables.get("settings", {}), f"{where} [settings]")
    for group, names in (("methods", sweep.get("methods", ())), ("datasets", sweep.get("datasets", ()))):
        special = _table(tables.get(group, {}), f"{where} [{group}]")
        for name in [*names, *special]:
            if group == "datasets":
                find(name)
            elif name not in METHODS:
                raise UserError(f"{where}: unknown method '{name}'; the methods are {', '.join(METHODS)}.")
        for name, settings in special.items():
            _check_settings(settings, f"{where} [{group}.{name}]")


def _check_settings(settings: Any, where: str) -> None:
    try:
        Settings().change(_table(settings, where))
    except UserError as error:
        raise UserError(f"{where}: {error}") from error


def _acceptable(key: str, value: Any) -> bool:
    def count(v: Any) -> bool:
        return type(v) is int and v >= 1

    if key == "splits":
        return count(value)
    kind = (lambda v: isinstance(v, str)) if key in ("datasets", "methods") else count
    return isinstance(value, list) and len(value) > 0 and all(kind(v) for v in value)


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise UserError(f"{where} is {value!r}, but must be a table.")
    return value


def _refuse_unknown(table: Mapping[str, Any], known: set[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise UserError(f"{where}: unknown key '{key}'; it accepts {', '.join(sorted(known))}.")
