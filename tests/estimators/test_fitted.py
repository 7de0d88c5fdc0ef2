"""An estimator becomes fitted all at once, or not at all."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from dgpexp import DeepGPClassifier, DeepGPRegressor
from dgpexp.estimators import base

QUICK = {"method": "pep", "layers": 1, "steps": 20, "inducing_points": 5, "samples": 2, "random_state": 0}
X = np.random.default_rng(0).normal(size=(30, 2))
SIGNS = np.where(X[:, 0] > 0, "plus", "minus")


def stop(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_refit_that_is_interrupted_leaves_the_model_and_its_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    model = DeepGPClassifier(**QUICK).fit(X, SIGNS)
    before = model.predict(X).tolist()
    monkeypatch.setattr(base, "trained", stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :1], np.where(X[:, 0] > 0, "yes", "no"))
    assert model.classes_.tolist() == ["minus", "plus"] and model.n_features_in_ == 2
    assert model.predict(X).tolist() == before


def test_a_refit_that_is_refused_leaves_the_model_and_its_columns() -> None:
    model = DeepGPRegressor(**QUICK).fit(X, X[:, 0])
    before = model.predict(X)
    with pytest.raises(ValueError, match="unknown method"):
        model.set_params(method="ep").fit(X[:, :1], X[:, 1])
    np.testing.assert_array_equal(model.predict(X), before)


def test_a_refit_forgets_what_it_did_not_learn_again() -> None:
    pandas = pytest.importorskip("pandas")
    model = DeepGPRegressor(**QUICK).fit(pandas.DataFrame(X, columns=["a", "b"]), X[:, 0])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert not hasattr(model.fit(X, X[:, 0]), "feature_names_in_")


def test_after_a_first_fit_that_failed_there_is_nothing_to_predict_by(monkeypatch: pytest.MonkeyPatch) -> None:
    model = DeepGPClassifier(**QUICK)
    monkeypatch.setattr(base, "trained", stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, SIGNS)
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("layers", [0, 2.0, True, "2"])
def test_a_depth_is_a_whole_number_of_at_least_1(layers: object) -> None:
    with pytest.raises(ValueError, match=r"layers = .* is not possible: it accepts a whole number of at least 1"):
        DeepGPRegressor(**{**QUICK, "layers": layers}).fit(X, X[:, 0])


def test_numbers_that_cannot_be_scaled_are_refused() -> None:
    with pytest.raises(ValueError, match=r"row \d+ .counted from 0., 'x1' is too large .*: take another unit"):
        DeepGPRegressor(**QUICK).fit(X * [1.0, 1e200], X[:, 0])
    with pytest.raises(ValueError, match=r"'y' is too large"):
        DeepGPRegressor(**QUICK).fit(X, X[:, 0] * 1e200)
    with pytest.raises(ValueError, match=r"the numbers of 'y' differ by less than 1e-100: take another unit"):
        DeepGPRegressor(**QUICK).fit(X, X[:, 0] * 1e-200)


@pytest.mark.parametrize("kind", [str, object, list])
def test_text_outside_a_frame_is_no_number(kind: type) -> None:
    """numpy reads 1_2 as 12."""
    text = [["1_2", "3"]] * len(X)
    with pytest.raises(ValueError, match=r"X has text .'1_2'.: give it as a pandas frame"):
        DeepGPRegressor(**QUICK).fit(text if kind is list else np.array(text, dtype=kind), X[:, 0])
