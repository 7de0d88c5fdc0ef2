"""Command lines that cannot be meant: each ends with a sentence and an exit code, soon."""

import os
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from dgpexp.plan import speed
from tests.speeds import known_speeds
from tests.torture.archives import trained_run
from tests.torture.calling import called
from tests.torture.tally import Tally

_SECONDS = 120
WORDS = [
    *("", " ", "-1", "0", "1.5", "1e308", "nan", "inf", "-inf", "9" * 21, "abc", "ä", "\udcff", "[/bold]", "true"),
    *("../../../escape", "/dev/null", "/dev/full", "/proc/self/mem", ".", "..", "x" * 300, "x" * 5000, "~", "$HOME"),
    *("a=b=c", "=", "@", ":", "a@b:c", "'; rm", "%s", "{}", "[]", "*", "0-", "-", "--", "5-1", "1-2-3", "tcp://"),
    *("tls://127.0.0.1:1", "host:99999", "\x1b[2J", "\x1b]0;mine\x07"),
    *("http://x", "null", "x", "y", "0.5", "0,1", "drop", "hdr", "vi", "quick", "rows=40", "boston", "flats"),
]
TABLES = ["", "x,y\n", "x,y\n" + "1,2\n" * 30, "a\n1\n", "x,y\n" + "1,nan\n" * 30, "x,x\n1,2\n", "\0\0\0", '"x,y\n']
SOME = (
    "--set --splits --layers --method --dataset --samples --max-steps --max-seconds --profile --jobs --checkpoint-every"
)
COMMANDS = {  # what each may be given, and what it is always given, so that it never trains or draws for long
    "run": (SOME, "--dry-run"),
    "run uci": (f"{SOME} --cluster --scheduler --target --drop --test --observer", "--dry-run"),
    "run csv": (f"{SOME} --target --target --drop --test --missing --dates --task", "--dry-run"),
    "reproduce": ("--profile --jobs --cluster --scheduler --checkpoint-every --observer", "--dry-run"),
    "status": ("--profile --results", ""),
    "settings": ("", ""),
    "predict": ("--input --key --quantiles --interval --kind --missing --samples --seed --output --results", ""),
    "plot": ("--profile --output --results", ""),
    "bench": ("--method --layers --precision", "--nonsense"),
    "export": ("--profile --output --results", ""),
    "report": ("--profile --run --results", "--run nothing"),
    "compare": ("--metric --results", ""),
    "sync": ("--observer --profile", ""),
    "data list": ("--json", ""),
    "data verify": ("--json", ""),
    "data import": ("--json", ""),
    "figures": ("--output", "--list"),
    "completion": ("", ""),
}


def invocations(folder: Path, count: int, seed: int) -> Tally:
    rng, tally = random.Random(seed), Tally("invocations", f"{count} bad command lines")
    with _scratch(folder / "a" / "b" / "c") as scratch:
        table = scratch / "table.csv"
        speed.remember(known_speeds())
        trained_run(scratch / "results")
        for _ in range(count):
            table.write_text(rng.choice(TABLES))
            signal.alarm(_SECONDS)
            words = _words(rng, str(table))
            _, _, err = called(tally, *words)
            signal.alarm(0)
            if "\x1b" in err:  # nor would it be in the answer, were that a terminal
                tally.different += 1
                tally.notes.append(f"commands the terminal: {words}")
    return tally


def _words(rng: random.Random, table: str) -> list[str]:
    name = rng.choice(list(COMMANDS))
    options, always = COMMANDS[name]
    words = name.split()
    for _ in range(rng.randint(0, 3)):
        option = rng.choice([*options.split(), "", "--nonsense"])
        words += [option] if option else []
        words += [rng.choice([*WORDS, table])]
    return [*words, *always.split()]


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """A working folder and a machine of known speed; a command that takes too long is interrupted."""
    folder.mkdir(parents=True)
    before, handler = (Path.cwd(), dict(os.environ)), signal.signal(signal.SIGALRM, _too_long)
    os.chdir(folder)
    os.environ.update(DGPEXP_RESULTS=str(folder / "results"), XDG_CACHE_HOME=str(folder / "cache"))
    os.environ["DGPEXP_DATA"] = str(folder / "data")
    try:
        yield folder
    finally:
        signal.signal(signal.SIGALRM, handler)
        os.chdir(before[0])
        os.environ.clear()
        os.environ.update(before[1])


class TooLong(BaseException):
    """Not an Exception: of those, the command line makes sentences."""


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TooLong(f"not over after {_SECONDS} s")
