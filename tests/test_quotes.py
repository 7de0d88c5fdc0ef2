"""Numbers in the documents are those of the committed results."""

from tools.quotes import quotes


def test_quoted_tables_equal_the_committed_runs() -> None:
    found = list(quotes())
    assert found, "README.md quotes no table"
    for where, quoted, ours in found:
        assert quoted == ours, f"{where} is out of date: python -m tools.quotes"
