"""The learning environments: the libraries' own checkers, and one truth with the engine for every rule.

``rl`` is part of what the tests need, so nothing here is skipped without it.
"""

import contextlib
import copy
import importlib
import io
import pickle
import random
import re
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from cinqmille import (
    PRESETS,
    Announce,
    Bank,
    IllegalAction,
    InvalidText,
    Position,
    Roll,
    RollOn,
    Rules,
    SetAside,
    TakeOver,
    can,
    legal_actions,
    replay,
    start,
)  # fmt: skip
from cinqmille.bots import Steady, bot
from cinqmille.env import CinqMilleEnv, CinqMilleSolo, Coding, env, raw_env
from sheets import random_sheet, sheets

checks: Any = importlib.import_module("pettingzoo.test")  # it has no types

ROOT = Path(__file__).parents[1]
GYM_ID = "cinqmille.env:CinqMille-v0"

# One sheet for each parameter that changes what an agent may do or what it is told.
SHEETS = (
    "cinq-des",
    "six-des",
    "cinq-des(target=1000, entry=200, takeover=always, prediction=true, exact=true)",
    "cinq-des(target=1500, entry=0, equal_scores=fall, strike=true, hot_dice=must, ending=last_turns)",
    "cinq-des(target=1000, entry=50, floor=-1000, scoreless_limit=2, scoreless_penalty=500, ending=finish_round)",
    "six-des(target=2000, last_leg=500, keep=all, takeover=opened, min_bank=300, tie=first)",
    *(random_sheet(random.Random(number)) for number in range(8)),
)
each_sheet = pytest.mark.parametrize("rules", SHEETS)

# PettingZoo's test names these for every environment with a mask, unless it is one of its own.
EXPECTED_WARNINGS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action mask numpy array is all zeros (no legal actions).",
}


class Scripted:
    """A generator whose dice are known: one text a roll."""

    def __init__(self, *rolls: str) -> None:
        self._rolls = iter(rolls)

    def integers(self, low: int, high: int, count: int) -> Any:
        faces = [int(face) for face in next(self._rolls)]
        assert len(faces) == count
        assert all(low <= face < high for face in faces)
        return np.array(faces)


def scripted(rules: str, players: int, *rolls: str) -> CinqMilleEnv:
    made = CinqMilleEnv(rules, players)
    made.np_random = Scripted(*rolls)  # type: ignore[assignment]
    made.reset()
    return made


def act(made: CinqMilleEnv, *actions: Any) -> None:
    for action in actions:
        made.step(made.coding.number(action))


def aside(dice: str) -> SetAside:
    return SetAside(tuple(int(face) for face in dice))


def random_steps(made: Any, rng: random.Random, most: int = 10_000) -> Iterator[str]:
    """Play a PettingZoo environment by chance: yield the agent to act before each of its actions."""
    for agent in made.agent_iter(most):
        if made.terminations[agent] or made.truncations[agent]:
            made.step(None)
            continue
        yield agent
        made.step(rng.choice(np.flatnonzero(made.observe(agent)["action_mask"])))


def quietly(check: Callable[[], None]) -> set[str]:
    """Run a checker; return what it warned of."""
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        check()
    return {str(warning.message) for warning in caught}


# The libraries' own checkers


@each_sheet
def test_pettingzoo_api(rules: str) -> None:
    for make in (env, raw_env):
        made = make(rules)
        assert quietly(partial(checks.api_test, made, num_cycles=200)) <= EXPECTED_WARNINGS


@each_sheet
def test_pettingzoo_seeds(rules: str) -> None:
    assert not quietly(lambda: checks.seed_test(lambda: env(rules, players=3), num_cycles=100))


@each_sheet
def test_gymnasium_checker(rules: str) -> None:
    made = gymnasium.make(GYM_ID, rules=rules, opponents=("steady:300", "steady"))
    assert not quietly(lambda: check_env(made.unwrapped))


@pytest.mark.parametrize("players", range(2, 9))
def test_every_number_of_players(players: int) -> None:
    rules = "cinq-des(target=1000, entry=100, ending=last_turns)"
    assert quietly(lambda: checks.api_test(env(rules, players), num_cycles=100)) <= EXPECTED_WARNINGS
    made = gymnasium.make(GYM_ID, rules=rules, opponents=["steady"] * (players - 1))
    assert not quietly(lambda: check_env(made.unwrapped))
    assert made.observation_space["observation"].shape == (players * 6 + 20,)  # type: ignore[index]


