"""`make bench-variance`: the variance of a gradient step's gradient, by paths of marginals and of functions.

A model is trained for some steps and then held: its gradient is drawn again and again, each time on another minibatch
and along other paths, and its variance summed over the parameters of each kind.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from benchmarks import threads

threads.single()

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from benchmarks import output  # noqa: E402
from dgpexp import inference  # noqa: E402
from dgpexp.config import Settings  # noqa: E402
from dgpexp.datasets import Split, load_split  # noqa: E402
from dgpexp.errors import UserError  # noqa: E402
from dgpexp.inference import Minibatch  # noqa: E402
from dgpexp.training.minibatches import Minibatches  # noqa: E402
from dgpexp.training.session import Session  # noqa: E402

METHODS = ("vi", "aepmcm")
PATHS = ("marginals", "functions")
KINDS = {
    "inducing inputs": ("inducing_inputs",),
    "m": ("mean",),
    "R": ("factor",),
    "kernels": ("log_variance", "log_lengthscales"),
    "noises": ("log_noise",),
}
LAYERS = 3


def gradients(model: tf.Module, method: str, settings: Settings, split: Split, draws: int) -> Iterator[list[tf.Tensor]]:
    """Gradients of the trained parameters, on as many minibatches, each along paths of its own."""
    x, y, rows = tf.constant(split.x_train), tf.constant(split.y_train), len(split.x_train)
    minibatches = Minibatches(rows, settings.batch_size, seed=1)

    @tf.function(autograph=False)
    def gradient(index: tf.Tensor, k: tf.Tensor) -> list[tf.Tensor]:
        seed = tf.stack([tf.constant(1, tf.int64), k])
        with tf.GradientTape() as tape:
            batch = Minibatch(tf.gather(x, index), tf.gather(y, index), index, rows, seed)
            value = inference.get(method).objective(model, batch, settings)
        return tape.gradient(value, model.trainable_variables)

    for k in range(draws):
        indices, sizes = minibatches.of_steps(k, 1)
        if sizes[0] == minibatches.batch_size:  # the small one at the end of an epoch has more variance than the others
            yield gradient(tf.constant(indices[0]), tf.constant(k, tf.int64))


def variances(model: tf.Module, method: str, settings: Settings, split: Split, draws: int) -> dict[str, float]:
    """Of the gradient, summed over the parameters of a kind and all layers."""
    drawn = [[g.numpy().ravel() for g in gs] for gs in gradients(model, method, settings, split, draws)]
    of_variable = [float(np.var(a, axis=0, ddof=1).sum()) for a in zip(*drawn, strict=True)]
    names = [v.name.split(":")[0] for v in model.trainable_variables]
    return {
        kind: sum(v for v, name in zip(of_variable, names, strict=True) if name in members)
        for kind, members in KINDS.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers to FILE")
    parser.add_argument("--steps", type=int, default=1200, help="of training before (default %(default)s)")
    parser.add_argument("--draws", type=int, default=300, help="gradients (default %(default)s)")
    parser.add_argument("--samples", type=int, default=10, help="S, paths (default %(default)s)")
    options = parser.parse_args()
    try:
        split = load_split("energy", 0)
    except UserError as error:
        output.console.print(f"No variances on energy: {error}")
        return

    results = {}
    title = f"Variance of the gradient, energy, after {options.steps} steps, S = {options.samples}"
    table = output.table_of(title, "", *KINDS)
    for method in METHODS:
        settings = Settings(train_samples=options.samples, inner_noise=1e-5 if method == "vi" else 0.01)
        session = Session(method, LAYERS, settings, split, seed=0)
        session.advance(options.steps)
        for paths in PATHS:
            name = f"{method.upper()} {paths}"
            model = session.predictor().model
            results[name] = variances(model, method, settings.change({"paths": paths}), split, options.draws)
            table.add_row(name, *(f"{v:.1e}" for v in results[name].values()))
    output.console.print(table)
    output.write(options.json, {"steps": options.steps, "draws": options.draws, "variances": results})


if __name__ == "__main__":
    main()
