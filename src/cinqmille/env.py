"""Environments for learning agents: PettingZoo's turn by turn for all seats, Gymnasium's for one seat against bots.

Both are a thin layer over ``game``: what is legal, what happens and who wins is asked there, whatever the
rules. Here are only the numbers an agent reads and writes (:class:`Coding`), the dice, drawn from the environment's
own generator, and the reward at the end: the share of the win, which players who tie divide.

An agent never waits for dice: after an action they are rolled until somebody has something to decide. Only
the first throw of a game is a step of its own (the sole legal action is to roll), because a game may end with
it, and neither library has a reset that ends.

The packages come with ``pip install 'cinqmille[rl]'``; importing this module registers ``CinqMille-v0``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cinqmille.actions import ANNOUNCEMENTS, Action, Announce, Bank, Roll, RollOn, SetAside, TakeOver
from cinqmille.bots import Bot, bot, check_bot
from cinqmille.errors import IllegalAction
from cinqmille.game import apply, legal_actions, start
from cinqmille.patterns import FACES, Dice
from cinqmille.position import PHASES, Position
from cinqmille.record import Game
from cinqmille.rules import Rules
from cinqmille.scoring import scored

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.error import ResetNeeded
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(
        f"cinqmille.env needs gymnasium and pettingzoo ({error}): install them with  pip install 'cinqmille[rl]'",
        name=error.name,
    ) from error

__all__ = ["ILLEGAL_REWARD", "CinqMilleEnv", "CinqMilleSolo", "Coding", "Observation", "env", "raw_env"]

Observation = dict[str, Any]  # "observation" and "action_mask", two arrays

ILLEGAL_REWARD = -1.0

_ROLL_ON = RollOn()
_SPOKEN: tuple[Action, ...] = (Bank(), _ROLL_ON, TakeOver(), *(Announce(points) for points in ANNOUNCEMENTS))


class Coding:
    """The numbers an agent reads and writes, for given rules and players.

    ``actions`` are all actions by number: 0 banks, 1 rolls, 2 takes over, 3 to 6 announce 50, 100, 150 and
    200, and from 7 on stand the sets of dice that these rules can ever let a player set aside, few dice first.
    ``names`` name the entries of an observation. ``rungs`` are the totals told of each player: the score, the one
    below it, and so on (rules with ``fall``, ``strike`` or ``previous`` remember them all).

    >>> coding = Coding(Rules.parse("cinq-des"))
    >>> len(coding.actions), coding.actions[0], coding.number(SetAside((1, 5))), coding.actions[10]
    (52, Bank(), 10, SetAside(dice=(1, 5)))
    """

    def __init__(self, rules: Rules, players: int = 2, *, rungs: int = 2) -> None:
        start(rules, players)  # refuses a number of players that the game does not have
        if index(rungs) < 1:
            raise ValueError(f"rungs cannot be {rungs}: the score itself is the first")
        self.rules, self.players, self.rungs = rules, players, rungs
        self.actions: tuple[Action, ...] = (*_SPOKEN, *(SetAside(dice) for dice in _legal_sets(rules)))
        self._numbers = {action: number for number, action in enumerate(self.actions)}
        self._entries = tuple(self._described())
        self.names = tuple(name for name, _, _ in self._entries)

    def _described(self) -> list[tuple[str, float, float]]:
        """Every entry of an observation with its bounds, in the order in which :meth:`vector` writes them."""
        found: list[tuple[str, float, float]] = []
        for player in range(self.players):
            found += [(f"total_{player}_{rung}", -2, 2) for rung in range(self.rungs)]
            found += [(f"{name}_{player}", 0, 1) for name in ("scoreless", "to_play", "opener")]
        found += [(f"seat_{seat}", 0, 1) for seat in range(self.players)]
        found += [(f"phase_{phase}", 0, 1) for phase in PHASES]
        found += [("turn_points", 0, 2), ("dice", 0, 1)]
        found += [(f"roll_{face}", 0, 1) for face in FACES]
        found += [(f"announced_{points}", 0, 1) for points in ANNOUNCEMENTS]
        return [*found, ("offer", 0, 1), ("offer_points", 0, 2), ("offer_dice", 0, 1)]

    def number(self, action: Action) -> int:
        """Return the number of ``action``; KeyError for one that is no player's under these rules."""
        return self._numbers[action]

    def action(self, number: object) -> Action:
        """Return the action of this number; ValueError outside the space, TypeError for what is no whole number."""
        place = index(number)  # type: ignore[arg-type]
        if not 0 <= place < len(self.actions):
            raise ValueError(f"there is no action {place}: they are numbered from 0 to {len(self.actions) - 1}")
        return self.actions[place]

    def mask(self, position: Position) -> NDArray[np.int8]:
        """Return 1 for each action that is legal for the player to play and 0 for the others.

        While dice are awaited (before the first throw only), to roll is the one legal action.
        """
        mask = np.zeros(len(self.actions), np.int8)
        legal = (_ROLL_ON,) if position.phase == "roll" else legal_actions(position)
        mask[[self._numbers[action] for action in legal]] = 1
        return mask

    def vector(self, position: Position, seat: int) -> NDArray[np.float32]:
        """Return the position as ``seat`` sees it: that player first, then the others in the order of play."""
        rules, dice, offer = position.rules, position.rules.dice, position.offer
        limit = rules.scoreless_limit
        values: list[float] = []
        for distance in range(self.players):
            place = (seat + distance) % self.players
            ladder, scoreless = position.seats[place].ladder, position.seats[place].scoreless
            values += [self._scaled(ladder[-rung]) if rung <= len(ladder) else 0 for rung in range(1, self.rungs + 1)]
            values += [scoreless / limit if limit else 0, place == position.to_play, place == position.opener]
        values += [place == seat for place in range(self.players)]
        values += [phase == position.phase for phase in PHASES]
        values += [self._scaled(position.turn_points), (position.dice_left or dice) / dice]
        values += [position.roll.count(face) / dice for face in FACES]
        values += [points == position.announced for points in ANNOUNCEMENTS]
        values += [0, 0, 0] if offer is None else [1, self._scaled(offer.points), (offer.dice or dice) / dice]
        return np.array(values, np.float32)

    def _scaled(self, points: int) -> float:
        """Points in targets; what is beyond one target is bent to stay within two (at 2x it is 1.5, at 4x 1.75)."""
        part = points / self.rules.target
        return part if -1 <= part <= 1 else (2 if part > 0 else -2) - 1 / part

    def observation_space(self) -> spaces.Dict:
        """Return a new space of the observations: the vector and the mask."""
        low = np.array([low for _, low, _ in self._entries], np.float32)
        high = np.array([high for _, _, high in self._entries], np.float32)
        mask = spaces.Box(0, 1, (len(self.actions),), np.int8)
        return spaces.Dict({"observation": spaces.Box(low, high, dtype=np.float32), "action_mask": mask})

    def action_space(self) -> spaces.Discrete:
        """Return a new space of the numbers of actions."""
        return spaces.Discrete(len(self.actions))


