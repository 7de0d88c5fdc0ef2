"""`dgpexp bench`: measure this machine's speed, and estimate what the thesis would cost on it."""

import json

import click

from dgpexp.cli.options import JSON, METHOD
from dgpexp.methods import METHODS

LIKE = "kin8nm"  # of the thesis's most common width


@click.command()
@METHOD
@click.option("--layers", multiple=True, type=click.IntRange(1), help="Measure only models of this depth. Repeatable.")
@click.option(
    "--profile",
    default="thesis",
    show_default=True,
    help="The profile whose settings are timed and whose cost is estimated.",
)
@click.option(
    "--precision", type=click.Choice(("float64", "mixed")), help="Time this precision instead of the profile's."
)
@JSON
def bench(
    methods: tuple[str, ...], layers: tuple[int, ...], profile: str, precision: str | None, as_json: bool
) -> None:
    """Time gradient steps on one core (8 inputs and units), and estimate what all runs of a profile cost here."""
    from dgpexp.plan import speed
    from dgpexp.plan.protocol import Select, read_protocol, shipped_protocols
    from dgpexp.quietly import one_thread

    changes = {"precision": precision} if precision else {}
    uci = read_protocol("uci")
    settings = {method: uci.settings(profile, LIKE, method).change(changes) for method in methods or METHODS}
    one_thread()
    samples = []
    for method, own in settings.items():
        for depth in layers or (1, 2, 3, 4, 5):
            samples.append(speed.measure(method, depth, own))
            if not as_json:
                rate = 1 / samples[-1].seconds_per_step
                click.echo(f"{method}-{depth}: {rate:7.1f} steps/s, {1e3 / rate:6.1f} ms per step", err=True)
    speed.remember(samples)
    known = speed.remembered() or samples
    days = {}
    for protocol in map(read_protocol, shipped_protocols()):
        if profile in protocol.profiles:
            times = [speed.seconds(spec, known) for spec in protocol.runs(profile, Select(changes=changes))]
            days[protocol.name] = None if None in times else sum(t for t in times if t is not None) / 86400
    if as_json:
        click.echo(json.dumps({"samples": [vars(s) for s in samples], f"{profile}_core_days": days}, indent=1))
        return
    for name, cost in days.items():
        click.echo(
            f"{profile}, {name}: " + ("not all methods are measured" if cost is None else f"{cost:.1f} core-days")
        )
    if None not in days.values():
        click.echo(f"{profile}, everything: {sum(d for d in days.values() if d is not None):.1f} core-days")