@pytest.mark.parametrize("players", [1, 9])
def test_other_numbers_of_players_are_refused(players: int) -> None:
    with pytest.raises(IllegalAction, match="2 to 8 players"):
        env("cinq-des", players)
    with pytest.raises(IllegalAction, match="2 to 8 players"):
        CinqMilleSolo(opponents=["steady"] * (players - 1))


def test_pettingzoo_renders() -> None:
    def fits(line: object) -> bool:
        return str(Position.parse(str(line))) == line

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        checks.render_test(env, custom_tests={"ansi": fits})
    lines = printed.getvalue().splitlines()
    assert len(lines) > 5
    assert all(fits(line) for line in lines)


# One truth with the engine


@settings(max_examples=40)
@given(sheets(), st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_masks_are_the_legal_actions(rules: str, players: int, seed: int) -> None:
    made, rng = CinqMilleEnv(rules, players), random.Random(seed)
    made.reset(seed=seed)
    coding = made.coding
    for agent in random_steps(made, rng, most=40):
        position = made.position
        legal = (RollOn(),) if position.phase == "roll" else legal_actions(position)
        assert position.phase != "roll" or position == start(made.rules, players)
        mask = made.observe(agent)["action_mask"]
        assert [action for action, bit in zip(coding.actions, mask, strict=True) if bit] == sorted(
            legal, key=coding.number
        )
        if position.phase != "roll":
            assert [can(position, action) for action in coding.actions] == mask.astype(bool).tolist()
        assert position.to_play is not None
        assert agent == made.possible_agents[position.to_play]
        for other in made.possible_agents:
            seen = made.observe(other)
            assert seen in made.observation_space(other)
            assert other == agent or not seen["action_mask"].any()


@settings(max_examples=40)
@given(sheets(), st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_games_replay_to_the_same_end(rules: str, players: int, seed: int) -> None:
    made, rng = CinqMilleEnv(rules, players, max_steps=300), random.Random(seed)
    made.reset(seed=seed)
    for number, _ in enumerate(random_steps(made, rng)):
        assert number % 50 or replay(made.game.text).position == made.position
    game = replay(made.game.text)
    assert (game, game.position) == (made.game, made.position)
    assert list(game.steps())[-1][2].position == made.position
    assert not made.agents


@each_sheet
def test_rewards_are_the_shares_of_the_win(rules: str) -> None:
    made, rng = env(rules, players=3, max_steps=600), random.Random(7)
    ended = 0
    for seed in range(3):
        made.reset(seed=seed)
        rewards: dict[str, float] = {}
        for agent in made.agent_iter():
            observation, reward, terminated, truncated, _ = made.last()
            done = terminated or truncated
            rewards[agent] = reward if done else rewards.get(agent, 0) + reward
            assert observation is not None
            made.step(None if done else rng.choice(np.flatnonzero(observation["action_mask"])))
        winners = made.position.winners
        ended += bool(winners)
        assert rewards == {f"player_{seat}": (seat in winners) / max(1, len(winners)) for seat in range(3)}
    assert ended or rules in ("cinq-des", "six-des")


@pytest.mark.parametrize("rules", SHEETS[:6])
def test_dice_are_fair(rules: str) -> None:
    made, rng, faces = CinqMilleEnv(rules), random.Random(1), Counter[int]()
    for seed in range(20):
        made.reset(seed=seed)
        for _ in random_steps(made, rng, most=100):
            pass
        faces.update(face for action in made.game.actions if isinstance(action, Roll) for face in action.dice)
    expected = faces.total() / 6
    assert faces.total() > 1_000
    assert sum((faces[face] - expected) ** 2 / expected for face in range(1, 7)) < 20.5  # chi-square, 1 in 1000


# What an agent is told, and what it can say


def test_actions_are_numbered_alike_under_all_rules() -> None:
    announced = [Announce(points) for points in (50, 100, 150, 200)]
    for rules in PRESETS.values():
        coding = Coding(rules)
        assert coding.actions[:7] == (Bank(), RollOn(), TakeOver(), *announced)
        assert [coding.number(action) for action in coding.actions] == list(range(len(coding.actions)))
        sizes = [len(action.dice) for action in coding.actions[7:] if isinstance(action, SetAside)]
        assert sizes == sorted(sizes)
    assert len(Coding(Rules.parse("cinq-des")).actions) == 52
    assert len(Coding(Rules.parse("six-des")).actions) == 141


@pytest.mark.parametrize(
    ("rules", "sets"),
    [
        ("cinq-des(dice=1, entry=0)", "1 5"),
        ("cinq-des(dice=2, entry=0)", "1 5 11 15 55"),
        # What wins at once is never set aside.
        ("cinq-des(dice=2, entry=0, 11=win)", "1 5 15 55"),
        # Pairs of ones, and triples.
        ("cinq-des(dice=3, entry=0, 1=none, 5=none, 11=300)", "11 111 222 333 444 555 666"),
        ("cinq-des(dice=3, entry=0, 1=none, 5=none)", "111 222 333 444 555 666"),
        # Every die counts and all that count are set aside: never one alone.
        (
            "cinq-des(dice=2, entry=0, keep=all, A=50*A)",
            "11 12 13 14 15 16 22 23 24 25 26 33 34 35 36 44 45 46 55 56 66",
        ),
        # Two of four leave two.
        ("cinq-des(dice=4, entry=0, 1=none, 5=none, AAA=none, 111=none, 11=100)", "11 1111"),
    ],
)
def test_sets_are_those_that_can_ever_be_set_aside(rules: str, sets: str) -> None:
    coding = Coding(Rules.parse(rules))
    assert coding.actions[7:] == tuple(aside(dice) for dice in sets.split())


@pytest.mark.parametrize("number", [-1, 52, 1_000])
def test_a_number_outside_the_space_is_refused(number: int) -> None:
    made = CinqMilleEnv("cinq-des")
    made.reset(seed=1)
    with pytest.raises(ValueError, match="numbered from 0 to 51"):
        made.step(number)
    solo = CinqMilleSolo("cinq-des")
    solo.reset(seed=1)
    with pytest.raises(ValueError, match="numbered from 0 to 51"):
        solo.step(number)
    with pytest.raises(TypeError):
        made.step(1.0)  # type: ignore[arg-type]


def test_a_position_in_numbers() -> None:
    position = Position.parse(
        "scores=500<1500/0/10000 scoreless=1/2/0 reached=3 player=2 phase=choose points=600 left=3 roll=155 "
        "rules=cinq-des(target=5000, ending=last_turns, scoreless_limit=4)"
    )
    coding = Coding(position.rules, 3)
    told = dict(zip(coding.names, coding.vector(position, 1).tolist(), strict=True))
    assert {name: round(value, 4) for name, value in told.items() if value} == {
        "scoreless_0": 0.5, "to_play_0": 1, "total_1_0": 1.5, "opener_1": 1, "total_2_0": 0.3, "total_2_1": 0.1,
        "scoreless_2": 0.25, "seat_1": 1, "phase_choose": 1, "turn_points": 0.12, "dice": 0.6, "roll_1": 0.2,
        "roll_5": 0.4,
    }  # fmt: skip
    offered = Position.parse(
        "scores=-500/750 phase=start offer=10000x0@2 rules=cinq-des(target=2000, entry=0, floor=-500, takeover=always)"
    )
    coding = Coding(offered.rules, rungs=1)
    told = dict(zip(coding.names, coding.vector(offered, 0).tolist(), strict=True))
    assert told["total_0_0"] == -0.25
    assert (told["offer"], round(told["offer_points"], 4), told["offer_dice"]) == (1, 1.8, 1)
    with pytest.raises(ValueError, match="rungs cannot be 0"):
        Coding(offered.rules, rungs=0)


@settings(max_examples=30)
@given(sheets(), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_different_positions_look_different(rules: str, players: int, seed: int) -> None:
    """With rungs enough the vector tells everything but the count of scoreless turns that nobody counts."""
    made, rng = CinqMilleEnv(rules, players, rungs=60), random.Random(seed)
    coding, seen = made.coding, dict[bytes, str]()
    for game in range(2):
        made.reset(seed=seed + game)
        for _ in random_steps(made, rng, most=100):
            line = str(made.position)
            if not made.rules.scoreless_limit:
                line = re.sub(r"scoreless=\S+ ", "", line)
            line = re.sub(r"roll=(\d+)", lambda match: "".join(sorted(match[0])), line)
            for seat in range(players):
                vector = coding.vector(made.position, seat)
                assert seen.setdefault(vector.tobytes(), f"{line} seen by {seat}") == f"{line} seen by {seat}"


def test_the_documentation_lists_every_entry() -> None:
    page = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8").partition("## Observations")[2]
    listed = re.findall(r"^\| `(\w+)` \| (\S+) \|", page, re.MULTILINE)
    for players, rungs in ((2, 2), (5, 3)):
        names = Coding(Rules.parse("cinq-des"), players, rungs=rungs).names
        sizes = {"p·r": players * rungs, "p": players}
        stems = Counter(re.sub(r"(_\d+)+$|(?<=phase)_\w+$", "", name) for name in names)
        assert {name: sizes.get(size) or int(size) for name, size in listed} == stems
        assert len(names) == players * (rungs + 4) + 20


def test_the_code_in_the_documentation_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "learning.md").read_text(encoding="utf-8"), re.DOTALL)
    printed = []
    for block in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(block, "docs/learning.md", "exec"), {})
        printed.append(out.getvalue())
    shares, solo = printed
    assert sum(float(share) for share in re.findall(r"has (\S+) of the win", shares)) == 1
    assert replay(shares[shares.index("rules:") :]).position.winners
    assert re.match(r"[01]\.0 \(\d+, \d+, \d+\)$", solo)


