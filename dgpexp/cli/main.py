"""`dgpexp`: the group of all commands, each imported only when it is asked for."""

import importlib
import os
import sys
from typing import Any

import click

from dgpexp import __version__
from dgpexp.errors import UserError

# name -> ("module:attribute", the line `dgpexp --help` shows: known without importing the module)
COMMANDS: dict[str, tuple[str, str]] = {}


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is used, so that --help and completion are quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dgpexp")
def cli() -> None:
    """Train deep Gaussian processes by VI, AEP and AEPMCM, and compare them with the thesis."""


def main(args: list[str] | None = None) -> Any:
    """Run the command line; an error that a person can mend becomes one sentence and an exit code."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # TensorFlow greets on stderr otherwise
    try:
        return cli.main(args, prog_name="dgpexp", standalone_mode=True)
    except UserError as error:
        click.echo(f"dgpexp: {error}", err=True)
        sys.exit(error.exit_code)
