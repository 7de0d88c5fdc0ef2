"""dgpexp against GPflow, GPflux and GPyTorch with copied parameters. `make test-peers` installs them and runs this."""
