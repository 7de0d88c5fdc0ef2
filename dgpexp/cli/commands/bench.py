"""`dgpexp bench`: this machine's speed, and what the thesis would cost on it."""

import json

import click

from dgpexp.cli.options import JSON, METHOD
from dgpexp.methods import METHODS


@click.command()
@METHOD
@click.option("--layers", multiple=True, type=click.IntRange(1), help="Only this depth; repeatable.")
@click.option("--precision", type=click.Choice(("float64", "mixed")), default="float64", show_default=True)
@JSON
def bench(methods: tuple[str, ...], layers: tuple[int, ...], precision: str, as_json: bool) -> None:
    """Time gradient steps of the thesis's size (M = 100, 8 inputs and units, minibatch 100, S = 20) on one core."""
    from dgpexp.config import Settings
    from dgpexp.plan import speed
    from dgpexp.plan.protocol import read_protocol, shipped_protocols
    from dgpexp.runs.one_thread import one_thread

    methods, layers, settings = methods or tuple(METHODS), layers or (1, 2, 3, 4, 5), Settings(precision=precision)
    one_thread()
    samples = []
    for method in methods:
        for depth in layers:
            samples.append(speed.measure(method, depth, settings))
            if not as_json:
                rate = 1 / samples[-1].seconds_per_step
                click.echo(f"{method}-{depth}: {rate:7.1f} steps/s, {1e3 / rate:6.1f} ms per step", err=True)
    speed.remember(samples)
    change = {"precision": precision}
    known = [s for s in speed.remembered() if s.precision == precision] or samples
    days = {}
    for name in shipped_protocols():
        from dgpexp.plan.protocol import Select

        specs = read_protocol(name).runs("thesis", Select(changes=change))
        times = [speed.seconds(spec, known) for spec in specs]
        days[name] = None if None in times else sum(t for t in times if t is not None) / 86400
    if as_json:
        click.echo(json.dumps({"samples": [vars(s) for s in samples], "thesis_core_days": days}, indent=1))
        return
    for name, cost in days.items():
        click.echo(f"thesis, {name}: " + ("not all methods are measured" if cost is None else f"{cost:.1f} core-days"))
    if None not in days.values():
        click.echo(f"thesis, everything: {sum(d for d in days.values() if d is not None):.1f} core-days")
