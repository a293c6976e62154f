"""What the server counts of itself, for Prometheus; labels are few and never names of tables, seats or people."""

from __future__ import annotations

import hmac
import os
import platform
from collections.abc import Callable, Iterable
from importlib.metadata import version

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.requests import HTTPConnection
from starlette.types import Scope

from cinqmille.errors import SENTENCES
from cinqmille.web.limits import address_of, party

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
TOKEN = "CINQMILLE_METRICS_TOKEN"


class Metrics:
    """The numbers of one app."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each, which nobody asks for
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        build = Info("cinqmille_build", "What runs.", registry=self.registry)
        build.info({"version": version("cinqmille"), "python": platform.python_version()})
        self._requests = Counter(
            "cinqmille_requests", "Requests answered.", ("method", "route", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "cinqmille_request_seconds", "Time until an answer began.", ("route",),
            buckets=_SECONDS, registry=self.registry,
        )  # fmt: skip
        self._streams = Gauge("cinqmille_open_streams", "Open streams of events.", registry=self.registry)
        self._actions = Counter(
            "cinqmille_actions", "What was done at tables: accepted, or refused with which code.", ("result",),
            registry=self.registry,
        )  # fmt: skip
        self._tables = Gauge("cinqmille_tables_in_memory", "Tables in memory.", registry=self.registry)
        self._commits = _Commits()
        self.registry.register(self._commits)

    def answered(self, scope: Scope, status: int, seconds: float, *, streamed: bool) -> None:
        """Count a request that was answered; for a stream, how long it took to begin."""
        route = _route(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._requests.labels(method, route, str(status) if status else "gone").inc()
        if status and not streamed:
            self._seconds.labels(route).observe(seconds)

    def stream(self) -> Callable[[], None]:
        """Count an open stream; returns what is to be called when it ends."""
        self._streams.inc()
        return self._streams.dec

    def action(self, result: str = "accepted") -> None:
        """Count what was done at a table: ``accepted``, or the code of the refusal."""
        self._actions.labels(result if result == "accepted" or result in SENTENCES else "other").inc()

    def watch(self, *, tables: Callable[[], int], commits: Callable[[], int]) -> None:
        """Ask these how many tables are in memory, and how many transactions have been written."""
        self._tables.set_function(tables)
        self._commits.number = commits

    def text(self) -> tuple[bytes, str]:
        """Return everything as Prometheus reads it, and the type of that text."""
        return generate_latest(self.registry), CONTENT_TYPE_LATEST


class _Commits(Collector):
    """A counter that somebody else counts."""

    number: Callable[[], int] = staticmethod(lambda: 0)

    def collect(self) -> Iterable[Metric]:
        """Return the one series."""
        yield CounterMetricFamily("cinqmille_commits", "Transactions written to the database.", self.number())


def _route(scope: Scope) -> str:
    """The path a request matched, with the names of its parts; never what somebody typed."""
    if scope["path"].startswith("/static/"):
        return "/static"
    path = getattr(scope.get("route"), "path", None)
    return f"{scope.get('root_path', '')}{path}" if isinstance(path, str) and path else "none"


def may_read(request: HTTPConnection) -> bool:
    """Whether somebody may read the numbers: from this machine or its own network, or with the operator's token."""
    token = os.environ.get(TOKEN, "")
    shown = request.headers.get("authorization", "")
    if token and hmac.compare_digest(shown.encode(), f"Bearer {token}".encode()):
        return True
    address = address_of(request)
    # Behind a proxy that is not trusted everybody seems to be at home.
    through = [part.strip() for part in request.headers.get("x-forwarded-for", "").split(",") if part.strip()]
    return not party(address)[1] and (not through or address in through)
