"""`dgpexp reproduce` has the figures of the theory drawn beside the sweep, once."""

from pathlib import Path

import pytest

from dgpexp.figures import index, registry
from dgpexp.terminal import reporter


def commands_of_a_reporter(results: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    started: list[list[str]] = []
    monkeypatch.setattr(reporter.subprocess, "Popen", lambda command, **_: started.append(command))
    reporter.Reporter(results, "quick")
    return started


def test_what_is_not_drawn_yet_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (command,) = commands_of_a_reporter(tmp_path, monkeypatch)
    assert command[1:4] == ["-m", "dgpexp", "figures"] and command[4:-2] == list(registry.FIGURES)
    assert command[-2:] == ["--output", str(tmp_path / "figures")]


def test_what_is_drawn_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "figures"
    folder.mkdir()
    numbers = [n for n in registry.FIGURES.values() if n != "3.3.1"]
    for name in (f"{n}.{kind}" for n in numbers for kind in ("svg", "png")):
        (folder / name).write_text("")
    index.add(folder, [index.Entry(n, "t", "c", "x", f"{n}.svg", f"{n}.png") for n in numbers])
    (command,) = commands_of_a_reporter(tmp_path, monkeypatch)
    assert command[4:-2] == ["forward-reverse-kl"]
