"""index.json names what is in the folder, and only that."""

import json
from pathlib import Path

import pytest

from dgpexp.figures import index


def entry(folder: Path, number: str, title: str = "t") -> index.Entry:
    for kind in ("svg", "png"):
        (folder / f"{number}.{kind}").write_text("")
    return index.Entry(number, title, "c", "dgpexp figures x", f"{number}.svg", f"{number}.png")


def test_what_is_added_is_read_in_the_order_of_the_thesis(tmp_path: Path) -> None:
    index.add(tmp_path, [entry(tmp_path, "4.10.1"), entry(tmp_path, "4.2.2")])
    index.add(tmp_path, [entry(tmp_path, "2.2.1")])
    assert [e.id for e in index.read(tmp_path)] == ["2.2.1", "4.2.2", "4.10.1"]
    assert set(json.loads((tmp_path / "index.json").read_text())[0]) == {
        "id", "title", "caption", "command", "svg", "png"
    }  # fmt: skip


def test_a_figure_drawn_again_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    index.add(tmp_path, [entry(tmp_path, "2.2.1", "old")])
    index.add(tmp_path, [entry(tmp_path, "2.2.1", "new")])
    assert [e.title for e in index.read(tmp_path)] == ["new"]


def test_a_figure_whose_file_is_gone_is_not_listed(tmp_path: Path) -> None:
    index.add(tmp_path, [entry(tmp_path, "2.2.1"), entry(tmp_path, "2.2.2")])
    (tmp_path / "2.2.1.png").unlink()
    assert [e.id for e in index.read(tmp_path)] == ["2.2.2"]


@pytest.mark.parametrize("content", [None, "", "[{", '[{"id": 1}]', "{}", "3"])
def test_no_index_or_a_torn_one_is_an_empty_one(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "index.json").write_text(content)
    assert index.read(tmp_path) == []
