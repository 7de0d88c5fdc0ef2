"""Check the URL of a mirror before anything runs, and show it without its password."""

import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dgpexp.errors import UserError

VARIABLE = "DGPEXP_OBSERVER"
_NEEDS = {
    "postgresql": ("sql", ("sqlalchemy", "psycopg")),
    "sqlite": ("sql", ("sqlalchemy",)),
    "mongodb": ("mongo", ("pymongo",)),
    "mongodb+srv": ("mongo", ("pymongo",)),
    "mlflow+sqlite": ("mlflow", ("mlflow",)),
    "mlflow+http": ("mlflow", ("mlflow",)),
    "mlflow+https": ("mlflow", ("mlflow",)),
}
_USER = re.compile(r"(://[^:]*:)(.*)@", re.DOTALL)  # up to the last @: a password may hold one by mistake
_QUERY = re.compile(r"([?&][^=&]*(?:pass|pwd|secret|token|authmechanismproperties)[^=&]*=)([^&]*)", re.IGNORECASE)


def redact(url: str) -> str:
    """Replace every password in the URL by ***."""
    return _QUERY.sub(r"\1***", _USER.sub(r"\1***@", url))


def hide(text: str, *urls: str) -> str:
    """Remove the passwords of these URLs, encoded or not, from a text that somebody else wrote."""
    found = {m.group(2) for url in urls for pattern in (_USER, _QUERY) for m in pattern.finditer(url)}
    forms = {form for secret in found for form in (secret, unquote(secret)) if form}
    for secret in sorted(forms, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


@dataclass(frozen=True)
class MirrorUrl:
    """The checked URL of a mirror."""

    url: str = field(repr=False)
    shown: str  # without its password
    kind: str  # sql, mongo or mlflow


def parse(url: str) -> MirrorUrl:
    """Refuse what can never work, in one sentence. A server that is down is not refused: it may come back."""
    scheme, found, rest = url.partition("://")
    if not found or scheme not in _NEEDS:
        what = f"'{scheme}://' is no database that dgpexp knows" if found else "it is not a URL"
        known = (
            "postgresql://USER:PASSWORD@HOST/DATABASE, sqlite:///FILE, mongodb://HOST/DATABASE, "
            "mlflow+http://HOST:PORT or mlflow+sqlite:///FILE"
        )
        raise UserError(f"--observer is not understood ({what}): write {known}.")
    shown = redact(url)
    extra, packages = _NEEDS[scheme]
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise UserError(f"--observer {shown} needs {' and '.join(missing)}: pip install 'dgpexp[{extra}]'.")
    if scheme.endswith("sqlite"):
        _check_file(shown, Path(rest[1:].partition("?")[0]))
    elif extra == "mlflow":
        if not _has_host(url):
            raise UserError(f"--observer {shown} names no server: write {scheme}://HOST:PORT.")
    elif not _well_formed(url, extra):
        raise UserError(
            f"--observer {shown} is not a URL of a database: write {scheme}://USER:PASSWORD@HOST/DATABASE, and in the "
            "password %40 for an at sign, %3A for a colon, %2F for a slash."
        )
    return MirrorUrl(url, shown, extra)


def _check_file(shown: str, path: Path) -> None:
    if path == Path():
        raise UserError(f"--observer {shown} names no file: write ...sqlite:///FILE, or ...sqlite:////FOLDER/FILE.")
    if not path.parent.is_dir():
        raise UserError(f"--observer {shown}: there is no folder {path.parent}; make it first.")
    if path.is_dir():
        raise UserError(f"--observer {shown}: {path} is a folder; name a file in it.")
    if path.is_file():
        with open(path, "rb") as f:
            if f.read(16) not in (b"", b"SQLite format 3\0"):
                raise UserError(f"--observer {shown}: {path} is not an SQLite database; name another file.")


def _has_host(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def _well_formed(url: str, kind: str) -> bool:
    """Whether the database's library accepts the URL; its messages may quote the password, so they are dropped."""
    try:
        if kind == "sql":
            from sqlalchemy.engine import make_url

            parsed = make_url(url)
            return "@" not in (parsed.host or "") and bool(parsed.host or parsed.database or parsed.query)
        if url.startswith("mongodb://"):  # the other scheme would ask the name server now
            from pymongo.uri_parser import parse_uri

            parse_uri(url)
    except Exception:
        return False
    return True
