"""Models of other packages: refused in a sentence where they are not, believable where they are."""

import numpy as np
import pytest

from dgpexp.errors import UserError
from dgpexp.reference import peers


def test_what_is_unknown_or_not_installed_is_refused(monkeypatch):
    with pytest.raises(UserError, match="--against xgboost is not possible: it accepts catboost, ngboost, or both"):
        peers.peers(["xgboost"])
    monkeypatch.setattr(peers, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"needs a package that is not here: pip install 'dgpexp\[catboost\]'"):
        peers.peers(["catboost"])
    assert peers.peers([]) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(peers.PEERS))
def test_a_peer_beats_the_mean_of_numbers_and_of_classes(name):
    pytest.importorskip(name, reason=f"{name} is not installed (the extra {name} has it)")
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=(300, 2))
    f = np.sin(2 * x[:, 0])
    y = f + 0.2 * rng.normal(size=300)
    mean, variance = peers.PEERS[name].learn(x[:200], y[:200]).predict(x[200:])
    ll = np.mean(-0.5 * np.log(2 * np.pi * variance) - 0.5 * (y[200:] - mean) ** 2 / variance)
    assert ll > -0.5, "the mean alone has about -1.1"
    for classes in (2, 3):
        labels = np.digitize(f, np.quantile(f, np.arange(1, classes) / classes))
        log_p = peers.PEERS[name].learn(x[:200], labels[:200].astype(float), classes).predict(x[200:])
        np.testing.assert_allclose(np.exp(log_p).sum(1), 1, atol=1e-6)
        assert (log_p.argmax(1) == labels[200:]).mean() > 0.8
