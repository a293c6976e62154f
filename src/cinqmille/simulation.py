"""Mass play: matches and tournaments between bots, with seed and confidence intervals in the result.

Two engines play the same games. Where every bot's choices are arrays (:class:`TableBot`, :class:`WorthBot`) and the
kernel knows the rules, it plays; otherwise the readable core does. Either way the dice of game i depend
on the seed and i only, so a result depends neither on the engine, nor on the number of workers, nor on where they run.

Statistics are added up as whole numbers; a win shared by k players is the k-th part of one.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import combinations
from multiprocessing import get_context
from operator import index

import numpy as np

from cinqmille import _sim_kernels as kernels
from cinqmille.actions import Banked, Busted, Fell, Kept, Overshot, Roll, Scoreless, Won
from cinqmille.bots import Bot, bot, check_bot
from cinqmille.errors import IllegalAction
from cinqmille.game import do, start
from cinqmille.patterns import Dice
from cinqmille.policies import MOST_TURNS, Prepared, TableBot, WorthBot, kernel_plays, prepare
from cinqmille.position import FEWEST_PLAYERS, MOST_PLAYERS
from cinqmille.reports import (
    OPENING_TURNS,
    ROUNDS,
    BotReport,
    Report,
    SeatReport,
    Standing,
    Tally,
    Tournament,
    empty_tally,
    report,
)
from cinqmille.rules import Rules

__all__ = [
    "BotReport", "Report", "SeatReport", "Standing", "TableBot", "Tournament", "WorthBot", "simulate", "tournament",
]  # fmt: skip

MOST_GAMES = 1_000_000_000
MOST_SEED = (1 << 64) - 1
MOST_FIRST = 1 << 62
MOST_WORKERS = 256
FEW_GAMES = 500  # played by the core: not worth starting processes for

Progress = Callable[[int, int], None]


def simulate(
    rules: Rules,
    bots: Sequence[str | Bot],
    *,
    games: int,
    seed: int,
    first: int = 0,
    rotate: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    core: bool = False,
) -> Report:
    """Play ``games`` whole games between 2 to 8 bots and return what they came to.

    Bot k sits in seat k, seat 0 begins; with ``rotate`` every bot moves one seat on with each game. Game
    number i has the same dice in every run with this ``seed``: ``first`` goes on where another run ended.

    All cores work unless ``workers`` says how many; ``executor`` (of ``concurrent.futures``, or a Dask client's) takes
    their place. ``progress(done, games)`` is told how far it is. ``core`` plays through the readable core in any
    case. A bot's choice must depend on the position only, or chunks of games will not come out the same.

    Raises IllegalAction for a wrong number of players, of games or of workers, a wrong seed, bots that never end a
    game, or one that cannot be sent to other processes; InvalidText for an unknown bot; InvalidRules for one that
    cannot play these rules.
    """
    players = tuple(bot(one) if isinstance(one, str) else one for one in bots)
    if not FEWEST_PLAYERS <= len(players) <= MOST_PLAYERS:
        raise IllegalAction("players_number", players=len(players), fewest=FEWEST_PLAYERS, most=MOST_PLAYERS)
    for one in players:
        check_bot(one, rules, len(players))
    games = _number("games", games, 1, MOST_GAMES)
    first = _number("first", first, 0, MOST_FIRST)
    seed = _number("seed", seed, 0, MOST_SEED)
    if workers is not None:
        workers = _number("workers", workers, 1, MOST_WORKERS)
        if executor is not None:
            raise TypeError("simulate: workers are counted or an executor is given, not both")
    by_kernel = not core and kernel_plays(rules, players)
    job = Job(uuid.uuid4().hex, rules.canonical, players, seed, bool(rotate), by_kernel)
    if by_kernel:
        play_chunk(job, first, 0)  # compiled before the time is taken
    begun = time.perf_counter()
    tally = _gather(job, first, games, workers, executor, progress)
    return report(
        rules,
        [one.spec for one in players],
        tally,
        games=games,
        seed=seed,
        first=first,
        rotate=job.rotate,
        seconds=time.perf_counter() - begun,
        engine="kernel" if by_kernel else "core",
    )


def tournament(
    rules: Rules,
    bots: Sequence[str | Bot],
    *,
    games_per_pair: int,
    seed: int,
    rotate: bool = True,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Tournament:
    """Let every bot play every other and return the table; see :func:`simulate`.

    The bots of a pair take turns in beginning unless ``rotate`` is false. The pairs' games are numbered on, so
    that no two pairs see the same dice. Raises IllegalAction for fewer than two bots, and as :func:`simulate`.
    """
    begun = time.perf_counter()
    players = tuple(bot(one) if isinstance(one, str) else one for one in bots)
    if len(players) < FEWEST_PLAYERS:
        raise IllegalAction("players_number", players=len(players), fewest=FEWEST_PLAYERS, most=MOST_PLAYERS)
    games = _number("games", games_per_pair, 1, MOST_GAMES)
    pairs = list(combinations(players, 2))
    matches = []
    for number, pair in enumerate(pairs):
        before = number * games
        told = None if progress is None else partial(_told, progress, before, len(pairs) * games)
        match = simulate(
            rules,
            pair,
            games=games,
            seed=seed,
            first=before,
            rotate=rotate,
            workers=workers,
            executor=executor,
            progress=told,
        )
        matches.append(match)
    return Tournament(
        rules=rules.canonical,
        fingerprint=rules.fingerprint,
        bots=tuple(one.spec for one in players),
        matches=tuple(matches),
        games_per_pair=games,
        seed=index(seed),
        rotate=bool(rotate),
        seconds=time.perf_counter() - begun,
    )


# Games are dealt out in chunks; workers get a job and the numbers of games, and return whole numbers to add up.


@dataclass(frozen=True, slots=True)
class Job:
    """What workers need to play any game of a run, wherever they are; ``token`` names it."""

    token: str
    rules: str = field(compare=False)
    bots: tuple[Bot, ...] = field(compare=False)
    seed: int = field(compare=False)
    rotate: bool = field(compare=False)
    by_kernel: bool = field(compare=False)


def _gather(
    job: Job, first: int, games: int, workers: int | None, executor: Executor | None, progress: Progress | None
) -> Tally:
    least, most = (2_000, 100_000) if job.by_kernel else (50, 5_000)
    size = min(most, max(least, -(-games // 200)))
    chunks = [(begin, min(size, first + games - begin)) for begin in range(first, first + games, size)]
    tally, done = empty_tally(len(job.bots)), 0
    for played, part in _results(job, chunks, workers, executor):
        if part.endless >= 0:
            raise IllegalAction("endless_game", game=part.endless, turns=MOST_TURNS)
        tally, done = tally.plus(part), done + played
        if progress is not None:
            progress(done, games)
    return tally


def _results(
    job: Job, chunks: list[tuple[int, int]], workers: int | None, executor: Executor | None
) -> Iterator[tuple[int, Tally]]:
    """Yield the tally of every chunk with its number of games, in the order in which they are ready."""
    count = min(len(chunks), workers or _cores())
    if executor is None and not job.by_kernel and count > 1:
        games = sum(games for _, games in chunks)
        stays = next((one for one in job.bots if not _travels(one)), None)
        if workers is None and (stays is not None or games <= FEW_GAMES):
            count = 1
        elif stays is not None:
            raise IllegalAction("bot_stays", bot=stays.spec)
    if executor is None and count == 1:
        for begin, games in chunks:
            yield games, play_chunk(job, begin, games)
        return
    if job.by_kernel:
        _prepared(job)  # so that threads find it
    with _pool(job, count, executor) as pool:
        waiting = {pool.submit(play_chunk, job, begin, games): games for begin, games in chunks}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        finally:
            for future in waiting:
                future.cancel()


@contextmanager
def _pool(job: Job, count: int, executor: Executor | None) -> Iterator[Executor]:
    if executor is not None:
        yield executor
    elif job.by_kernel:
        with ThreadPoolExecutor(count) as threads:
            yield threads
    else:
        with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as processes:
            yield processes


def _travels(one: Bot) -> bool:
    """Whether another process can make this bot again: it can be pickled, and its class can be imported."""
    if type(one).__module__ == "__main__" and not hasattr(sys.modules["__main__"], "__file__"):
        return False
    try:
        pickle.dumps(one)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def play_chunk(job: Job, first: int, games: int) -> Tally:
    """Play some games of a job; what workers are asked for."""
    if not job.by_kernel:
        return _play_core(job, first, games)
    tally = empty_tally(len(job.bots))
    log = np.zeros((0, kernels.LOG_COLUMNS), dtype=np.int64)
    endless = kernels.play(first, games, np.uint64(job.seed), job.rotate, *_prepared(job), *tally[:4], log)
    return tally._replace(endless=int(endless))


@lru_cache(maxsize=2)
def _prepared(job: Job) -> Prepared:
    return prepare(Rules.parse(job.rules), job.bots)


# The readable core, with the kernel's dice.

_MASK = (1 << 64) - 1
_GOLDEN = int(kernels.GOLDEN)


def _mix(z: int) -> int:
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31


class GameDice:
    """The dice of one game, the same as the kernel's: see there how they are drawn."""

    def __init__(self, seed: int, game: int) -> None:
        self._state = _mix(_mix(seed) + game * _GOLDEN & _MASK)

    def roll(self, count: int) -> Dice:
        """Return the next ``count`` dice."""
        rolls = 6**count
        while True:
            self._state = self._state + _GOLDEN & _MASK
            product = (_mix(self._state) >> 21) * rolls
            if product & (1 << 43) - 1 >= (1 << 43) % rolls:
                return faces(product >> 43, count)


def faces(number: int, count: int) -> Dice:
    """Return the dice of roll ``number`` of the 6 to the power of ``count``: a digit a die, the highest first."""
    dice = []
    for _ in range(count):
        number, digit = divmod(number, 6)
        dice.append(digit + 1)
    return tuple(reversed(dice))


def _play_core(job: Job, first: int, games: int) -> Tally:
    rules = Rules.parse(job.rules)
    tally = empty_tally(len(job.bots))
    for game in range(first, first + games):
        if not _play_game(job, rules, game, tally):
            return tally._replace(endless=game)
    return tally


def _play_game(job: Job, rules: Rules, game: int, tally: Tally) -> bool:
    """Play one game into ``tally``; tell whether it came to an end."""
    seats = len(job.bots)
    shift = game % seats if job.rotate else 0
    bot_of = [(seat + shift) % seats for seat in range(seats)]
    rows, opening = [tally.totals[place] for place in bot_of], [tally.opening[place] for place in bot_of]
    opened = [False] * seats
    dice = GameDice(job.seed, game)
    position = start(rules, seats)
    played = 0
    while (seat := position.to_play) is not None:
        if position.phase == "roll":
            step = do(position, Roll(dice.roll(position.dice_left)))
        else:
            step = do(position, job.bots[bot_of[seat]].choose(position))
        for event in step.events:
            match event:
                case Busted():
                    rows[seat][kernels.BUSTS] += 1
                case Overshot():
                    rows[seat][kernels.PASSES] += 1
                case Kept(dice_left=0):
                    rows[seat][kernels.HOT] += 1
                case Fell(seat=fallen, before=before, after=after):
                    rows[fallen][kernels.LOST] += (before - after) // rules.step
                case Banked(points=points, total=total):
                    rows[seat][kernels.BEST] = max(rows[seat][kernels.BEST], points // rules.step)
                    if total > 0 and not opened[seat]:
                        opened[seat] = True
                        number = played // seats
                        rows[seat][kernels.OPENED] += 1
                        rows[seat][kernels.OPENING] += number + 1
                        opening[seat][min(number, OPENING_TURNS - 1)] += 1
                case Won(winners=winners, how=how):
                    rows[seat][kernels.AT_ONCE] += how == "at_once"
                    for winner in winners:
                        rows[winner][kernels.WINS] += kernels.WHOLE // len(winners)
                        tally.seat_wins[winner] += kernels.WHOLE // len(winners)
                case _:
                    pass
            if isinstance(event, Banked | Scoreless) or (isinstance(event, Won) and event.how == "at_once"):
                rows[seat][kernels.TURNS] += 1
                played += 1
        position = step.position
        if played >= MOST_TURNS and position.to_play is not None:
            return False
    for row, score in zip(rows, position.scores, strict=True):
        row[kernels.FINAL] += score // rules.step
    tally.rounds[min((played - 1) // seats, ROUNDS - 1)] += 1
    return True


def _number(name: str, value: int, low: int, high: int) -> int:
    number = index(value)
    if not low <= number <= high:
        raise IllegalAction("bad_number", name=name, value=number, low=low, high=high)
    return number


def _told(progress: Progress, before: int, whole: int, done: int, _: int) -> None:
    progress(before + done, whole)
