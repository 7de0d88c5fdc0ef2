"""scikit-learn's own checks of an estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from dgpexp import DeepGPClassifier, DeepGPRegressor

# One layer is traced in half the time of two; what two layers could break is asked of two in test_regressor.py.
QUICK = {"layers": 1, "steps": 150, "inducing_points": 15, "samples": 2, "learning_rate": 0.05}
# Predictions of few paths are as good as of many for these, and quicker.
QUICK["settings"] = {"test_samples": 5}


@parametrize_with_checks([DeepGPRegressor(**QUICK), DeepGPClassifier(**QUICK)])
def test_check_estimator(estimator, check):
    check(estimator)
