"""A report before it is drawn or written: the runs of a profile, judged."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dgpexp.files import plain
from dgpexp.predictive.metrics import tested
from dgpexp.report import tables, verdicts
from dgpexp.report.cells import FULL, MINIATURE, Cell
from dgpexp.report.grid import Grid, Section
from dgpexp.report.page.render import records
from dgpexp.report.reproduced import Repetition, repeated
from dgpexp.report.source import Material, collect
from dgpexp.report.statistics.comparisons import Ranking, WinTieLoss, pair_tests, ranking, win_tie_loss
from dgpexp.report.statistics.paired import Difference
from dgpexp.report.verdicts import Verdict
from dgpexp.tasks import REGRESSION


@dataclass(frozen=True)
class Report(Material):
    """All that is known of a profile, before it is drawn or written."""

    grids: list[Grid]
    verdicts: list[Verdict]  # on the sections of the thesis
    claims: list[Verdict]
    tests: list[Difference]
    wins: list[WinTieLoss]
    rankings: list[Ranking] = field(default_factory=list)
    repetition: Repetition | None = None  # of the miniature, where it was run here: does it give the committed numbers?

    def grid(self, table: str) -> Grid:
        return next(g for g in self.grids if g.id == table)

    @property
    def shown_sections(self) -> list[Section]:
        """The sections of the page: all that have tables, or if it does not answer for the thesis, numbers of ours."""
        every = bool(self.verdicts) or all(g.empty for g in self.grids)
        return list(dict.fromkeys(g.section for g in self.grids if every or not g.empty))

    @property
    def thesis_grids(self) -> list[Grid]:
        return [g for g in self.grids if g.numbered]

    @property
    def main_grids(self) -> list[Grid]:
        """What the terminal shows."""
        return [g for g in self.grids if g.main]

    @property
    def thesis_cells(self) -> list[Cell]:
        return [c for g in self.thesis_grids for c in g.cells.values()]

    @property
    def regressions(self) -> list[Cell]:
        """Cells with all their splits on the wrong side of the published value: what `--check` looks for."""
        return [c for c in self.thesis_cells if c.regression]


def gather(results: Path, profile: str, tags: tuple[str, ...] = ()) -> Report:
    """Read the runs and judge them."""
    found = collect(results, profile, tags)
    runs = found.source.runs
    metrics = () if tables.sweeps.alone(found) else tested(REGRESSION)  # ranks are of methods, not of settings
    here = profile == MINIATURE and not found.source.committed and len(runs)
    both = [found if name == profile else collect(results, name) for name in FULL] if _of_thesis(found) else []
    tests = [t for metric in metrics for t in pair_tests(found.groups, metric)]
    return Report(
        **vars(found),
        grids=tables.all_grids(found),
        verdicts=verdicts.sections(*both) if both else [],
        claims=verdicts.claims(*both) if both else [],
        tests=tests,
        wins=win_tie_loss(tests),
        rankings=[r for m in metrics if profile != MINIATURE and (r := ranking(found.groups, m))],
        repetition=repeated(runs, profile) if here else None,
    )


def _of_thesis(found: Material) -> bool:
    """Whether the report answers for the thesis: other profiles and tables of the user's own say nothing about it."""
    own = found.groups and all(g.section == "own" for g in found.groups.values())
    return found.profile in FULL and not own


def as_json(report: Report, folder: Path) -> str:
    """The report for programs: strict JSON, what is not known is null."""
    content = {
        "profile": report.profile,
        "source": report.source.sentence,
        "page": str(folder / "index.html"),
        "tables": {g.id: list(records(g)) for g in report.grids},
        "verdicts": [asdict(v) for v in report.verdicts],
        "claims": [asdict(c) for c in report.claims],
        "rankings": [asdict(r) for r in report.rankings],
        "paired_tests": [asdict(t) for t in report.tests],
        "win_tie_loss": [asdict(w) for w in report.wins],
    }
    return json.dumps(plain(content), indent=1, allow_nan=False, ensure_ascii=False)
