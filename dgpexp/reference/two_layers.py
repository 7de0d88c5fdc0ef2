"""The deep GP of two layers without inducing points, by Markov chain Monte Carlo: what the methods approximate.

    h = x W + f₁(x) + e₁,   y = f₂(h) + e₂,   f₁ ~ GP(0, k₁) for each of D units, f₂ ~ GP(0, k₂), e_l ~ N(0, noise).

f₂ is integrated out: y | h ~ N(0, k₂(h, h) + σ₂² I). What is left, the hidden values at the N inputs, has a Gaussian
prior, and elliptical slice sampling draws it; f₁ and f₂ elsewhere are then exact GPs given h. The parameters of the
kernels and the noises are the caller's. Costs N³ a proposal: for tens or hundreds of rows.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from dgpexp.reference import elliptical_slice
from dgpexp.reference.exact import ExactGP, sample
from dgpexp.reference.kernels import Array, Kernel

JITTER = 1e-8  # on the diagonal of k₁(x, x), where there is no noise after the first layer


@dataclass(frozen=True)
class TwoLayers:
    """The posterior given x [N, Q] and y [N]. The noises are variances; `weights` is W [Q, D], none for W = 0."""

    first: Kernel
    second: Kernel
    noise: float
    x: Array
    y: Array
    inner_noise: float = 0.0
    units: int = 1
    weights: Array | None = None

    def linear(self, x: Array) -> Array:
        """x W: [n, D]."""
        return np.zeros((len(x), self.units)) if self.weights is None else x @ self.weights

    @cached_property
    def L(self) -> Array:
        """k₁(x, x) + σ₁² I = LLᵀ: [N, N]."""
        noise = (self.inner_noise + JITTER) * np.eye(len(self.x))
        return np.asarray(cholesky(self.first(self.x, self.x) + noise, lower=True))

    def log_likelihood(self, h: Array) -> float:
        """log p(y | h) for h [N, D], f₂ integrated out."""
        return ExactGP(self.second, self.noise, h, self.y).log_likelihood()

    def sample(
        self, keep: int, rng: np.random.Generator, burn_in: int = 1000, steps: int = 10, start: Array | None = None
    ) -> Array:
        """`keep` draws of h given y, with `steps` slice steps for each, after `burn_in` steps: [S, N, D].

        The chain begins at `start` [N, D], or at a draw of the prior.
        """
        centre, kept = self.linear(self.x), []
        f = self._prior(rng) if start is None else start - centre
        value = self.log_likelihood(centre + f)
        for i in range(1, burn_in + keep * steps + 1):
            f, value = elliptical_slice.step(f, value, lambda f: self.log_likelihood(centre + f), self._prior(rng), rng)
            if i > burn_in and (i - burn_in) % steps == 0:
                kept.append(centre + f)
        return np.array(kept)

    def _prior(self, rng: np.random.Generator) -> Array:
        """A draw of h - x W: [N, D]."""
        return self.L @ rng.standard_normal((len(self.x), self.units))

    def predict(self, draws: Array, x: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """Means and variances of y at x [n, Q], noise included: a component for every draw of h. [S, n] each.

        The hidden value at a new input is drawn given those of the data, a point at a time; the last layer is exact.
        """
        mean, gain = self._hidden_mean(draws, x)  # [S, n, D], [N, n]
        variance = self.first.diag(x) + self.inner_noise - np.sum(gain * gain, axis=0)  # [n]
        deviation = np.sqrt(np.maximum(variance, 0.0))[:, None]
        new = mean + deviation * rng.standard_normal(mean.shape)
        last = [ExactGP(self.second, self.noise, h, self.y).predict(h_new) for h, h_new in zip(draws, new, strict=True)]
        return np.array([m for m, _ in last]), np.array([v for _, v in last]) + self.noise

    def functions(self, draws: Array, x: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """For every draw one draw of both functions at x [n, Q]: x W + f₁(x) [S, n, D], and f₂ at it [S, n]."""
        mean, gain = self._hidden_mean(draws, x)
        covariance = self.first(x, x) - gain.T @ gain  # [n, n]
        around = sample(np.zeros(len(x)), covariance, len(draws) * self.units, rng, JITTER)  # [S·D, n]
        hidden = mean + np.swapaxes(around.reshape(len(draws), self.units, len(x)), 1, 2)
        outputs = []
        for h, h_new in zip(draws, hidden, strict=True):
            f_mean, f_covariance = ExactGP(self.second, self.noise, h, self.y).posterior(h_new)
            outputs.append(sample(f_mean, f_covariance, 1, rng, JITTER)[0])
        return hidden, np.array(outputs)

    def _hidden_mean(self, draws: Array, x: Array) -> tuple[Array, Array]:
        """E[h(x) | h] for draws of h [S, N, D]: [S, n, D], and L⁻¹ k₁(X, x) [N, n], which the variance needs too."""
        gain = solve_triangular(self.L, self.first(self.x, x), lower=True)
        white = np.stack([solve_triangular(self.L, h - self.linear(self.x), lower=True) for h in draws])  # [S, N, D]
        return self.linear(x) + gain.T @ white, gain
