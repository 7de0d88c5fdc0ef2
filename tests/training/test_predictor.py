"""A trained model predicts in the units of y, in bounded memory, and the same after it has been a file."""

import numpy as np
import pytest

from dgpexp.errors import UserError
from dgpexp.methods import METHODS
from dgpexp.training.predictor import Predictor
from dgpexp.training.session import Session
from tests.models import sine_split
from tests.sessions import begun, small


@pytest.fixture(scope="module", params=METHODS)
def session(request) -> Session:
    session = begun(request.param, 2, small(request.param), sine_split())
    session.advance(600)
    return session


def test_a_saved_model_predicts_the_same(session, tmp_path):
    session.predictor().save(tmp_path / "model.npz")
    loaded = Predictor.load(tmp_path / "model.npz")
    x = np.random.default_rng(0).uniform(-2, 2, size=(7, 1))
    for name in ("means", "variances"):
        np.testing.assert_array_equal(getattr(loaded.predict(x), name), getattr(session.predictor().predict(x), name))
    assert loaded.features == ("x0",)
    assert loaded.target == "y"


def test_predictions_are_in_the_units_of_y(session):
    prediction = session.predictor().predict(np.array([[0.8], [-0.8]]))
    np.testing.assert_allclose(prediction.mean(), 100 + 5 * np.sin([1.6, -1.6]), atol=1.0)
    assert np.all(prediction.std() > 0)


def test_many_points_come_in_parts_that_differ_in_their_random_numbers(session):
    """Pieces of 250 points, each by its own key: as many as there are in one call, the rest in another."""
    x = np.tile([[0.3]], (600, 1))
    parts = list(session.predictor().predict_scaled(x))
    assert [len(range(*at.indices(600))) for at, _ in parts] == [500, 100]
    whole, rest = (mixture for _, mixture in parts)
    first, again = whole.at(slice(0, 100)), whole.at(slice(250, 350))
    assert whole.means.shape[0] in (1, 20)
    for other in (again, rest):
        assert np.array_equal(first.means, other.means) == (len(first.means) == 1)
    alone = session.predictor().predict_scaled(x[:250])  # a piece does not depend on those that come with it
    np.testing.assert_array_equal(next(alone)[1].means, whole.means[:, :250])


def test_a_file_that_is_no_model_is_refused(tmp_path):
    (tmp_path / "other.npz").write_bytes(b"no model")
    with pytest.raises(UserError, match="not a model"):
        Predictor.load(tmp_path / "other.npz")


def test_the_wrong_number_of_columns_is_refused(session):
    with pytest.raises(UserError, match="1 input columns"):
        session.predictor().predict(np.zeros((3, 5)))
