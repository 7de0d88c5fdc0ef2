"""The report: the thesis's tables and figures, ours beside theirs.

published (what was printed) + runs (one row per run) → cells (ours, theirs, verdict) → grids → CSV, Markdown, LaTeX,
terminal, page; beside them statistics between methods, the checklist of claims, and the figures.
"""

from pathlib import Path


def build_pages(results: Path, profile: str) -> Path:
    """Write the report of a profile and those that belong beside it; returns the page that leads."""
    from dgpexp.report.build import build_pages as build

    return build(results, profile)
