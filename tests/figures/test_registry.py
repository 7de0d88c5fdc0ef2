"""Every figure has a title, a caption and a number, and can be asked for by either name."""

from pathlib import Path

import pytest

from dgpexp.errors import UserError
from dgpexp.figures import index, registry


@pytest.mark.parametrize("name", registry.FIGURES)
def test_every_figure_says_what_to_see(name: str) -> None:
    about = registry.describe(name)
    assert about.id == registry.FIGURES[name]
    assert 20 < len(about.title) < 110 and "\n" not in about.caption
    assert len(about.caption) > 150


def test_figures_are_found_by_name_or_number_in_the_order_of_the_thesis() -> None:
    assert registry.find([]) == list(registry.FIGURES)
    assert registry.find(["3.3.1", "fitc", "2.3.1"]) == ["fitc", "forward-reverse-kl"]


def test_an_unknown_figure_gets_a_suggestion() -> None:
    with pytest.raises(UserError, match="did you mean 'gp-posterior'"):
        registry.find(["gp-posterio"])


def test_drawing_writes_three_files_and_the_index(tmp_path: Path) -> None:
    assert list(registry.draw(["prior-samples"], tmp_path)) == [("prior-samples", None)]
    (entry,) = index.read(tmp_path)
    assert entry.command == "dgpexp figures prior-samples"
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "2.2.1-prior-samples.pdf", "2.2.1-prior-samples.png", "2.2.1-prior-samples.svg", "index.json"
    ]  # fmt: skip


def test_what_cannot_be_drawn_is_skipped_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "statsmodels", None)  # as if it were not installed
    monkeypatch.setitem(__import__("sys").modules, "statsmodels.datasets", None)
    ((name, reason), (other, nothing)) = registry.draw(["mauna-loa", "polynomial-kernels"], tmp_path)
    assert name == "mauna-loa" and reason is not None and "pip install" in reason
    assert other == "polynomial-kernels" and nothing is None
    assert [e.id for e in index.read(tmp_path)] == ["2.2.2"]
