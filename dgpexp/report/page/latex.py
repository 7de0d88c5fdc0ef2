"""A grid as a LaTeX table with booktabs."""

from dgpexp.report.grid import Grid
from dgpexp.report.page.render import ours, splits, theirs

_OTHER = r"$\dagger$"  # a cell with other settings than its profile has today
_SAFE = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "_": r"\_",
        "#": r"\#",
        "$": r"\$",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "−": "$-$",
        "·": "--",
    }
)


def escape(text: str) -> str:
    """Any text as LaTeX that prints it."""
    return text.translate(_SAFE)


def to_latex(grid: Grid) -> str:
    """booktabs; a wide grid (data sets by method-depth) is turned, so that it fits a page. Needs xcolor too."""
    turned = len(grid.columns) > 6
    bold = grid.best()
    heads = [escape(r) for r in grid.rows] if turned else [escape(f"{c.group} {c.label}".strip()) for c in grid.columns]
    names = [escape(f"{c.group} {c.label}") for c in grid.columns] if turned else [escape(r) for r in grid.rows]
    corner = "method" if turned else escape(grid.corner)
    others = any(c.n and not c.planned for c in grid.cells.values())
    dagger = f" {_OTHER}~other settings than the profile has today." if others else ""
    lines = [
        "% \\usepackage{booktabs,xcolor}",
        "\\begin{table}",
        f"\\caption{{{escape(grid.title)}. {escape(grid.caption)} Grey: the thesis.{dagger}}}",
        "\\centering\\scriptsize\\setlength{\\tabcolsep}{3pt}",
        f"\\begin{{tabular}}{{l{'r' * len(heads)}}}",
        "\\toprule",
        " & ".join([corner, *heads]) + " \\\\",
        "\\midrule",
    ]
    previous = None
    for k, name in enumerate(names):
        if turned and previous not in (None, grid.columns[k].group):
            lines.append("\\addlinespace")
        previous = grid.columns[k].group if turned else None
        places = [(h, k) if turned else (k, h) for h in range(len(heads))]
        mine = [f"\\textbf{{{escape(ours(grid, *p))}}}" if p in bold else escape(ours(grid, *p)) for p in places]
        counted = [splits(c) + (_OTHER if c.n and not c.planned else "") for c in (grid.cells[p] for p in places)]
        mine = [f"{text} {{\\tiny {n}}}" if n else text for text, n in zip(mine, counted, strict=True)]
        other = [
            f"\\textcolor{{gray}}{{{escape(theirs(grid.cells[p]))}}}" if grid.cells[p].published else "" for p in places
        ]
        lines.append(" & ".join([name, *(m or "--" for m in mine)]) + " \\\\")
        if any(other):
            lines.append(" & ".join(["", *other]) + " \\\\")
    lines += ["\\bottomrule", "\\end{tabular}", "\\end{table}"]
    return "\n".join(lines) + "\n"
