"""How much work a run is, counted from its arithmetic: to order runs, and to carry a measured speed to other shapes."""

from dataclasses import replace

from dgpexp.config import RunSpec, Settings
from dgpexp.datasets.catalog import find
from dgpexp.methods import Shape, find_method
from dgpexp.training.minibatches import total_steps


def step_work(method: str, layers: int, settings: Settings, inputs: int, classes: int = 0) -> float:
    """Multiply-adds of one gradient step, about."""
    shape = _shape(layers, settings, inputs, classes, settings.batch_size, settings.train_samples)
    return 3 * find_method(method).work(replace(shape, functions=settings.paths == "functions"))


def _shape(layers: int, settings: Settings, inputs: int, classes: int, rows: int, samples: int) -> Shape:
    width = settings.width(inputs)
    widths = (inputs, *[width] * (layers - 1), classes if classes > 2 else 1)
    natural = settings.parameters == "natural"
    return Shape(widths, settings.inducing_points, rows, samples, settings.features, natural=natural)


def run_work(spec: RunSpec) -> float:
    """Multiply-adds of a whole run: its steps and its evaluations."""
    return training_work(spec) + _evaluation_work(spec)


def training_work(spec: RunSpec) -> float:
    """The work of a run's steps alone, if no `max_seconds` cuts them short."""
    return steps(spec) * work_a_step(spec)


def work_a_step(spec: RunSpec) -> float:
    return step_work(spec.method, spec.layers, spec.settings, *_sizes(spec))


def _evaluation_work(spec: RunSpec) -> float:
    s, (_, test) = spec.settings, rows(spec)
    evaluations = steps(spec) // s.evaluate_every if s.evaluate_every else 1
    seen = evaluations * (min(test, s.evaluate_rows) if s.evaluate_rows else test)
    shape = _shape(spec.layers, s, *_sizes(spec), 100, s.test_samples)
    return seen * find_method(spec.method).work(shape) / 100


def steps(spec: RunSpec) -> int:
    return total_steps(spec.settings, rows(spec)[0])


def _sizes(spec: RunSpec) -> tuple[int, int]:
    """Inputs, classes."""
    data = find(spec.dataset)
    return data.inputs, len(data.classes)


def rows(spec: RunSpec) -> tuple[int, int]:
    """Numbers of training rows and test rows."""
    data = find(spec.dataset)
    rows = spec.settings.rows if data.synthetic else data.rows
    return (rows - data.test_rows, data.test_rows) if data.test_rows else (round(0.9 * rows), rows // 10)
