"""`dgpexp settings` explains what --set can change."""

from dataclasses import fields

import pytest

from dgpexp.cli.main import main
from dgpexp.config import Settings


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(["settings", *words])
    return int(stop.value.code or 0), *capsys.readouterr()


def test_every_setting_is_named_with_its_default_in_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = shown(capsys)
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    starts = {line.split()[0]: line.split()[1] for line in out.splitlines() if not line.startswith(" ")}
    assert list(starts) == [f.name for f in fields(Settings)]
    assert starts["epochs"] == "2000" and starts["separate_inducing"] == "false"


def test_words_choose_and_an_unknown_word_is_said(capsys):
    code, out, _ = shown(capsys, "kernel")
    assert code == 0 and "one of rbf, matern32, matern52" in " ".join(out.split()) and "epochs" not in out
    code, _, err = shown(capsys, "banana")
    assert code == 2 and "no setting has banana" in err