def _legal_sets(rules: Rules) -> list[Dice]:
    """Every set of dice that can ever be set aside, with the numbers of dice that can ever be rolled."""
    found: set[Dice] = set()
    counts = [rules.dice]
    for count in counts:  # grows while it is read
        rolls = combinations_with_replacement(FACES, count)
        sets = {keep.dice for roll in rolls for keep in scored(rules, roll).keeps}
        left = {count - len(dice) for dice in sets if len(dice) < count}
        counts += sorted(left.difference(counts))
        found |= sets
    return sorted(found, key=lambda dice: (len(dice), dice))


class _Play:
    """A game in progress: where it stands, what led there, and the generator of its dice."""

    def __init__(self, rules: Rules, players: int, dice: np.random.Generator) -> None:
        self.position = start(rules, players)
        self._actions: list[Action] = []
        self._dice = dice

    def act(self, action: Action) -> None:
        """Apply a player's action and roll until somebody has something to decide.

        IllegalAction leaves everything as it was.
        """
        if self.position.phase != "roll" or action != _ROLL_ON:
            self._add(action)
        while self.position.phase == "roll":
            faces = self._dice.integers(1, 7, self.position.dice_left).tolist()
            self._add(Roll(tuple(sorted(faces))))  # sorted: `scored` remembers rolls by their order

    def _add(self, action: Action) -> None:
        self.position = apply(self.position, action)
        self._actions.append(action)

    def share(self, seat: int) -> float:
        """What ``seat`` has of the win."""
        winners = self.position.winners
        return 1 / len(winners) if seat in winners else 0.0

    def game(self, names: Sequence[str]) -> Game:
        """The game so far, to be written down."""
        game = Game.new(self.position.rules, tuple(names))
        return replace(game, actions=tuple(self._actions), position=self.position)


