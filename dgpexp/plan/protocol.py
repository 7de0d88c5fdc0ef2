"""A protocol is data: experiments/*.toml says which runs an experiment is made of, and this file reads and checks it.

about = "..."                    one line for people
timing = false                   true: seconds are what is measured, so its runs have the machine to themselves
[sweep]                          datasets, methods, layers (depths), splits (how many), samples (S of VI and AEPMCM),
                                 and a list of values for any setting: every combination is run
[settings]                       for every run; any key of config.Settings
[methods.NAME], [datasets.NAME]  for the runs of one method, of one data set; [methods.auto] of csv: for deep members
[profiles.NAME]                  the same tables again (sweep, settings, methods, datasets), which win;
                                 like = "uci": with the settings of that experiment's profile NAME under its own
"""

import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from dgpexp.checking import Check, accepted, as_table, refuse_unknown, within
from dgpexp.config import RunSpec, Settings
from dgpexp.errors import UserError
from dgpexp.methods import AUTO, METHODS, SAMPLING, is_foreign, refuse_kernel, refuse_likelihood
from dgpexp.resources import experiments_dir
from dgpexp.tasks import likelihood_of

CSV = "csv"  # the protocol for a table of the user's own, whose name it does not know
_TABLES = ("sweep", "settings", "methods", "datasets")


def _count(value: Any) -> bool:
    return type(value) is int and 1 <= value < 10**9


