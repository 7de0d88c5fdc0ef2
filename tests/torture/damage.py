"""Run folders in which something was replaced at random; every command reads them, and finds the whole ones."""

import io
import json
import random
import shutil
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from dgpexp.cli.main import main
from dgpexp.runs.execute import execute
from dgpexp.runs.sessions import Sessions
from dgpexp.runs.task import Task, Watch
from dgpexp.store.run_files import report
from tests.engines.fakes import FakeSession
from tests.store.folders import make_lock, make_run, spec
from tests.torture.tally import Tally

WRONG: list[Any] = [
    *(None, True, [], {}, [[]], {"a": {}}, "", "text", "\ud800", "[/bold]", "\x1b[31m", "x" * 5000, 0, -1, 1.5, 1e308),
    *(10**30, float("nan"), float("inf"), [1, "a"], {"ll": "high"}, {"": None}),
]
FILES = ("run.json", "config.json", "info.json", "metrics.json", "claims/0001.json")
WHOLE = 3


def called(tally: Tally, *args: str) -> tuple[int, str, str]:
    """A command in this process; an exception that gets out of it is counted."""
    out, err = io.StringIO(), io.StringIO()
    code = 1
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main(list(args))
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    except BaseException as error:
        tally.tracebacks += 1
        tally.notes.append(f"{' '.join(args)[:200]}: {type(error).__name__}: {error}"[:400])
    tally.said(err.getvalue())
    return code, out.getvalue(), err.getvalue()


def damage(folder: Path, count: int, seed: int, at_once: int = 50) -> Tally:
    rng = random.Random(seed)
    tally = Tally("damage", f"{count} damaged run folders, {count // 10} checkpoints")
    for batch in range(0, count, at_once):
        results = folder / f"damaged-{batch}"
        for split in range(WHOLE):
            make_run(results, spec(split=split), profile="thesis")
        for number in range(min(at_once, count - batch)):
            dataset = rng.choice(["concrete", "energy", "sincos"])
            status = rng.choice(["COMPLETED", "COMPLETED", "RUNNING", "FAILED", "INTERRUPTED"])
            hurt(rng, make_run(results, spec(dataset=dataset, split=number), status, profile="thesis"))
        report.cache_clear()
        read(tally, results)
        shutil.rmtree(results)
    for number in range(count // 10):
        with redirect_stdout(io.StringIO()):  # what Sacred would keep of a worker's
            checkpoint(tally, rng, folder / f"checkpoint-{number}")
    return tally


def read(tally: Tally, results: Path) -> None:
    where = ("--results", str(results))
    called(tally, "status", "--runs", *where)
    _, out, _ = called(tally, "status", "--json", *where)
    done = sum(cell["done"] for cell in json.loads(out or "[]") if cell["dataset"] == "boston")
    tally.lost += done != WHOLE
    csv = results / "runs.csv"
    called(tally, "export", "--profile", "thesis", "--output", str(csv), *where)
    lines = csv.read_text(errors="replace").splitlines() if csv.exists() else []
    tally.lost += sum(line.startswith("boston-") for line in lines) != WHOLE
    called(tally, "compare", "thesis:dataset=boston", "thesis:dataset=boston", *where)
    called(tally, "report", "--profile", "thesis", "--output", str(results / "page"), "--json", *where)
    for path in sorted((results / "runs" / "thesis").iterdir())[:3]:
        called(tally, "predict", str(path), *where)
    called(tally, "sync", "--observer", f"sqlite:///{results}/mirror.db", *where)


def hurt(rng: random.Random, run: Path) -> None:
    """One to three things that a disk, an editor or another program may do to a folder."""
    make_lock(run)
    (run / "model.npz").write_bytes(rng.randbytes(rng.choice([0, 10, 500])))
    for _ in range(rng.randint(1, 3)):
        path = run / rng.choice(FILES)
        kind = rng.choice(["value", "value", "value", "inner", "torn", "other", "gone", "folder", "bytes", "stray"])
        if kind == "stray":
            (run / "claims" / rng.choice(["0001 (copy).json", "abc.json", "0002.json.bak", "7.json"])).write_text("{}")
            continue
        if not path.is_file():
            continue
        content = _content(path)
        if kind in ("value", "inner") and isinstance(content, dict) and content:
            key = rng.choice(list(content))
            inner = content[key]
            if kind == "inner" and isinstance(inner, dict) and inner:
                inner[rng.choice(list(inner))] = rng.choice(WRONG)
            else:
                content[key] = rng.choice(WRONG)
            path.write_text(json.dumps(content))
        elif kind == "torn":
            path.write_bytes(path.read_bytes()[: rng.randint(0, 60)])
        elif kind == "other":
            path.write_text(json.dumps(rng.choice(WRONG)))
        elif kind == "bytes":
            path.write_bytes(rng.randbytes(100))
        elif kind in ("gone", "folder"):
            path.unlink()
            if kind == "folder":
                path.mkdir()


def _content(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except ValueError:
        return None


def checkpoint(tally: Tally, rng: random.Random, results: Path) -> None:
    """A run whose checkpoint was damaged ends with the numbers of one that had none."""
    run = spec(dataset="sincos", rows=40, max_steps=300, evaluate_every=100)
    task = Task(run, str(results), "quick", "my", "", 0, False, 0.0)
    calls = 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        return calls > 8

    quiet = Sessions(FakeSession)
    execute(task, quiet, Watch(lambda event: None, stop))
    kept = task.run_dir / "checkpoint.npz"
    damaged = bytearray(kept.read_bytes())
    match rng.choice(["flip", "cut", "foreign", "meta"]):
        case "flip":
            for _ in range(rng.randint(1, 20)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            kept.write_bytes(damaged)
        case "cut":
            kept.write_bytes(damaged[: rng.randrange(len(damaged))])
        case "foreign":
            np.savez(kept, meta=np.zeros(3))
        case "meta":
            with np.load(kept) as arrays:
                inside = dict(arrays)
            meta = json.loads(inside["meta"].tobytes())
            meta["progress"][rng.choice(list(meta["progress"]))] = rng.choice(WRONG)
            inside["meta"] = np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)
            np.savez(kept, **inside)
    outcome = execute(task, quiet, Watch(lambda event: None, lambda: False))
    fresh = Task(run, str(results / "fresh"), "quick", "my", "", 0, False, 60.0)
    expected = execute(fresh, Sessions(FakeSession), Watch(lambda event: None, lambda: False))
    tally.lost += outcome.status != "COMPLETED"
    tally.different += outcome.metrics != expected.metrics
    if outcome.status != "COMPLETED":
        tally.notes.append(outcome.reason)
    shutil.rmtree(results)
