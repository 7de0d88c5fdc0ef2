"""`dgpexp completion SHELL`: the script that makes TAB complete commands, options and names."""

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of SHELL.

    \b
    bash:  dgpexp completion bash >> ~/.bashrc
    zsh:   dgpexp completion zsh >> ~/.zshrc
    fish:  dgpexp completion fish > ~/.config/fish/completions/dgpexp.fish
    """
    from click.shell_completion import get_completion_class

    from dgpexp.cli.main import cli

    kind = get_completion_class(shell)
    assert kind is not None  # the choice above names only shells that click knows
    click.echo(kind(cli, {}, "dgpexp", "_DGPEXP_COMPLETE").source())
