"""A mirror in PostgreSQL or SQLite: the tables of Sacred's SqlObserver, by its own models.

Sacred declares its columns too short for us (24 characters of run id, 16 of a version), which PostgreSQL enforces. So
tables that do not exist yet are made without these limits; in tables that Sacred made, what is too long is shortened.
"""

import hashlib
import json
import warnings
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

with warnings.catch_warnings():  # of pkg_resources and of SQLAlchemy: Sacred's business, not the user's
    warnings.simplefilter("ignore")
    from sacred.observers import sql_bases as tables

from dgpexp.mirrors.copy import Copy, Down, Rejected, first_line, latest
from dgpexp.mirrors.url import MirrorUrl

_CONNECT = {"postgresql": {"connect_timeout": 5, "tcp_user_timeout": 30_000}, "sqlite": {"timeout": 5}}
# One mirror writes at a time, so that two never insert the same row; nobody waits for long for one that hangs.
_BEGIN = {
    "postgresql": (
        "SET LOCAL statement_timeout = 20000",
        "SET LOCAL idle_in_transaction_session_timeout = 20000",
        "SELECT pg_advisory_xact_lock(hashtext('dgpexp mirror'))",
    ),
    "sqlite": ("BEGIN IMMEDIATE",),
}


class SqlMirror:
    """Writes runs into one database."""

    def __init__(self, address: MirrorUrl):
        url = sa.make_url(address.url)
        self._backend = url.get_backend_name()
        if self._backend == "postgresql":
            url = url.set(drivername="postgresql+psycopg")
        options = {k: v for k, v in _CONNECT[self._backend].items() if k not in url.query}
        self._engine = sa.create_engine(url, connect_args=options, pool_pre_ping=True, hide_parameters=True)
        self._widths: dict[tuple[str, str], int] | None = None  # of the columns that are limited

    def put(self, copy: Copy) -> bool:
        """Bring the database's copy of a run up to date; whether anything was new."""
        try:
            return self._put(copy)
        except sa.exc.DBAPIError as error:
            gone = isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError) or error.connection_invalidated
            raise (Down if gone else Rejected)(first_line(error.orig or error)) from None

    def _put(self, copy: Copy) -> bool:
        if self._widths is None:
            with self._engine.begin() as connection:
                self._alone(connection)
                self._widths = _prepare(connection)
        with Session(self._engine) as session, session.begin():
            self._alone(session.connection())
            values = self._fit("run", _columns(copy))
            row = session.query(tables.Run).filter_by(run_id=values["run_id"]).first()
            if row is not None and latest(row.start_time, row.heartbeat, row.stop_time) > copy.written:
                return False  # a later copy of the same run, from another folder
            same = row is not None and all(getattr(row, name) == value for name, value in values.items())
            with session.no_autoflush:
                row = row or tables.Run()
                if not _attach_metrics(row, copy) and same:
                    return False
                for name, value in values.items():
                    setattr(row, name, value)
                row.experiment, row.host = self._experiment(session, copy), self._host(session, copy)
                session.add(row)
        return True

    def _alone(self, connection: sa.Connection) -> None:
        """Keep all other mirrors from writing until the end of the transaction."""
        for statement in _BEGIN[self._backend]:
            connection.exec_driver_sql(statement)

    def _fit(self, table: str, values: dict[str, Any]) -> dict[str, Any]:
        assert self._widths is not None
        return {k: shorten(v, self._widths.get((table, k))) for k, v in values.items()}

    def _known(self, session: Session, model: Any, key: dict[str, Any], **rest: Any) -> Any:
        """Find the row with this key, or make it."""
        key, rest = self._fit(model.__tablename__, key), self._fit(model.__tablename__, rest)
        return session.query(model).filter_by(**key).first() or model(**key, **rest)

    def _host(self, session: Session, copy: Copy) -> Any:
        host = copy.record.get("host") or {}
        system, about = (*(host.get("os") or ()), None, None)[:2]
        key = {name: host.get(name) for name in ("hostname", "cpu", "python_version")}
        return self._known(session, tables.Host, {**key, "os": system, "os_info": about})

    def _experiment(self, session: Session, copy: Copy) -> Any:
        about = copy.experiment
        digest = hashlib.md5(json.dumps(about, sort_keys=True).encode(), usedforsecurity=False).hexdigest()
        key = {"name": about.get("name"), "md5sum": digest}
        experiment = self._known(session, tables.Experiment, key, base_dir=about.get("base_dir"))
        if experiment.experiment_id is None:
            for name, md5, path in copy.sources:
                text = path.read_text(errors="replace")
                source = self._known(session, tables.Source, {"filename": name, "md5sum": md5}, content=text)
                experiment.sources.append(source)
            for words in about.get("dependencies") or ():
                name, _, version = words.partition("==")
                dependency = self._known(session, tables.Dependency, {"name": name, "version": version})
                experiment.dependencies.append(dependency)
            for repository in about.get("repositories") or ():
                experiment.repositories.append(self._known(session, tables.Repository, repository))
        return experiment


def _prepare(connection: sa.Connection) -> dict[tuple[str, str], int]:
    """Make the missing tables, and return the widths of all limited columns."""
    unlimited = sa.MetaData()
    for table in tables.Base.metadata.tables.values():
        for column in table.to_metadata(unlimited).columns:
            if type(column.type) is sa.String:
                column.type = sa.Text()
    unlimited.create_all(connection)
    inspector, widths = sa.inspect(connection), {}
    for name in unlimited.tables:
        for found in inspector.get_columns(name):
            if not isinstance(found["type"], sa.Enum) and (width := getattr(found["type"], "length", None)):
                widths[name, found["name"]] = width
    return widths


def _attach_metrics(row: Any, copy: Copy) -> bool:
    """Attach the curves as an artifact, metrics.json (Sacred has no table for them); whether they are new."""
    content = json.dumps(copy.metrics, sort_keys=True).encode()
    there = next((a for a in row.artifacts if a.filename == "metrics.json"), None)
    if there is None and copy.metrics:
        row.artifacts.append(tables.Artifact(filename="metrics.json", content=content))
        return True
    if there is not None and there.content != content:
        there.content = content
        return True
    return False


def _columns(copy: Copy) -> dict[str, Any]:
    """The columns of Sacred's table `run`."""
    record, trace = copy.record, copy.record.get("fail_trace")
    return {
        "run_id": copy.run_id,
        "command": record.get("command"),
        "start_time": copy.time("start_time"),
        "heartbeat": copy.time("heartbeat"),
        "stop_time": copy.time("stop_time"),
        "priority": 0.0,
        "comment": copy.run_id,  # whole, also where the column run_id is too short for it
        "fail_trace": "\n".join(trace) if trace else None,
        "captured_out": copy.output,
        "config": json.dumps(copy.config, sort_keys=True),
        "info": json.dumps(copy.info, sort_keys=True),
        "status": record["status"],
        "result": record.get("result"),
    }


def shorten(value: Any, width: int | None) -> Any:
    """Cut a long text in the middle, and keep its last 8 characters: the digest of a run id."""
    if width is None or not isinstance(value, str) or len(value) <= width:
        return value
    return f"{value[: width - 9]}-{value[-8:]}"
