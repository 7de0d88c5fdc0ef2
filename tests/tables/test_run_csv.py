"""`dgpexp run csv` from a file to its predictions: what the runs, the status, the report and `predict` make of it."""

import csv
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dgpexp.cli.main import main
from dgpexp.plan import speed
from tests.engines.processes import FAKE, REAL, finish, measurements, run, run_dirs, start, status_of, wait_for
from tests.speeds import known_speeds

SMALL = ("--profile", "quick", "--set", "inducing_points=5", "--set", "test_samples=5", "--jobs", "1")


def write_table(path: Path, rows: int, seed: int = 0) -> Path:
    """Two numbers, a colour and a target that depends on all three."""
    rng = np.random.default_rng(seed)
    lines = ["size,colour,weight,price"]
    for _ in range(rows):
        size, weight, colour = rng.normal(), rng.normal(), rng.choice(["red", "green", "blue"])
        price = 2 * size - weight + 3 * (colour == "red") + 0.1 * rng.normal()
        lines.append(f"{size},{colour},{weight},{price}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with prices.csv, and the results and data that come of it."""
    monkeypatch.setenv("DGPEXP_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("DGPEXP_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write_table(tmp_path / "prices.csv", 60)
    return tmp_path


@pytest.fixture
def dgpexp(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*args: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(list(args))
        return int(stop.value.code or 0), *capsys.readouterr()

    return call


def planned(dgpexp: Any, *args: str) -> list[dict[str, Any]]:
    code, out, err = dgpexp("run", "csv", *args, "--dry-run", "--json")
    assert code == 0, err
    return json.loads(out)["runs"]


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("run", "csv"), "name the file: dgpexp run csv FILE --target COLUMN"),
        (("run", "csv", "prices.csv"), "the columns of prices.csv are: size, colour, weight, price"),
        (("run", "csv", "prices.csv", "--target", "prize"), "did you mean 'price'?"),
        (("run", "csv", "prices.csv", "--target", "price", "--test", "prices.csv", "--splits", "1"), "one split, 0"),
        (("run", "csv", "prices.csv", "--target", "price", "--dataset", "wine"), "'wine' is not a data set of csv"),
        (("run", "uci", "prices.csv"), "belong to `dgpexp run csv`, not to uci"),
        (("run", "uci", "--target", "price"), "belong to `dgpexp run csv`, not to uci"),
        (("run", "prices.csv"), "there is no experiment 'prices.csv'; name one of"),
    ],
)
def test_mistakes_are_told_in_one_sentence_before_anything_is_made(
    place: Path, dgpexp: Any, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], sentence: str
) -> None:
    monkeypatch.chdir(place)
    code, out, err = dgpexp(*args)
    assert code == 2 and out == "" and sentence in err
    assert [p.name for p in place.iterdir()] == ["prices.csv"]


