"""URLs of databases: what is refused before anything runs, and that passwords are not shown."""

from pathlib import Path

import pytest

from dgpexp.errors import UserError
from dgpexp.mirrors import url as module
from dgpexp.mirrors.url import hide, parse, redact

URLS = [
    ("postgresql://me:SECRET@db.example.org:5432/runs", "postgresql://me:***@db.example.org:5432/runs"),
    ("postgresql://me:SE@CR/ET@host/runs", "postgresql://me:***@host/runs"),
    ("postgresql://me@example.org:SECRET@host/runs", "postgresql://me@example.org:***@host/runs"),
    ("postgresql://:SECRET@host/runs", "postgresql://:***@host/runs"),
    ("postgresql:///runs?host=/run/pg&user=me&password=SECRET&port=1", "...password=***&port=1"),
    ("mongodb://me:SECRET@a:1,b:2/runs?tlsCertificateKeyFilePassword=SECRET", "mongodb://me:***@a:1,b:2/runs?...=***"),
    ("--observer=mongodb+srv://me:SECRET@host", "--observer=mongodb+srv://me:***@host"),
    ("sqlite:////home/me/runs.db", "sqlite:////home/me/runs.db"),
    ("mongodb://a:27017,b:27017/runs", "mongodb://a:27017,b:27017/runs"),
]


@pytest.mark.parametrize(("url", "shown"), URLS, ids=[str(k) for k in range(len(URLS))])
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    start, _, end = shown.partition("...")
    assert redact(url).endswith(end) and redact(url).startswith(start)
    assert "SECRET" not in redact(url) and "CR/ET" not in redact(url)


def test_messages_of_others_are_cleaned_of_the_password_as_typed_and_as_meant() -> None:
    url = "postgresql://me:p%40ss%2Fword@host/runs"
    assert hide('no "p@ss/word" for me, nor p%40ss%2Fword', url) == 'no "***" for me, nor ***'


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("mysql://me:SECRET@host/runs", "'mysql://' is no database that dgpexp knows"),
        ("me:SECRET@host/runs", "it is not a URL"),
        ("postgresql://me:SE@CRET@host/runs", "%40 for an at sign"),
        ("postgresql://me:SECRET@host:port/runs", "is not a URL of a database"),
        ("postgresql://", "is not a URL of a database"),
        ("mongodb://me:SEC/RET@host/runs", "%2F for a slash"),
        ("mongodb://host:port", "is not a URL of a database"),
        ("sqlite://", "names no file"),
        ("sqlite:///no/such/folder/runs.db", "there is no folder no/such/folder"),
        (f"sqlite:///{Path(__file__).parent}", "is a folder"),
        (f"sqlite:///{__file__}", "is not an SQLite database"),
    ],
    ids=lambda text: "-" if "sqlite" in text else text,
)
def test_what_cannot_work_is_refused_in_one_sentence(url: str, sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(url)
    assert sentence in str(caught.value) and str(caught.value).endswith(".")
    assert "SEC" not in str(caught.value) and "RET" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "extra"), [("postgresql://h/d", "sql"), ("sqlite:///x.db", "sql"), ("mongodb://h", "mongo")]
)
def test_a_missing_library_is_named_with_the_extra_that_has_it(
    url: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=rf"pip install 'dgpexp\[{extra}\]'"):
        parse(url)


def test_a_server_that_may_be_down_is_not_refused(tmp_path: Path) -> None:
    for url in ("postgresql://me:x@127.0.0.1:1/runs", "mongodb://127.0.0.1:1", f"sqlite:///{tmp_path}/new.db"):
        assert parse(url).url == url
        assert "x@" not in repr(parse(url))
