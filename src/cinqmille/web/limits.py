"""How much one address or one seat may ask for at once, so that nobody takes the server from the others.

A rate is a full bucket of so many things and a trickle that fills it again. A bucket is kept as one number, the moment
at which it will be full again ("generic cell rate algorithm"); a bucket that is full is forgotten. Memory is bounded:
where there are too many buckets, those used longest ago go first.
"""

from __future__ import annotations

import ipaddress
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import Literal

from starlette.requests import HTTPConnection

from cinqmille.errors import IllegalAction
from cinqmille.web.refusals import Refused

Kind = Literal["requests", "tables", "seats", "wrong_tokens", "thoughts", "commands"]

_MOST_BUCKETS = 50_000
# A bucket holds as much as it says, whatever sums of fractions say.
_ROUNDING = 1e-6
# Nobody knows when a stream will be closed: this is when to ask again.
_STREAM_WAIT = 10
# Where a request lists what is to be called when its answer has ended, however it ends; the guard does.
RELEASES = "cinqmille.releases"


@dataclass(frozen=True, slots=True)
class Rate:
    """``burst`` things at once, and then ``each_second`` of them."""

    burst: float
    each_second: float


# Per address: whoever comes from the internet, and whoever is at home or on this machine.
PUBLIC = {
    "requests": Rate(300, 50), "tables": Rate(30, 0.1), "seats": Rate(120, 0.5), "wrong_tokens": Rate(20, 0.2),
    "thoughts": Rate(30, 0.5),
}  # fmt: skip
PRIVATE = {
    "requests": Rate(20_000, 5_000), "tables": Rate(1_000, 100), "seats": Rate(8_000, 800),
    "wrong_tokens": Rate(1_000, 50), "thoughts": Rate(1_000, 50),
}  # fmt: skip
COMMANDS = Rate(200, 100)
STREAMS_PUBLIC, STREAMS_PRIVATE, STREAMS_SEAT = 200, 10_000, 30
# Open streams and whatever is asked beside them. Whoever comes through a proxy, the proxy counts.
CONNECTIONS_PUBLIC = 500


@lru_cache(maxsize=8192)
def party(address: str) -> tuple[str, bool]:
    """Return under which name an address is counted, and whether it comes from the internet.

    A provider gives every home a whole network of IPv6 addresses (/64): it counts as one.
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return "elsewhere", False  # a socket of this machine has no address
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return party(str(ip.ipv4_mapped))
        return str(ipaddress.IPv6Address(int(ip) >> 64 << 64)), ip.is_global
    return str(ip), ip.is_global


def address_of(request: HTTPConnection) -> str:
    """Return the address a request comes from: that of the peer, or what a proxy that is trusted says."""
    return request.client.host if request.client is not None else ""


class Limits:
    """Counts what everybody asks for; ``factor`` makes all limits wider or narrower, 0 takes them away."""

    def __init__(self, factor: float = 1.0, *, clock: Callable[[], float] = monotonic) -> None:
        self.factor = factor
        self._clock = clock
        self._full: dict[tuple[str, str], float] = {}
        self._open: Counter[tuple[str, str]] = Counter()
        self._swept = 0

    def check(self, kind: Kind, who: HTTPConnection | str, cost: float = 1.0) -> None:
        """Count one thing (or ``cost`` of them) for an address or, where commands are counted, for a seat.

        Raises Refused (429, ``too_many``) where it is too much; that is then not counted. A cost of 0 only asks whether
        one more would be too much, as is to be done before a token is looked at.
        """
        if not self.factor:
            return
        name, rate = self._rate(kind, who)
        now = self._clock()
        step = 1 / (rate.each_second * self.factor)
        key = (kind, name)
        full = max(self._full.get(key, now), now)
        wait = full + max(cost, 1.0) * step - now - rate.burst * self.factor * step
        if wait > _ROUNDING:
            raise _too_many(wait)
        if cost:
            self._full.pop(key, None)
            self._full[key] = full + cost * step
            if len(self._full) > max(1000, 2 * self._swept):
                self._sweep(now)

    def hold(self, request: HTTPConnection, seat: str = "") -> None:
        """Count an open stream of an address, and of a seat, until the answer to this request has ended.

        Raises Refused (429, ``too_many``) where too many are open.
        """
        if not self.factor:
            return
        name, public = party(address_of(request))
        held = {("address", name): STREAMS_PUBLIC if public else STREAMS_PRIVATE}
        if seat:
            held["seat", seat] = STREAMS_SEAT
        if any(self._open[key] >= most * self.factor for key, most in held.items()):
            raise _too_many(_STREAM_WAIT)
        self._open.update(held.keys())

        def release() -> None:
            for key in held:
                self._release(key)

        request.scope[RELEASES].append(release)

    def connect(self, address: str) -> bool:
        """Count a connection from a peer until :meth:`disconnect`; tell whether it may have another one."""
        name, public = party(address)
        key = ("connection", name)
        if public and self.factor and self._open[key] >= CONNECTIONS_PUBLIC * self.factor:
            return False
        self._open[key] += 1
        return True

    def disconnect(self, address: str) -> None:
        """Give a connection back."""
        self._release(("connection", party(address)[0]))

    def _release(self, key: tuple[str, str]) -> None:
        self._open[key] -= 1
        if not self._open[key]:
            del self._open[key]

    def __len__(self) -> int:
        return len(self._full) + len(self._open)

    def _rate(self, kind: Kind, who: HTTPConnection | str) -> tuple[str, Rate]:
        if kind == "commands":
            assert isinstance(who, str), "commands are counted by seat"
            return who, COMMANDS
        name, public = party(who if isinstance(who, str) else address_of(who))
        return name, (PUBLIC if public else PRIVATE)[kind]

    def _sweep(self, now: float) -> None:
        self._full = {key: full for key, full in self._full.items() if full > now}
        for key in list(self._full)[:-_MOST_BUCKETS]:
            del self._full[key]
        self._swept = min(len(self._full), _MOST_BUCKETS // 2)


def _too_many(seconds: float) -> Refused:
    wait = max(1, math.ceil(seconds))
    return Refused(429, IllegalAction("too_many", seconds=wait), {"Retry-After": str(wait)})
