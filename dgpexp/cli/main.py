"""`dgpexp`: the group of all commands, each imported only when it is used."""

import difflib
import importlib
import io
import os
import sys
import traceback

import click

from dgpexp import __version__
from dgpexp.errors import UserError
from dgpexp.mirrors.url import hide
from dgpexp.terminal.output import say, silence, standard_streams

# name -> the line `dgpexp --help` shows; the command `name` of dgpexp/cli/commands/name.py is imported when it is used
COMMANDS = {
    "demo": "See it work: train on a small table and open its page, in a minute.",
    "run": "Train and record the runs of an experiment.",
    "reproduce": "Run every experiment of a profile, and report as it goes.",
    "status": "Show what is done, running, failed and left.",
    "show": "Show one run: settings, code, numbers, files, traceback.",
    "rm": "Move runs to the trash, or empty it.",
    "settings": "Explain the settings that --set changes.",
    "predict": "Predict new rows by a trained model.",
    "plot": "Draw how reliable the predictions of a model are.",
    "bench": "Measure this machine's speed, and estimate what the thesis would cost on it.",
    "export": "Write the completed runs of a profile as one CSV or Parquet file.",
    "report": "Write the thesis's tables with our numbers beside them, or the page of your own table.",
    "compare": "Compare two sets of runs by paired differences with intervals.",
    "sync": "Copy new runs to a database.",
    "data": "Data sets: list, fetch, verify, import.",
    "figures": "Draw the figures of the theory.",
    "completion": "Print the script that completes commands in your shell.",
}


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is used, so that --help and completion are quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"dgpexp.cli.commands.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"the commands are {', '.join(COMMANDS)}."
            raise click.UsageError(f"unknown command '{args[0]}': {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dgpexp")
def cli() -> None:
    """Train deep Gaussian processes by VI, AEP and AEPMCM, and compare them with the thesis."""


def main(args: list[str] | None = None) -> None:
    """Run the command line; an error becomes one sentence and an exit code, never a traceback."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # TensorFlow greets on stderr otherwise
    with standard_streams():
        sys.exit(_exit_code(args))


def _exit_code(args: list[str] | None) -> int:
    """Run the command and turn an exception into a sentence: the one place that does."""
    typed = sys.argv[1:] if args is None else args  # may hold the password of a database, in the wrong place too
    try:
        code = cli.main(args, prog_name="dgpexp", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except SystemExit as stop:
        return _flushed(stop.code if isinstance(stop.code, int) else int(bool(stop.code)))
    except UserError as error:
        say(hide(f"dgpexp: {error}", *typed))
        return error.exit_code
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        say(hide(shown.getvalue(), *typed).rstrip("\n"))
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        say("dgpexp: interrupted.")
        return 130
    except BrokenPipeError:  # `dgpexp data list | head`
        silence(sys.stdout)
        return 1
    except OSError as error:
        silence(sys.stdout)
        what = error.filename or "standard output or a file"
        say(hide(f"dgpexp: {what!s} cannot be read or written ({error.strerror or error}).", *typed))
        return 1
    except MemoryError:
        say("dgpexp: there is not enough memory for this.")
        return 1
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        sentence = (
            f"dgpexp: this should not have happened ({reason}, {os.path.basename(place.filename)}:{place.lineno}): "
            "please report it with the command; `python -X dev -m dgpexp ...` shows more."
        )
        say(hide(sentence, *typed))
        return 1


def _flushed(code: int) -> int:
    """Return the exit code, or 1 if what was printed cannot be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
        return code or 1
    except OSError as error:
        silence(sys.stdout)
        say(f"dgpexp: standard output cannot be written ({error.strerror or error}).")
        return code or 1
    return code
