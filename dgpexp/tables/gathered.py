"""Whose table is meant, and all that is known of it: its models, each of one configuration, beside simple ones."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dgpexp.datasets.catalog import CATALOG, find
from dgpexp.datasets.kept import source_columns, table_name
from dgpexp.errors import UserError
from dgpexp.methods import AUTO, method_name
from dgpexp.plan.protocol import CSV, read_protocol
from dgpexp.store.configurations import Configuration, configurations
from dgpexp.store.stored_run import COMPLETED, StoredRun, find_run, profiles, stored_runs
from dgpexp.tables.combined import in_words
from dgpexp.tables.combining import kept_mixture
from dgpexp.tables.results import Model
from dgpexp.tables.simple_models import simple_models
from dgpexp.tasks import Task, recorded_task


@dataclass(frozen=True)
class OwnReport:
    """A table as its runs know it, its models, the newest first, and what stands beside them."""

    table: str
    target: str
    columns: Sequence[str]  # that the inputs were made of
    inputs: int
    train: int  # rows of a split
    test: int
    task: Task
    configurations: Sequence[Configuration]
    models: Sequence[Model]  # one of each configuration
    simple: Sequence[Model]  # and the mixture, if there is one, first
    final: Sequence[StoredRun]  # models of all rows, complete
    others: Sequence[str]  # other tables with runs, those made of the same file first

    @property
    def named(self) -> list[Model]:
        """All models, each by a name that tells it from the others."""
        return [replace(m, name=f"{m.name}, {m.note}") for m in self.models] + [*self.simple]


def own_tables(results: Path, profile: str | None = None) -> tuple[list[str], bool]:
    """The data sets of the user's own that have runs, by their ids alone; and whether others have runs too."""
    runs = (run for where in ([profile] if profile else profiles(results)) for run in stored_runs(results, where))
    names = {run.named["dataset"] for run in runs if run.named}
    return sorted(names - CATALOG.keys()), bool(names & CATALOG.keys())


def called(results: Path, table: str) -> str:
    """A table by its file and its target, flats.rent: two targets of one file differ by that. Empty if unknown."""
    runs = (run for profile in profiles(results) for run in stored_runs(results, profile))
    targets = (run.info.get("target") for run in runs if run.named and run.named["dataset"] == table)
    return table_name(table, target) if (target := next(filter(None, targets), None)) else ""


def matching(results: Path, name: str, tables: Sequence[str]) -> list[str]:
    """The tables that a name may mean: an id, flats.rent, or the start of ids."""
    if name in tables:
        return [name]
    return [t for t in tables if called(results, t) == name] or [t for t in tables if t.startswith(name)]


def id_of(results: Path, name: str) -> str:
    """The id of a table that is called by its file and target, flats.rent; any other name as it is."""
    found = matching(results, name, own_tables(results)[0]) if "." in name else []
    return found[0] if len(found) == 1 else name


def table_meant(results: Path, name: str | None, profile: str | None) -> str | None:
    """The table whose page is asked for, None for the thesis's page: by name, or the newest if nothing else was run."""
    tables, thesis = own_tables(results, profile)
    if name is None:
        if thesis or not tables:
            return None
        newest = sorted(configurations(results, profile=profile), key=lambda c: c.started)
        return newest[-1].spec.dataset if newest else None
    found = matching(results, name, tables)
    if len(found) == 1:
        return found[0]
    if found:
        told = (f"{other} ({table})" if (other := called(results, table)) else table for table in found)
        raise UserError(f"'{name}' could be {' or '.join(told)}: write more of the name.")
    there = f"there are runs on {', '.join(tables)}" if tables else "`dgpexp run csv FILE --target COLUMN` makes some"
    where = f" in profile {profile}" if profile else ""
    raise UserError(f"'{name}' is no table of your own with runs{where}; {there}.")


