"""`make torture`: all attacks, and the table of what they found. `python -m tests.torture --size 0.1` is a tenth."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.torture.crowd import crowd
from tests.torture.damage import damage
from tests.torture.invocations import invocations
from tests.torture.kills import kills
from tests.torture.memory import memory
from tests.torture.tally import HEAD, Tally

ATTACKS = ("kills", "crowd", "damage", "invocations", "memory")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=float, default=1.0, help="of the whole (an hour on two cores)")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("attacks", nargs="*", default=ATTACKS, choices=[*ATTACKS, []], metavar="ATTACK")
    options = parser.parse_args()
    size, seed = options.size, options.seed
    print(f"seed {seed}\n{HEAD}", flush=True)
    clean = True
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for attack in options.attacks or ATTACKS:
            if attack == "memory":
                growth = memory(folder, max(13, round(200 * size)))
                print(growth.line(), flush=True)
                clean &= growth.most - growth.start <= 100
                continue
            tally = _attack(attack, folder, size, seed)
            print(tally.line(), *(f"    {note}" for note in tally.notes[:20]), sep="\n", flush=True)
            clean &= tally.clean
    sys.exit(not clean)


def _attack(attack: str, folder: Path, size: float, seed: int) -> Tally:
    match attack:
        case "kills":
            return kills(folder, max(2, round(100 * size)), seed)
        case "crowd":
            return crowd(folder, 12)
        case "damage":
            return damage(folder, max(20, round(2000 * size)), seed)
        case _:
            return invocations(folder, max(20, round(500 * size)), seed)


if __name__ == "__main__":
    main()
