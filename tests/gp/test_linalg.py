"""The hand-written gradients equal those of autodiff through the plain expressions."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.gp.linalg import (
    congruence,
    diagonals,
    factored_congruence,
    factored_forms,
    gram,
    gram_of_columns,
    inverse_cholesky,
    linear_forms,
    quadratic_forms,
    scale_gradient,
    squared_rows,
)


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


@pytest.mark.parametrize("units", [1, 3])
@pytest.mark.parametrize("m", [1, 4, 5])  # halves that are equal, unequal, and one that is empty
def test_quadratic_forms_and_their_gradients(rng, m, units):
    a, b = rng.normal(size=(7, m)), _positive_definite(rng, units, m) - 4 * np.eye(m)

    def plain(a, b):
        return tf.einsum("ni,dij,nj->nd", a, b, a)

    np.testing.assert_allclose(quadratic_forms(tf.constant(a), tf.constant(b)), plain(a, b), atol=1e-12)
    for ours, theirs in zip(_gradients(quadratic_forms, a, b), _gradients(plain, a, b), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-11)


def test_factored_forms_and_their_gradients(rng):
    """Quadratic forms of R Rᵀ; the gradient keeps R lower-triangular."""
    a, r = rng.normal(size=(7, 5)), np.tril(rng.normal(size=(3, 5, 5)))

    def plain(a, r):
        r = tf.linalg.band_part(r, -1, 0)
        return tf.einsum("ni,dij,nj->nd", a, tf.matmul(r, r, transpose_b=True), a)

    np.testing.assert_allclose(factored_forms(tf.constant(a), tf.constant(r)), plain(a, r), atol=1e-12)
    for ours, theirs in zip(_gradients(factored_forms, a, r), _gradients(plain, a, r), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-11)


@pytest.mark.parametrize("units", [1, 3])
def test_linear_forms_and_their_gradients(rng, units):
    a, m = rng.normal(size=(7, 5)), rng.normal(size=(units, 5))

    def plain(a, m):
        return tf.einsum("ni,di->nd", a, m)

    np.testing.assert_allclose(linear_forms(tf.constant(a), tf.constant(m)), plain(a, m), atol=1e-12)
    for ours, theirs in zip(_gradients(linear_forms, a, m), _gradients(plain, a, m), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-11)


def test_squared_rows_and_their_gradient(rng):
    a = rng.normal(size=(7, 5))
    np.testing.assert_allclose(squared_rows(tf.constant(a))[:, 0], (a**2).sum(1), atol=1e-12)
    (ours,), (theirs,) = (
        _gradients(f, a) for f in (squared_rows, lambda a: tf.reduce_sum(tf.square(a), 1, keepdims=True))
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_congruence_and_its_gradients_for_symmetric_cotangents(rng):
    y, e = rng.normal(size=(5, 5)), _positive_definite(rng, 3, 5)

    def of(product):
        """A function of C whose gradient is symmetric, as that of quadratic forms is."""
        return lambda y, e: tf.reduce_sum(tf.sin(product(y, e)), axis=[1, 2])

    def plain(y, e):
        return tf.einsum("ki,dkl,lj->dij", y, e, y)

    np.testing.assert_allclose(congruence(tf.constant(y), tf.constant(e)), plain(y, e), atol=1e-11)
    for ours, theirs in zip(_gradients(of(congruence), y, e), _gradients(of(plain), y, e), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


def test_factored_congruence_and_its_gradients_for_symmetric_cotangents(rng):
    y, r = rng.normal(size=(5, 5)), np.tril(rng.normal(size=(3, 5, 5)))

    def of(product):
        return lambda y, r: tf.reduce_sum(tf.sin(product(y, r)), axis=[1, 2])

    def plain(y, r):
        r = tf.linalg.band_part(r, -1, 0)
        return tf.einsum("ki,dkm,dlm,lj->dij", y, r, r, y) - tf.matmul(y, y, transpose_a=True)

    np.testing.assert_allclose(factored_congruence(tf.constant(y), tf.constant(r)), plain(y, r), atol=1e-11)
    for ours, theirs in zip(_gradients(of(factored_congruence), y, r), _gradients(of(plain), y, r), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


def test_gram_of_columns_and_its_gradient_for_symmetric_cotangents(rng):
    y = rng.normal(size=(5, 5))

    def of(product):
        return lambda y: tf.reduce_sum(tf.sin(product(y)), axis=[0, 1])

    def plain(y):
        return tf.matmul(y, y, transpose_a=True)

    np.testing.assert_allclose(gram_of_columns(tf.constant(y)), y.T @ y, atol=1e-12)
    np.testing.assert_allclose(_gradients(of(gram_of_columns), y)[0], _gradients(of(plain), y)[0], atol=1e-11)


def test_a_scaled_gradient_counts_several_times():
    x = tf.constant(3.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.square(scale_gradient(x, 5.0))
    assert value.numpy() == 9.0
    assert tape.gradient(value, x).numpy() == 30.0
