"""Training: it learns, it repeats itself to the last bit, and it continues as if it had never stopped."""

import numpy as np
import pytest

from dgpexp.config import Settings
from dgpexp.errors import NumericalFailure, UserError
from dgpexp.methods import METHODS
from dgpexp.training.session import Session
from tests.models import make_split, sine_split

SMALL = Settings(inducing_points=10, train_samples=3, test_samples=20, batch_size=30, epochs=150)


def _numbers(session: Session) -> dict[str, np.ndarray]:
    return {name: value for name, value in session.state().items() if name != "seconds"}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_a_sine_in_the_units_of_y(method):
    split = sine_split()
    settings = SMALL.change({"features": 10}) if method == "rff" else SMALL  # 100 rows do not pay for 100 features
    session = Session(method, 2, settings, split, seed=0)
    assert session.total_steps == 150 * 4
    before = session.advance(100)
    after = session.advance(session.total_steps - 100)
    metrics = session.evaluate()
    assert after > before
    assert metrics["rmse"] < 0.6  # the noise is 0.3, the deviation of y about 3.5
    assert metrics["ll"] > -1.0
    assert session.step == session.total_steps
    assert session.seconds > 0


@pytest.mark.parametrize("settings", [SMALL, SMALL.change({"cooldown": 1.0})], ids=["constant", "cooldown"])
def test_a_restored_session_continues_bit_for_bit(settings):
    split = sine_split()
    undisturbed = Session("aepmcm", 2, settings, split, seed=0)
    undisturbed.advance(130)
    interrupted = Session("aepmcm", 2, settings, split, seed=0)
    interrupted.advance(77)  # inside an epoch, and inside a call's worth of steps
    state = interrupted.state()
    interrupted.advance(9)  # lost
    continued = Session("aepmcm", 2, settings, split, seed=0)
    continued.restore(state)
    assert continued.step == 77
    continued.advance(53)
    for name, value in _numbers(undisturbed).items():
        np.testing.assert_array_equal(_numbers(continued)[name], value, err_msg=name)
    assert continued.evaluate() == undisturbed.evaluate()


@pytest.mark.parametrize("method", ["vi", "pep", "nvc"])
def test_the_rate_of_covariances_is_of_hidden_layers_alone(method):
    """Adam's first step is the rate times the sign of the gradient: a tenth of it for hidden R, all of it elsewhere."""
    rates = (SMALL.change({"covariance_rate": rate}) for rate in (1.0, 1.0, 0.1))
    start, usual, slow = (Session(method, 3, settings, sine_split(), seed=0) for settings in rates)
    usual.advance(1)
    slow.advance(1)
    hidden = {id(v) for v in slow._model.hidden_covariances}
    assert len(hidden) == 2
    for first, one, other in zip(*(s._model.trainable_variables for s in (start, usual, slow)), strict=True):
        share = 0.1 if id(other) in hidden else 1.0
        np.testing.assert_allclose(other - first, share * (one - first), rtol=1e-9, atol=1e-15)


def test_another_seed_gives_other_numbers():
    one, other = (Session("vi", 2, SMALL, sine_split(), seed=s) for s in (0, 1))
    assert one.advance(5) != other.advance(5)


def test_a_restarted_session_equals_a_new_one_and_traces_nothing():
    first, second = sine_split(seed=0), sine_split(seed=1)
    session = Session("aepmcm", 2, SMALL, first, seed=0)
    session.advance(20)
    graph = session._steps
    session.restart(second, seed=5)
    assert session._steps is graph
    session.advance(20)
    fresh = Session("aepmcm", 2, SMALL, second, seed=5)
    fresh.advance(20)
    for name, value in _numbers(fresh).items():
        np.testing.assert_array_equal(_numbers(session)[name], value, err_msg=name)
    assert session.evaluate() == fresh.evaluate()
    with pytest.raises(ValueError, match="same shape"):
        session.restart(sine_split(rows=50), seed=0)


def test_mixed_precision_learns_the_same():
    split = sine_split()
    results = []
    for precision in ("float64", "mixed"):
        session = Session("aepmcm", 2, SMALL.change({"precision": precision}), split, seed=0)
        session.advance(400)
        results.append(session.evaluate()["ll"])
    assert abs(results[0] - results[1]) < 0.2


@pytest.mark.parametrize("learned", [True, False])
def test_the_noise_of_the_likelihood_moves_only_where_it_is_learned(learned):
    session = Session(
        "aepmcm", 2, SMALL.change({"likelihood_noise": 0.04, "learn_noise": learned}), sine_split(), seed=0
    )
    session.advance(5)
    moved = abs(session.predictor().model.likelihood.noise.numpy() - 0.04)
    assert moved > 1e-4 if learned else moved < 1e-12


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("layers", [1, 4])
def test_depths_from_one_on(method, layers):
    session = Session(method, layers, SMALL, sine_split(inputs=2), seed=0)
    session.advance(3)
    assert np.isfinite(session.evaluate()["ll"])


@pytest.mark.parametrize("kernel", ["matern32", "matern52"])
def test_another_kernel_works_where_moments_are_not_needed(kernel):
    settings = SMALL.change({"kernel": kernel})
    for method in ("vi", "aepmcm"):
        session = Session(method, 2, settings, sine_split(), seed=0)
        session.advance(3)
        assert np.isfinite(session.evaluate()["ll"])
    with pytest.raises(UserError, match=f"{kernel} has none"):
        Session("aep", 2, settings, sine_split(), seed=0)


@pytest.mark.parametrize("method", METHODS)
def test_tiny_and_degenerate_data_work(method):
    """N < M, N < minibatch, one input column, a constant target."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(9, 1))
    for y in (np.sin(x[:, 0]), np.full(9, 3.0)):
        session = Session(method, 2, Settings(train_samples=2, test_samples=5), make_split(x, y, test=3), seed=0)
        session.advance(20)
        assert np.isfinite(session.evaluate()["rmse"])


def test_a_numerical_failure_is_told_as_one():
    split = sine_split()
    session = Session("vi", 1, SMALL, split, seed=0)
    state = session.state()
    state["model/000"] = np.full_like(state["model/000"], np.nan)
    session.restore(state)
    with pytest.raises(NumericalFailure):
        session.advance(5)


def test_the_jitter_can_be_raised_and_is_part_of_the_state():
    session = Session("vi", 1, SMALL, sine_split(), seed=0)
    assert session.jitter == 1e-6
    session.jitter = 1e-5
    other = Session("vi", 1, SMALL, sine_split(), seed=0)
    other.restore(session.state())
    assert other.jitter == 1e-5


def test_a_look_at_part_of_the_test_set_is_quick_and_leaves_the_crps_out():
    session = Session("aepmcm", 2, SMALL, sine_split(), seed=0)
    assert "crps" not in session.evaluate(rows=np.arange(5), full=False)
    assert "crps" in session.evaluate()
