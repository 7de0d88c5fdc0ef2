"""Deep GPs as estimators of scikit-learn: `from dgpexp import DeepGPRegressor, DeepGPClassifier`."""

from dgpexp.estimators.classifier import DeepGPClassifier
from dgpexp.estimators.regressor import DeepGPRegressor

__all__ = ["DeepGPClassifier", "DeepGPRegressor"]
