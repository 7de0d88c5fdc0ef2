"""`dgpexp figures`: draw the figures of the theory."""

import os
from pathlib import Path

import click

from dgpexp.terminal.output import answer, say


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to draw into.  [default: results/figures, or figures in DGPEXP_RESULTS]",
)
@click.option("--list", "only_list", is_flag=True, help="List the figures and draw none.")
def figures(names: tuple[str, ...], output: Path | None, only_list: bool) -> None:
    """Draw the figures of the theory as SVG, PDF and PNG: all of them, or those NAMEd (by name or number)."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads would only wait for each other

    from dgpexp.errors import RunFailed, UserError
    from dgpexp.figures import registry
    from dgpexp.store.stored_run import results_dir

    chosen = registry.find(names)
    if only_list:
        for name in chosen:
            about = registry.describe(name)
            click.echo(f"{about.id:<7}{name:<22}{about.title}")
        return
    output = output or results_dir() / "figures"
    left_out = []
    try:
        for name, skipped in registry.draw(chosen, output):
            left_out += [name] if skipped else []
            say(f"{name}: skipped, {skipped}" if skipped else f"{name}: drawn")
    except OSError as error:
        raise UserError(f"cannot write the figures to {output}: {error.strerror}.") from None
    answer(output)
    if names and left_out:  # asked for by name; among all of them, a figure may be left out
        raise RunFailed(f"not drawn: {', '.join(left_out)}; the reason is given above.")