# The end, with dice that are known


def test_a_first_throw_may_win_at_once() -> None:
    made = scripted("cinq-des", 3, "11111")
    assert not any(made.terminations.values())
    act(made, RollOn())
    assert made.rewards == {"player_0": 1, "player_1": 0, "player_2": 0}
    assert all(made.terminations.values())
    assert made.game.text.endswith("player_0: 11111\n")


def test_a_player_without_a_step_may_win_or_lose() -> None:
    made = scripted("cinq-des", 3, "23466", "11111")
    act(made, RollOn())
    assert made.rewards == {"player_0": 0, "player_1": 1, "player_2": 0}
    solo = CinqMilleSolo("cinq-des", seat=1)
    solo.np_random = Scripted("11111")  # type: ignore[assignment]
    observation, info = solo.reset()
    assert info == {"seat": 1}
    assert observation["action_mask"].nonzero()[0].tolist() == [1]
    observation, reward, terminated, truncated, info = solo.step(1)
    assert (reward, terminated, truncated, info) == (0, True, False, {})
    assert not observation["action_mask"].any()


ROUND = "cinq-des(target=1000, entry=0, ending=finish_round, tie={})"


@pytest.mark.parametrize(("tie", "rewards"), [("shared", [0.5, 0.5, 0]), ("first", [1, 0, 0])])
def test_ties(tie: str, rewards: list[float]) -> None:
    made = scripted(ROUND.format(tie), 3, "11123", "11123", "23466")
    act(made, RollOn(), aside("111"), Bank())
    assert made.rewards == dict.fromkeys(made.agents, 0)
    assert made.agent_selection == "player_1"
    act(made, aside("111"), Bank())
    assert list(made.rewards.values()) == rewards
    assert [made._cumulative_rewards[agent] for agent in made.agents] == rewards


