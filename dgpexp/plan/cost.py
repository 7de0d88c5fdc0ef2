"""How much work a run is, counted from its arithmetic: to order runs, and to carry a measured speed to other shapes."""

from dataclasses import replace

from dgpexp.config import RunSpec, Settings
from dgpexp.methods import Shape, find_method
from dgpexp.training.minibatches import total_steps


def step_work(method: str, layers: int, settings: Settings, inputs: int, classes: int = 0) -> float:
    """Multiply-adds of one gradient step, about."""
    shape = _shape(layers, settings, inputs, classes, settings.batch_size, settings.train_samples)
    return 3 * find_method(method).work(replace(shape, functions=settings.paths == "functions"))


def _shape(layers: int, settings: Settings, inputs: int, classes: int, rows: int, samples: int) -> Shape:
    width = settings.hidden_width or min(inputs, settings.max_hidden_width)
    widths = (inputs, *[width] * (layers - 1), classes if classes > 2 else 1)
    return Shape(widths, settings.inducing_points, rows, samples, settings.features)


def run_work(spec: RunSpec) -> float:
    """Multiply-adds of a whole run: its steps and its evaluations."""
    from dgpexp.datasets.catalog import find

    s, data = spec.settings, find(spec.dataset)
    rows = s.rows if data.synthetic else data.rows
    train, test = (rows - data.test_rows, data.test_rows) if data.test_rows else (round(0.9 * rows), rows // 10)
    steps = total_steps(s, train)
    evaluations = steps // s.evaluate_every if s.evaluate_every else 1
    seen = evaluations * (min(test, s.evaluate_rows) if s.evaluate_rows else test)
    sizes = data.inputs, len(data.classes)
    per_row = find_method(spec.method).work(_shape(spec.layers, s, *sizes, 100, s.test_samples)) / 100
    return steps * step_work(spec.method, spec.layers, s, *sizes) + seen * per_row
