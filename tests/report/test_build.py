"""The folder that a report is written to: complete, self-contained, the same every time, and never half of it."""

import csv
import json
import os
import re
from pathlib import Path

import pytest

from benchmarks.report import write_store
from dgpexp.errors import UserError
from dgpexp.report import build_pages, reproduced, source
from dgpexp.report.cells import RECIPE
from dgpexp.report.model import as_json, gather
from dgpexp.report.page import page
from tests.report import sample
from tests.report.conftest import HOSTILE, build_report


def text(folder: Path) -> str:
    return (folder / "index.html").read_text(encoding="utf-8")


def test_every_table_and_figure_is_there(built):
    for table in ("5.1.1", "5.1.2", "5.2.1", "5.2.2", "5.3.1", "5.3.2", "crps", "coverage90"):
        for kind in ("csv", "md", "tex"):
            assert (built / "tables" / f"table-{table}.{kind}").stat().st_size > 0
    for figure in ("5.1.1", "5.1.2", "5.3.2", "ranks-ll"):
        for kind, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
            assert (built / "figures" / f"figure-{figure}.{kind}").read_bytes().startswith(start)


def test_the_page_needs_nothing_from_outside(built):
    loaded = re.findall(r'(?:src\s*=|<link[^>]*href\s*=|url\()\s*["\']?([^"\')\s>]+)', text(built))
    assert [a for a in loaded if not a.startswith(("data:", "#"))] == []
    assert "http://" not in re.sub(r"http://www\.w3\.org/\S+", "", text(built))


def test_every_link_leads_somewhere(built):
    content = text(built)
    ids = set(re.findall(r'\bid="([^"]+)"', content))
    assert {a for a in re.findall(r'href="#([^"]+)"', content)} <= ids
    for file in re.findall(r'href="((?:tables|figures)/[^"]+)"', content):
        assert (built / file).is_file(), file


def test_ids_are_unique(built):
    ids = re.findall(r'\bid="([^"]+)"', text(built))
    assert len(ids) == len(set(ids))


def test_what_a_run_says_is_escaped(built):
    assert HOSTILE not in text(built)
    assert "&lt;script&gt;alert(&#39;run&#39;)&lt;/script&gt;" in text(built)


def test_it_says_what_must_be_said(built):
    content = text(built)
    assert "flights of other years than the thesis" in content
    assert "on random numbers in the shape of year: only the time of a step is real" in content
    assert "6 of 20 splits so far" in content
    assert "dgpexp run uci --dataset boston --method vi --layers 2 --splits 0" in content


def test_the_same_runs_give_the_same_bytes(results, built, tmp_path):
    again = build_report(results, "thesis", tmp_path)
    names = sorted(p.relative_to(again) for p in again.rglob("*") if p.is_file())
    assert names == sorted(p.relative_to(built) for p in built.rglob("*") if p.is_file() and "runs" not in p.parts)
    assert [n for n in names if (again / n).read_bytes() != (built / n).read_bytes()] == []


def test_a_report_that_fails_leaves_the_old_one(built, results, undrawn, monkeypatch):
    before = text(built)
    monkeypatch.setattr(page, "render", lambda *a: (_ for _ in ()).throw(RuntimeError("torn")))
    with pytest.raises(RuntimeError):
        build_report(results, "thesis")
    assert text(built) == before
    assert list(built.glob(".draft-*")) == []


def test_without_runs_it_shows_the_thesis_alone(undrawn, tmp_path):
    content = text(build_report(tmp_path, "no-such-profile"))
    assert "only the thesis&#39;s values are shown" in content
    assert "2.74 (0.14)" in content


def test_the_committed_copy_is_used_when_there_are_no_runs(results, tmp_path):
    from dgpexp.store.tidy_table import write_measured

    write_measured(results, "thesis", tmp_path / "measured" / "thesis" / "runs.csv")
    found = gather(tmp_path, "thesis")
    assert "measured earlier" in found.source.sentence
    assert found.grid("5.1.1").cells[0, 0].n == 20


def test_a_stopped_run_does_not_hide_the_committed_copy(results, tmp_path):
    from dgpexp.store.tidy_table import write_measured

    write_measured(results, "thesis", tmp_path / "measured" / "thesis" / "runs.csv")
    stopped, finished = sample.uci(2, datasets=("boston",), depths=(2,))[:2]
    write_store(tmp_path, [stopped | {"status": "INTERRUPTED"}], points=2)
    found = gather(tmp_path, "thesis")
    assert "no finished run of your own yet" in found.source.sentence
    assert found.grid("5.1.1").cells[0, 0].n == 20
    write_store(tmp_path, [finished], points=2)
    assert gather(tmp_path, "thesis").source.sentence == "2 runs of the run store."