def _rules(rules: Rules | str) -> Rules:
    return Rules.load(rules) if isinstance(rules, str) else rules


def _check_render_mode(mode: str | None, modes: Sequence[str]) -> str | None:
    if mode is not None and mode not in modes:
        raise ValueError(f"render_mode cannot be {mode!r}: it is None or one of {', '.join(modes)}")
    return mode


def _names(players: int) -> list[str]:
    return [f"player_{seat}" for seat in range(players)]


class CinqMilleEnv(AECEnv[str, Observation, Any]):
    """All seats of one game, turn by turn (PettingZoo AEC); :func:`env` adds the usual wrappers.

    An illegal action raises IllegalAction, which says what would be legal, and changes nothing. A game that
    has not ended after ``max_steps`` actions is truncated with no reward.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as PettingZoo has it
        "name": "cinqmille_v0",
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
    }
    _skip_agent_selection: Any = None  # PettingZoo's, while agents that are done are stepped out

    def __init__(
        self,
        rules: Rules | str = "cinq-des",
        players: int = 2,
        *,
        rungs: int = 2,
        max_steps: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.rules = _rules(rules)
        self.coding = Coding(self.rules, players, rungs=rungs)
        self.max_steps = max_steps
        self.render_mode = _check_render_mode(render_mode, self.metadata["render_modes"])
        self.possible_agents = _names(players)
        self.agents: list[str] = []
        self.observation_spaces = {agent: self.coding.observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: self.coding.action_space() for agent in self.possible_agents}
        self.np_random: np.random.Generator | None = None
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._play: _Play | None = None
        self._steps = 0

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        """Return the space of ``agent``'s observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of ``agent``'s actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; ``seed`` makes its dice, and those of the games after it, repeatable. There are no options."""
        if seed is not None or self.np_random is None:
            self.np_random, _ = seeding.np_random(seed)
        self._play = _Play(self.rules, len(self.possible_agents), self.np_random)
        self._steps = 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Observation:
        """Return the vector and the mask for ``agent``; the mask is 0 for all who are not to play."""
        position, seat = self.position, self._seats[agent]
        acts = position.to_play == seat and not (self.terminations.get(agent, True) or self.truncations[agent])
        mask = self.coding.mask(position)
        return {"observation": self.coding.vector(position, seat), "action_mask": mask if acts else mask * 0}

    def step(self, action: int | None) -> None:
        """Let the selected agent act; None for one that is done."""
        play, agent = self._current(), self.agent_selection
        if not self.agents:
            raise ResetNeeded("this game is over: call reset() before step()")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        play.act(self.coding.action(action))
        self._steps += 1
        if play.position.to_play is None:
            self.rewards = {one: play.share(self._seats[one]) for one in self.agents}
            self._accumulate_rewards()
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[play.position.to_play]
            if self.max_steps is not None and self._steps >= self.max_steps:
                self.truncations = dict.fromkeys(self.agents, True)
        if self.render_mode == "human":
            self.render()

    def _current(self) -> _Play:
        if self._play is None:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._play

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self._current().position

    @property
    def game(self) -> Game:
        """The game so far; ``game.text`` is its record, which replays to the same position."""
        return self._current().game(self.possible_agents)

    def render(self) -> str | None:
        """Return the position as one line (``ansi``), or print it (``human``)."""
        return _render(self.position, self.render_mode)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


raw_env = CinqMilleEnv


def env(
    rules: Rules | str = "cinq-des", players: int = 2, **options: Any
) -> wrappers.OrderEnforcingWrapper[str, Observation, Any]:
    """Return a :class:`CinqMilleEnv` in PettingZoo's usual wrappers.

    An illegal action ends the game: whoever made it gets -1, the others 0. Other ``options`` are those of the
    class.
    """
    wrapped = wrappers.TerminateIllegalWrapper(CinqMilleEnv(rules, players, **options), illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class CinqMilleSolo(gymnasium.Env[Observation, np.int64]):
    """One seat against bots (Gymnasium): ``gymnasium.make("cinqmille.env:CinqMille-v0", rules="six-des")``.

    ``opponents`` are bots, or their specs, in the order in which they play after the agent. ``seat`` is the agent's
    (0 begins); None draws it anew for each game. An illegal action ends the game with ``illegal_reward`` and the
    refusal in ``info["illegal"]``; when ``illegal_reward`` is None it raises IllegalAction and changes nothing.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi"], "render_fps": 1}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        rules: Rules | str = "cinq-des",
        opponents: Sequence[str | Bot] = ("steady",),
        *,
        seat: int | None = None,
        illegal_reward: float | None = ILLEGAL_REWARD,
        rungs: int = 2,
        render_mode: str | None = None,
    ) -> None:
        self.rules = _rules(rules)
        if isinstance(opponents, str):
            raise TypeError(f"opponents are a sequence, as in [{opponents!r}]")
        self.opponents = tuple(bot(one) if isinstance(one, str) else one for one in opponents)
        self.coding = Coding(self.rules, 1 + len(self.opponents), rungs=rungs)
        for one in self.opponents:
            check_bot(one, self.rules, self.coding.players)
        if seat is not None and not 0 <= seat < self.coding.players:
            raise ValueError(f"seat cannot be {seat}: it is None or from 0 to {self.coding.players - 1}")
        self.illegal_reward = illegal_reward
        self.render_mode = _check_render_mode(render_mode, self.metadata["render_modes"])
        self.observation_space = self.coding.observation_space()
        self.action_space = self.coding.action_space()
        self.seat = 0
        self._wanted_seat = seat
        self._play: _Play | None = None
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game; ``info["seat"]`` tells the agent's seat. There are no options."""
        super().reset(seed=seed)
        players = self.coding.players
        self.seat = int(self.np_random.integers(players)) if self._wanted_seat is None else self._wanted_seat
        self._play = _Play(self.rules, players, self.np_random)
        self._over = False
        if self.render_mode == "human":
            self.render()
        return self._observation(), {"seat": self.seat}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Let the agent act, then the bots until it is the agent's turn again or the game is over."""
        play = self._play
        if play is None or self._over:
            raise ResetNeeded("no game is in progress: call reset() first")
        wanted = self.coding.action(action)
        try:
            play.act(wanted)
        except IllegalAction as refusal:
            if self.illegal_reward is None:
                raise
            self._over = True
            return self._observation(), self.illegal_reward, True, False, {"illegal": str(refusal)}
        while play.position.to_play not in (None, self.seat):
            play.act(self._bot(play.position).choose(play.position))
        self._over = play.position.to_play is None
        if self.render_mode == "human":
            self.render()
        return self._observation(), play.share(self.seat), self._over, False, {}

    def _bot(self, position: Position) -> Bot:
        assert position.to_play is not None
        return self.opponents[(position.to_play - self.seat - 1) % self.coding.players]

    def _observation(self) -> Observation:
        position = self.position
        return {"observation": self.coding.vector(position, self.seat), "action_mask": self._mask()}

    def _mask(self) -> NDArray[np.int8]:
        mask = self.coding.mask(self.position)
        return mask * 0 if self._over else mask

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of legal actions as booleans, where sb3-contrib's MaskablePPO looks for it."""
        return self._mask().astype(np.bool_)

    @property
    def position(self) -> Position:
        """Where the game stands."""
        if self._play is None:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._play.position

    @property
    def game(self) -> Game:
        """The game so far; ``game.text`` is its record, which replays to the same position."""
        if self._play is None:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._play.game(_names(self.coding.players))

    def render(self) -> str | None:
        """Return the position as one line (``ansi``), or print it (``human``)."""
        return _render(self.position, self.render_mode)


def _render(position: Position, mode: str | None) -> str | None:
    if mode == "human":
        print(position)
    return str(position) if mode == "ansi" else None


if "CinqMille-v0" not in gymnasium.registry:
    gymnasium.register("CinqMille-v0", entry_point="cinqmille.env:CinqMilleSolo")
