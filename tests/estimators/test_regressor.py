"""DeepGPRegressor: what it predicts, that rows do not disturb each other, words, files, and scikit-learn's tools."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, ShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dgpexp import DeepGPRegressor

QUICK = {"method": "pep", "steps": 400, "inducing_points": 12, "samples": 5, "random_state": 0}


def two_branches(rows: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """y is 10 above or 10 below 100, at random, whatever x."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(rows, 1))
    return x, 100 + 10 * rng.choice([-1.0, 1.0], size=rows) + 0.5 * rng.normal(size=rows)


def flats(rows: int = 120) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(1)
    area, city = rng.uniform(20, 120, size=rows), rng.choice(["Bern", "Oslo", "Rome"], size=rows)
    frame = pd.DataFrame({"area": area, "city": city, "lift": rng.choice([True, False], size=rows), "unit": "m2"})
    return frame, pd.Series(10 * area + 300 * (city == "Oslo") + 5 * rng.normal(size=rows), name="rent")


@pytest.fixture(scope="module")
def fitted() -> DeepGPRegressor:
    return DeepGPRegressor(**QUICK).fit(*two_branches())


@pytest.fixture(scope="module")
def renting() -> DeepGPRegressor:
    return DeepGPRegressor(**QUICK | {"method": "vi"}).fit(*flats())


def test_predictions_are_distributions_of_the_shapes_that_are_promised(fitted):
    x = np.linspace(-0.9, 0.9, 7)[:, None]
    mean, std = fitted.predict(x, return_std=True)
    found = fitted.pred_dist(x)
    np.testing.assert_allclose(mean, found.mean())
    np.testing.assert_allclose(std, found.std())
    np.testing.assert_array_equal(fitted.predict(x), mean)
    np.testing.assert_allclose(found.cdf(fitted.predict_quantiles(x, [0.1, 0.9]).T), [[0.1] * 7, [0.9] * 7])
    np.testing.assert_array_equal(fitted.predict_interval(x, 0.8), fitted.predict_quantiles(x, [0.1, 0.9]))
    draws = fitted.sample_y(x, 500, random_state=3)
    assert draws.shape == (7, 500)
    np.testing.assert_allclose(draws.mean(1), mean, atol=4 * std.max() / np.sqrt(500))
    np.testing.assert_array_equal(draws, fitted.sample_y(x, 500, random_state=3))


def test_the_highest_density_region_is_not_larger_than_the_central_interval(fitted):
    x = np.array([[0.2], [0.7]])
    regions, central = (fitted.predict_interval(x, 0.5, kind) for kind in ("hdr", "central"))
    assert np.all(np.nansum(regions[..., 1] - regions[..., 0], axis=1) <= np.diff(central)[:, 0] + 1e-3)


def test_a_row_does_not_depend_on_the_rows_beside_it(fitted):
    x = np.random.default_rng(2).uniform(-1, 1, size=(120, 1))
    whole = fitted.pred_dist(x).means
    np.testing.assert_allclose(fitted.pred_dist(x[::-1]).means[:, ::-1], whole, rtol=1e-9)
    np.testing.assert_allclose(fitted.pred_dist(x[70:71]).means, whole[:, 70:71], rtol=1e-9)


def test_the_same_seed_gives_the_same_model_and_another_another(fitted):
    x, again = np.array([[0.3]]), DeepGPRegressor(**QUICK).fit(*two_branches())
    np.testing.assert_array_equal(again.predict(x), fitted.predict(x))
    assert again.set_params(random_state=1).fit(*two_branches()).predict(x) != fitted.predict(x)


def test_a_frame_with_words_is_encoded_as_it_was_taught(renting):
    frame, rent = flats()
    assert renting.score(frame, rent) > 0.9
    assert renting.predictor_.features == ("area", "city=Bern", "city=Oslo", "city=Rome", "lift")
    assert renting.feature_names_in_.tolist() == ["area", "city", "lift", "unit"]
    oslo, rome = (renting.predict(frame.assign(city=city)).mean() for city in ("Oslo", "Rome"))
    assert oslo - rome == pytest.approx(300, abs=100)
    with pytest.raises(ValueError, match=r"row 0 .counted from 0., column 'city': 'Pisa' is a level that"):
        renting.predict(frame.assign(city="Pisa"))
    with pytest.raises(ValueError, match="a frame with the same columns"):
        renting.predict(frame.to_numpy())
    with pytest.raises(ValueError, match="feature names should match"):
        renting.predict(frame.drop(columns="lift"))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"area": [np.nan] + [1.0] * 119}, "X, row 0 .counted from 0., column 'area' is missing"),
        ({"city": [None] + ["Rome"] * 119}, "column 'city' is missing"),
        ({"city": [f"street {i}" for i in range(120)]}, "120 different words .* leave the column out, or group them"),
    ],
)
def test_frames_that_cannot_be_used_are_refused_in_words(change, sentence):
    frame, rent = flats()
    with pytest.raises(ValueError, match=sentence):
        DeepGPRegressor(**QUICK).fit(frame.assign(**change), rent)


def test_a_saved_model_predicts_the_same_and_is_no_pickle(renting, tmp_path):
    renting.save(tmp_path / "flats.npz")
    loaded, frame = DeepGPRegressor.load(tmp_path / "flats.npz"), flats()[0]
    np.testing.assert_array_equal(loaded.predict(frame), renting.predict(frame))
    assert loaded.get_params() == {**renting.get_params(), "random_state": None}
    assert loaded.feature_names_in_.tolist() == renting.feature_names_in_.tolist()
    with np.load(tmp_path / "flats.npz", allow_pickle=False) as arrays:
        assert all(arrays[name].dtype != object for name in arrays.files)


