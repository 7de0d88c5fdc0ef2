"""Pictures that others drew: carried inside the page, and never trusted."""

import base64
import json

from dgpexp.figures import index
from tests.report.conftest import build_report

ENTRY = {"id": "3.3.1", "title": "KL <fits>", "caption": "What to see.", "command": "dgpexp figures kl"}


def write(folder, entries):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kl.svg").write_text("<svg><script>alert(1)</script></svg>")
    (folder / "kl.png").write_bytes(b"\x89PNG")
    (folder / "index.json").write_text(json.dumps(entries))


def test_a_large_svg_gives_way_to_its_png(tmp_path, monkeypatch):
    monkeypatch.setattr(index, "LARGEST_SVG", 10)
    write(tmp_path / "figures", [ENTRY | {"svg": "kl.svg", "png": "kl.png"}])
    (picture,) = index.pictures(tmp_path / "figures")
    assert picture["src"] == "data:image/png;base64," + base64.b64encode(b"\x89PNG").decode()


def test_pictures_stand_in_the_page_as_images(undrawn, tmp_path):
    write(tmp_path / "figures", [ENTRY | {"svg": "kl.svg", "png": "kl.png"}])
    content = (build_report(tmp_path, "none") / "index.html").read_text()
    assert 'id="gallery-3.3.1"' in content and "KL &lt;fits&gt;" in content and "dgpexp figures kl" in content
    assert "<script>alert(1)" not in content
