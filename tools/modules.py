"""Make the list of modules in docs/architecture.md from the first lines of docstrings: `python -m tools.modules`.

It stands between `<!-- modules -->` and `<!-- end -->`; tests/test_docs.py checks that it is complete and current.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- modules -->\n", "<!-- end -->\n"


def table() -> str:
    """A row for each package: what it is, by its docstring, and its modules; a module's docstring says what that is."""
    package = ROOT / "dgpexp"
    rows = ["| package | what it is | modules |", "| --- | --- | --- |"]
    for folder in [package, *sorted(p.parent for p in package.rglob("__init__.py") if p.parent != package)]:
        modules = sorted(p.stem for p in folder.glob("*.py") if not p.stem.startswith("__"))
        names = ", ".join(f"`{name}`" for name in modules)
        rows.append(f"| `{_name(folder)}/` | {_first_line(folder / '__init__.py')} | {names} |")
    return "\n".join(rows) + "\n"


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _first_line(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def document() -> str:
    """The document as it must be now."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
