"""Numbers in the documents are those of the committed results."""

import pytest

from tools import quotes as module
from tools.quotes import current, quotes


def test_quoted_tables_equal_the_committed_runs() -> None:
    found = list(quotes())
    assert found, "README.md quotes no table"
    for where, quoted, ours in found:
        assert quoted == ours, f"{where} is out of date: python -m tools.quotes"


def test_gaps_to_the_gold_standard_are_means_over_the_problems_of_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    def problem(noise: float, mcmc: float, vi: float) -> dict[str, object]:
        return {"inner_noise": noise, "mcmc": {"ll": mcmc, "crps": 0.1}, "vi": {"ll": vi, "crps": 0.3}}

    rows = [problem(1e-3, -1.0, -1.1), problem(1e-3, -3.0, -3.3), problem(0.1, -2.0, -2.5)]
    monkeypatch.setattr(module, "_measured", lambda name: {"rows": rows})
    head, _, mcmc, vi = module._gold().splitlines()
    assert head == "|  | quiet hidden layer: LL | quiet hidden layer: CRPS | noisy: LL | noisy: CRPS |"
    assert mcmc == "| MCMC itself | −2.000 | 0.100 | −2.000 | 0.100 |"
    assert vi == "| VI, less MCMC | −0.200 (0.100) | 0.200 (0.000) | −0.500 | 0.200 |"


def test_a_table_of_relatives_without_runs_says_so_and_a_misspelt_one_fails() -> None:
    assert current("best-never/table-power-ll") == module.NOT_YET
    with pytest.raises(KeyError):
        current("best-never/table-powr-ll")
