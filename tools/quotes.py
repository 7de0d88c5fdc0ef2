"""The tables that README.md and docs/ quote, as they must be now. `python -m tools.quotes` writes them again.

    <!-- quote: thesis/table-5.2.1 -->
    | ... |
    <!-- end -->

stands for the table that `dgpexp report --profile thesis` makes of results/measured/thesis, `thesis/table-5.1.2 at
depth 2` for its columns of that depth (`... of kin8nm,naval`: and of these data sets), `compare A B --metric ll` for
what `dgpexp compare A B --metric ll` prints of these runs, `ahead A B ...` for how far AEPMCM's log-likelihood is
ahead of VI's and AEP's in these sets (`dgpexp compare A,method=vi A,method=aepmcm --metric ll` and its like);
`bench/peers`, `bench/shares`, `bench/race` (`make bench-peers`) and `bench/scale` (`make bench-scale`) are made of
results/measured/bench.
"""

import json
import re
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from dgpexp.report.model import gather
from dgpexp.report.page.render import to_markdown
from dgpexp.report.statistics import compare

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
QUOTE = re.compile(r"(<!-- quote: (.+?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
PEERS = {"GPflux": "GPflux VI float64", "GPyTorch": "GPyTorch VI float64", "folded": "GPyTorch VI float64 folded"}
OURS = {"float64": "dgpexp VI float64", "mixed": "dgpexp VI mixed"}


def current(name: str) -> str:
    """The table of this name from the committed results."""
    if name.startswith("compare "):
        _, a, b, _, metric = name.split()
        return _compared(a, b, metric)
    if name.startswith("ahead "):
        return _ahead(name.split()[1:])
    folder, _, table = name.partition("/")
    if folder == "bench":
        return {"peers": _peers, "shares": _shares, "race": _race, "scale": _scale}[table]()
    number, _, depth = table.removeprefix("table-").partition(" at depth ")
    depth, _, names = depth.partition(" of ")
    return _at_depth(_tables(folder)[number], depth, names) if depth else _tables(folder)[number]


@cache
def _tables(profile: str) -> dict[str, str]:
    """The tables of a report by number: the lines of the grid, without what is written around it."""
    with tempfile.TemporaryDirectory() as nothing_here:
        grids = gather(Path(nothing_here), profile).grids
    return {g.id: "".join(f"{line}\n" for line in to_markdown(g).splitlines() if line.startswith("|")) for g in grids}


def _at_depth(table: str, depth: str, names: str) -> str:
    """The data sets, all or those named, and the columns `VI 2`, `AEP 2`, ... of a table."""
    head, _, *rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    kept = [0, *(i for i, name in enumerate(head) if name.endswith(f" {depth}"))]
    rows = [cells for cells in rows if not names or cells[0] in names.split(",")]
    return _markdown([[cells[i] for i in kept] for cells in (head, *rows)])


def _ahead(sets: list[str]) -> str:
    """AEPMCM - VI and AEPMCM - AEP in log-likelihood: difference, 95 % interval and pairs of every cell of the sets."""
    rows = [["runs", "cell", "AEPMCM − VI", "95 % interval", "pairs", "AEPMCM − AEP", "95 % interval", "pairs"]]
    for text in sets:
        against = {
            other: {d.cell: d.printed() for d in _differences(f"{text},method={other}", f"{text},method=aepmcm", "ll")}
            for other in ("vi", "aep")
        }
        for cell in sorted({*against["vi"], *against["aep"]}):
            found = (against[other].get(cell, ("",) * len(compare.HEAD)) for other in ("vi", "aep"))
            rows.append([text, cell, *(printed[i] for printed in found for i in (4, 5, 1))])
    return _markdown(rows)


def _differences(a: str, b: str, metric: str) -> list[compare.Difference]:
    with tempfile.TemporaryDirectory() as nothing_here:
        return compare.compare(*(compare.parse(text, Path(nothing_here)) for text in (a, b)), (metric,))


def _compared(a: str, b: str, metric: str) -> str:
    """B - A cell by cell, over the pairs that both have."""
    found = _differences(a, b, metric)
    table = _markdown([list(compare.HEAD), *(list(d.printed()) for d in found)])
    counted = compare.over_datasets(found).get(metric)
    return f"{table}\n{counted.sentence()}\n" if counted else table


def _peers() -> str:
    """Milliseconds a step, and how many times as long as dgpexp's each peer's takes (quartiles)."""
    head = ["a VI step", "dgpexp, ms", "mixed, ms", *(f"{p} / dgpexp" for p in PEERS), "GPflux / mixed"]
    rows = []
    for result in _measured("peers")["results"]:
        ms = {t["name"]: f"{t['ms']:.1f}" for t in result["timings"]}
        ratios = [_ratio(result, theirs, "float64") for theirs in PEERS.values()]
        ratios.append(_ratio(result, PEERS["GPflux"], "mixed"))
        rows.append([result["work"], *(ms[o] for o in OURS.values()), *ratios])
    return _markdown([head, *rows])


def _ratio(result: dict[str, Any], theirs: str, precision: str) -> str:
    r = result["ratios"][f"{theirs} / {OURS[precision]}"]
    return f"{r['median']:.2f} ({r['lower']:.2f}-{r['upper']:.2f})"


def _shares() -> str:
    """The arithmetic a step must do, over the time it takes, over the rate of a large product."""
    measured = _measured("peers")
    rates = {d: measured["rates"][f"tensorflow {d} large"] for d in ("float64", "float32")}
    rows = [["a VI step", "operations", "float64", "mixed"]]
    for result in measured["results"]:
        speed = {t["name"]: result["operations"] / t["cpu_ms"] * 1e3 for t in result["timings"]}
        shares = (speed[OURS["float64"]] / rates["float64"], speed[OURS["mixed"]] / rates["float32"])
        rows.append([result["work"], f"{result['operations'] / 1e6:.0f} M", *(f"{share:.0%}" for share in shares)])
    return _markdown(rows)


def _race() -> str:
    """Seconds of training on power until the test log-likelihood reaches each goal."""
    race = _measured("race")
    rows = [["", *(f"LL ≥ {goal}" for goal in race["goals"]), "best LL", "ms a step"]]
    for name, curve in race["curves"].items():
        reached = (next((f"{s:.0f} s" for s, _, ll in curve if ll >= goal), "-") for goal in race["goals"])
        seconds, steps, _ = curve[-1]
        rows.append([name, *reached, f"{max(ll for _, _, ll in curve):.3f}", f"{1e3 * seconds / steps:.1f}"])
    return _markdown(rows)


def _scale() -> str:
    """A step with more rows over one with 10,000 (quartiles), and what a process with 2 million needs."""
    scale = _measured("scale")
    ms = {t["name"]: f"{t['ms']:.1f}" for t in scale["timings"]}
    rows = [
        ["", "10,000 rows, ms", "100,000 / 10,000", "2,000,000 / 10,000", "peak memory, MiB", "first step after, s"]
    ]
    for method in ("VI", "AEP", "AEPMCM"):
        few, many, most = (f"{method} {n} rows" for n in ("10,000", "100,000", "2,000,000"))
        ratios = [
            f"{r['median']:.3f} ({r['lower']:.3f}-{r['upper']:.3f})" for r in map(scale["ratios"].get, (many, most))
        ]
        needs = scale["processes"][most]
        rows.append([method, ms[few], *ratios, f"{needs['peak_mib']:.0f}", f"{needs['first_step_s']:.1f}"])
    return _markdown(rows)


def _measured(name: str) -> dict[str, Any]:
    return json.loads((ROOT / "results" / "measured" / "bench" / f"{name}.json").read_text(encoding="utf-8"))


def _markdown(rows: list[list[str]]) -> str:
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def quotes() -> Iterator[tuple[str, str, str]]:
    """Where a table is quoted, what is quoted, and what it must be."""
    for document in DOCUMENTS:
        for match in QUOTE.finditer(document.read_text(encoding="utf-8")):
            yield f"{document.name}: {match[2]}", match[3], current(match[2])


def refresh() -> None:
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        fresh = QUOTE.sub(lambda m: m[1] + current(m[2]) + m[4], text)
        if fresh != text:
            document.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    refresh()
