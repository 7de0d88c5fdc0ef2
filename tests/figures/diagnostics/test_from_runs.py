"""What a column is worth to a model whose use of it is known."""

import numpy as np

from dgpexp.datasets import Scaler, Split
from dgpexp.figures.diagnostics.from_runs import worth
from dgpexp.predictive.mixture import Mixture


class Sum:
    """Predicts x0 + x1 + x2 with deviation 1, and never looks at the others."""

    def predict_scaled(self, x):
        yield slice(0, len(x)), Mixture(x[:, :3].sum(1)[None], np.ones((1, len(x))))


def test_a_column_is_worth_what_is_lost_with_all_of_its_inputs_together():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(150, 5))
    x[:, 2] = -x[:, 1]  # of one column: what they say together cancels, and would not if they were shuffled apart
    one, features = Scaler(np.zeros(5), np.ones(5)), ("area", "city=a", "city=b", "city=c", "floor")
    split = Split("flats-1", x, x[:, :1], x, x[:, 0], one, one, features, "y", {"city": ("a", "b", "c")})
    found = worth(Sum(), split)
    assert list(found) == ["area", "city", "floor"]
    # E (x - x')² / 2 of two independent values of variance 1 is 1
    np.testing.assert_allclose(found["area"], 1.0, atol=0.25)
    np.testing.assert_allclose([found["city"], found["floor"]], 0.0, atol=1e-12)
