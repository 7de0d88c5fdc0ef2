"""`dgpexp report` where both the thesis and a table of one's own were run."""

import pytest

from dgpexp.cli.main import main
from tests.store import folders
from tests.store.folders import make_run


def test_the_thesis_page_says_how_to_get_the_page_of_a_table(undrawn, tmp_path, capsys):
    make_run(tmp_path, folders.spec(dataset="boston"))
    make_run(tmp_path, folders.spec(dataset="flats-0badcafe"), experiment="csv")
    with pytest.raises(SystemExit) as stopped:
        main(["report", "--profile", "quick", "--results", str(tmp_path)])
    out, err = capsys.readouterr()
    assert not stopped.value.code and out.endswith("quick/index.html\n")
    assert "`dgpexp report NAME` makes pages of your own tables: flats-0badcafe." in err
