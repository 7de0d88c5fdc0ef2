"""Deep GPs as estimators of scikit-learn: `from dgpexp import DeepGPRegressor`."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # TensorFlow greets on stderr otherwise

from dgpexp.estimators.regressor import DeepGPRegressor

__all__ = ["DeepGPRegressor"]
