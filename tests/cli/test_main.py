"""The command line as a whole: quick to start, helpful when it is mistyped, never a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dgpexp import __version__
from dgpexp.cli.main import COMMANDS, main

HEAVY = ("tensorflow", "pandas", "sacred", "matplotlib", "scipy")


def run(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dgpexp", *args]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env}, check=False)


def imported(code: str) -> set[str]:
    """The heavy modules that a piece of code imports, in a Python of its own."""
    code += f"\nimport json, sys; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


CALL = """
from dgpexp.cli.main import main
def call(*args):
    try: main(list(args))
    except SystemExit: pass
"""


def test_help_imports_nothing_heavy() -> None:
    """Neither of dgpexp nor of any command: one process asks for all of them."""
    calls = "\n".join(f"call('{command}', '--help')" for command in COMMANDS)
    assert imported(f"{CALL}call('--help')\n{calls}") == set()


def test_a_look_at_the_runs_imports_nothing_heavy(tmp_path: Path) -> None:
    assert imported(f"{CALL}call('status', '--results', {str(tmp_path)!r})") == set()


def test_completion_imports_nothing_heavy_and_knows_the_commands() -> None:
    code = (
        "import os\nos.environ.update(_DGPEXP_COMPLETE='bash_complete', COMP_WORDS='dgpexp ', COMP_CWORD='1')\n"
        "from dgpexp.cli.main import main\ntry: main([])\nexcept SystemExit: pass"
    )
    assert imported(code) == set()


def test_tab_completes_commands_and_data_sets() -> None:
    done = run(_DGPEXP_COMPLETE="bash_complete", COMP_WORDS="dgpexp da", COMP_CWORD="1")
    assert done.stdout.split() == ["plain,data"]
    done = run(_DGPEXP_COMPLETE="bash_complete", COMP_WORDS="dgpexp data fetch pr", COMP_CWORD="3")
    assert done.stdout.split() == ["plain,protein"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["completion", shell])
    assert stop.value.code == 0
    assert "_DGPEXP_COMPLETE" in capsys.readouterr().out


def test_version() -> None:
    assert run("--version").stdout.split()[-1] == __version__


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["dta"], "did you mean 'data'?"),
        (["zzz"], "the commands are"),
        (["data", "fetch", "bostn"], "did you mean 'boston'?"),
        (["data", "import", "no-such-folder"], "no folder no-such-folder"),
        (["--no-such-option"], "No such option"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    args: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(args)
    assert stop.value.code == 2
    assert sentence in capsys.readouterr().err


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert "Commands:" in captured.out + captured.err


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dgpexp.datasets.sources.chain.whereabouts", interrupted)
    with pytest.raises(SystemExit) as stop:
        main(["data", "list"])
    assert stop.value.code == 130
    assert capsys.readouterr().err.strip() == "dgpexp: interrupted."


def test_a_closed_pipe_is_quiet() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m dgpexp data list --json | head -1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "[\n"
    assert done.stderr == ""
