"""Files and folders that are there whole, or not at all."""

from pathlib import Path
from typing import Any

import pytest

from dgpexp.files import scratch_folder
from dgpexp.report.build import drafted


def test_a_scratch_folder_is_gone_however_its_block_ends(tmp_path: Path) -> None:
    with scratch_folder(tmp_path) as folder:
        (folder / "page").write_text("half")
    with pytest.raises(KeyboardInterrupt), scratch_folder(tmp_path) as folder:
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_a_ctrl_c_right_after_a_draft_was_made_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The moment before anybody holds the folder."""
    make = Path.mkdir

    def interrupted(path: Path, *args: Any, **options: Any) -> None:
        make(path, *args, **options)
        if path.name.startswith(".draft-"):
            raise KeyboardInterrupt

    monkeypatch.setattr(Path, "mkdir", interrupted)
    with pytest.raises(KeyboardInterrupt), drafted(tmp_path / "report"):
        pass
    assert not list((tmp_path / "report").iterdir())
