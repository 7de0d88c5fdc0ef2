"""The page leads with her table, has nothing of the thesis, and needs nothing but itself."""

import re

import pytest

from dgpexp.errors import UserError
from dgpexp.figures.diagnostics.number_panels import NUMBER_PANELS
from dgpexp.tables import page as own_page
from dgpexp.tables.gathered import gather
from tests.figures.diagnostics.made import numbers
from tests.store.folders import make_run
from tests.tables.conftest import ABOUT, spec


@pytest.fixture
def report(own, tmp_path):
    for split in (0, 1):
        make_run(tmp_path, spec(own, split), command=f"dgpexp run csv <b>{split}</b>", **ABOUT)
    make_run(tmp_path, spec(own, 0, max_steps=99), started="2025-01-01")
    return gather(tmp_path, own.dataset.name, None, lambda text: None)


def test_the_page_has_every_panel_of_every_model_and_n_and_settings_of_every_line(report, tmp_path, monkeypatch):
    monkeypatch.setattr(own_page, "tested", lambda configuration: numbers(n=20))
    monkeypatch.setitem(own_page.PANELS, "regression", NUMBER_PANELS[1:3])  # drawing is what takes the time
    page = own_page.write(report, tmp_path / "out", (None, "It is too deep.")).read_text(encoding="utf-8")
    assert page.index("<h1>Predicting rent</h1>") < page.index("How good it is") < page.index("an exact GP")
    assert "From area, city: the table" in page and "60 rows, 4 inputs" in page
    for number in (1, 2):
        for panel in ("calibration", "residuals"):
            assert f'<figure id="m{number}-{panel}"' in page
    assert "quick, max_steps = 99" in page and "max_steps = 10" in page
    lines = re.findall(r'<tr><th scope="row">.*?</tr>', page)
    assert [re.sub("<.*?>", " ", line).split()[:5] for line in lines[:2]] == [
        ["AEPMCM", "2", "quick,", "max_steps", "="],
        ["AEPMCM", "2", "quick,", "max_steps", "="],
    ]
    assert "thesis" not in page.lower().replace("--profile thesis", ""), "nothing but her table"
    assert "dgpexp run csv &lt;b&gt;0" in page and "<b>0</b>" not in page, "what a run says is escaped"
    assert not re.findall(r'(?:src|href)="(?!#|data:|figures/|tables/)', page), "no network"
    for file in re.findall(r'href="((?:figures|tables)/[^"]+)"', page):
        assert (tmp_path / "out" / file).is_file(), file


def test_without_the_models_the_numbers_are_there_and_the_reason(report, tmp_path):
    page = own_page.write(report, tmp_path / "out", (None, "It is too deep.")).read_text(encoding="utf-8")
    assert "No pictures: " in page and "has no model.npz any more" in page and "How good it is" in page


def test_a_folder_that_cannot_be_written_is_one_sentence(report, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="choose another --output"):
        own_page.write(report, tmp_path / "file" / "out", (None, ""))