def test_a_table_is_read_without_tensorflow(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.cli.test_main import imported

    monkeypatch.chdir(place)
    args = ["run", "csv", "prices.csv", "--target", "colour", "--task", "regression"]  # it is read, and refused
    code = f"from dgpexp.cli.main import main\ntry: main({args})\nexcept SystemExit: pass"
    assert "tensorflow" not in imported(code)


def test_the_plan_follows_the_file_the_options_and_the_profile(
    place: Path, dgpexp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    speed.remember(known_speeds())
    monkeypatch.chdir(place)
    table = ("prices.csv", "--target", "price")
    runs = planned(dgpexp, *table)
    assert len(runs) == 6 and all("-pep-2-s" in r["run"] for r in runs), "5 splits and all rows, one good model"
    assert [("all_rows" in r["command"]) for r in runs].count(True) == 1
    assert planned(dgpexp, *table, "--method", "auto") == runs, "of few rows auto mixes it with simple models"
    assert len(planned(dgpexp, *table, "--profile", "quick")) == 6
    assert len(planned(dgpexp, *table, "--profile", "thesis")) == 21
    assert len(planned(dgpexp, *table, "--method", "vi", "--layers", "1-3", "--splits", "0-1")) == 6
    assert len(planned(dgpexp, *table, "--test", "prices.csv")) == 2
    some = planned(dgpexp, *table, "--drop", "weight", "--test", "prices.csv", "--profile", "quick")
    for one in (runs[3], *some, *(r for r in runs if "all_rows" in r["command"])):
        again = planned(dgpexp, *shlex.split(one["command"])[3:])
        assert [r["run"] for r in again] == [one["run"]], "the recorded command makes the very run"
    write_table(place / "prices.csv", 60, seed=1)
    assert not {r["run"] for r in planned(dgpexp, *table)} & {r["run"] for r in runs}, "another file, other runs"
    code, _, err = dgpexp(*shlex.split(runs[3]["command"])[1:])
    assert code == 2 and "is not a data set of csv; its data sets are: prices-" in err, "a command of the old file"
    assert not (place / "data").exists() and not (place / "results").exists()


def test_killed_and_started_again_it_ends_as_if_undisturbed_and_every_command_shows_it(
    place: Path, dgpexp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = ("--splits", "0-1", "--max-steps", "400")
    args = ("run", "csv", str(place / "prices.csv"), "--target", "price", *SMALL, *short)
    fast = ("--checkpoint-every", "0")
    sweep = start(FAKE, *args, *fast, results=place / "results")
    wait_for(lambda: list((place / "results").rglob("checkpoint.npz")))
    sweep.kill()
    finish(sweep)
    code, _, err = run(FAKE, *args, *fast, results=place / "results")
    assert code == 0 and "column 'colour' has words, 3 levels (blue, green, red): one-hot, 3 inputs." in err
    assert run(FAKE, *args, results=place / "undisturbed")[0] == 0
    assert measurements(place / "results") == measurements(place / "undisturbed")
    name, _ = (path.name for path in run_dirs(place / "results"))

    for folder in ("data", "another"):  # seen from a folder that does not have the table, too
        monkeypatch.setenv("DGPEXP_DATA", str(place / folder))
        code, out, _ = dgpexp("status", "csv", "--json")
        (cell,) = json.loads(out)
        assert code == 0 and cell["done"] == 2 and cell["dataset"].startswith("prices-")
    code, _, err = dgpexp("report")
    assert code == 0 and "price of prices-" in err and "No simple models beside it" in err
    code, _, err = dgpexp("compare", "quick:split=0", "quick:split=1")
    assert code == 0 and "prices-" in err
    code, _, err = dgpexp("export", "--profile", "quick")
    assert code == 0 and "2 runs written" in err

    new = place / "new.csv"
    for text, sentence in (
        ("size,weight\n1,2\n", "lacks the columns colour; the model needs a header line with size, weight, colour"),
        (
            "size,weight,colour\n1,2,red\n1,2,pink\n",
            "line 3, column 'colour': 'pink' is a level that the training",
        ),
        ("size,weight,colour\n1,?,red\n", "has 1 missing cell in 1 of 1 rows: 'weight' 1 (line 2)"),
    ):
        new.write_text(text)
        code, out, err = dgpexp("predict", name, "--input", str(new))
        assert code == 2 and out == "" and sentence in err


def test_a_model_of_words_predicts_new_rows_as_it_was_measured(place: Path, dgpexp: Any) -> None:
    test = write_table(place / "test.csv", 15, seed=5)
    table = (str(place / "prices.csv"), "--target", "price", "--test", str(test))
    small = (*SMALL, "--splits", "0", "--max-steps", "60")
    code, out, err = run(REAL, "run", "csv", *table, *small, results=place / "results")
    assert code == 0, err
    assert "AEPMCM 2" in out and "a linear model" in out and "price of prices-" in out, "it ends in its results"
    (path,) = run_dirs(place / "results")
    assert status_of(path) == "COMPLETED"
    rows = list(csv.DictReader(test.open()))
    text = "note;colour;weight;size\n" + "".join(f"x;{r['colour']};{r['weight']};{r['size']}\n" for r in rows)
    (place / "new.csv").write_text(text.replace(".", ","))
    new = ("predict", path.name, "--input", str(place / "new.csv"))
    code, out, err = dgpexp(*new)
    assert code == 2 and out == "" and "is not written as the training rows are (decimal point)" in err
    code, out, err = dgpexp(*new, "--decimal", ",")
    assert code == 0 and "Not used by the model: note" in err and "decimal comma" in err
    mean = np.array([float(r["mean"]) for r in csv.DictReader(out.splitlines())])
    rmse = np.sqrt(np.mean((mean - np.array([float(r["price"]) for r in rows])) ** 2))
    assert rmse == pytest.approx(json.loads((path / "info.json").read_text())["metrics"]["rmse"], rel=1e-6)


@pytest.mark.slow  # a minute of a core: several models, and a process for each command
def test_the_mixture_of_all_models_is_measured_kept_and_predicts_with_a_guarantee(place: Path) -> None:
    table = ("csv", str(place / "prices.csv"), "--target", "price")
    results = place / "results"
    small = (*SMALL, "--method", "auto", "--max-steps", "30", "--set", "train_samples=2")
    code, out, err = run(REAL, "run", *table, *small, results=results)
    assert code == 0, err
    assert err.index("Without a deep model:") < err.index("completed"), "simple models come first"
    assert "auto is " in out and "predicts best" in out.splitlines()[1]
    assert any(line.split()[0] == "auto" for line in out.splitlines() if line.strip()), "it has a line of its own"
    new = write_table(place / "new.csv", 200, seed=7)
    args = ("--input", str(new), "--quantiles", "0.5")
    code, out, err = run(REAL, "predict", "prices", *args, "--guarantee", "0.8", results=results)
    assert code == 0 and "Predicting by auto of profile quick: " in err
    rows = list(csv.DictReader(out.splitlines()))
    held = np.mean([float(r["low"]) <= float(r["price"]) <= float(r["high"]) for r in rows])
    assert held > 0.72
    code, out, err = run(REAL, "predict", "prices", *args, "--guarantee", "1.2", results=results)
    assert code == 2 and "--guarantee 1.2 is not possible: it is a share between 0 and 1, e.g. 0.9." in err and not out
    code, _, err = run(REAL, "report", "prices", "--output", str(place / "page"), results=results)
    assert code == 0 and "auto" in (place / "page" / "index.html").read_text(), err
    (file,) = (results / "combined").rglob("*.npz")
    file.write_bytes(b"no model")
    code, out, err = run(REAL, "predict", "prices", *args, results=results)
    assert code == 2 and "is damaged" in err and "Traceback" not in err
    file.unlink()
    assert run(REAL, "run", *table, *small, results=results)[0] == 0 and file.is_file(), "what is lost is made again"
