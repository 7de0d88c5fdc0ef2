"""Make the list of packages in docs/architecture.md from the first lines of docstrings: `python -m tools.modules`.

It stands between `<!-- modules -->` and `<!-- end -->`; tests/test_docs.py checks that it is complete and current.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- modules -->\n", "<!-- end -->\n"


def table() -> str:
    """A line for each package: what it is, by its docstring. What a module is, its own docstring says."""
    packages = sorted(p.parent for p in (ROOT / "dgpexp").rglob("__init__.py") if p.parent != ROOT / "dgpexp")
    return "".join(
        f"- `{p.relative_to(ROOT / 'dgpexp').as_posix()}/`: {_first_line(p / '__init__.py')}\n" for p in packages
    )


def _first_line(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n\n")[0].replace("\n", " ")


def document() -> str:
    """The document as it must be now."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
