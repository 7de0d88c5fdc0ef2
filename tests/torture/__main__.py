"""`make torture`: all attacks, and the table of what they found. `python -m tests.torture --size 0.1` is a tenth."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.engines.sweeps import undisturbed
from tests.torture.archives import archives
from tests.torture.crowd import crowd
from tests.torture.damage import damage
from tests.torture.fits import fits
from tests.torture.invocations import invocations
from tests.torture.kills import kills
from tests.torture.memory import memory
from tests.torture.tables import tables
from tests.torture.tally import HEAD, Tally
from tests.torture.terminals import terminals

ATTACKS = ("kills", "crowd", "terminals", "damage", "archives", "invocations", "tables", "memory", "fits")


def options_of(arguments: list[str] | None = None) -> argparse.Namespace:
    """What was asked for: all attacks if none is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=float, default=1.0, help="of the whole (an hour on two cores)")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("attacks", nargs="*", default=[], choices=[*ATTACKS, []], metavar="ATTACK")
    options = parser.parse_args(arguments)
    options.attacks = options.attacks or list(ATTACKS)
    return options


def main() -> None:
    options = options_of()
    print(f"seed {options.seed}\n{HEAD}", flush=True)
    clean = True
    for attack in options.attacks:
        with tempfile.TemporaryDirectory() as temporary:
            found = _attack(attack, Path(temporary), options.size, options.seed)
        print(found.line(), *(f"    {note}" for note in found.notes[:20]), sep="\n", flush=True)
        clean &= found.clean
    sys.exit(not clean)


def _attack(attack: str, folder: Path, size: float, seed: int) -> Tally:
    match attack:
        case "kills":
            return kills(folder, undisturbed(folder), max(2, round(100 * size)), seed)
        case "crowd":
            return crowd(folder, undisturbed(folder), 12)
        case "terminals":
            return terminals(folder, undisturbed(folder), max(2, round(10 * size)), seed)
        case "damage":
            return damage(folder, max(20, round(2000 * size)), seed)
        case "archives":
            return archives(folder, max(20, round(200 * size)), seed)
        case "invocations":
            return invocations(folder, max(20, round(2000 * size)), seed)
        case "tables":
            return tables(folder, max(200, round(5000 * size)), seed)
        case "fits":
            return fits(max(20, round(200 * size)), seed)
        case _:
            return memory(folder, max(13, round(200 * size)))


if __name__ == "__main__":
    main()
