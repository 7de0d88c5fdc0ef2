"""scikit-learn's own checks of an estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from dgpexp import DeepGPRegressor

# One layer is traced in half the time of two; what two layers could break is asked of two in test_regressor.py.
QUICK = DeepGPRegressor(
    layers=1, steps=150, inducing_points=15, samples=2, learning_rate=0.05, settings={"test_samples": 5}
)


@parametrize_with_checks([QUICK])
def test_check_estimator(estimator, check):
    check(estimator)
