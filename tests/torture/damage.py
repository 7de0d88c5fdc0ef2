"""Run folders in which something was replaced at random; every command reads them, and finds the whole ones."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

from dgpexp.store.run_files import report
from tests.store.folders import make_lock, make_run, spec
from tests.torture.calling import called
from tests.torture.tally import Tally

WRONG: list[Any] = [
    *(None, True, [], {}, [[]], {"a": {}}, "", "text", "\ud800", "[/bold]", "\x1b[31m", "x" * 5000, 0, -1, 1.5, 1e308),
    *(10**30, float("nan"), float("inf"), [1, "a"], {"ll": "high"}, {"": None}, "$\\frac$", "<b>&amp;"),
]
FILES = ("run.json", "config.json", "info.json", "metrics.json", "claims/0001.json")
WHOLE = 3


def damage(folder: Path, count: int, seed: int, at_once: int = 500) -> Tally:
    rng = random.Random(seed)
    tally = Tally("damage", f"{count} damaged run folders")
    for batch in range(0, count, at_once):
        results = folder / f"damaged-{batch}"
        for split in range(WHOLE):
            make_run(results, spec(split=split), profile="thesis")
        for number in range(min(at_once, count - batch)):
            dataset = rng.choice(["concrete", "energy", "sincos"])
            status = rng.choice(["COMPLETED", "COMPLETED", "RUNNING", "FAILED", "INTERRUPTED"])
            run = make_run(results, spec(dataset=dataset, split=number), status, profile="thesis")
            (run / "model.npz").write_bytes(rng.randbytes(rng.choice([0, 10, 500])))
            hurt(rng, run)
        report.cache_clear()
        read(tally, rng, results)
        shutil.rmtree(results)
    return tally


def read(tally: Tally, rng: random.Random, results: Path) -> None:
    where = ("--results", str(results))
    called(tally, "status", "--runs", *where)
    _, out, _ = called(tally, "status", "--json", *where)
    done = sum(cell["done"] for cell in _strict(out) if cell["dataset"] == "boston")
    tally.lost += done != WHOLE
    csv = results / "runs.csv"
    called(tally, "export", "--profile", "thesis", "--output", str(csv), *where)
    lines = csv.read_text(errors="replace").splitlines() if csv.exists() else []
    tally.lost += sum(line.startswith("boston-") for line in lines) != WHOLE
    called(tally, "compare", "thesis:dataset=boston", "thesis:dataset=boston", *where)
    called(tally, "report", "--profile", "thesis", "--output", str(results / "page"), "--json", *where)
    every = sorted((results / "runs" / "thesis").iterdir())
    for path in rng.sample(every, min(10, len(every))):
        called(tally, "predict", str(path), *where)
        called(tally, "plot", path.name, *where)
    called(tally, "sync", "--observer", f"sqlite:///{results}/mirror.db", *where)


def _strict(text: str) -> Any:
    """As a parser reads it that knows no NaN."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text or "[]", parse_constant=refuse)


def hurt(rng: random.Random, run: Path) -> None:
    """One to three things that a disk, an editor or another program may do to a folder."""
    make_lock(run)
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
