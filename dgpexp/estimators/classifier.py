"""DeepGPClassifier: probabilities of classes, by scikit-learn's conventions."""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from dgpexp.estimators.base import DeepGPEstimator
from dgpexp.predictive.classes import Classes


class DeepGPClassifier(ClassifierMixin, DeepGPEstimator):
    """Deep Gaussian process classification, of two classes (probit) or more (robust-max).

    The parameters are those of DeepGPRegressor. The likelihood may be "softmax".

    Attributes
    ----------
    classes_ : array of the labels that `fit` saw
    n_features_in_, feature_names_in_ : as in scikit-learn
    n_steps_, seconds_ : how long it was trained

    Examples
    --------
    >>> import numpy as np
    >>> from dgpexp import DeepGPClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(200, 2))
    >>> inside = np.where((X**2).sum(axis=1) < 0.5, "in", "out")
    >>> model = DeepGPClassifier(steps=300, inducing_points=20, random_state=0).fit(X, inside)
    >>> model.predict([[0.0, 0.0], [0.9, 0.9]]).tolist()
    ['in', 'out']
    """

    _fitted = (*DeepGPEstimator._fitted, "classes_")

    def fit(self, X: Any, y: Any) -> Self:
        """Train on rows X [n, D] and their labels y [n].

        Returns
        -------
        self : the fitted estimator.
        """

        def learn(fresh: Self) -> None:
            x, labels, names = fresh._learn_inputs(X, y)
            check_classification_targets(labels)
            fresh.classes_, numbers = np.unique(labels, return_inverse=True)
            if len(fresh.classes_) < 2:
                raise ValueError("a classifier needs rows of at least 2 classes, and y has one class only")
            target = str(getattr(y, "name", None) or "y")
            fresh._train(x, numbers.astype(np.float64), names, target, tuple(map(str, fresh.classes_)))

        return self._fitted_as(learn)

    def pred_dist(self, X: Any) -> Classes:
        """The probabilities at X with what can be asked of them: log_density of numbers of classes, confidence, ..."""
        found: Classes = self.predictor_.predict(self._inputs(X))
        return found

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of each row: [n]."""
        numbers = self._by_row(X, lambda found: found.most_probable())
        return np.asarray(self.classes_[numbers])

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, in the order of `classes_`: [n, C]."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of the probabilities: [n, C]."""
        found = self._by_row(X, lambda found: found.log_probabilities)
        # Rounding made them sum to 1 only nearly.
        return np.asarray(found - np.logaddexp.reduce(found, axis=1, keepdims=True))
