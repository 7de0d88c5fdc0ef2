"""Checkpoints, trained models and saved estimators that were cut, flipped, or replaced by something else."""

import json
import os
import random
import shutil
from contextlib import redirect_stdout
from io import BytesIO, StringIO
from pathlib import Path
from unittest.mock import patch

import numpy as np

from dgpexp.runs.events import Ended
from dgpexp.runs.execute import execute
from dgpexp.runs.job import Job, Watch
from dgpexp.runs.sessions import Sessions
from dgpexp.store.run_files import report
from dgpexp.tables.own_table import read_own
from tests.engines.fakes import FakeSession
from tests.store.folders import spec
from tests.torture.calling import called
from tests.torture.damage import WRONG, hurt
from tests.torture.tally import Tally

TINY = {"inducing_points": 3, "train_samples": 2, "test_samples": 2, "batch_size": 10, "max_steps": 25}


def archives(folder: Path, count: int, seed: int) -> Tally:
    """So many checkpoints, a quarter as many complete runs, half of which have a damaged model, and estimators."""
    rng = random.Random(seed)
    tally = Tally("archives", f"{count} checkpoints, {count // 4} models, {count // 4} estimators")
    with patch("tests.engines.fakes.SECONDS_A_STEP", 0), redirect_stdout(StringIO()):  # what Sacred would keep
        checkpoints(tally, rng, folder, count)
    with patch.dict(os.environ, {"DGPEXP_DATA": str(folder / "data")}):
        readers(tally, rng, folder, count // 4)
    return tally


def readers(tally: Tally, rng: random.Random, folder: Path, count: int) -> None:
    """Whoever reads a run's model or an estimator's file; as many of each."""
    trained = trained_run(folder / "trained")
    from dgpexp import DeepGPRegressor  # now: beside TensorFlow, the checkpoints would take twice as long

    saved = folder / "saved.npz"
    x = np.linspace(-1, 1, 40)[:, None]
    DeepGPRegressor("vi", 1, steps=1, inducing_points=3, samples=1).fit(x, x[:, 0]).save(saved)
    for number in range(count):
        models(tally, rng, trained, folder / f"model-{number}", number)
        estimators(tally, rng, saved.read_bytes(), folder / "damaged.npz")


def trained_run(results: Path) -> Job:
    """A real run with a real model, which is complete, on a table of one's own."""
    table = results.parent / "flats.csv"
    table.write_text("x,kind $,y_$\n" + "".join(f"{i},{'uv'[i % 2]},{i * i % 7}.5\n" for i in range(60)))
    own = read_own(table, "y_$")
    own.keep()
    task = Job(spec(own.dataset.name, **TINY), str(results), "quick", "csv", "", 0, False, 60.0)
    with redirect_stdout(StringIO()):
        assert _executed(task, Sessions()).status == "COMPLETED"
    return task


def checkpoints(tally: Tally, rng: random.Random, folder: Path, count: int) -> None:
    """A run whose checkpoint was damaged ends with the numbers of one that had none."""
    run = spec(dataset="sincos", rows=40, max_steps=300, evaluate_every=100)
    expected = _executed(Job(run, str(folder / "fresh"), "quick", "my", "", 0, False, 60.0))
    for number in range(count):
        task = Job(run, str(folder / f"checkpoint-{number}"), "quick", "my", "", 0, False, 0.0)
        _executed(task, stop_after=8)
        kept = task.run_dir / "checkpoint.npz"
        kept.write_bytes(changed(rng, kept.read_bytes(), "meta"))
        outcome = _executed(task)
        tally.different += outcome.metrics != expected.metrics
        if outcome.status != "COMPLETED":
            tally.lost += 1
            tally.notes.append(outcome.reason)
        shutil.rmtree(task.results)


def _executed(task: Job, sessions: Sessions | None = None, stop_after: int = 10**9) -> Ended:
    calls = iter(range(10**9))
    watch = Watch(lambda event: None, lambda: next(calls) >= stop_after)
    return execute(task, sessions or Sessions(FakeSession), watch)


def models(tally: Tally, rng: random.Random, trained: Job, results: Path, number: int) -> None:
    """Those who use the model of a run say in a sentence what is wrong with it, or use it."""
    shutil.copytree(trained.results, results)
    run = results / trained.run_dir.relative_to(trained.results)
    if number % 2:
        (run / "model.npz").write_bytes(changed(rng, (run / "model.npz").read_bytes(), "about"))
    elif number:
        hurt(rng, run)
    report.cache_clear()
    table = trained.spec.dataset
    commands = [("predict", run.name), ("report", "--run", run.name), ("plot", table), ("report", table)]
    for command in commands if number % 10 == 1 else commands[:1]:  # drawing takes longest
        code, _, err = called(tally, *command, "--results", str(results))
        tally.lost += code != 0 if number == 0 else code not in (0, 2)
        tally.notes += [err.strip()] if code not in (0, 2) else []
    shutil.rmtree(results)


def estimators(tally: Tally, rng: random.Random, whole: bytes, path: Path) -> None:
    """What is not a saved estimator is a ValueError, as scikit-learn's users expect it."""
    path.write_bytes(changed(rng, whole, rng.choice(["about", "estimator"])))
    from dgpexp import DeepGPRegressor

    try:
        DeepGPRegressor.load(path).predict(np.zeros((2, 1)))
    except ValueError:
        pass
    except Exception as error:
        tally.tracebacks += 1
        tally.notes.append(f"{type(error).__name__}: {error}")


def changed(rng: random.Random, archive: bytes, description: str) -> bytes:
    """The bytes of an .npz after an accident, or with another value in the JSON that describes it."""
    match rng.choice(["flip", "cut", "foreign", "value", "value"]):
        case "flip":
            damaged = bytearray(archive)
            for _ in range(rng.randint(1, 20)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            return bytes(damaged)
        case "cut":
            return archive[: rng.randrange(len(archive))]
        case "foreign":
            return _npz({description: np.zeros(3)})
        case _:
            with np.load(BytesIO(archive)) as arrays:
                inside = dict(arrays)
            text = inside[description]
            about = json.loads(text.tobytes() if text.dtype == np.uint8 else str(text))
            inner = [value for value in about.values() if isinstance(value, dict) and value]
            table = rng.choice([about, *inner])
            table[rng.choice(list(table))] = rng.choice(WRONG)
            written = json.dumps(about)
            as_before = np.frombuffer(written.encode(), np.uint8) if text.dtype == np.uint8 else np.array(written)
            return _npz({**inside, description: as_before})


def _npz(arrays: dict[str, np.ndarray]) -> bytes:
    file = BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()
