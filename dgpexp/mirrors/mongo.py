"""A mirror in MongoDB: the documents of Sacred's MongoObserver (runs, metrics, sources in GridFS), for Omniboard."""

import hashlib
from datetime import datetime
from pathlib import Path
from typing import Any

import gridfs
import pymongo
from pymongo.errors import ConnectionFailure, DuplicateKeyError, ExecutionTimeout, PyMongoError

from dgpexp.mirrors.copy import Copy, Down, Rejected, first_line, latest, moment
from dgpexp.mirrors.url import MirrorUrl

_FORMAT = "MongoObserver-0.7.0"  # of Sacred 0.8.7
_TIMES = ("start_time", "heartbeat", "stop_time")
_TIMEOUTS: dict[str, Any] = {"serverSelectionTimeoutMS": 5_000, "connectTimeoutMS": 5_000, "socketTimeoutMS": 20_000}


class MongoMirror:
    """Writes runs into one database: the one that the URL names, else `sacred`."""

    def __init__(self, address: MirrorUrl):
        self._client: Any = pymongo.MongoClient(address.url, **_TIMEOUTS)
        self._database = self._client.get_default_database("sacred")
        self._files = gridfs.GridFS(self._database)
        self._kept: dict[tuple[str, str], Any] = {}  # the keys of source files that are there

    def put(self, copy: Copy) -> bool:
        """Bring the database's copy of a run up to date; whether anything was new."""
        try:
            try:
                return self._put(copy)
            except DuplicateKeyError:  # another mirror has just written the same
                return self._put(copy)
        except (ConnectionFailure, ExecutionTimeout) as error:
            raise Down(first_line(error)) from None
        except PyMongoError as error:
            raise Rejected(first_line(error)) from None

    def _put(self, copy: Copy) -> bool:
        there = self._database.runs.find_one({"_id": number(copy.run_id)}) or {}
        if latest(*(there.get(name) for name in _TIMES)) > _milliseconds(copy.written):
            return False  # a later copy of the same run, from another folder
        series = [self._put_metric(copy, name) for name in sorted(copy.metrics)]
        document = self._document(copy, [{"name": name, "id": str(key)} for name, key, _ in series])
        changed = document != there
        if changed:
            self._database.runs.replace_one({"_id": document["_id"]}, document, upsert=True)
        return changed or any(new for _, _, new in series)

    def _put_metric(self, copy: Copy, name: str) -> tuple[str, Any, bool]:
        """Write one curve; returns its name, its key in the database, and whether anything was new."""
        key, curve = {"run_id": number(copy.run_id), "name": name}, copy.metrics[name]
        values: dict[str, Any] = {"steps": curve["steps"], "values": curve["values"]}
        values["timestamps"] = [_milliseconds(moment(text)) for text in curve["timestamps"]]
        there = self._database.metrics.find_one(key)
        if there is None:
            return name, self._database.metrics.insert_one({**key, **values}).inserted_id, True
        changed = any(there.get(k) != v for k, v in values.items())
        if changed:
            self._database.metrics.update_one({"_id": there["_id"]}, {"$set": values})
        return name, there["_id"], changed

    def _document(self, copy: Copy, metrics: list[dict[str, str]]) -> dict[str, Any]:
        """Sacred's document. In its `info`, `metrics` points to the curves; the numbers of the run are beside it."""
        record, experiment = copy.record, dict(copy.experiment)
        experiment["sources"] = [[name, self._source(name, md5, path)] for name, md5, path in copy.sources]
        info = {**allowed(copy.info), "final_metrics": copy.info.get("metrics"), "metrics": metrics}
        times = {name: _milliseconds(copy.time(name)) for name in _TIMES}
        document = {
            "_id": number(copy.run_id),
            "format": _FORMAT,
            "experiment": experiment,
            "command": record.get("command"),
            "host": record.get("host") or {},
            "config": allowed(copy.config),
            "meta": {**(record.get("meta") or {}), "comment": copy.run_id},
            "status": record["status"],
            "resources": [],
            "artifacts": [],
            "captured_out": copy.output,
            "info": info,
            "result": record.get("result"),
            **{name: time for name, time in times.items() if time or name == "heartbeat"},
        }
        return {**document, "fail_trace": record["fail_trace"]} if record.get("fail_trace") else document

    def _source(self, name: str, md5: str, path: Path) -> Any:
        """The key in GridFS of a source file, each version of which is stored once."""
        if (name, md5) not in self._kept:
            found = self._files.find_one({"filename": name, "md5": md5})
            key = found._id if found else self._files.put(path.read_bytes(), filename=name, md5=md5)
            self._kept[name, md5] = key
        return self._kept[name, md5]


def number(run_id: str) -> int:
    """The key of a run: Omniboard reads only numbers (below 2^53), and the same run must always have the same."""
    return int(hashlib.sha256(run_id.encode()).hexdigest()[:12], 16)


def allowed(value: Any) -> Any:
    """Replace dots and dollars in keys, by Sacred's rule: not every version of MongoDB takes them."""
    if isinstance(value, dict):
        return {_key(key): allowed(inner) for key, inner in value.items()}
    return [allowed(inner) for inner in value] if isinstance(value, list) else value


def _key(name: str) -> str:
    return ("@" + name[1:] if name.startswith("$") else name).replace(".", ",")


def _milliseconds(time: datetime | None) -> Any:
    """Round a time as MongoDB does, so that what was written compares equal."""
    return time and time.replace(microsecond=time.microsecond // 1000 * 1000)