def test_a_fresh_clone_reports_the_profile_it_has_numbers_of(results, tmp_path, monkeypatch):
    copies = {"quick": source.read_runs(results, "thesis")}
    nothing = copies["quick"].iloc[:0]
    monkeypatch.setattr(source, "read_measured", lambda profile, folder=None: copies.get(profile, nothing))
    assert source.usual_profile(results) == "thesis"
    assert source.usual_profile(tmp_path) == "quick"
    copies.clear()
    assert source.usual_profile(tmp_path) == "thesis"


def test_a_miniature_is_led_by_the_full_profiles(results, undrawn, tmp_path, monkeypatch):
    """What a reviewer opens has verdicts; the miniature is one click away and counts as a check, not as a failure."""
    quick = sample.uci(1, datasets=("boston",), depths=(2,), profile="quick")
    write_store(tmp_path, quick, points=2)
    copies = {
        "thesis": sample.frame(sample.uci(20, datasets=("boston",), depths=(2,)) + sample.synthetic(10)),
        RECIPE: sample.frame(sample.uci(2, datasets=("boston", "wine"), depths=(2,), profile=RECIPE)),
        "quick": sample.frame([quick[0], quick[1] | {"ll": 9.5}]),
        "quick/seeds": sample.frame([sample.other_seed(quick[1], ll=9.4)] * 6),
    }
    nothing = copies["quick"].iloc[:0]
    for module in (source, reproduced):
        monkeypatch.setattr(module, "read_measured", lambda profile, folder=None: copies.get(profile, nothing))
    lead = build_pages(tmp_path, "quick")
    assert lead == tmp_path / "report" / "thesis" / "index.html"
    pages = {name: text(tmp_path / "report" / name) for name in ("thesis", RECIPE, "quick")}
    check = "0 lie within the spread of other seeds, 1 differ; 1 more have no committed run"
    for name, content in pages.items():
        others = {other for other in pages if f'<a href="../{other}/index.html">{other}</a>' in content}
        assert others == {*pages} - {name} and check in content
    assert f'<a href="../{RECIPE}/index.html#cell-wine-vi-2"' in pages["thesis"], (
        "the tables of the recipe lead to its runs"
    )
    assert 'id="verdicts"' in pages["thesis"] and 'id="verdicts"' not in pages["quick"]
    assert 'id="progress"' in pages["thesis"] and "60 of 1,840" in pages["thesis"]
    assert "Table 5.0.1" in pages["thesis"] and "Table 5.0.1" not in pages["quick"]
    assert "Figure 5.3.1.</b> Left out: its file" in pages["thesis"], "year's file is not here"
    assert all("Left out: 3.1.1, 4.0.1" in page for page in pages.values()), "schematics, with and without a gallery"
    assert "Average ranks" not in pages["quick"].split('id="wtl"')[0] or "none;" in pages["quick"]
    assert pages["quick"].index("different</span>") < pages["quick"].index("equal</span>"), (
        "those that differ come first"
    )
    alone = text(build_report(tmp_path, "quick", tmp_path / "elsewhere"))
    assert "../thesis/" not in alone and "../thesis/" in text(build_report(tmp_path, "quick"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_one_sentence(results, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(UserError, match="choose another --output"):
        build_report(results, "thesis", tmp_path / "out")


def test_an_output_that_is_a_file_is_one_sentence(results, tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(UserError, match="choose another --output"):
        build_report(results, "thesis", tmp_path / "out")


def test_csv_is_tidy(built):
    rows = list(csv.DictReader((built / "tables" / "table-5.1.1.csv").open()))
    boston = next(r for r in rows if (r["dataset"], r["method"], r["layers"]) == ("boston", "vi", "3"))
    assert (boston["n"], boston["published"], boston["verdict"]) == ("20", "2.74", "agree")
    empty = next(r for r in rows if r["dataset"] == "protein")
    assert (empty["mean"], empty["verdict"], empty["note"]) == ("", "empty", "no finished run yet")


def test_json_is_strict(results, tmp_path):
    def refuse(constant):
        raise AssertionError(constant)

    content = json.loads(as_json(gather(results, "thesis"), tmp_path), parse_constant=refuse)
    assert content["tables"]["5.1.1"][0]["n"] == 20
    assert {c["verdict"] for c in content["claims"]} >= {"reproduced", "open"}
