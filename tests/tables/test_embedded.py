"""The model in a page says in chromium what `dgpexp predict` says, to a thousandth of a deviation."""

import json
import re
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from dgpexp.config import Settings
from dgpexp.datasets.splits import cut
from dgpexp.datasets.table import Table
from dgpexp.errors import UserError
from dgpexp.predictive.classes import Classes
from dgpexp.reference.baselines import candidates, learnt
from dgpexp.tables import page as own_page
from dgpexp.tables.combined import Chosen, Combined
from dgpexp.tables.embedded import of_model
from dgpexp.tables.gathered import OwnReport
from dgpexp.tables.results import Model
from dgpexp.tasks import task_of
from dgpexp.training.session import Session
from tests.browser import DESKTOP, PHONE, eventually, look

pytestmark = pytest.mark.browser
TEMPLATES = Path(__file__).parents[2] / "dgpexp" / "tables" / "templates"
SMALL = {"inducing_points": 12, "train_samples": 3, "test_samples": 40, "max_steps": 150, "all_rows": True}
CLOSE = 1e-3  # of a deviation


def made(classes: tuple[str, ...] = ()) -> Table:
    """A number, a word of three levels, a date's parts, a missing cell; a target of two branches, or classes."""
    rng = np.random.default_rng(0)
    n = 120
    area, city, year = rng.uniform(20, 140, n), rng.integers(3, size=n), 2023 + rng.integers(1000, size=n) / 365.25
    y = 10 * area + 200 * city + 900 * (rng.random(n) < 0.4) + 60 * rng.normal(size=n)
    if classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, len(classes)) / len(classes))).astype(float)
    x = np.column_stack([area, np.eye(3)[city], year])
    x[7, 0] = np.nan
    names = ("area", "city=Bern", "city=Oslo", "city=Rome", "let.year")
    return Table("flats-12345678", x, y, names, "rent", {"city": ("Bern", "Oslo", "Rome")}, classes)


def trained(table: Table, method: str = "pep", layers: int = 2, **settings: object):
    whole = cut(table, slice(None), slice(0, 1))
    session = Session(method, layers, Settings().change({**SMALL, **settings}), whole, seed=3)
    session.advance(session.total_steps)
    return session.predictor()


@pytest.mark.parametrize(
    ("method", "layers", "settings", "classes"),
    [
        ("pep", 2, {}, ()),
        ("vi", 3, {"kernel": "matern32"}, ()),
        ("aepmcm", 1, {"kernel": "matern52"}, ()),
        ("pep", 2, {"separate_inducing": True}, ()),
        ("pep", 2, {}, ("no", "yes")),
        ("aepmcm", 2, {}, ("a", "b", "c")),
    ],
    ids=["two layers", "three layers", "one layer", "separate inducing inputs", "two classes", "three classes"],
)
def test_the_forward_pass_is_that_of_the_predictor_on_ten_rows(driver, method, layers, settings, classes):
    table = made(classes)
    likelihood = {"likelihood": "robustmax"} if len(classes) > 2 else {}
    predictor = trained(table, method, layers, **settings, **likelihood)
    same(driver, predictor, table)


@pytest.mark.parametrize("classes", [(), ("no", "yes"), ("a", "b", "c")], ids=["numbers", "two classes", "three"])
def test_a_mixture_of_every_simple_model_and_a_deep_one_is_computed_too(driver, classes):
    table = made(classes)
    whole = cut(table, slice(None), slice(0, 1))
    kinds = candidates(120, 5, len(classes))
    members = {name: learnt(kind, whole.x_train, whole.y_train[:, 0], len(classes)) for name, kind in kinds.items()}
    members["PEP 2"] = trained(table, likelihood="robustmax" if len(classes) > 2 else "auto")
    weights = {name: (k + 1) / 15 if not classes else (k + 1) / 6 for k, name in enumerate(members)}
    same(driver, Combined.of(members, Chosen(weights, [], None), whole), table)


def same(driver, predictor, table: Table) -> None:
    """The page computes what the model predicts, to a thousandth of a deviation."""
    about = of_model(predictor, table, "run")
    rows = table.x[8:18] * [1.1, 1, 1, 1, 1]  # the last ones lie outside of what was learnt
    driver.get("about:blank")
    script = f"""{(TEMPLATES / "forward.js").read_text()}
        const model = new forward.Model(JSON.parse(arguments[0]));
        return arguments[1].map((row) => {{
          const found = model.predict(row);
          return Array.isArray(found) ? found
            : [found.mean, found.deviation, found.quantile(0.05), found.quantile(0.5), found.quantile(0.95)];
        }});"""
    seen = np.array(driver.execute_script(script, json.dumps(about), rows.tolist()))
    found = predictor.predict(rows)
    if isinstance(found, Classes):
        assert np.abs(seen - found.probabilities).max() < CLOSE
        return
    wanted = np.stack([found.mean(), found.std(), *found.quantile([0.05, 0.5, 0.95])], axis=1)
    assert np.abs((seen - wanted) / found.std()[:, None]).max() < CLOSE


@pytest.fixture(scope="module")
def predictor():
    return trained(made())


