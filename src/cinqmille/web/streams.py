"""An answer that goes on: events to whoever listens, at as little memory for each listener as can be.

Thousands of streams are open at once and most of them are silent, so that what one of them keeps is what the server
needs. Nothing that was sent is kept, and one small task watches whether the listener is still there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager

from fastapi import Request, Response
from starlette.types import Receive, Scope, Send

# Seconds after which a listener who takes nothing any more is given up.
STALLED = 90.0
# Marks a request whose answer goes on, so that a server that stops does not wait for its end.
STREAMING = "cinqmille.streaming"
# What works on a request, and whether the server stops: then whatever still waits is not waited for.
TASK, STOPPING = "cinqmille.task", "cinqmille.stopping"
# How the wait of a request is ended that has an answer whenever it ends.
ENDING = "cinqmille.ending"


@contextmanager
def waiting(request: Request, end: Callable[[], object]) -> Iterator[None]:
    """Within this, ``end`` is called when the server stops, or when whoever asked has gone."""
    request.scope[ENDING] = end
    watch = asyncio.create_task(_left(request.receive, end))
    try:
        yield
    finally:
        watch.cancel()
        del request.scope[ENDING]


class EventStream(Response):
    """Sends the events that a generator yields, blank line included; it is closed when the listener goes."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[str, None]) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the generator ends, the listener goes, or takes nothing any more."""
        scope[STREAMING] = True
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        task = asyncio.current_task()
        assert task is not None
        watch = asyncio.create_task(_left(receive, task.cancel))
        try:
            async with aclosing(self._events) as events:
                async for text in events:
                    async with asyncio.timeout(STALLED):
                        await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
                    del text  # or it is kept until the next one
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            pass  # the server closes the connection
        except asyncio.CancelledError:
            if not watch.done() or task.uncancel():
                raise  # it was not the listener: the server stops
        finally:
            watch.cancel()


async def _left(receive: Receive, end: Callable[[], object]) -> None:
    """Call ``end`` when whoever is answered has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
    end()
