"""Every command that the documents name can be typed: its name, its arguments and its options exist."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from dgpexp.cli.main import cli

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")), ROOT / "data/README.md"]
DOCUMENTS += [ROOT / "experiments/README.md"]


def commands(text: str, program: str) -> Iterator[str]:
    """What the fenced blocks and the inline code of a document say from `program` on.

    In a block a command begins its line, behind a `$` or not, and ends where a column of explanations or a comment
    begins: two spaces, a `#`, a redirection.
    """
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if match := re.match(rf"\s*(?:\$ )?({program} .*)", line):
                yield re.split(r"  | #| [|>]|[;&]", match[1])[0].strip()
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for code in re.findall(r"`([^`]+)`", prose):
        first, *others = " ".join(code.split()).split(" | ")  # `dgpexp data list | fetch` are two commands
        if first.startswith(f"{program} "):
            yield first
            yield from (f"{first.rsplit(' ', 1)[0]} {other}" for other in others)


def found(program: str) -> list[tuple[str, str]]:
    every = ((d.name, c) for d in DOCUMENTS for c in commands(d.read_text(encoding="utf-8"), program))
    return list(dict.fromkeys(every))


def check(command: str) -> None:
    """Raises click's error if there is no such command, or if it has no such option or takes fewer arguments.

    Values are not looked at, and arguments may be left out, as in a sentence about `dgpexp run`. What stands in [ ]
    may be typed.
    """
    words, context = shlex.split(re.sub(r"[][]", "", command))[1:], click.Context(cli, info_name="dgpexp")
    while isinstance(context.command, click.Group) and words and not words[0].startswith("-"):
        name, subcommand, words = context.command.resolve_command(context, words)
        assert subcommand is not None
        context = click.Context(subcommand, parent=context, info_name=name)
    _, rest, _ = context.command.make_parser(context).parse_args(words)
    if rest:
        raise click.UsageError(f"{command}: {' '.join(rest)} is more than it takes")


@pytest.mark.parametrize(("document", "command"), found("dgpexp"))
def test_a_documented_command_exists(document: str, command: str) -> None:
    check(command)


@pytest.mark.parametrize(
    "command",
    ["dgpexp rum uci", "dgpexp run uci --methods vi", "dgpexp data fetsch", "dgpexp run uci a.csv b.csv", "dgpexp -z"],
)
def test_one_that_does_not_is_noticed(command: str) -> None:
    with pytest.raises(click.UsageError):
        check(command)


def test_documented_targets_of_make_exist() -> None:
    rules = (ROOT / "Makefile").read_text() + (ROOT / "benchmarks/bench.mk").read_text()
    targets = set(re.findall(r"^([a-z][\w-]*):", rules, re.MULTILINE))
    named = {(d, word) for d, c in found("make") for word in shlex.split(c)[1:] if "=" not in word}
    assert {"test", "reproduce"} <= {word for _, word in named}
    assert not {(d, word) for d, word in named if word not in targets}
