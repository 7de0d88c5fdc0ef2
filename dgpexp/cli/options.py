"""Options that several commands share."""

import math
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from dgpexp.methods import AUTO, METHODS
from dgpexp.mirrors.url import VARIABLE, parse
from dgpexp.tasks import TASKS

Command = Callable[..., Any]
_TAG = re.compile(r"[\w.+/-]{1,60}")

RESULTS = click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The results folder (default: DGPEXP_RESULTS, else ./results).",
)
OUTPUT = click.Path(path_type=Path)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")


def _addresses(ctx: click.Context, param: click.Parameter, urls: tuple[str, ...]) -> Any:
    """Check the URLs, and take them out of the environment: they may hold passwords, and child processes inherit it."""
    os.environ.pop(VARIABLE, None)
    return tuple(parse(url) for url in dict.fromkeys(urls))


OBSERVERS = click.option(
    "--observer",
    "observers",
    multiple=True,
    metavar="URL",
    envvar=VARIABLE,
    callback=_addresses,
    help="Also copy runs to this database: postgresql://..., sqlite:///FILE, mongodb://..., mlflow+http://... or "
    f"mlflow+sqlite:///FILE. Repeatable. (Default: {VARIABLE}, which keeps a password off the command line.)",
)


def _scheduler(ctx: click.Context, param: click.Parameter, address: str | None) -> str | None:
    """Refuse what is no address, whether or not anything is left to run."""
    if address is not None:
        from dgpexp.engines.cluster.connection import check_address

        check_address(address)
    return address


def not_empty(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Refuse an empty name of a file: it would mean the current folder."""
    if value is not None and value == Path():
        raise click.BadParameter("it names no file.", ctx, param)
    return value


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Combine options into one decorator; --help shows them in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


class Seconds(click.FloatRange):
    """A finite number of seconds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds = float(super().convert(value, param, ctx))
        if not math.isfinite(seconds):
            self.fail(f"'{value}' is not a number of seconds", param, ctx)
        return seconds


class Numbers(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click only
    """`3` or `0-4`: whole numbers and ranges of them."""

    name = "N|A-B"
    most = 9999  # the last split of a set is found by drawing all before it

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        first, dash, last = str(value).partition("-")
        try:
            numbers = range(int(first), int(last if dash else first) + 1)
        except ValueError:
            numbers = range(0)
        if numbers and (numbers[-1] > self.most or numbers[0] < 0):
            self.fail(f"'{value}' is out of range: numbers from 0 to {self.most} are accepted", param, ctx)
        if not numbers:
            self.fail(f"'{value}' is not a number like 3 or a range like 0-4", param, ctx)
        return tuple(numbers)


MISSING = click.option(
    "--missing",
    type=click.Choice(["drop", "mean"]),
    help="What to do with missing cells: drop the row, or take the column's mean (a level of its own for words).",
)
MARKS = together(
    click.option(
        "--decimal", multiple=True, metavar="MARK", help="Decimal mark, . or , (COLUMN=MARK: for one column)."
    ),
    click.option(
        "--thousands", multiple=True, metavar="MARK", help="Mark between thousands (COLUMN=MARK: for one column)."
    ),
    click.option(
        "--date-format",
        multiple=True,
        metavar="FORMAT",
        help="How dates are written, e.g. %d/%m/%Y (COLUMN=FORMAT: for one column).",
    ),
)
OWN = together(
    click.option("--target", metavar="COLUMN", help="csv: the column of FILE to predict."),
    click.option("--drop", multiple=True, metavar="COLUMN", help="csv: leave this column out. Repeatable."),
    click.option(
        "--test",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="csv: test on the rows of this file, in one split.",
    ),
    MISSING,
    click.option("--dates", is_flag=True, help="csv: turn dates into year, month, weekday and hour."),
    MARKS,
    click.option(
        "--task",
        type=click.Choice(list(TASKS)),
        help="csv: what COLUMN holds (default: words, and up to 10 different whole numbers, are classes).",
    ),
    click.option("--against", default="", metavar="NAMES", help="csv: also compare with catboost,ngboost (extras)."),
)


def _method(choices: Iterable[str], more: str = "") -> Any:
    text = f"Train only by this method. Repeatable.{more}"
    return click.option("--method", "methods", multiple=True, type=click.Choice(list(choices)), help=text)


METHOD = _method(METHODS)
SET = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a setting; KEY=A,B,C runs every value. Repeatable: every combination is run.",
)
SELECTION = together(
    click.option("--dataset", "datasets", multiple=True, metavar="NAME", help="Use only this data set. Repeatable."),
    _method([*METHODS, AUTO], " csv: auto, the default, mixes deep GPs and simple models by rows they had not seen."),
    click.option(
        "--layers", multiple=True, type=Numbers(), help="Train only models of this depth (1 = sparse GP). Repeatable."
    ),
    click.option("--splits", multiple=True, type=Numbers(), help="Use only these splits, counted from 0. Repeatable."),
    click.option(
        "--samples",
        multiple=True,
        type=Numbers(),
        help="Sampled paths of a training step of VI and AEPMCM (S). Repeatable.",
    ),
    SET,
    click.option("--max-steps", type=click.IntRange(1), help="Stop each run after this many training steps."),
    click.option(
        "--max-seconds", type=Seconds(0, min_open=True), help="Stop each run after this many seconds of training."
    ),
    click.option(
        "--synthetic-shape", is_flag=True, help="Measure the time on random data of the same shape; nothing is learnt."
    ),
)


def _tags(ctx: click.Context, param: click.Parameter, words: tuple[str, ...]) -> tuple[str, ...]:
    for word in words:
        if not _TAG.fullmatch(word):
            raise click.BadParameter(f"{word!r} is not a word of letters, digits and ._+/-, 60 at most.", ctx, param)
    return tuple(dict.fromkeys(words))


def _note(ctx: click.Context, param: click.Parameter, text: str) -> str:
    if len(text) > 1000 or not (text.isprintable() or not text):
        raise click.BadParameter("it must be one line of at most 1000 characters.", ctx, param)
    return text


TAG = click.option(
    "--tag", "tags", multiple=True, metavar="NAME", callback=_tags, help="Use only runs with this tag. Repeatable."
)
LABELS = together(
    click.option("--note", default="", metavar="TEXT", callback=_note, help="Keep this line with every run."),
    click.option(
        "--tag", "tags", multiple=True, metavar="NAME", callback=_tags, help="Give every run this tag. Repeatable."
    ),
)

EXECUTION = together(
    click.option("--jobs", type=click.IntRange(1), help="Number of runs at once (default: the number of cores)."),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        callback=_scheduler,
        help="Run on the dask cluster with this scheduler, e.g. tcp://host:8786.",
    ),
    click.option(
        "--cluster",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        metavar="FILE",
        help="Run on a SLURM cluster, described by this TOML file.",
    ),
    click.option("--retry-failed", is_flag=True, help="Try failed runs again."),
    click.option(
        "--checkpoint-every",
        type=Seconds(0),
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        help="Seconds between two checkpoints of a run.",
    ),
    click.option("--quiet", "-q", is_flag=True, help="Print only errors."),
    click.option("--verbose", "-v", is_flag=True, help="Print more."),
)


