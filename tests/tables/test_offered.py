"""Every command that the terminal or the page of a table offers does what it says; and `dgpexp demo` ends in a page."""

import html
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from dgpexp.errors import UserError
from dgpexp.tables.demo import ROWS, demo_text, write_demo
from tests.tables.test_run_csv import dgpexp, place, write_table  # noqa: F401

FEW = ("--set", "max_steps=20", "--set", "inducing_points=5", "--set", "test_samples=5", "--set", "train_samples=2")


@pytest.mark.slow
@pytest.mark.parametrize("target", ["price", "colour"])
def test_every_command_that_is_offered_runs(
    place: Path,  # noqa: F811
    dgpexp: Any,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    target: str,
) -> None:
    """After quick and then the default profile, for a number and for classes."""
    monkeypatch.chdir(place)
    write_table(place / "NEW.csv", 12, seed=1)
    said = ""
    for profile in (("--profile", "quick"), ()):
        code, out, err = dgpexp("run", "csv", "prices.csv", "--target", target, *profile, *FEW)
        assert code == 0, err
        said += out
    code, out, err = dgpexp("report", "prices")
    assert code == 0, err
    page = Path(out.split()[-1]).read_text(encoding="utf-8")
    codes = [html.unescape(re.sub("<.*?>", "", found)) for found in re.findall("<code>(.*?)</code>", page)]
    offered = {line.partition("   ")[0].strip() for line in [*said.splitlines(), *codes]}
    commands = sorted(line for line in offered if line.startswith("dgpexp ") and "run csv" not in line)
    commands += [line for line in codes if "dgpexp run csv" in line and "--" in line][
        :1
    ]  # the others differ in a split
    assert any("predict" in line for line in commands) and any("report" in line for line in commands)
    for command in commands:
        code, _, err = dgpexp(*shlex.split(command)[1:])
        assert code == 0, f"{command}: {err}"
    code, out, err = dgpexp("predict", f"prices.{target}", "--input", "NEW.csv")
    assert code == 0 and "by auto of profile best" in err and len(out.splitlines()) == 13


def test_the_table_of_the_demo_is_the_same_everywhere_and_replaces_no_other(tmp_path: Path) -> None:
    path = write_demo(tmp_path / "demo.csv")
    assert write_demo(path).read_text() == demo_text() and len(demo_text().splitlines()) == ROWS + 1
    assert demo_text().splitlines()[1] == "37,Rome,2008,1011"
    path.write_text("mine")
    with pytest.raises(UserError, match="is another file: go to an empty folder"):
        write_demo(path)


@pytest.mark.slow
def test_the_demo_ends_in_a_page_that_holds_the_model(
    tmp_path: Path,
    dgpexp: Any,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("DGPEXP_DATA", "DGPEXP_RESULTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    code, out, err = dgpexp("demo", "--no-open")
    assert code == 0, err
    assert "sees two or more answers for" in out, "the branches are found"
    assert '<script type="application/json" id="model">' in Path(out.split()[-1]).read_text(encoding="utf-8")
