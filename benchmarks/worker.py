"""The child's side of workers.py: one contestant in a process of its own, driven line by line through pipes."""

import json
import os
import sys
import time
from typing import Any

from benchmarks import threads
from dgpexp.memory import peak_mib


def contestant(program: str, work: dict[str, Any], options: dict[str, Any]) -> Any:
    """A contestant on the same data and, where it copies them, the same parameters as all others."""
    from benchmarks.work import Work, start

    asked = Work(**work)
    if program == "dgpexp":
        from benchmarks.contestants import dgpexp_steps as module
    elif program == "gpflux":
        from benchmarks.contestants import gpflux_vi as module
    else:
        from benchmarks.contestants import gpytorch_vi as module
    return module.contestant(asked, start(asked), **options)


def learner(program: str, options: dict[str, Any]) -> Any:
    """A library as its users train it, on a data set's split 0."""
    from benchmarks.contestants import usual

    return getattr(usual, program)(split=usual.tested_on_few(options.pop("dataset")), **options)


def table(name: str) -> Any:
    """The steps that a table of a person's own gets."""
    from benchmarks.contestants import Contestant
    from dgpexp.datasets import load_split
    from dgpexp.tables.protocol import recipes
    from dgpexp.training.session import Session

    method, settings = next(iter(recipes().items()))
    session = Session(method, 2, settings, load_split(name, 0), seed=0)
    return Contestant(name, session.advance)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not be taken for an answer
    threads.single()
    begin = time.perf_counter()
    request = json.loads(sys.stdin.readline())
    if (core := request.pop("core", -1)) >= 0:
        threads.pin(core)  # before there are threads: all will be there
    kind = {"contestant": contestant, "learner": learner, "table": table}[request.pop("kind")]
    made = kind(**request)
    made.advance(1)  # whatever is built at the first step is built now
    first_step = time.perf_counter() - begin
    if core < 0:
        threads.pin()

    def answer(value: Any) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    answer({"name": made.name, "first_step_s": first_step})
    for line in sys.stdin:
        steps = int(line)
        if steps == 0:  # an evaluation, off the clock
            answer({"ll": made.log_likelihood()})
            continue
        wall, cpu = time.perf_counter(), time.process_time()
        made.advance(steps)
        answer({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "peak_mib": peak_mib()})


if __name__ == "__main__":
    main()