def selected(
    datasets: tuple[str, ...],
    methods: tuple[str, ...],
    layers: tuple[tuple[int, ...], ...],
    splits: tuple[tuple[int, ...], ...],
    samples: tuple[tuple[int, ...], ...],
    changes: tuple[str, ...],
    max_steps: int | None,
    max_seconds: float | None,
    synthetic_shape: bool,
) -> Any:
    """The options of SELECTION as a Select."""
    from dgpexp.config import Settings
    from dgpexp.errors import UserError
    from dgpexp.plan.protocol import Select

    settings, grid = _changes(changes)
    settings |= {"max_steps": max_steps} if max_steps else {}
    settings |= {"max_seconds": max_seconds} if max_seconds else {}
    settings |= {"synthetic_shape": True} if synthetic_shape else {}
    for key in [key for key in settings if key in grid]:
        raise UserError(f"{key} is set twice, by --set and by --{key.replace('_', '-')}: leave one out.")
    for one in Select(changes=settings, grid=grid).combinations() if math.prod(map(len, grid.values())) < 1000 else ():
        Settings().change(one.changes)  # refuse it now, by name
    depths, numbers, paths = (tuple(n for group in groups for n in group) for groups in (layers, splits, samples))
    return Select(datasets, methods, depths, numbers, paths, settings, grid)


def changed(texts: tuple[str, ...]) -> Any:
    """The options --set alone as a Select."""
    return selected((), (), (), (), (), texts, None, None, False)


def _changes(texts: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, tuple[Any, ...]]]:
    """The settings of --set with one value, and those with several."""
    from dgpexp.config import parse_setting
    from dgpexp.errors import UserError

    single: dict[str, Any] = {}
    grid: dict[str, tuple[Any, ...]] = {}
    for text in texts:
        key, _, words = text.partition("=")
        if key in single or key in grid:
            raise UserError(f"--set {key} is given twice: write --set {key}=A,B to run several values of it.")
        values = dict.fromkeys(parse_setting(f"{key}={word}" if "=" in text else text)[1] for word in words.split(","))
        if len(values) > 1:
            grid[key] = tuple(values)
        else:
            single[key] = next(iter(values))
    return single, grid
