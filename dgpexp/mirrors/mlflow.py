"""A mirror in MLflow: a run of MLflow per run folder, with its settings, its curves and its times.

MLflow keeps what it is sent: points of a curve are sent once, parameters never change. So a run that was made anew is
another run of MLflow. Which one a folder belongs to, and what was last written of it, stand in tags.
"""

import hashlib
import json
import logging
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any

# Before MLflow reads them: a server that is down is tried again by us, and nobody is told that MLflow is used.
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "20")

from mlflow.entities import Metric, Param, RunTag, ViewType
from mlflow.exceptions import MlflowException, RestException
from mlflow.tracking import MlflowClient

from dgpexp.mirrors.copy import Copy, Down, Rejected, first_line, moment
from dgpexp.mirrors.url import MirrorUrl
from dgpexp.store.stored_run import COMPLETED, FAILED, INTERRUPTED, RUNNING

_STATUS = {COMPLETED: "FINISHED", FAILED: "FAILED", INTERRUPTED: "KILLED", RUNNING: "RUNNING"}
_POINTS, _PARAMS, _TEXT = 1000, 100, 5000  # the most of a request, and of a text, that every MLflow takes
_REFUSALS = ("INVALID_PARAMETER_VALUE", "BAD_REQUEST", "RESOURCE_ALREADY_EXISTS")


class MlflowMirror:
    """Writes runs to one MLflow: a server, or an SQLite file that `mlflow ui` shows."""

    def __init__(self, address: MirrorUrl):
        for library in ("mlflow", "alembic"):
            logging.getLogger(library).setLevel(logging.CRITICAL)
        self._url = address.url.removeprefix("mlflow+")
        self._made: MlflowClient | None = None  # SQLite makes its tables when it is made
        self._experiments: dict[str, str] = {}

    def put(self, copy: Copy) -> bool:
        """Make MLflow say what the files say; whether it said anything else before."""
        try:
            return self._put(copy)
        except RestException as error:
            raise (Down if error.get_http_status_code() >= 500 else Rejected)(_said(error)) from None
        except MlflowException as error:
            raise (Rejected if error.error_code in _REFUSALS else Down)(_said(error)) from None

    def _client(self) -> MlflowClient:
        self._made = self._made or MlflowClient(tracking_uri=self._url)
        return self._made

    def _put(self, copy: Copy) -> bool:
        client, content = self._client(), _digest(copy)
        experiment = self._experiment(f"{copy.info.get('experiment') or 'unknown'} {copy.path.parent.name}")
        there = client.search_runs([experiment], f"tags.`dgpexp.key` = '{_key(copy)}'", ViewType.ALL, 1)
        if there:
            tags, run = there[0].data.tags, there[0].info.run_id
            later = (moment(tags.get("dgpexp.written")) or datetime.min) > copy.written  # from another folder
            if later or tags.get("dgpexp.content") == content or there[0].info.lifecycle_stage == "deleted":
                return False
        else:
            first = {"dgpexp.key": _key(copy), "dgpexp.run_id": copy.run_id}
            run = client.create_run(experiment, _ms(copy.time("start_time")), first, copy.run_id).info.run_id
        known = {} if not there else {name: _points(client, run, name) for name in [*copy.metrics, *_final(copy)]}
        new = (point for point in _metrics(copy) if (point.step, point.value) not in known.get(point.key, ()))
        while batch := list(islice(new, _POINTS)):
            client.log_batch(run, metrics=batch)
        params = _params(copy)
        for start in range(0, len(params), _PARAMS):
            client.log_batch(run, params=params[start : start + _PARAMS])
        status = _STATUS[copy.record["status"]]
        client.update_run(run, status=status, name=copy.run_id)
        if status != "RUNNING":
            client.set_terminated(run, status, _ms(copy.time("stop_time") or copy.written))
        # last: what is not said yet is written again
        client.log_batch(run, tags=[*_tags(copy), RunTag("dgpexp.content", content)])
        return True

    def _experiment(self, name: str) -> str:
        if name not in self._experiments:
            client = self._client()
            found = client.get_experiment_by_name(name)
            try:
                self._experiments[name] = found.experiment_id if found else client.create_experiment(name)
            except MlflowException:  # another mirror was quicker
                if (found := client.get_experiment_by_name(name)) is None:
                    raise
                self._experiments[name] = found.experiment_id
        return self._experiments[name]


def _key(copy: Copy) -> str:
    """One run of MLflow: a run made anew (`run --again`) began at another time and is another one."""
    return hashlib.sha256(f"{copy.run_id} {copy.info.get('started')}".encode()).hexdigest()[:16]


def _digest(copy: Copy) -> str:
    said = [copy.record, copy.config, copy.info, copy.metrics]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]


def _final(copy: Copy) -> dict[str, float]:
    return {f"final/{k}": v for k, v in (copy.info.get("metrics") or {}).items() if v is not None}


def _metrics(copy: Copy) -> Iterator[Metric]:
    """Every point of every curve, then the numbers of the run."""
    for name, curve in copy.metrics.items():
        for step, value, text in zip(curve["steps"], curve["values"], curve["timestamps"], strict=True):
            if value is not None:
                yield Metric(name, float(value), _ms(moment(text)) or 0, step)
    ended, last = _ms(copy.time("stop_time") or copy.written) or 0, copy.info.get("steps") or 0
    for name, value in _final(copy).items():
        yield Metric(name, float(value), ended, last)


def _points(client: MlflowClient, run: str, name: str) -> set[tuple[int, float]]:
    """What MLflow has of a curve. A run that was continued has the same points with later times."""
    return {(point.step, point.value) for point in client.get_metric_history(run, name)}


def _params(copy: Copy) -> list[Param]:
    config = {**copy.config, **(copy.config.get("settings") or {})}
    return [Param(k, str(v)[:_TEXT]) for k, v in sorted(config.items()) if not isinstance(v, dict)]


def _tags(copy: Copy) -> list[RunTag]:
    meta, info = copy.record.get("meta") or {}, copy.info
    said = {
        "dgpexp.profile": copy.path.parent.name,
        "dgpexp.written": copy.written.isoformat(),
        "mlflow.source.name": "dgpexp",
        "mlflow.source.git.commit": (info.get("commit") or "").partition("+")[0],
        "mlflow.note.content": meta.get("note"),
        **{f"dgpexp.{name}": info.get(name) for name in ("command", "code", "version", "cpu", "error")},
        **{f"tag.{name}": "true" for name in meta.get("tags") or ()},
    }
    return [RunTag(k, str(v)[:_TEXT]) for k, v in said.items() if v]


def _ms(time: datetime | None) -> Any:
    """Milliseconds since 1970 of one of Sacred's times."""
    return time and int(time.replace(tzinfo=UTC).timestamp() * 1000)


def _said(error: Exception) -> str:
    if "failed with" in str(error) and "exception" in str(error):  # whose text is a chain of others
        return "the server does not answer"
    return first_line(error)
