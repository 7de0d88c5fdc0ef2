"""`method="auto"`: what it mixes, what it leaves out, time and Ctrl-C, files, and guaranteed intervals."""

import numpy as np
import pytest

from dgpexp import DeepGPClassifier, DeepGPRegressor
from dgpexp.estimators import auto

QUICK = {
    "layers": 1,
    "steps": 60,
    "learning_rate": 0.01,
    "inducing_points": 8,
    "samples": 2,
    "random_state": 0,
    "settings": {"test_samples": 5},
}


def straight(rows: int = 90) -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(0).normal(size=(rows, 2))
    return x, 50 + x @ [3.0, -1.0] + np.random.default_rng(1).normal(size=rows)


@pytest.fixture(scope="module")
def fitted() -> DeepGPRegressor:
    return DeepGPRegressor(**QUICK).fit(*straight())


def test_a_deep_model_that_gains_nothing_gets_no_weight(fitted):
    assert sum(fitted.weights_.values()) == pytest.approx(1)
    assert "PEP 1" not in fitted.weights_, "60 steps learn less than a straight line says"
    assert fitted.n_steps_ == 3 * 60, "so that it was not trained on all rows"
    x, y = straight(300)
    assert fitted.score(x, y) > 0.85
    assert fitted.pred_dist(x).logpdf(y).mean() > -1.55, "the noise alone has an entropy of 1.42"


def test_what_is_guaranteed_holds(fitted):
    x, y = straight(400)
    for kind in ("central", "hdr"):
        ends = fitted.predict_interval(x, 0.9, kind, guarantee=True).reshape(400, -1, 2)
        held = ((ends[..., 0] <= y[:, None]) & (y[:, None] <= ends[..., 1])).any(1).mean()
        assert 0.86 < held < 0.97
    with pytest.raises(ValueError, match=r"a guarantee of 1.2 is not possible"):
        fitted.predict_interval(x, 1.2, guarantee=True)
    with pytest.raises(ValueError, match=r"a guarantee of 0.999 needs 999 rows .* and there are 90"):
        fitted.predict_interval(x, 0.999, guarantee=True)


def test_uncertainty_is_split_and_rows_outside_what_was_learnt_are_flagged(fitted, tmp_path):
    x, _ = straight(40)
    found = fitted.uncertainty(x)
    np.testing.assert_allclose(found["noise"] ** 2 + found["ignorance"] ** 2, found["std"] ** 2)
    assert found["std"] == pytest.approx(fitted.predict(x, return_std=True)[1]) and not found["outside"].all()
    assert np.median(found["noise"]) == pytest.approx(1, abs=0.25), "the noise of these data is 1"
    fitted.save(tmp_path / "model.npz")
    far = np.array([[0.0, 0.0], [1975.0, 0.0]])
    for model in (fitted, DeepGPRegressor.load(tmp_path / "model.npz")):
        with pytest.warns(
            UserWarning, match=r"1 of 2 rows lie far outside .*: row 1 \(from 0\) has x0 = 1975 \(learnt"
        ):
            outside = model.uncertainty(far)["outside"]
        assert outside.tolist() == [False, True]


def test_of_few_rows_there_are_no_folds_and_no_guarantee():
    x, y = straight(20)
    model = DeepGPRegressor(**QUICK).fit(x, y)
    assert model.weights_ == {"pep": 1.0}
    with pytest.raises(ValueError, match="train it by method auto, on at least 30 rows"):
        model.predict_interval(x, 0.9, guarantee=True)


def test_a_file_has_all_members(fitted, tmp_path):
    x, _ = straight()
    fitted.save(tmp_path / "model.npz")
    again = DeepGPRegressor.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.predict(x), fitted.predict(x))
    np.testing.assert_array_equal(
        again.predict_interval(x, 0.8, guarantee=True), fitted.predict_interval(x, 0.8, guarantee=True)
    )
    assert again.weights_ == fitted.weights_


def test_ctrl_c_keeps_what_was_finished(monkeypatch):
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(auto, "advance", stop)
    with pytest.warns(
        UserWarning, match="interrupted: the model is a mixture of a linear model, boosted trees, an exact"
    ):
        model = DeepGPRegressor(**QUICK).fit(*straight())
    assert model.score(*straight()) > 0.85
    monkeypatch.setattr(auto, "learnt", stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*straight())
    assert model.score(*straight()) > 0.85, "before anything is learnt, it stays what it was"


def test_time_is_bounded(monkeypatch):
    clock = iter(range(1000))
    monkeypatch.setattr(auto.time, "monotonic", lambda: float(next(clock)))
    with pytest.warns(UserWarning, match="max_seconds is over: the model is a mixture of a linear model"):
        DeepGPRegressor(**QUICK, max_seconds=3.5).fit(*straight())
    with pytest.raises(ValueError, match=r"max_seconds = -1.0 is not possible: it accepts a number above 0"):
        DeepGPRegressor(**QUICK, max_seconds=-1).fit(*straight())


def test_classes_are_mixed_too(tmp_path):
    x = np.random.default_rng(0).normal(size=(90, 2))
    labels = np.where(x[:, 0] + x[:, 1] > 0, "yes", "no")
    model = DeepGPClassifier(**QUICK).fit(x, labels)
    assert model.score(x, labels) > 0.9 and model.predict_proba(x).sum(1) == pytest.approx(1)
    model.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(
        DeepGPClassifier.load(tmp_path / "model.npz").predict_proba(x), model.predict_proba(x)
    )
