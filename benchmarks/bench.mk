# Measurements, and the comparisons with GPflow, GPflux and GPyTorch. Those need NumPy 1, so they have an environment of
# their own, .venv-peers, in which dgpexp runs beside them.
PEERS_PYTHON ?= python3

.PHONY: test-peers bench bench-peers bench-scale

.venv-peers/.ready: benchmarks/constraints-peers.txt pyproject.toml
	$(PEERS_PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install --quiet --disable-pip-version-check -c benchmarks/constraints-peers.txt -e '.[peers]' pytest
	touch $@

test-peers: .venv-peers/.ready  ## compare with GPflow, GPflux and GPyTorch, parameters copied
	.venv-peers/bin/python -m pytest tests/peers

# Without the peers' environment it does what it can and says what is missing.
bench:  ## milliseconds a step of every method, and the ratios that are promised
	$(firstword $(wildcard .venv-peers/bin/python .venv/bin/python) python3) -m benchmarks.steps $(ARGS)

bench-peers: .venv-peers/.ready  ## VI against GPflux and GPyTorch: a step, the share of the GEMM rate, time to accuracy
	.venv-peers/bin/python -m benchmarks.peers $(ARGS)
	.venv-peers/bin/python -m benchmarks.accuracy $(ARGS_ACCURACY)

bench-scale: .venv-peers/.ready  ## a step for 10 thousand to 2 million rows, and peak memory
	.venv-peers/bin/python -m benchmarks.scale $(ARGS)
