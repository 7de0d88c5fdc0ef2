"""Where the files that come with dgpexp are: in the repository while developing, in the wheel once installed."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def shipped(name: str, in_repository: str) -> Path:
    """The folder `name` inside the installed package, or `in_repository` (relative to the root) in a checkout."""
    installed = _PACKAGE / "_shipped" / name
    return installed if installed.is_dir() else _PACKAGE.parent / in_repository


def experiments_dir() -> Path:
    """The protocols: uci.toml, synthetic.toml, year.toml, airline.toml."""
    return shipped("experiments", "experiments")


def published_dir() -> Path:
    """The numbers printed in the thesis and elsewhere, as CSV."""
    return shipped("published", "results/published")
