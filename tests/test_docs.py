"""The documents name things that exist."""

import ast
import re
import tomllib
from pathlib import Path

from tools import modules

ROOT = Path(__file__).parents[1]
FOLDERS = (".", "data", "docs", "docs/site/pages", "experiments", "results/measured", "results/published")
DOCUMENTS = [p for f in FOLDERS for p in sorted((ROOT / f).glob("*.md")) if p.name != "CHANGELOG.md"]


def test_architecture_lists_every_package_as_it_is_now() -> None:
    assert modules.document() == modules.DOCUMENT.read_text(encoding="utf-8"), "run `python -m tools.modules`"


def test_a_docstring_begins_with_what_a_thing_is_or_does() -> None:
    """A first line stands alone in lists and in help: it cannot lean on the lines before it. Every module has one."""
    leaning = re.compile(r"(Of|The same|Those|That)\b")
    for path in sorted((ROOT / "dgpexp").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), f"{path.relative_to(ROOT)} does not say what it is"
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                first = (ast.get_docstring(node) or "").partition("\n")[0]
                assert not leaning.match(first), f"{path.relative_to(ROOT)}, {getattr(node, 'name', 'module')}: {first}"


def test_architecture_shows_the_layers_in_the_order_that_is_enforced() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    (contract,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [name for layer in contract["layers"] for name in layer.split(" | ") if name != "__main__"]
    picture = text.split("```")[1].splitlines()
    shown = [name for line in picture for name in re.split(r"  +", line)[0].split(", ") if name]
    assert shown == layers


def test_every_document_begins_with_whom_it_is_for_and_all_together_stay_short() -> None:
    """Readers have ten minutes: 20,000 words in all, the changelog and tests' own notes aside."""
    words = 0
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        words += len(text.split())
        first = text.split("\n\n")[1]
        assert first.startswith("For ") or document.parent.name == "pages", f"{document.relative_to(ROOT)}: for whom?"
    assert words <= 20_000


def test_the_walk_through_a_run_names_files_that_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for path in re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", text):
        assert (ROOT / "dgpexp" / path.removeprefix("dgpexp/")).is_file(), path


def test_links_between_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / link).exists(), f"{document.name}: {link}"


def test_the_site_names_every_document_once_and_only_those_that_exist() -> None:
    site = ROOT / "docs" / "site"
    named = re.findall(r"^ +- (?:[\w ]+: )?(\S+\.md)$", (site / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    for document in named:
        assert (ROOT / document).is_file() or (site / "pages" / document).is_file(), document
    documents = [p.relative_to(ROOT).as_posix() for p in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))]
    pages = [p.name for p in (site / "pages").glob("*.md")]
    assert sorted(n for n in named if n in documents or "/" not in n) == sorted([*documents, *pages])