@pytest.mark.parametrize("fault", ["empty", "text", "cut", "list", "parameter", "attribute"])
def test_what_is_not_a_saved_model_is_refused(renting, tmp_path, fault):
    path = tmp_path / "other.npz"
    renting.save(path)
    with np.load(path) as arrays:
        inside = dict(arrays)
    about = json.loads(str(inside["estimator"]))
    match fault:
        case "list":
            about = [about]
        case "parameter":
            about["parameters"]["nonsense"] = 1
        case "attribute":
            about["fitted"] = None
    np.savez(path, **{**inside, "estimator": np.array(json.dumps(about))})
    whole = path.read_bytes()
    path.write_bytes({"empty": b"", "text": b"no model", "cut": whole[: len(whole) // 2]}.get(fault, whole))
    with pytest.raises(ValueError, match=r"other.npz is not a DeepGPRegressor that was saved"):
        DeepGPRegressor.load(path)


def test_a_file_sets_what_save_keeps_and_nothing_else(renting, tmp_path):
    renting.save(tmp_path / "flats.npz")
    with np.load(tmp_path / "flats.npz") as arrays:
        inside = dict(arrays)
    about = json.loads(str(inside["estimator"]))
    about["fitted"]["predict"] = "mine"
    np.savez(tmp_path / "flats.npz", **{**inside, "estimator": np.array(json.dumps(about))})
    assert callable(DeepGPRegressor.load(tmp_path / "flats.npz").predict)


def test_processes_may_exchange_it(renting):
    frame = flats()[0]
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(renting)).predict(frame), renting.predict(frame))


def test_it_works_in_pipelines_searches_and_cross_validation():
    (x, y), once = two_branches(60), ShuffleSplit(1, random_state=0)
    model = make_pipeline(StandardScaler(), DeepGPRegressor(layers=1, steps=20, inducing_points=5, random_state=0))
    search = GridSearchCV(model, {"deepgpregressor__inducing_points": np.array([3, 5])}, cv=once).fit(x, y)
    assert search.best_params_["deepgpregressor__inducing_points"] in (3, 5)

    def log_density(fitted, x, y):
        return fitted.pred_dist(x).logpdf(y).mean()

    assert np.isfinite(cross_val_score(model[-1], x, y, cv=once, scoring=log_density)).all()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"method": "ep"}, "unknown method 'ep'; the methods are vi, aep, aepmcm"),
        ({"steps": 0.5}, "steps = 0.5 is not possible: it accepts a whole number"),
        ({"steps": 0}, "steps = 0 is not possible"),
        ({"settings": {"kernal": "rbf"}}, "unknown setting 'kernal' .did you mean 'kernel'"),
    ],
)
def test_impossible_parameters_are_refused_in_words(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        DeepGPRegressor(**parameters).fit(*two_branches(30))


def test_a_bar_is_shown_on_request(capsys):
    DeepGPRegressor(layers=1, steps=50, inducing_points=3, progress=True).fit(*two_branches(30))
    assert "50/50" in capsys.readouterr().err


def test_importing_dgpexp_alone_imports_neither_tensorflow_nor_scikit_learn():
    code = (
        "import dgpexp, sys; assert not {'tensorflow', 'sklearn'} & set(sys.modules); "
        "assert 'DeepGPRegressor' in dir(dgpexp)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("likelihood", ["studentt", "poisson"])
def test_other_likelihoods_than_the_gaussian(likelihood, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(80, 1))
    y = rng.poisson(np.exp(1 + X[:, 0])).astype(float)
    small = {"steps": 100, "inducing_points": 8, "samples": 3, "random_state": 0}
    model = DeepGPRegressor(likelihood=likelihood, **small).fit(X, y)
    low, high = model.predict_interval([[-0.9], [0.9]]).T
    assert np.all(low < high) and high[1] > high[0]
    if likelihood == "poisson":
        assert np.all(low == np.round(low)) and np.all(low >= 0)
        with pytest.raises(ValueError, match="no count: poisson needs 0, 1, 2"):
            DeepGPRegressor(likelihood=likelihood, **small).fit(X, y + 0.5)
    model.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(DeepGPRegressor.load(tmp_path / "model.npz").predict(X), model.predict(X))


def test_the_default_is_that_of_run_csv(tmp_path, monkeypatch):
    from dgpexp.plan.protocol import Select
    from dgpexp.tables.protocol import table_run

    monkeypatch.setenv("DGPEXP_DATA", str(tmp_path / "data"))
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{i % 7},{i}.5\n" for i in range(40)))
    for method in ("auto", "pep"):
        asked = Select(methods=() if method == "auto" else (method,))
        run = table_run(tmp_path / "t.csv", "y", (), None, None, False, None, (), (), (), asked)
        run.own.keep()
        (spec, *others) = run.protocol.runs("best", run.selections(asked)[0])
        found, layers = DeepGPRegressor(None if method == "auto" else method)._settings()
        assert len(others) == 4 and (found.keys() >= {spec.method}, layers) == (True, spec.layers)
        settings = spec.settings.change({"evaluate_every": 0, "shared_paths": True, "precision": "float64"})
        assert found[spec.method] == settings
        assert settings.inducing_points == (80 if method == "auto" else 100)
    assert DeepGPRegressor("vi", steps=7)._settings()[0]["vi"].max_steps == 7
