"""What stands before every page: who may ask, how much may be sent, and what every answer carries.

One ASGI middleware without a task or a buffer of its own, because every open stream of events goes through it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import secrets
from collections.abc import Callable, Iterable
from time import perf_counter
from urllib.parse import urlsplit

from fastapi import Request
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cinqmille.errors import IllegalAction, InvalidText
from cinqmille.web.limits import RELEASES, Limits
from cinqmille.web.metrics import Metrics
from cinqmille.web.refusals import Refused, answer, is_api
from cinqmille.web.streams import STOPPING, TASK

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_YEAR = 365 * 24 * 3600
# An answer may set one of these otherwise.
_HEADERS = {
    b"content-security-policy": _POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=()",
    b"cache-control": b"no-store",
}
_SECURE = (b"strict-transport-security", f"max-age={_YEAR}".encode())
_DEVICE = re.compile(r"[A-Za-z0-9_-]{20,64}")
_CONTROLS = re.compile(r"[\0-\x1f\x7f]|[\ud800-\udfff]")
# In bytes: what a form or a file may have, and what a program may send.
LARGEST_PAGE, LARGEST_API = 1 << 20, 64 << 10
# An address and its headers.
LARGEST_HEAD = 16 << 10
# Seconds until everything that a request sends has arrived.
PATIENCE = 20.0
# Seconds for what is on its way though nobody asked for it.
_MOMENT = 0.05


class Hosts:
    """The names a server answers to; without names, every one.

    A page of another site whose name is made to lead to this machine ("DNS rebinding") is known by the name it asks
    for. Addresses as numbers and the names of a home network cannot be somebody else's site.
    """

    _LOCAL = (".local", ".localhost", ".lan", ".home", ".internal", ".home.arpa")

    def __init__(self, names: Iterable[str] | None) -> None:
        self._names = None if names is None else {name.lower() for name in names}

    def __contains__(self, host: str) -> bool:
        if self._names is None or "*" in self._names:
            return True
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._names or ("." not in name and ":" not in name) or name.endswith(self._LOCAL):
            return bool(name)
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


class Guard:
    """The middleware: ``app`` behind it, and what it counts with."""

    def __init__(self, app: ASGIApp, *, hosts: Hosts, public: str, limits: Limits, metrics: Metrics) -> None:
        self.app, self.hosts, self.limits, self.metrics = app, hosts, limits, metrics
        self.public = urlsplit(public)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Guard one request."""
        if scope["type"] == "http":
            await _Exchange(self, scope, receive, send).run()
        else:
            await self.app(scope, receive, send)


