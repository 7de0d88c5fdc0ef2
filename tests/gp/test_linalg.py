"""The hand-written gradients equal those of autodiff through the plain expressions."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.gp.linalg import diagonals, gram, inverse_cholesky, quadratic_forms


def _gradients(f, *arguments: np.ndarray) -> list[np.ndarray]:
    """Gradients of Σ (weights ∘ f), with weights that break every symmetry."""
    variables = [tf.constant(a) for a in arguments]
    with tf.GradientTape() as tape:
        tape.watch(variables)
        value = f(*variables)
        weights = tf.constant(np.random.default_rng(9).normal(size=value.shape))
        total = tf.reduce_sum(weights * value)
    return [g.numpy() for g in tape.gradient(total, variables)]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def _positive_definite(rng: np.random.Generator, *shape: int) -> np.ndarray:
    a = rng.normal(size=(*shape, shape[-1]))
    return a @ a.swapaxes(-1, -2) + np.eye(shape[-1])


def test_inverse_cholesky_inverts_the_factor(rng):
    k = _positive_definite(rng, 3, 5)
    np.testing.assert_allclose(inverse_cholesky(tf.constant(k)), np.linalg.inv(np.linalg.cholesky(k)), atol=1e-12)


def test_gradient_of_inverse_cholesky(rng):
    k = _positive_definite(rng, 3, 5)

    def plain(k):
        factor = tf.linalg.cholesky(k)
        return tf.linalg.triangular_solve(factor, tf.eye(5, batch_shape=[3], dtype=tf.float64))

    (ours,), (theirs,) = _gradients(inverse_cholesky, k), _gradients(plain, k)
    # Only perturbations that keep K symmetric have a meaning: compare the symmetric parts.
    np.testing.assert_allclose(ours, 0.5 * (theirs + theirs.swapaxes(1, 2)), atol=1e-11)


def test_gram_and_its_gradient(rng):
    """For any function of Σ, here log|I + Σ|; the gradient keeps R lower-triangular."""
    r = np.tril(rng.normal(size=(3, 5, 5)))

    def of(product):
        return lambda r: tf.linalg.logdet(tf.eye(5, dtype=tf.float64) + product(r))

    def plain(r):
        r = tf.linalg.band_part(r, -1, 0)
        return tf.matmul(r, r, transpose_b=True)

    np.testing.assert_allclose(gram(tf.constant(r)), plain(r), atol=1e-13)
    np.testing.assert_allclose(_gradients(of(gram), r)[0], _gradients(of(plain), r)[0], atol=1e-12)


def test_diagonals(rng):
    a = rng.normal(size=(3, 5, 5))
    np.testing.assert_array_equal(diagonals(tf.constant(a)), np.einsum("dii->di", a))


@pytest.mark.parametrize("m", [1, 4, 5])  # halves that are equal, unequal, and one that is empty
def test_quadratic_forms_and_their_gradients(rng, m):
    a, b = rng.normal(size=(7, m)), _positive_definite(rng, 3, m) - 4 * np.eye(m)

    def plain(a, b):
        return tf.einsum("ni,dij,nj->nd", a, b, a)

    np.testing.assert_allclose(quadratic_forms(tf.constant(a), tf.constant(b)), plain(a, b), atol=1e-12)
    for ours, theirs in zip(_gradients(quadratic_forms, a, b), _gradients(plain, a, b), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-11)
