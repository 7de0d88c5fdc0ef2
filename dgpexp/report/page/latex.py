"""A grid as a LaTeX table with booktabs."""

from dgpexp.report.grid import Grid, Place
from dgpexp.report.page.render import WIDEST, ours, splits, theirs

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
    bold, sheet = grid.best(), grid.sheet(WIDEST)
    others = any(c.n and not c.planned for c in grid.cells.values())
    dagger = f" {_OTHER}~other settings than the profile has today." if others else ""
    lines = [
        "% \\usepackage{booktabs,xcolor}",
        "\\begin{table}",
        f"\\caption{{{escape(grid.title)}. {escape(grid.caption)} Grey: the thesis.{dagger}}}",
        "\\centering\\scriptsize\\setlength{\\tabcolsep}{3pt}",
        f"\\begin{{tabular}}{{l{'r' * len(sheet.heads)}}}",
        "\\toprule",
        " & ".join(map(escape, (sheet.corner, *sheet.heads))) + " \\\\",
        "\\midrule",
    ]
    for k, (name, places) in enumerate(sheet.lines):
        if sheet.turned and k and grid.columns[k].group != grid.columns[k - 1].group:
            lines.append("\\addlinespace")
        cells = [grid.cells[place] for place in places]
        mine = [_ours(grid, place, place in bold) for place in places]
        other = [f"\\textcolor{{gray}}{{{escape(theirs(c))}}}" if c.published else "" for c in cells]
        lines.append(" & ".join([escape(name), *mine]) + " \\\\")
        if any(other):
            lines.append(" & ".join(["", *other]) + " \\\\")
    lines += ["\\bottomrule", "\\end{tabular}", "\\end{table}"]
    return "\n".join(lines) + "\n"


def _ours(grid: Grid, place: Place, bold: bool) -> str:
    """Our number, with the splits where not all are done, and the mark of other settings."""
    c, text = grid.cells[place], escape(ours(grid, place))
    text = f"\\textbf{{{text}}}" if bold else text
    small = splits(c) + (_OTHER if c.n and not c.planned else "")
    return (f"{text} {{\\tiny {small}}}" if small else text) or "--"
