"""Deep GPs as estimators of scikit-learn: `from dgpexp import DeepGPRegressor, DeepGPClassifier`."""

from dgpexp import quietly

quietly.import_tensorflow()

from dgpexp.estimators.classifier import DeepGPClassifier  # noqa: E402
from dgpexp.estimators.regressor import DeepGPRegressor  # noqa: E402

__all__ = ["DeepGPClassifier", "DeepGPRegressor"]
