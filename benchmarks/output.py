"""Tables on stdout, in Markdown, so that what was measured can be pasted into docs/; and the same numbers as JSON."""

import argparse
import json
import os
import platform
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

from benchmarks.timing import Spread, Timing

console = Console(width=None if sys.stdout.isatty() else 140)


def table_of(title: str, *columns: str) -> RichTable:
    """An empty table."""
    return RichTable(*columns, title=title, title_justify="left", box=box.MARKDOWN)


def arguments(about: str, blocks: int, seconds: float) -> argparse.ArgumentParser:
    """The options that all benchmarks share."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers to FILE")
    parser.add_argument("--blocks", type=int, default=blocks, help="blocks of steps a contestant (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=seconds, help="length of a block (default %(default)s)")
    return parser


def spread(value: Spread, digits: int = 1) -> str:
    """12.3 (11.9-12.8): median and quartiles."""
    return f"{value.median:.{digits}f} ({value.lower:.{digits}f}-{value.upper:.{digits}f})"


def timing_table(title: str, timings: Mapping[str, Timing]) -> RichTable:
    """Milliseconds a step of every contestant."""
    table = table_of(title, "", "ms a step (quartiles)", "processor ms")
    for timing in timings.values():
        table.add_row(timing.name, spread(timing.ms), f"{timing.cpu_ms:.1f}")
    return table


def timings_as_json(timings: Mapping[str, Timing]) -> list[dict[str, Any]]:
    """Every contestant's summary and its raw blocks."""
    return [
        {
            "name": t.name,
            "ms": t.ms.median,
            "ms_lower": t.ms.lower,
            "ms_upper": t.ms.upper,
            "cpu_ms": t.cpu_ms,
            "steps_a_block": t.steps,
            "blocks_ms": t.wall,
        }
        for t in timings.values()
    ]


def machine() -> dict[str, Any]:
    """What the numbers were measured on and with."""
    versions = {}
    for package in ("tensorflow", "tensorflow-cpu", "numpy", "gpflow", "gpflux", "torch", "gpytorch"):
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return {"cpu": _cpu(), "cores": os.cpu_count(), "python": platform.python_version(), **versions}


def write(path: Path | None, results: dict[str, Any]) -> None:
    """The results and the machine, where asked for."""
    if path is not None:
        path.write_text(json.dumps({"machine": machine(), **results}, indent=1) + "\n")
        console.print(f"Written to {path}.")


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")