def model_meant(results: Path, name: str, say: Callable[[str], None]) -> tuple[StoredRun, Path | None]:
    """The run that predicts where `name` was said: a run by its id or folder, or the final model of a table.

    Of a table, the mixture of models goes first: its file, and a run that knows how the columns are read.

    A name that begins several tables, versions or targets of one file, is refused as `report` refuses it. Of several
    final models the newest is taken, in the profile that comes first in experiments/csv.toml.
    """
    tables = own_tables(results)[0]
    if Path(name).is_dir() or not matching(results, name, tables):
        return find_run(results, name), None
    table = table_meant(results, name, None)
    every = [run for where in profiles(results) for run in stored_runs(results, where)]
    runs = [run for run in every if run.named and run.named["dataset"] == table]
    order = {profile: place for place, profile in enumerate(read_protocol(CSV).profiles)}
    for profile in sorted(profiles(results), key=lambda profile: order.get(profile, len(order))):
        mixed = kept_mixture(results, profile, str(table))
        if mixed and mixed.model and mixed.info and StoredRun(mixed.info).status == COMPLETED:
            say(f"Predicting by auto of profile {profile}: {in_words(mixed.weights)}.")
            return StoredRun(mixed.info), mixed.model
        if any(run.final and run.status == COMPLETED and run.path.parent.name == profile for run in runs):
            break
    complete = [run for run in runs if run.status == COMPLETED]
    final = sorted((run for run in complete if run.final), key=lambda run: str(run.info.get("started") or ""))
    best = min(reversed(final), key=lambda run: order.get(run.path.parent.name, len(order)), default=None)
    if best is None:
        if len(complete) == 1:
            return complete[0], None
        raise UserError(
            f"{table} has no model of all rows yet: `dgpexp run csv` without --splits trains one. Or name one of its "
            f"{len(runs)} runs, such as {runs[0].run_id}."
        )
    say(f"Predicting by {best.run_id}, the model of all rows in profile {best.path.parent.name}.")
    return best, None


def gather(results: Path, table: str, profile: str | None, say: Callable[[str], None]) -> OwnReport:
    """Read the runs on `table` and train the simple models that are not there yet."""
    found = [c for c in configurations(results, f"{table}-", profile) if c.spec.dataset == table]
    if not found:
        raise UserError(f"{table} has no finished run yet; `dgpexp status` shows how far they are.")
    found.sort(key=lambda c: c.started, reverse=True)
    info = found[0].runs[0].info
    features, levels = tuple(info.get("features") or ()), info.get("levels") or {}
    stem = table.rpartition("-")[0]
    others = [name for name in own_tables(results)[0] if name != table]
    return OwnReport(
        table=table,
        target=str(info.get("target") or table),
        columns=list(source_columns(features, levels)),
        inputs=len(features),
        train=info.get("n_train") or 0,
        test=info.get("n_test") or 0,
        task=recorded_task(info),
        configurations=found,
        models=[_model(c, found) for c in found],
        simple=[*_mixtures(table, found, results), *_simple(table, found, results, say)],
        final=_final(results, table, profile),
        others=sorted(others, key=lambda other: other.rpartition("-")[0] != stem),
    )


def _mixtures(table: str, found: Sequence[Configuration], results: Path) -> list[Model]:
    """The mixture of each profile, with what it is made of."""
    kept = ((profile, kept_mixture(results, profile, table)) for profile in dict.fromkeys(c.profile for c in found))
    return [Model(AUTO, m.numbers, note=f"{profile}: {in_words(m.weights)}") for profile, m in kept if m]


def _simple(table: str, found: Sequence[Configuration], results: Path, say: Callable[[str], None]) -> list[Model]:
    """Simple models on all splits of these; none where the data folder does not have the table."""
    splits = sorted({run.spec.split for c in found for run in c.runs if run.spec})
    try:
        models = simple_models(find(table), splits, results, say)
    except UserError as error:
        say(f"No simple models beside it: {error}")
        return []
    return [Model(name, numbers) for name, numbers in models.items()]


def _model(configuration: Configuration, every: Sequence[Configuration]) -> Model:
    spec = configuration.spec
    numbers = {run.spec.split: run.info["metrics"] for run in configuration.runs if run.spec}
    states = Counter(run.status.lower() for run in configuration.others)
    unfinished = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    name = f"{method_name(spec.method)} {spec.layers}"
    several = several_answers(configuration.runs)
    return Model(name, numbers, spec.method, _apart(configuration, every), unfinished, several)


def several_answers(runs: Iterable[StoredRun]) -> float | None:
    """The share of test rows with several modes, where the runs recorded it."""
    known = [found for run in runs if (found := run.info.get("several_modes")) is not None]
    return sum(known) / len(known) if known else None


def _apart(one: Configuration, every: Sequence[Configuration]) -> str:
    """The profile and, where another model has the same name and profile, the settings in which they differ."""
    same = [
        c for c in every if (c.profile, c.spec.method, c.spec.layers) == (one.profile, one.spec.method, one.spec.layers)
    ]
    settings = [vars(c.spec.settings) for c in same]
    differ = [key for key in settings[0] if len({repr(s[key]) for s in settings}) > 1]
    return ", ".join([one.profile, *(f"{key} = {getattr(one.spec.settings, key)}" for key in differ)])


def _final(results: Path, table: str, profile: str | None) -> list[StoredRun]:
    every = [run for where in ([profile] if profile else profiles(results)) for run in stored_runs(results, where)]
    return [r for r in every if r.final and r.status == COMPLETED and r.spec and r.spec.dataset == table]
