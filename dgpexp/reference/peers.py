"""Models of other packages, to compare with: `dgpexp run csv --against catboost,ngboost`, each an extra of its name.

Both predict a Gaussian for each row, and are stopped early, by rows held out of the training rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Self

import numpy as np

from dgpexp.errors import UserError

_MOST, _FOLDS, _PATIENCE = 2000, 10, 100  # rounds; folds that say how many; rounds without gain


@dataclass(frozen=True)
class _Peer:
    model: Any

    @classmethod
    def learn(cls, x: np.ndarray, y: np.ndarray, classes: int = 0, like: Self | None = None) -> Self:
        return cls(cls._fitted(x, y.astype(int) if classes else y, classes))

    @staticmethod
    def _fitted(x: np.ndarray, y: np.ndarray, classes: int) -> Any:
        raise NotImplementedError


class CatBoost(_Peer):
    @staticmethod
    def _fitted(x: np.ndarray, y: np.ndarray, classes: int) -> Any:
        from catboost import CatBoostClassifier, CatBoostRegressor, Pool, cv

        loss = ("Logloss" if classes == 2 else "MultiClass") if classes else "RMSEWithUncertainty"
        said = {"loss_function": loss, "random_seed": 0, "thread_count": 1, "verbose": False}
        said |= {"allow_writing_files": False}  # its learning rate is its own choice
        more = {"fold_count": _FOLDS, "early_stopping_rounds": _PATIENCE, "stratified": bool(classes)}
        found = cv(Pool(x, y), {**said, "iterations": _MOST}, **more, logging_level="Silent")
        best = int(found.filter(regex="^test-.*-mean$").iloc[:, 0].argmin())
        kind = CatBoostClassifier if classes else CatBoostRegressor
        return kind(**said, iterations=best + 1).fit(x, y)

    def predict(self, x: np.ndarray) -> Any:
        """Means and variances [n] of y; log probabilities of classes [n, C]."""
        if hasattr(self.model, "predict_log_proba"):
            return np.maximum(self.model.predict_log_proba(x), np.log(1e-12))
        mean, variance = self.model.predict(x).T
        return mean, variance


class NGBoost(_Peer):
    @staticmethod
    def _fitted(x: np.ndarray, y: np.ndarray, classes: int) -> Any:
        from ngboost import NGBClassifier, NGBRegressor
        from ngboost.distns import k_categorical

        said = {"n_estimators": _MOST, "learning_rate": 0.05, "random_state": 0, "verbose": False}
        model = NGBClassifier(k_categorical(classes), **said) if classes else NGBRegressor(**said)
        held = np.random.default_rng(0).permutation(len(y)) < max(1, len(y) // _FOLDS)
        return model.fit(x[~held], y[~held], X_val=x[held], Y_val=y[held], early_stopping_rounds=_PATIENCE)

    def predict(self, x: np.ndarray) -> Any:
        """Means and variances [n] of y; log probabilities of classes [n, C]."""
        rounds = self.model.best_val_loss_itr
        if hasattr(self.model, "predict_proba"):
            return np.log(np.maximum(self.model.predict_proba(x, max_iter=rounds), 1e-12))
        found = self.model.pred_dist(x, max_iter=rounds)
        return found.loc, found.scale**2


PEERS: dict[str, type[_Peer]] = {"catboost": CatBoost, "ngboost": NGBoost}


def peers(names: Sequence[str]) -> dict[str, type[Any]]:
    """These, by what people call them; what is unknown or not installed is refused."""
    for name in names:
        if name not in PEERS:
            raise UserError(f"--against {name} is not possible: it accepts {', '.join(PEERS)}, or both with a comma.")
        if find_spec(name) is None:
            raise UserError(f"--against {name} needs a package that is not here: pip install 'dgpexp[{name}]'.")
    return {PEERS[name].__name__: PEERS[name] for name in names}
