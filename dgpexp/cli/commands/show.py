"""`dgpexp show RUN`: one run, as its folder tells it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dgpexp.cli.options import JSON, RESULTS
from dgpexp.terminal.output import answer

if TYPE_CHECKING:
    from dgpexp.config import Settings
    from dgpexp.store.stored_run import StoredRun

_ROWS = 8  # of a curve
_LINES = 15  # of the output of a run that failed


@click.command()
@click.argument("run", metavar="RUN")
@RESULTS
@JSON
def show(run: str, results: Path | None, as_json: bool) -> None:
    """Show RUN, an id or the start of one, or a folder: its settings, code, numbers, learning curve and files.

    A failed run also shows its traceback and the last lines of its output.
    """
    from dgpexp.files import plain
    from dgpexp.store.stored_run import find_run, results_dir

    found = find_run(results_dir(results), run)
    about = _about(found)
    if as_json:
        click.echo(json.dumps(plain(about), indent=1, allow_nan=False))
    else:
        for line in _lines(found, about):
            answer(line)


def _about(run: "StoredRun") -> dict[str, Any]:
    from dgpexp.runs.code import other_code

    info = run.info
    return {
        "run": run.run_id,
        "status": run.status,
        "folder": str(run.path),
        "experiment": info.get("experiment"),
        "profile": run.path.parent.name,
        "tags": list(run.tags),
        "note": run.note,
        "started": info.get("started"),
        "steps": info.get("steps"),
        "total_steps": info.get("total_steps"),
        "train_seconds": info.get("train_seconds"),
        "recoveries": info.get("recoveries"),
        "cpu": info.get("cpu"),
        "version": info.get("version"),
        "tensorflow": info.get("tensorflow"),
        "commit": info.get("commit"),
        "code": info.get("code"),
        "made_by": other_code([run]).sentences or ["It was made by the present code."],
        "command": info.get("command"),
        "settings": _settings(run),
        "metrics": info.get("metrics") or {},
        "files": {p.name: p.stat().st_size for p in sorted(run.path.iterdir()) if p.is_file()},
        "error": info.get("error"),
        "traceback": run.traceback,
    }


def _settings(run: "StoredRun") -> dict[str, Any]:
    """The settings that differ from the profile's, each with both values; without a profile, from the defaults."""
    profile = _of_profile(run)
    recorded = run.config.get("settings") or {}
    name = "default" if profile is None else "profile"
    from dgpexp.config import RETIRED, Settings

    usual = RETIRED | vars(profile or Settings())
    return {k: {"run": v, name: usual.get(k)} for k, v in sorted(recorded.items()) if v != usual.get(k)}


def _of_profile(run: "StoredRun") -> "Settings | None":
    """What the experiment's profile says of such a run, if the experiment can still be read."""
    import shlex

    from dgpexp.errors import UserError
    from dgpexp.plan.protocol import read_protocol

    try:
        source = shlex.split(run.info.get("command") or "")[2]
        protocol = read_protocol(source)
        return protocol.settings(run.path.parent.name, run.config["dataset"], run.config["method"])
    except (UserError, ValueError, KeyError, IndexError):
        return None


def _lines(run: "StoredRun", about: dict[str, Any]) -> Iterator[str]:
    yield f"{about['run']}: {about['status'].lower()}"
    if about["error"]:
        yield f"  error       {about['error']}"
    yield f"  folder      {about['folder']}"
    yield f"  experiment  {about['experiment'] or 'unknown'}, profile {about['profile']}"
    if about["tags"]:
        yield f"  tags        {' '.join(about['tags'])}"
    if about["note"]:
        yield f"  note        {about['note']}"
    seconds = about["train_seconds"]
    steps = f"{about['steps'] or 0} of {about['total_steps'] or '?'} steps"
    recovered = f", {about['recoveries']} recoveries" if about["recoveries"] else ""
    yield f"  training    {steps}" + (f" in {seconds:.3g} s" if seconds else "") + recovered
    yield f"  started     {about['started'] or 'unknown'}, on {about['cpu'] or 'an unknown machine'}"
    commit = f", commit {about['commit'][:12]}" if about["commit"] else ""
    changes = " with changes" if about["commit"] and "+" in about["commit"] else ""
    yield f"  code        dgpexp {about['version'] or '?'}{commit}{changes}, digest {about['code'] or 'unknown'}"
    for sentence in about["made_by"]:
        yield f"              {sentence}"
    yield f"  command     {about['command'] or 'unknown'}"
    yield from _shown_settings(about["settings"])
    yield from _shown_numbers(run, about["metrics"])
    yield "files"
    for name, size in about["files"].items():
        yield f"  {name:15} {size:>9,} bytes"
    if about["traceback"]:
        yield "traceback"
        yield from (f"  {line}" for line in about["traceback"].splitlines())
        if output := _output(run)[-_LINES:]:
            yield "last lines of its output"
            yield from (f"  {line}" for line in output)


def _shown_settings(settings: dict[str, Any]) -> Iterator[str]:
    if not settings:
        yield "settings: all as in its profile"
        return
    name = next(key for values in settings.values() for key in values if key != "run")
    yield f"settings that differ from {'its profile' if name == 'profile' else 'the defaults'}"
    for key, values in settings.items():
        yield f"  {key:20} {values['run']} ({name}: {values[name]})"


def _shown_numbers(run: "StoredRun", metrics: dict[str, Any]) -> Iterator[str]:
    from dgpexp.store.tidy_table import read_curves

    if metrics:
        yield "metrics"
        yield "  " + ", ".join(f"{name} {value:.5g}" for name, value in metrics.items() if value is not None)
    curve = read_curves(run.path)
    if len(curve):
        rows = sorted({round(i * (len(curve) - 1) / (_ROWS - 1)) for i in range(_ROWS)})
        yield f"curve ({len(curve)} evaluations)"
        text = curve.iloc[rows].dropna(axis=1, how="all").to_string(index=False, float_format="{:.5g}".format)
        yield from (f"  {line}" for line in text.splitlines())


def _output(run: "StoredRun") -> list[str]:
    try:
        return (run.path / "cout.txt").read_text(errors="replace").splitlines()
    except OSError:
        return []
