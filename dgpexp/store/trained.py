"""The model of a run that is complete; what stands in its place, in a sentence."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dgpexp.errors import UserError
from dgpexp.store.stored_run import StoredRun

if TYPE_CHECKING:
    from dgpexp.training.predictor import Predictor


def model_file(run: StoredRun) -> Path:
    """Where it is: asked before TensorFlow is imported, so that a model that was deleted is told at once."""
    path = run.path / "model.npz"
    if not path.is_file():
        again = run.info.get("command") or "the command that made it"
        raise UserError(f"{run.path} has no model.npz any more: remove that folder, and `{again}` trains it again.")
    return path


def load_model(run: StoredRun, **expected: Sequence[str]) -> "Predictor":
    """The model, whose `features` or `classes` are as expected; another run's is refused."""
    from dgpexp.training.predictor import Predictor

    predictor = Predictor.load(model_file(run))
    named: dict[str, Any] = {name: run.config[name] for name in ("method", "layers") if name in run.config}
    named |= {name: tuple(words) for name, words in expected.items()}
    if any(getattr(predictor, name) != value for name, value in named.items()):
        raise UserError(f"{run.path}/model.npz is the model of another run: remove that folder and run it again.")
    return predictor
