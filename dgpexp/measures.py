"""What is measured of a run: its name for people, which way is better, and how many decimals it deserves."""

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """One column of a run. `nominal` is set where the best value is the nearest to it (coverage)."""

    key: str
    label: str
    higher_is_better: bool = False
    nominal: float | None = None
    scale: float = 1.0  # shown = scale · stored
    unit: str = ""

    def loss(self, value: float) -> float:
        """Smaller is better, whatever the metric."""
        if self.nominal is not None:
            return abs(value - self.nominal)
        return -value if self.higher_is_better else value

    def decimals(self, means: Iterable[float], stderrs: Iterable[float | None] = ()) -> int:
        """At least the thesis's two; more where the numbers are small (naval's RMSE) or the errors are."""
        sizes = sorted(abs(self.scale * m) for m in means if math.isfinite(m))
        errors = sorted(self.scale * s for s in stderrs if s)
        digits = 1 if self.unit == "ms" else 2
        if self.key in ("rmse", "crps") and sizes and 0 < (middle := sizes[len(sizes) // 2]) < 1:
            digits = max(3, 1 - math.floor(math.log10(middle)))
        if errors and (middle := errors[len(errors) // 2]) < 0.01 and self.nominal is None and not self.unit:
            digits = max(digits, -math.floor(math.log10(middle)))
        return min(digits, 6)


METRICS = {
    m.key: m
    for m in (
        Metric("rmse", "RMSE"),
        Metric("ll", "test log-likelihood", higher_is_better=True),
        Metric("crps", "CRPS"),
        Metric("coverage50", "coverage of the 50 % interval", nominal=0.50),
        Metric("coverage90", "coverage of the 90 % interval", nominal=0.90),
        Metric("coverage95", "coverage of the 95 % interval", nominal=0.95),
        Metric("ll_rounded", "log-likelihood of the rounded target", higher_is_better=True),
        Metric("ll_median", "log density of the median test point", higher_is_better=True),
        Metric("ll_worst", "log density of the worst test point", higher_is_better=True),
        Metric("seconds_per_step", "ms per gradient step", scale=1000.0, unit="ms"),
    )
}

METHOD_NAMES = {"vi": "VI", "aep": "AEP", "aepmcm": "AEPMCM"}


def method_name(method: str) -> str:
    """As the thesis writes it; a method that the thesis does not know is written in capitals too."""
    return METHOD_NAMES.get(method, method.upper())


def fixed(value: float | None, decimals: int) -> str:
    """A number with a true minus sign; nothing for None and NaN."""
    if value is None or not math.isfinite(value):
        return ""
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def with_error(mean: float, stderr: float | None, decimals: int) -> str:
    """`2.74 (0.14)`, or `2.74` where there is no standard error."""
    error = f" ({fixed(stderr, decimals)})" if stderr is not None else ""
    return fixed(mean, decimals) + error