def _list_of(right: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and len(value) > 0 and all(map(right, value))


def _text(value: Any) -> bool:
    return isinstance(value, str)


_SWEEP = {
    "datasets": Check("a list of names of data sets", _list_of(_text)),
    "methods": Check("a list of names of methods", _list_of(_text)),
    "layers": Check("a list of depths, whole numbers of at least 1", _list_of(_count)),
    "splits": Check("a whole number from 1 to 10000: how many splits", lambda v: _count(v) and v <= 10_000),
    "samples": Check("a list of whole numbers of at least 1: S in training", _list_of(_count)),
}
_ABOUT = Check("a line of text", _text)
_LIKE = Check("the name of an experiment", _text)
_TIMING = Check("true or false", lambda value: isinstance(value, bool))


@dataclass(frozen=True)
class Select:
    """What the command line picks out of a protocol; an empty tuple means all of it."""

    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    layers: tuple[int, ...] = ()
    splits: tuple[int, ...] = ()
    samples: tuple[int, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)  # settings with several values each

    def combinations(self) -> Iterator["Select"]:
        """One selection without a grid for every combination of the values in it."""
        for values in product(*self.grid.values()):
            yield replace(self, changes={**self.changes, **dict(zip(self.grid, values, strict=True))}, grid={})


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
        from dgpexp.datasets.catalog import find

        select, sweep = select or Select(), self.sweep(profile)
        if self.name == "uci":  # its splits were published: one more would be a permutation that nobody else has
            _refuse_beyond(select.splits, self.tables["sweep"]["splits"])
        for name in select.datasets:
            if name not in sweep["datasets"]:
                names = ", ".join(sweep["datasets"])
                raise UserError(f"'{name}' is not a data set of {self.name}; its data sets are: {names}.")
        runs = []
        for dataset in select.datasets or sweep["datasets"]:
            about = find(dataset)
            splits = select.splits or range(1 if about.test_rows else sweep["splits"])
            for method in select.methods or sweep["methods"]:
                settings = self.settings(profile, dataset, method).change(select.changes)
                for s in _variants(settings, method, self._grid(profile, select)):
                    # refused now, not when the run begins
                    refuse_likelihood(method, likelihood_of(s.likelihood, len(about.classes)).name)
                    for layers in select.layers or sweep["layers"]:
                        refuse_kernel(method, s.kernel, layers)
                        for split in splits:
                            runs.append(RunSpec(dataset=dataset, method=method, layers=layers, split=split, settings=s))
        return list({run.run_id: run for run in runs}.values())

    def swept(self, profile: str | None = None) -> dict[str, tuple[Any, ...]]:
        """The settings that [sweep] lists values of: in a profile, or in any of them."""
        sweeps = [self.sweep(name) for name in ([profile] if profile else self.profiles or [self.name])]
        keys = dict.fromkeys(key for sweep in sweeps for key in sweep if key not in _SWEEP)
        return {key: tuple(v for sweep in sweeps for v in sweep.get(key, ())) for key in keys}

    def _grid(self, profile: str, select: Select) -> dict[str, Iterable[Any]]:
        """The values of the settings that vary; what the command line sets does not."""
        samples = select.samples or self.sweep(profile).get("samples", ())
        grid: dict[str, Iterable[Any]] = {"train_samples": samples} if samples else {}
        return grid | {key: values for key, values in self.swept(profile).items() if key not in select.changes}

    def count(self, profile: str, select: Select) -> int:
        """At most how many runs are selected, without making them."""
        sweep = self.sweep(profile)
        cells = len(select.datasets or sweep["datasets"]) * len(select.methods or sweep["methods"])
        cells *= len(select.layers or sweep["layers"]) * (len(select.splits) or sweep["splits"])
        chosen = replace(select, changes={**select.changes, **select.grid})
        values = [*self._grid(profile, chosen).values(), *select.grid.values()]
        return cells * math.prod(len(tuple(v)) for v in values)

    def settings(self, profile: str, dataset: str, method: str) -> Settings:
        """The later table wins: everything, the method, the data set; first the file's, then the profile's."""
        settings = Settings()
        for tables in (self.tables, self._profile(profile)):
            settings = settings.change(tables.get("settings", {}))
            settings = settings.change(tables.get("methods", {}).get(method, {}))
            settings = settings.change(tables.get("datasets", {}).get(dataset, {}))
        return settings

    def of_members(self, profile: str) -> dict[str, Any]:
        """What the deep members of `auto` change in the recipe of their methods."""
        return dict(self._profile(profile).get("methods", {}).get(AUTO, {}))

    def _profile(self, profile: str) -> Mapping[str, Any]:
        if not self.profiles and profile == self.name:
            return {}
        if profile not in self.profiles:
            known = ", ".join(self.profiles) or self.name
            raise UserError(f"{self.name} has no profile '{profile}'; its profiles are: {known}.")
        return self.profiles[profile]


def _refuse_beyond(splits: Iterable[int], count: int) -> None:
    for split in splits:
        if split >= count:
            every = f"`--splits 0-{count - 1}` is all of them"
            raise UserError(f"the UCI sets have {count} splits, counted from 0: no split {split}; {every}.")


def _variants(settings: Settings, method: str, grid: Mapping[str, Iterable[Any]]) -> list[Settings]:
    """One variant for each combination; what a method has no use for is not varied: S, if it samples nothing."""
    varied = {key: values for key, values in grid.items() if concerns(key, method)}
    return [settings.change(dict(zip(varied, values, strict=True))) for values in product(*varied.values())]


def concerns(key: str, method: str) -> bool:
    """Whether a method's runs depend on a setting at all."""
    if key == "train_samples":
        return method in SAMPLING
    return not is_foreign(method, key)


def shipped_protocols() -> list[str]:
    """The names of the experiments, the thesis's and ours; `csv`, which needs a table, is not one of them."""
    return sorted(p.stem for p in experiments_dir().glob("*.toml") if p.stem != CSV)


def read_protocol(source: str) -> Protocol:
    """A protocol by its name, or from a person's own TOML file."""
    path, tables = _parsed(source)
    return _checked(path.stem, source, tables, str(path.name))


def _parsed(source: str) -> tuple[Path, dict[str, Any]]:
    path = Path(source) if source.endswith(".toml") else experiments_dir() / f"{source}.toml"
    if not path.is_file():
        known = ", ".join(shipped_protocols())
        raise UserError(
            f"there is no experiment '{source}'; name one of {known}, csv FILE, or a TOML file of your own."
        )
    try:
        return path, tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not TOML: {error}.") from error


def _checked(name: str, source: str, tables: dict[str, Any], file: str) -> Protocol:
    _refuse_unknown(tables, ("about", "timing", "profiles", *_TABLES), file)
    about, timing, profiles = tables.pop("about", ""), tables.pop("timing", False), tables.pop("profiles", {})
    accepted(about, f"{file}: about", _ABOUT)
    accepted(timing, f"{file}: timing", _TIMING)
    named = () if source == CSV else ("datasets",)
    known = METHODS if named else [*METHODS, AUTO]
    _check_tables(tables, file, known, needed=(*named, "methods", "layers", "splits"))
    for profile, changes in as_table(profiles, f"{file} [profiles]").items():
        where = f"{file} [profiles.{profile}]"
        _refuse_unknown(as_table(changes, where), ("like", *_TABLES), where)
        _check_tables(changes, where, known)
        if "like" in changes:
            _borrow(changes, profile, where)
    return Protocol(name, source, about, timing, tables, profiles)


def _borrow(changes: dict[str, Any], profile: str, where: str) -> None:
    """Put the settings of another experiment's profile of the same name under those that stand here.

    What stands here wins, for all runs or for those of a method, also over what is lent to a method alone.
    """
    source = changes.pop("like")
    accepted(source, f"{where}: like", _LIKE)
    lender = as_table(_parsed(source)[1].get("profiles", {}), f"{source} [profiles]").get(profile)
    if lender is None or "like" in lender:
        raise UserError(f"{where}: {source} has no profile '{profile}' of its own to be like.")
    _check_tables(lender, f"{source} [profiles.{profile}]")
    own = changes.get("methods", {})
    here = changes.get("settings", {})
    lent = lender.get("methods", {})
    changes["settings"] = {**lender.get("settings", {}), **here}
    changes["methods"] = {
        name: {**{k: v for k, v in lent.get(name, {}).items() if k not in here}, **own.get(name, {})}
        for name in {**lent, **own}
    }


def _check_tables(
    tables: Mapping[str, Any], where: str, methods: Iterable[str] = METHODS, needed: tuple[str, ...] = ()
) -> None:
    from dgpexp.datasets.catalog import find

    sweep = as_table(tables.get("sweep", {}), f"{where} [sweep]")
    settings = {f.name: f.metadata["check"].accepts for f in fields(Settings)}
    _refuse_unknown(sweep, [*_SWEEP, *settings], f"{where} [sweep]")
    for key in needed:
        if key not in sweep:
            raise UserError(f"{where} [sweep] lacks {key}: {_SWEEP[key].accepts}.")
    for key, value in sweep.items():
        if key in _SWEEP:
            accepted(value, f"{where} [sweep]: {key}", _SWEEP[key])
            continue
        accepted(value, f"{where} [sweep]: {key}", Check(f"a list, each {settings[key]}", _list_of(lambda v: True)))
        for one in value:
            _check_settings({key: one}, f"{where} [sweep]")
    _check_settings(tables.get("settings", {}), f"{where} [settings]")
    for group, names in (("methods", sweep.get("methods", ())), ("datasets", sweep.get("datasets", ()))):
        special = as_table(tables.get(group, {}), f"{where} [{group}]")
        for name in [*names, *special]:
            if group == "datasets":
                find(name)
            else:
                with within(where):
                    refuse_unknown([name], methods, "method", "the methods are")
        for name, settings in special.items():
            _check_settings(settings, f"{where} [{group}.{name}]")


def _check_settings(settings: Any, where: str) -> None:
    table = as_table(settings, where)
    with within(where):
        Settings().change(table)


def _refuse_unknown(table: Iterable[str], known: Iterable[str], where: str) -> None:
    with within(where):
        refuse_unknown(table, sorted(known), "key", "it accepts")
