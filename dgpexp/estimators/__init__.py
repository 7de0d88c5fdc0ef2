"""Deep GPs as estimators of scikit-learn: `from dgpexp import DeepGPRegressor`."""

from dgpexp import quietly

quietly.import_tensorflow()

from dgpexp.estimators.regressor import DeepGPRegressor  # noqa: E402

__all__ = ["DeepGPRegressor"]
