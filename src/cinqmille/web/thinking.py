"""What may take long, kept apart from those who only play: games solved for a bot or for advice, and bots' steps.

One game at a time is solved, a few wait, and whoever comes after them is told so; bots step beside that, two at once.
How long solving may take is the environment's business (:data:`cinqmille.solutions.MOST_SECONDS`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Request

from cinqmille.bots import bot, check_bot
from cinqmille.errors import CinqMilleError, IllegalAction
from cinqmille.rules import Rules
from cinqmille.web.refusals import Refused

_MOST_WAITING = 8
_STEPS_AT_ONCE = 2
_LOCAL_AT_ONCE = 8
Found = TypeVar("Found")


class Thinking:
    """The threads of one app in which something may take long; made while its loop runs."""

    def __init__(self) -> None:
        self._long, self._steps = CapacityLimiter(1), CapacityLimiter(_STEPS_AT_ONCE)
        self._local = CapacityLimiter(_LOCAL_AT_ONCE)

    async def long(self, request: Request, work: Callable[[], Found]) -> Found:
        """Return what ``work`` returns, which may solve a game; raise Refused (503, ``busy``) where too many wait."""
        request.app.state.limits.check("thoughts", request)
        if self._long.statistics().tasks_waiting >= _MOST_WAITING:
            raise Refused(503, IllegalAction("busy"), {"Retry-After": "10"})
        return await to_thread.run_sync(work, limiter=self._long, abandon_on_cancel=True)

    async def step(self, work: Callable[[], Found]) -> Found:
        """Return what ``work`` returns: a step of a bot that is ready."""
        return await to_thread.run_sync(work, limiter=self._steps, abandon_on_cancel=True)

    async def local(self, work: Callable[[], Found]) -> Found:
        """Return what ``work`` returns: what is done at a table around one screen, a bot's steps among it."""
        return await to_thread.run_sync(work, limiter=self._local, abandon_on_cancel=True)

    async def ready(self, request: Request, rules: Rules, specs: Iterable[str], players: int) -> None:
        """Let bots get ready; raise InvalidText for one that there is not, InvalidRules for one that cannot play."""
        for spec in specs:
            check = partial(check_bot, bot(spec), rules, players)
            if solves(spec):
                await self.long(request, check)
            else:
                check()


def solves(spec: str) -> bool:
    """Whether a bot may have to solve the game before it plays; False for one that there is not."""
    try:
        return hasattr(bot(spec), "refuse")
    except CinqMilleError:
        return False