class _Exchange:
    """One request and its answer."""

    __slots__ = (
        "_bare",
        "_begun",
        "_due",
        "_guard",
        "_heard",
        "_known",
        "_most",
        "_receive",
        "_received",
        "_scope",
        "_send",
        "_started",
        "_status",
        "_streams",
        "_waited",
    )  # fmt: skip

    def __init__(self, guard: Guard, scope: Scope, receive: Receive, send: Send) -> None:
        self._guard, self._scope, self._receive, self._send = guard, scope, receive, send
        self._bare = scope["path"].startswith(("/static/", "/api/")) or scope["path"] in ("/health", "/metrics")
        self._most = LARGEST_API if is_api(scope["path"]) else LARGEST_PAGE
        self._begun = perf_counter()
        self._due: float | None = None
        self._received = 0
        self._heard = True  # whether all of the body has arrived
        self._started = self._known = self._streams = False
        self._status, self._waited = 0, 0.0

    async def run(self) -> None:
        scope = self._scope
        releases: list[Callable[[], None]] = []
        scope[RELEASES], scope[TASK] = releases, asyncio.current_task()
        try:
            try:
                self._admit()
            except Refused as error:
                await answer(Request(scope), error)(scope, self.receive, self.send)
                return
            await self._guard.app(scope, self.receive, self.send)
        except ClientDisconnect:
            pass  # nobody is there to be answered
        except asyncio.CancelledError:
            if self._started or STOPPING not in scope:
                raise
            refused = Refused(503, IllegalAction("stopping"), {"Retry-After": "2"})
            await answer(Request(scope), refused)(scope, self.receive, self.send)
        except Exception as error:
            if not self._started:
                await answer(Request(scope), error)(scope, self.receive, self.send)
            if not isinstance(error, Refused):
                raise  # to the server's log
        finally:
            del scope[TASK]  # or the two would hold each other
            for release in releases:
                release()
            self._guard.metrics.answered(scope, self._status, self._waited, streamed=self._streams)

    def _admit(self) -> None:
        """Know the device; raise Refused for what is not let in."""
        scope, guard = self._scope, self._guard
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        cookies = cookie_parser(headers[b"cookie"]) if b"cookie" in headers else {}
        device = cookies.get("device", "")
        self._known = _DEVICE.fullmatch(device) is not None
        scope.setdefault("state", {})["device"] = device if self._known else secrets.token_urlsafe(24)
        length = headers.get(b"content-length", "0")
        self._heard = length == "0" and b"transfer-encoding" not in headers
        guard.limits.check("requests", Request(scope))
        head = sum(len(name) + len(value) for name, value in scope["headers"])
        if head + len(scope["raw_path"]) + len(scope["query_string"]) > LARGEST_HEAD:
            raise Refused(431, InvalidText("head_too_large", kilobytes=LARGEST_HEAD >> 10))
        host = headers.get(b"host", "")
        if host not in guard.hosts:
            raise Refused(421, IllegalAction("other_host", host=host[:100]))
        if _CONTROLS.search(scope["path"]) or b"%00" in scope["query_string"]:
            raise Refused(400, InvalidText("bad_address"))
        if scope["method"] in ("GET", "HEAD", "OPTIONS"):
            return
        self._refuse_other_sites(headers, host)
        if not length.isdecimal() or int(length) > self._most:
            raise self._too_large()
        if not self._heard:
            self._due = asyncio.get_running_loop().time() + PATIENCE

    def _refuse_other_sites(self, headers: dict[bytes, str], host: str) -> None:
        """Raise Refused where a browser says that another site's page asks; programs say nothing of the kind."""
        origin = headers.get(b"origin")
        if headers.get(b"sec-fetch-site") == "cross-site":
            raise Refused(403, IllegalAction("other_site"))
        if origin is None:
            return
        try:
            scheme, place = urlsplit(origin)[:2]
        except ValueError:
            scheme = place = ""
        public = self._guard.public
        own = place and (place == host or (scheme, place) == (public.scheme, public.netloc))
        # A page that came unencrypted may have been changed on its way.
        if not own or (self._scope["scheme"] == "https" and scheme != "https"):
            raise Refused(403, IllegalAction("other_site"))

    def _too_large(self) -> Refused:
        return Refused(413, IllegalAction("too_large", kilobytes=self._most >> 10))

    async def receive(self) -> Message:
        """What the application reads: no more, and no longer, than it may be."""
        if self._heard or self._due is None or self._started:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._due):
                message = await self._receive()
        except TimeoutError:
            raise Refused(408, IllegalAction("too_slow", seconds=PATIENCE)) from None
        if message["type"] == "http.request":
            self._received += len(message.get("body", b""))
            if self._received > self._most:
                raise self._too_large()
            self._heard = not message.get("more_body", False)
        return message

    async def _hear_out(self, due: float) -> None:
        """Take in a body that the application did not ask for, if it is here already: the connection can then go on."""
        self._due = min(due, asyncio.get_running_loop().time() + _MOMENT)
        try:
            while not self._heard and (await self.receive())["type"] == "http.request":
                pass
        except Refused:
            pass  # the connection is closed

    async def send(self, message: Message) -> None:
        """What the application answers, with the headers that every answer has."""
        if message["type"] == "http.response.start":
            if not self._heard and self._due is not None and message["status"] not in (408, 413):
                await self._hear_out(self._due)
            self._started, self._status = True, message["status"]
            self._waited = perf_counter() - self._begun
            message["headers"] = self._headers(list(message.get("headers", ())))
        await self._send(message)

    def _headers(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        secure = self._scope["scheme"] == "https"
        device: str = self._scope["state"]["device"]
        if not self._known and not self._bare and self._status not in (403, 408, 413, 421, 429):
            cookie = f"device={device}; HttpOnly; Max-Age={_YEAR}; Path=/; SameSite=lax"
            headers.append((b"set-cookie", cookie.encode()))
        given = {name for name, _ in headers}
        headers += [header for header in _HEADERS.items() if header[0] not in given]
        if secure:
            headers = [
                (name, value + b"; Secure" if name == b"set-cookie" and b"; secure" not in value.lower() else value)
                for name, value in headers
            ]
            headers.append(_SECURE)
        if any(name == b"content-type" and value.startswith(b"text/event-stream") for name, value in headers):
            self._streams = True
            headers.append((b"x-accel-buffering", b"no"))  # a proxy that collects would hold events back
            self._scope[RELEASES].append(self._guard.metrics.stream())
        if not self._heard:
            # What is still on its way is not waited for.
            headers.append((b"connection", b"close"))
        return headers
