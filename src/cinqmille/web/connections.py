"""Connections: those that never finish asking are closed, and nobody holds more of them than makes sense."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from cinqmille.web.limits import Limits
from cinqmille.web.streams import ENDING, STOPPING, STREAMING, TASK

# Seconds for the address and headers of a request, from when the first of it may come.
PATIENCE = 20.0
# Seconds that answers have to end when the server stops; whoever waits longer is told to ask again.
LAST_ANSWERS = 0.6
# Seconds after which a listener who has vanished without a word is known to have.
_VANISHED = 60

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def protocol(limits: Limits) -> type[H11Protocol]:
    """Return the protocol of a server whose connections these limits count."""

    class Counted(H11Protocol):
        _due: asyncio.TimerHandle | None = None
        _counted = ""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            _set_up(transport.get_extra_info("socket"))
            address = self.client[0] if self.client else ""
            if not limits.connect(address):
                transport.abort()
                return
            self._counted = address
            self._expect()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._stop_waiting()
            elif self._due is None and not self.transport.is_closing():
                self._expect()

        def shutdown(self) -> None:
            """Let answers end when the server stops; streams have no end of their own."""
            super().shutdown()
            if self.transport.is_closing():
                return
            scope: Any = self.scope or {}
            if STREAMING in scope:
                self.transport.close()
            elif end := scope.get(ENDING):
                end()
            else:
                self.loop.call_later(LAST_ANSWERS, self._cut_short)

        def _cut_short(self) -> None:
            scope: Any = self.scope
            scope[STOPPING] = True
            if task := scope.get(TASK):
                task.cancel()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            if self._counted:
                limits.disconnect(self._counted)
                self._counted = ""
            super().connection_lost(exc)

        def _expect(self) -> None:
            self._due = self.loop.call_later(PATIENCE, self._give_up)

        def _stop_waiting(self) -> None:
            if self._due is not None:
                self._due.cancel()
                self._due = None

        def _give_up(self) -> None:
            if not self.transport.is_closing():
                self.transport.write(_TOO_SLOW)
                self.transport.close()

    return Counted


def _set_up(connection: Any) -> None:
    """Let the system send at once, and tell when the other side has vanished, where it can."""
    # An answer in two pieces would wait for the other side to confirm the first one: 40 milliseconds.
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", _VANISHED), ("TCP_KEEPINTVL", 15), ("TCP_USER_TIMEOUT", _VANISHED * 1000)):
        if option := getattr(socket, name, None):
            connection.setsockopt(socket.IPPROTO_TCP, option, value)
