"""`dgpexp settings`: explain what `--set KEY=VALUE` can change."""

import shutil
import textwrap
from dataclasses import fields

import click


@click.command()
@click.argument("words", nargs=-1, metavar="[WORD]...")
def settings(words: tuple[str, ...]) -> None:
    """Explain all settings of a run, or those with a WORD in them: name, default, accepted values.

    They are changed by --set KEY=VALUE of `dgpexp run`, and are the keys of experiments/*.toml.
    """
    from dgpexp.config import Settings
    from dgpexp.errors import UserError

    shown = [f for f in fields(Settings) if not words or any(w in f"{f.name} {f.metadata['about']}" for w in words)]
    if not shown:
        raise UserError(f"no setting has {' or '.join(words)} in its name or description; `dgpexp settings` lists all.")
    first = max(len(f.name) for f in shown) + 2
    width = max(shutil.get_terminal_size((80, 24)).columns, first + 30)
    for f in shown:
        default = str(f.default).lower() if isinstance(f.default, bool) else str(f.default)
        text = f"{default}   {f.metadata['about']} ({f.metadata['check'].accepts})"
        click.echo(textwrap.fill(text, width, initial_indent=f.name.ljust(first), subsequent_indent=" " * first))
