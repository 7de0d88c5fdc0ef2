# Measurements, and the comparisons with GPflow, GPflux and GPyTorch. Those need NumPy 1, so they have an environment of
# their own, in which dgpexp runs beside them. Options go through ARGS, e.g. make bench ARGS="--json steps.json".

PEERS := .venv-peers
# `make bench` does what it can without the peers, and says what is missing.
BENCH := $(if $(wildcard $(PEERS)/.ready),$(PEERS),$(VENV))

.PHONY: test-peers bench bench-record bench-peers bench-races bench-scale bench-big-table bench-gang bench-sweep bench-recipe bench-auto bench-variance bench-gold bench-predictions bench-report

$(PEERS)/.ready: pyproject.toml benchmarks/constraints-peers.txt
	@echo "setting up $(PEERS) with $(PYTHON) (a few minutes: TensorFlow and PyTorch)" >&2
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS) 2>/dev/null || $(PYTHON) -m venv --without-pip $(PEERS)
	@test -x $(PEERS)/bin/pip || $(PYTHON) -m pip --python $(PEERS)/bin/python install --quiet pip
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -c benchmarks/constraints-peers.txt \
		-e '.[peers]' pytest
	@touch $@

test-peers: $(PEERS)/.ready
	$(PEERS)/bin/python -m pytest tests/peers

bench: $(BENCH)/.ready
	$(BENCH)/bin/python -m benchmarks.steps $(ARGS)

# The same, kept in results/measured, and the tables of README.md and docs/ made of it.
bench-record: $(PEERS)/.ready $(VENV)/.ready
	$(PEERS)/bin/python -m benchmarks.steps --json results/measured/bench/steps.json $(ARGS)
	$(BIN)/python -m tools.quotes

bench-peers: $(PEERS)/.ready
	$(PEERS)/bin/python -m benchmarks.peers $(ARGS)

# Seconds to given log-likelihoods, ours and the peers'; kept and quoted like bench-record.
bench-races: $(PEERS)/.ready $(VENV)/.ready
	$(PEERS)/bin/python -m benchmarks.races --json results/measured/bench/races.json $(ARGS)
	$(BIN)/python -m tools.quotes

bench-scale: $(BENCH)/.ready
	$(BENCH)/bin/python -m benchmarks.scale $(ARGS)

bench-big-table: $(VENV)/.ready
	$(BIN)/python -m benchmarks.big_table $(ARGS)

# On a quiet machine with two cores or more.
bench-gang: $(VENV)/.ready
	$(BIN)/python -m benchmarks.gang --json results/measured/bench/gang.json $(ARGS)
	$(BIN)/python -m tools.quotes

bench-sweep: $(VENV)/.ready
	$(BIN)/python -m benchmarks.sweep $(ARGS)

bench-recipe: $(VENV)/.ready
	$(BIN)/python -m benchmarks.recipe $(ARGS)

# On tables of registry packages, kept and quoted; CatBoost joins in where it is installed.
bench-auto: $(VENV)/.ready
	$(BIN)/python -m benchmarks.auto_tables --json results/measured/bench/auto.json $(ARGS)
	$(BIN)/python -m tools.quotes

bench-variance: $(VENV)/.ready
	$(BIN)/python -m benchmarks.variance $(ARGS)

bench-gold: $(VENV)/.ready
	$(BIN)/python -m benchmarks.gold $(ARGS)

bench-predictions: $(VENV)/.ready
	$(BIN)/python -m benchmarks.predictions $(ARGS)

bench-report: $(VENV)/.ready
	$(BIN)/python -m benchmarks.report $(ARGS)