def written(folder: Path, model) -> Path:
    """The page of a table, its other contents invented."""
    numbers = {0: {"ll": -6.7, "rmse": 180.0, "crps": 100.0, "coverage90": 0.9}}
    lines = [Model("PEP 2", numbers, "pep", "quick")]
    report = OwnReport("flats-1", "rent", ["area", "city", "let"], 5, 108, 12, task_of(()), [], lines, [], [], [])
    section = {"slug": "model-1", "model": lines[0], "pictures": [], "problem": "", "settings": {}, "against": []}
    runs = [{"split": 0, "numbers": [], "steps": 1, "seconds": 1, "run_id": "flats-1-pep-2-s00", "command": ""}]
    (folder / "index.html").write_text(own_page.render(report, [section | {"runs": runs}], *model), encoding="utf-8")
    return folder


def test_controls_become_inputs_as_predict_reads_them(driver, predictor, tmp_path):
    """Ten rows of an area, a city and a date, of which one lacks its area and one lies outside of what was learnt."""
    table = made()
    look(driver, written(tmp_path, (of_model(predictor, table, "run"), "")))
    days = [date(2023, 1, 1) + timedelta(days=90 * k) for k in range(10)]
    areas, cities = [*range(30, 120, 10), 300], ["Bern", "Oslo", "Rome"] * 4
    for k, (area, city, day) in enumerate(zip(areas, cities, days, strict=False)):
        empty = k == 4
        script = """
            const [area, city, day] = ["#ask-0", "#ask-1", "#ask-2"].map((id) => document.querySelector(id));
            [area.value, city.value, day.value] = arguments;
            for (const field of [area, city, day]) field.dispatchEvent(new Event("input", { bubbles: true }));
            const all = (name) => [...document.querySelectorAll(`#ask-model ${name} data`)];
            const values = (name) => all(name).map((d) => Number(d.value));
            return [values("dl div:nth-child(-n+2)"), values("[data-name=region]"), values("[data-name=central]"),
                    values("dl div:nth-child(3)"), document.querySelector(".warning").innerText];"""
        (mean, std), region, central, modes, warning = driver.execute_script(
            script, "" if empty else area, city, day.isoformat()
        )
        year = day.year + (day.timetuple().tm_yday - 1) / 365.25
        x = [predictor.x_scaler.mean[0] if empty else area, *(float(city == c) for c in table.levels["city"]), year]
        found = predictor.predict(np.array([x]))
        unit = found.std()[0]
        wanted = [found.mean()[0], unit, *found.interval(0.9)[0], *found.interval(0.9, "hdr")[0].ravel()]
        assert np.abs(np.array([mean, std, *central, *region]) - wanted).max() < CLOSE * unit
        assert np.abs(np.array(modes) - found.modes()[0]).max() < CLOSE * unit * 10, (
            "a flat top says little of its place"
        )
        assert ("area" in warning) == (area == 300 and not empty)


def test_a_training_row_can_be_taken_and_is_then_the_nearest(driver, predictor, tmp_path):
    look(driver, written(tmp_path, (of_model(predictor, made(), "run"), "")))
    row = driver.find_elements("css selector", "#ask-model tbody tr")[2]
    text = row.text
    driver.execute_script("arguments[0].click()", row.find_element("css selector", "button"))
    assert driver.find_element("css selector", "#ask-model tbody tr").text == text


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_complains_of_nothing_and_needs_no_network(driver, predictor, tmp_path, size, scheme):
    driver.get_log("browser")
    look(driver, written(tmp_path, (of_model(predictor, made(), "run"), "")), size, scheme)
    eventually(lambda: driver.find_elements("css selector", ".profile .row"))
    assert driver.execute_script("return document.documentElement.scrollWidth") <= size[0]
    crossing = """
        const boxes = [...document.querySelectorAll(arguments[0])].map((e) => e.getBoundingClientRect());
        return boxes.some((a, i) => boxes.some((b, j) => i < j && a.left < b.right && b.left < a.right
          && a.top < b.bottom && b.top < a.bottom));"""
    for picture in (".density", ".profile"):
        assert not driver.execute_script(crossing, f"{picture} text"), "no two words meet"
    assert [e for e in driver.get_log("browser") if e["level"] in ("WARNING", "SEVERE")] == []
    assert (tmp_path / "index.html").stat().st_size < 1e6
    assert not re.findall(r'(?:src|href)="(?!#|data:|figures/|tables/)', (tmp_path / "index.html").read_text())


def test_without_a_model_the_page_says_why(tmp_path):
    assert "The model is not in this page. It is too deep." in (
        written(tmp_path, (None, "It is too deep.")) / "index.html"
    ).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"likelihood": "studentt"}, "Its likelihood is studentt"),
        ({"precision": "mixed"}, "mixed precision"),
        ({"method": "aep"}, "The method aep predicts by other means than sampled paths"),
    ],
)
def test_what_cannot_be_embedded_says_why(changes, reason):
    predictor = trained(made(), **{"max_steps": 1, **changes})
    with pytest.raises(UserError, match=reason):
        of_model(predictor, made(), "run")
