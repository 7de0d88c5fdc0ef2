"""The documents name things that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"^\| (`dgpexp/\w+/`.*?) \| (.*) \|$", re.MULTILINE)


def test_architecture_names_every_package_and_only_modules_that_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set()
    for folders, modules in ROW.findall(text):
        packages = [ROOT / f for f in re.findall(r"`(dgpexp/\w+)/`", folders)]
        named |= {p.name for p in packages}
        for module in re.findall(r"`([a-z_]+)`", modules):
            assert any((p / f"{module}.py").is_file() for p in packages), f"{module} of {folders}"
    assert named == {p.parent.name for p in (ROOT / "dgpexp").glob("*/__init__.py")}


def test_links_between_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / link).exists(), f"{document.name}: {link}"
