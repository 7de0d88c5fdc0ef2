"""Attacks on a store of runs, kept: `make torture` makes them in full, `make test` a few of each.

kills         sweeps and their workers killed or stopped at random moments, and continued
crowd         many sweeps at once in one folder
terminals     closed under a sweep
damage        run folders and locks in which something was replaced at random, read by every command
archives      the same of checkpoints, trained models and saved estimators
invocations   command lines that cannot be meant
memory        runs of more shapes than a worker keeps
"""
