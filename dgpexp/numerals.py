"""How numbers are written for people."""

import math


def fixed(value: float | None, decimals: int) -> str:
    """A number with a true minus sign, ∞ if it is infinite; nothing for None and NaN."""
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def with_error(mean: float, stderr: float | None, decimals: int) -> str:
    """`2.74 (0.14)`, or `2.74` where there is no standard error."""
    error = f" ({fixed(stderr, decimals)})" if stderr is not None else ""
    return fixed(mean, decimals) + error
