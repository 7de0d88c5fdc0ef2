"""Training: it learns, it repeats itself to the last bit, and it continues as if it had never stopped."""

import numpy as np
import pytest

from dgpexp.config import Settings
from dgpexp.errors import NumericalFailure, UserError
from dgpexp.methods import METHODS
from dgpexp.training.session import Session
from tests.models import make_split, sine_split
from tests.sessions import SMALL, begun, small


def _numbers(session: Session) -> dict[str, np.ndarray]:
    return {name: value for name, value in session.state().items() if name != "seconds"}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_a_sine_in_the_units_of_y(method):
    session = begun(method, 2, small(method), sine_split())
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
    session = begun("aepmcm", 2, settings, split)
    session.advance(130)
    undisturbed, metrics = _numbers(session), session.evaluate()
    session.restart(split, seed=0)
    session.advance(77)  # inside an epoch, and inside a call's worth of steps
    state = session.state()
    session.advance(9)  # lost
    continued = Session("aepmcm", 2, settings, split, seed=0)
    continued.restore(state)
    assert continued.step == 77
    continued.advance(53)
    for name, value in undisturbed.items():
        np.testing.assert_array_equal(_numbers(continued)[name], value, err_msg=name)
    assert continued.evaluate() == metrics


def test_another_seed_gives_other_numbers():
    assert len({begun("vi", 2, SMALL, sine_split(), seed=seed).advance(5) for seed in (0, 1)}) == 2


def test_a_restarted_session_equals_a_new_one_and_traces_nothing():
    first, second = sine_split(seed=0), sine_split(seed=1)
    session = begun("aepmcm", 2, SMALL, first)
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
        session = begun("aepmcm", 2, SMALL.change({"precision": precision}), split)
        session.advance(400)
        results.append(session.evaluate()["ll"])
    assert abs(results[0] - results[1]) < 0.2


@pytest.mark.parametrize("learned", [True, False])
def test_the_noise_of_the_likelihood_moves_only_where_it_is_learned(learned):
    settings = SMALL.change({"likelihood_noise": 0.04, "learn_noise": learned})
    session = Session("aepmcm", 1, settings, sine_split(), seed=0)
    session.advance(5)
    moved = abs(session.predictor().model.likelihood.noise.numpy() - 0.04)
    assert moved > 1e-4 if learned else moved < 1e-12


@pytest.mark.parametrize(("kernel", "method"), [("matern32", "vi"), ("matern52", "aepmcm")])
def test_another_kernel_works_where_moments_are_not_needed(kernel, method):
    settings = SMALL.change({"kernel": kernel})
    session = Session(method, 2, settings, sine_split(), seed=0)
    session.advance(3)
    assert np.isfinite(session.evaluate()["ll"])
    with pytest.raises(UserError, match=f"{kernel} has none"):
        Session("aep", 2, settings, sine_split(), seed=0)


@pytest.mark.parametrize("method", METHODS)
def test_tiny_and_degenerate_data_work(method):
    """N < M, N < minibatch, one input column, a constant target."""
    x = np.random.default_rng(0).normal(size=(9, 1))
    for y in (np.sin(x[:, 0]), np.full(9, 3.0)):
        session = begun(method, 2, Settings(train_samples=2, test_samples=5), make_split(x, y, test=3))
        session.advance(20)
        assert np.isfinite(session.evaluate()["rmse"])


def test_a_numerical_failure_is_told_as_one():
    session = begun("vi", 1, SMALL, sine_split())
    state = session.state()
    state["model/000"] = np.full_like(state["model/000"], np.nan)
    session.restore(state)
    with pytest.raises(NumericalFailure):
        session.advance(5)


def test_the_jitter_can_be_raised_and_is_part_of_the_state():
    session = begun("vi", 1, SMALL, sine_split())
    assert session.jitter == 1e-6
    session.jitter = 1e-5
    other = Session("vi", 1, SMALL, sine_split(), seed=0)
    other.restore(session.state())
    assert other.jitter == 1e-5


def test_a_look_at_part_of_the_test_set_is_quick_and_leaves_the_crps_out():
    session = begun("aepmcm", 2, SMALL, sine_split())
    assert "crps" not in session.evaluate(rows=np.arange(5), full=False)
    assert "crps" in session.evaluate()