def test_last_turns_may_turn_the_game() -> None:
    rules = "cinq-des(target=1000, entry=0, ending=last_turns)"
    made = scripted(rules, 2, "11123", "11123", "15")
    act(made, RollOn(), aside("111"), Bank())
    told = dict(zip(made.coding.names, made.observe("player_1")["observation"].tolist(), strict=True))
    assert (told["opener_0"], told["opener_1"], told["total_1_0"]) == (0, 1, 1)
    act(made, aside("111"), RollOn(), aside("15"), Bank())
    assert made.rewards == {"player_0": 0, "player_1": 1}
    assert made.position.scores == (1000, 1150)


def test_take_over_and_announcement() -> None:
    made = scripted("cinq-des(entry=0, takeover=always, prediction=true)", 2, "11123", "25", "55246", "23")
    act(made, RollOn(), aside("111"), Bank())
    assert made.position.phase == "start"
    assert made.observe("player_1")["action_mask"].nonzero()[0].tolist() == [1, 2]
    act(made, TakeOver(), aside("5"), Bank())
    assert made.position.scores == (1000, 1050)
    act(made, RollOn(), aside("55"))
    assert made.observe("player_0")["action_mask"].nonzero()[0].tolist() == [0, 1]
    act(made, Bank())
    assert made.position.phase == "start"
    right = scripted("cinq-des(entry=0, prediction=true)", 2, "11123", "35", "23456")
    act(right, RollOn(), aside("111"), Announce(50))
    assert right.observe("player_0")["action_mask"].nonzero()[0].tolist() == [right.coding.number(aside("5"))]
    told = dict(zip(right.coding.names, right.observe("player_0")["observation"].tolist(), strict=True))
    assert told["announced_50"] == 1
    act(right, aside("5"), Bank())
    assert right.position.scores == (2100, 0)


