"""A report before it is drawn or written: the runs of a profile, judged."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dgpexp.predictive.metrics import tested
from dgpexp.report import paper_folds, powers, published, source, tables
from dgpexp.report.cells import MINIATURE, Cell, group
from dgpexp.report.grid import Grid
from dgpexp.report.page.render import records
from dgpexp.report.reproduced import Check, check
from dgpexp.report.source import Source
from dgpexp.report.statistics import claims as checklist
from dgpexp.report.statistics.comparisons import (
    Groups,
    PairTest,
    Ranking,
    WinTieLoss,
    pair_tests,
    ranking,
    win_tie_loss,
)
from dgpexp.tasks import CLASSIFICATION, REGRESSION


@dataclass(frozen=True)
class Report:
    """All that is known of a profile, before it is drawn or written."""

    profile: str
    source: Source
    groups: Groups
    grids: list[Grid]
    claims: list[checklist.Claim]
    tests: list[PairTest]
    wins: list[WinTieLoss]
    rankings: list[Ranking] = field(default_factory=list)
    timed: Groups = field(default_factory=dict)  # on random numbers: of these the seconds count, and nothing else
    check: Check | None = None  # of the miniature, where it was run here: does it give the committed numbers?
    relatives: list[Grid] = field(default_factory=list)  # power EP against α; the folds of the random features' paper

    @property
    def every_grid(self) -> list[Grid]:
        return [*self.grids, *self.relatives]

    def grid(self, table: str) -> Grid:
        return next(g for g in self.every_grid if g.id == table)

    @property
    def thesis_grids(self) -> list[Grid]:
        return [g for g in self.grids if g.id[0].isdigit()]

    @property
    def main_grids(self) -> list[Grid]:
        """What the terminal shows: the thesis's tables, what is watched of classes, the user's own, the relatives."""
        watched = tuple(f"{CLASSIFICATION.name}-{metric}" for metric in CLASSIFICATION.headline)
        more = [g for g in self.grids if g.id in watched or g.id.startswith("own")]
        return [*self.thesis_grids, *more, *self.relatives]

    @property
    def thesis_cells(self) -> list[Cell]:
        return [c for g in self.thesis_grids for c in g.cells.values()]

    @property
    def regressions(self) -> list[Cell]:
        """Cells with all their splits on the wrong side of the published value: what `--check` looks for."""
        return [c for c in self.thesis_cells if c.regression]


def gather(results: Path, profile: str) -> Report:
    """Read the runs and judge them."""
    found = source.load(results, profile)
    printed = published.load()
    groups, timed = group(found.runs), group(found.random, random=True)
    relatives = powers.grids(powers.gather(found.runs)) + paper_folds.grids(paper_folds.gather(found.runs), printed)
    metrics = tested(REGRESSION)
    repeated = check(found.runs, profile) if profile == MINIATURE and not found.committed and len(found.runs) else None
    tests = [t for metric in metrics for t in pair_tests(groups, metric)]
    return Report(
        profile, found, groups, tables.all_grids(groups, printed, timed), checklist.check(groups, printed), tests,
        win_tie_loss(tests), [r for metric in metrics if (r := ranking(groups, metric))], timed, repeated, relatives,
    )  # fmt: skip


def as_json(report: Report, folder: Path) -> str:
    """The report for programs: strict JSON, what is not known is null."""
    content = {
        "profile": report.profile,
        "source": report.source.sentence,
        "page": str(folder / "index.html"),
        "tables": {g.id: list(records(g)) for g in report.every_grid},
        "claims": [asdict(c) for c in report.claims],
        "rankings": [asdict(r) for r in report.rankings],
        "paired_tests": [asdict(t) for t in report.tests],
        "win_tie_loss": [asdict(w) for w in report.wins],
    }
    return json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)
