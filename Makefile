# `make test` and `make reproduce` do all their set-up themselves: Python 3.11 or later with pip is all they need.

PROFILE ?= quick
SIZE ?= 1
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
EXTRAS ?= dev,figures
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help venv test test-slow torture lint reproduce docs clean

help:
	@echo "make test        set up, then lint, types and the whole test suite"
	@echo "make reproduce   set up, then every experiment of the thesis (PROFILE=quick; PROFILE=thesis is the real thing)"
	@echo "make lint        ruff, mypy and import-linter    make test-slow   the tests that need minutes or the package registry"
	@echo "make docs        the documentation as a site in build/docs, with the figures, the report and the Python API"
	@echo "make torture     kill, crowd, damage and mistype for an hour, and count what is lost (SIZE=0.1: a tenth)"
	@echo "make bench       time a step of every method, and every promise    make bench-record   keep it, and quote it in docs/"
	@echo "make bench-scale the same for 10 thousand to 2 million rows    make bench-sweep   two jobs against one"
	@echo "make bench-peers time VI against GPflux and GPyTorch    make test-peers   compare numbers with them"
	@echo "make bench-races  seconds of training to given log-likelihoods, ours and the peers'"
	@echo "make bench-recipe a run in the profile lean against the thesis's    make bench-report   a report of 2,000 runs"
	@echo "make bench-auto   auto, the default, on public tables beside all that it mixes and CatBoost"
	@echo "make bench-gang  one model in one process and in two: ms a step, kept and quoted in docs/"
	@echo "make clean       remove the environments and the caches"

venv: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "dgpexp needs Python 3.11 or later: install it, or name it with PYTHON=..." >&2; exit 2; }
	@echo "setting up $(VENV) with $(PYTHON) (a few minutes the first time: TensorFlow is large)" >&2
	@# A system without ensurepip makes an environment without pip: lend it the system's.
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) 2>/dev/null || $(PYTHON) -m venv --without-pip $(VENV)
	@test -x $(BIN)/pip || $(PYTHON) -m pip --python $(BIN)/python install --quiet pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

test-slow: venv
	$(BIN)/python -m pytest -m slow

torture: venv
	$(BIN)/python -m tests.torture --size $(SIZE)

reproduce: venv
	@# 3: all that could be run went well; the data sets that cannot be had from here were named.
	$(BIN)/dgpexp reproduce --profile $(PROFILE) || test $$? -eq 3

# A results folder of its own: the report of the site shows the committed results, whatever was run here.
docs: export DGPEXP_RESULTS = $(CURDIR)/build/results
docs: export NO_MKDOCS_2_WARNING = 1
# Without --quiet, which hides warnings from --strict.
docs: $(VENV)/.docs build/results/figures/index.json
	$(BIN)/dgpexp report --profile thesis --json > /dev/null
	$(BIN)/mkdocs build --strict --config-file docs/site/mkdocs.yml
	@echo build/docs/index.html

$(VENV)/.docs: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@touch $@

build/results/figures/index.json: $(wildcard dgpexp/drawing/*.py dgpexp/figures/*.py dgpexp/figures/*/*.py) | $(VENV)/.ready
	$(BIN)/dgpexp figures --output $(@D)

include benchmarks/bench.mk

clean:
	rm -rf $(VENV) $(PEERS) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