def test_a_long_game_is_cut_off() -> None:
    made: Any = env("cinq-des", max_steps=5)
    made.reset(seed=3)
    assert len(list(random_steps(made, random.Random(3)))) == 5
    made.reset(seed=3)
    steps = 0
    while not any(made.truncations.values()):
        made.step(int(made.observe(made.agent_selection)["action_mask"].argmax()))
        steps += 1
    assert steps == 5
    assert made.truncations == dict.fromkeys(made.possible_agents, True)
    assert made.terminations == made.rewards == dict.fromkeys(made.possible_agents, 0)
    assert not any(made.observe(agent)["action_mask"].any() for agent in made.agents)


# Seeds and copies


def played(made: CinqMilleEnv, seed: int | None, choices: int = 5) -> str:
    made.reset(seed=seed)
    for _ in random_steps(made, random.Random(choices), most=80):
        pass
    return made.game.text


def test_a_seed_repeats_the_game_and_those_after_it() -> None:
    first, second = CinqMilleEnv("six-des"), CinqMilleEnv("six-des")
    games = [played(first, seed) for seed in (11, None, None)]
    assert [played(second, seed) for seed in (11, None, None)] == games
    assert played(second, 12) != games[0]
    assert len(set(games)) == 3
    assert played(CinqMilleEnv("six-des"), None) != played(CinqMilleEnv("six-des"), None)


def test_the_seat_is_drawn_with_the_seed() -> None:
    solo = CinqMilleSolo("cinq-des", ["steady"] * 3)
    seats = [solo.reset(seed=seed)[1]["seat"] for seed in range(40)]
    assert [solo.reset(seed=seed)[1]["seat"] for seed in range(40)] == seats
    assert set(seats) == {0, 1, 2, 3}


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
def test_a_copy_goes_on_alike_and_alone(twin: Callable[[CinqMilleEnv], CinqMilleEnv]) -> None:
    made = CinqMilleEnv("cinq-des(target=1000, entry=0)")
    made.reset(seed=21)
    act(made, RollOn())
    line, other = str(made.position), twin(made)
    ends = []
    for one in (other, made):
        assert str(one.position) == line
        for _ in random_steps(one, random.Random(21)):
            pass
        ends.append(one.game.text)
    assert ends[0] == ends[1]


# Illegal actions and wrong order


def test_an_illegal_action_says_what_is_legal_and_changes_nothing() -> None:
    made = scripted("cinq-des", 2, "12346")
    with pytest.raises(IllegalAction, match="Dice are awaited"):
        act(made, Bank())
    act(made, RollOn())
    before = str(made.position)
    for action in (Bank(), RollOn(), TakeOver(), Announce(50), aside("5"), aside("11")):
        with pytest.raises(IllegalAction):
            act(made, action)
    with pytest.raises(IllegalAction, match="what can be set aside: 1 "):
        act(made, aside("5"))
    assert str(made.position) == before
    act(made, aside("1"))
    with pytest.raises(IllegalAction, match="650 short"):
        act(made, Bank())


def test_the_wrapped_environment_ends_with_an_illegal_action() -> None:
    made = env("cinq-des")
    made.reset(seed=1)
    made.step(1)
    loser = made.agent_selection
    with contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(UserWarning):
        made.step(0)
    rewards = {}
    for agent in made.agent_iter():
        rewards[agent] = made.last()[1]
        assert made.last()[2]
        made.step(None)
    assert rewards == {agent: -1 if agent == loser else 0 for agent in made.possible_agents}


def test_gymnasium_and_an_illegal_action() -> None:
    solo = CinqMilleSolo("cinq-des", seat=0)
    solo.reset(seed=1)
    observation, reward, terminated, truncated, info = solo.step(0)
    assert (reward, terminated, truncated) == (-1, True, False)
    assert info["illegal"] == "Dice are awaited: 5 to roll."
    assert observation in solo.observation_space
    assert not observation["action_mask"].any()
    assert not solo.action_masks().any()
    with pytest.raises(ResetNeeded):
        solo.step(1)
    strict = CinqMilleSolo("cinq-des", seat=0, illegal_reward=None)
    strict.reset(seed=1)
    with pytest.raises(IllegalAction, match="Dice are awaited"):
        strict.step(0)
    assert not strict.step(1)[2]


