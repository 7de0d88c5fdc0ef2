"""`make bench`: what a gradient step costs, and the ratios that dgpexp promises, in processor time.

Three layers (two where it says so), 100 inducing points, 8 inputs, 8 units, minibatches of 100 of 10,000 rows; one
thread; a process each (about half a GiB). The contestants of a group take turns block by block, and only ratios of a
group are taken. VI, AEPMCM and PEP draw functions (gp/function_paths.py).
"""

import importlib.util
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks import output, timing, workers
from benchmarks.work import Work

BASE = Work()
GPFLUX = "gpflux"


@dataclass(frozen=True)
class Entry:
    """A contestant: ours by method and settings, or GPflux, whose method is VI in float64."""

    name: str
    method: str
    work: Work = BASE
    settings: tuple[tuple[str, Any], ...] = ()

    def begin(self) -> workers.Worker:
        if self.method == GPFLUX:
            return workers.contestant(self.name, GPFLUX, self.work)
        return workers.contestant(self.name, "dgpexp", self.work, method=self.method, **dict(self.settings))


def _functions(name: str, method: str, work: Work = BASE, **settings: Any) -> Entry:
    return Entry(name, method, work, (("paths", "functions"), *settings.items()))


def _at(**sizes: int) -> tuple[Entry, Entry]:
    """GPflux and VI at other sizes than the base."""
    work = replace(BASE, **sizes)
    return Entry("GPflux", GPFLUX, work), _functions("VI", "vi", work)


@dataclass(frozen=True)
class Promise:
    """`numerator` takes at least, or at most, `limit` times as long as `denominator`; no limit: only printed."""

    numerator: Entry
    denominator: Entry
    at_least: float | None = None
    at_most: float | None = None

    def __str__(self) -> str:
        return f"{self.numerator.name} / {self.denominator.name}"

    def limit(self) -> str:
        if self.at_least is not None:
            return f"≥ {self.at_least}"
        return "" if self.at_most is None else f"≤ {self.at_most}"

    def kept(self, ratio: float) -> bool | None:
        if self.at_least is not None:
            return ratio >= self.at_least
        return None if self.at_most is None else ratio <= self.at_most


VI, AEPMCM, AEP = _functions("VI", "vi"), _functions("AEPMCM", "aepmcm"), Entry("AEP", "aep")
PEER = Entry("GPflux", GPFLUX)
NARROW, ONE = replace(BASE, width=3), replace(BASE, samples=1)
GROUPS: dict[str, tuple[Promise, ...]] = {
    "L=3 S=10": (
        Promise(PEER, VI, at_least=3.0),
        Promise(PEER, Entry("VI by marginals", "vi")),
        Promise(PEER, _functions("VI mixed", "vi", precision="mixed"), at_least=5.0),
        Promise(AEPMCM, VI, at_most=1.1),
        Promise(AEP, AEPMCM, at_most=1.2),
        Promise(_functions("PEP", "pep"), AEPMCM, at_most=1.05),
        Promise(Entry("NVC", "nvc"), AEP, at_most=1.1),
        Promise(_functions("AEPMCM parameters=natural", "aepmcm", parameters="natural"), AEPMCM),
    ),
    "L=3 S=20": (Promise(*_at(samples=20), at_least=3.0),),
    "L=2 S=10": (Promise(*_at(layers=2), at_least=3.0),),
    "L=3 S=1": (
        Promise(*_at(samples=1), at_least=2.0),
        Promise(Entry("SGHMC", "sghmc", ONE), Entry("VI by marginals", "vi", ONE), at_most=1.0),
    ),
    "L=3 S=10 width=3": (
        Promise(Entry("RFF R=100", "rff", NARROW), _functions("VI", "vi", NARROW), at_most=0.5),
        Promise(
            Entry("RFF R=100 mixed", "rff", NARROW, (("precision", "mixed"),)),
            _functions("VI mixed", "vi", NARROW, precision="mixed"),
            at_most=0.5,
        ),
    ),
}


def measured(promises: Iterable[Promise], blocks: int, seconds: float) -> dict[str, timing.Timing]:
    """All that a promise of the group names, timed in turns."""
    named = dict.fromkeys(entry for p in promises for entry in (p.numerator, p.denominator))
    with workers.closing([entry.begin() for entry in named]) as everybody:
        return timing.interleave(everybody, blocks, seconds)


def judged(promises: Iterable[Promise], timings: dict[str, timing.Timing]) -> Iterator[dict[str, Any]]:
    """The ratio of every promise, and whether it is kept."""
    for p in promises:
        ratio = timing.cpu_ratio(timings[p.numerator.name], timings[p.denominator.name])
        cpu = {"median": ratio.median, "lower": ratio.lower, "upper": ratio.upper}
        yield {"ratio": str(p), **cpu, "limit": p.limit(), "kept": p.kept(ratio.median)}


def main() -> None:
    parser = output.arguments(__doc__ or "", blocks=15, seconds=0.5)
    parser.add_argument("--group", action="append", choices=GROUPS, help="only this group; repeatable")
    options = parser.parse_args()
    with_gpflux = importlib.util.find_spec("gpflux") is not None
    results = {}
    table = output.table_of("Promises, in processor time", "", "ratio", "measured (quartiles)", "promise", "")
    for group in options.group or GROUPS:
        promises = [p for p in GROUPS[group] if with_gpflux or p.numerator.method != GPFLUX]
        if not promises:
            continue
        timings = measured(promises, options.blocks, options.seconds)
        output.console.print(output.timing_table(f"A gradient step, {group}", timings))
        verdicts = list(judged(promises, timings))
        for v in verdicts:
            figure = f"{v['median']:.2f} ({v['lower']:.2f}-{v['upper']:.2f})"
            verdict = {True: "kept", False: "MISSED", None: ""}[v["kept"]]
            table.add_row(group, v["ratio"], figure, v["limit"], verdict)
        results[group] = {"timings": output.timings_as_json(timings), "promises": verdicts}
    output.console.print(table)
    if not with_gpflux:
        output.console.print("GPflux is not installed here: its rows are missing. `make bench-peers` sets it up.")
    output.write(options.json, {"work": vars(BASE), "groups": _with_earlier(options.json, results)})


def _with_earlier(path: Path | None, results: dict[str, Any]) -> dict[str, Any]:
    """Groups that were not measured now stay as they are, if it was on the same machine."""
    earlier = json.loads(path.read_text()) if path is not None and path.exists() else {}
    kept = earlier["groups"] if earlier.get("machine") == output.machine() else {}
    return {group: results.get(group, kept.get(group)) for group in GROUPS if group in results or group in kept}


if __name__ == "__main__":
    main()