def test_before_the_reset_and_after_the_end() -> None:
    made = CinqMilleEnv("cinq-des(target=500, entry=0)")
    early: list[Callable[[], object]] = [lambda: made.step(1), made.render, lambda: made.position, lambda: made.game]
    solo = CinqMilleSolo()
    early += [lambda: solo.step(1), solo.render, lambda: solo.position, lambda: solo.game]
    for too_early in early:
        with pytest.raises(ResetNeeded):
            too_early()
    made.reset(seed=1)
    for _ in random_steps(made, random.Random(1)):
        pass
    with pytest.raises(ResetNeeded):
        made.step(None)


def test_wrong_arguments_are_told() -> None:
    for make in (CinqMilleEnv, CinqMilleSolo):
        with pytest.raises(ValueError, match="render_mode cannot be 'rgb_array': it is None or one of human, ansi"):
            make(render_mode="rgb_array")
        with pytest.raises(ValueError, match="There is no rule sheet 'belote'"):
            make("belote")
    with pytest.raises(ValueError, match="from 0 to 1"):
        CinqMilleSolo(seat=2)
    with pytest.raises(TypeError, match=r"as in \['steady'\]"):
        CinqMilleSolo(opponents="steady")
    with pytest.raises(InvalidText):
        CinqMilleSolo(opponents=["nobody"])


# One seat against bots


@each_sheet
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_solo_game_is_a_game_of_agent_and_bots(rules: str, seat: int) -> None:
    opponents = (Steady(250), Steady(500))
    solo, rng = CinqMilleSolo(rules, opponents, seat=seat), random.Random(seat)
    observation, _ = solo.reset(seed=seat)
    reward, terminated = 0.0, False
    for _ in range(300):
        assert observation in solo.observation_space
        assert observation["action_mask"].astype(bool).tolist() == solo.action_masks().tolist()
        if terminated:
            break
        assert solo.position.to_play == seat or solo.position.phase == "roll"
        assert reward == 0
        action = rng.choice(np.flatnonzero(observation["action_mask"]))
        observation, reward, terminated, truncated, info = solo.step(action)
        assert (truncated, info) == (False, {})
    winners = solo.position.winners
    assert terminated == bool(winners)
    assert reward == (1 / len(winners) if seat in winners else 0)
    game = replay(solo.game.text)
    assert game.position == solo.position
    for position, action, _ in game.steps():
        if position.to_play != seat and not isinstance(action, Roll):
            assert position.to_play is not None
            # A first throw's `roll` and a refused offer are not in the text, hence not among the steps.
            assert action == opponents[(position.to_play - seat - 1) % 3].choose(position)


def test_a_bot_may_be_given_as_its_spec_or_as_itself() -> None:
    assert CinqMilleSolo(opponents=["steady:400"]).opponents == (bot("steady:400"),)
    assert CinqMilleSolo(opponents=[Steady(400)]).opponents == (Steady(400),)


def test_gymnasium_makes_many_at_once() -> None:
    many = gymnasium.make_vec(GYM_ID, num_envs=3, vectorization_mode="sync", rules="cinq-des(target=1000)")
    observations, infos = many.reset(seed=5)
    rng = random.Random(5)
    assert set(infos["seat"]) <= {0, 1}
    for _ in range(200):
        # After the end nothing is legal: the action is ignored there, and the next game begins.
        actions = [rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in observations["action_mask"]]
        observations, rewards, _, truncated, infos = many.step(np.array(actions))
        assert not truncated.any()
        assert "illegal" not in infos
        assert (rewards >= 0).all()
    many.close()


def test_gymnasium_cuts_long_games_off() -> None:
    made = gymnasium.make(GYM_ID, max_episode_steps=3, seat=0, render_mode="ansi")
    observation, _ = made.reset(seed=1)
    truncated = False
    while not truncated:
        observation, _, _, truncated, _ = made.step(made.action_space.sample(observation["action_mask"]))
    assert str(made.render()).endswith("rules=cinq-des")


# Without the extra


@pytest.mark.parametrize("missing", ["gymnasium", "pettingzoo"])
def test_without_the_extra_the_import_says_what_to_install(missing: str) -> None:
    script = f"import sys; sys.modules[{missing!r}] = None\nimport cinqmille\nimport cinqmille.env"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: cinqmille.env needs gymnasium and pettingzoo")
    assert last.endswith("pip install 'cinqmille[rl]'")
