"""Package and referee play the same games, over rules made by chance, and must agree on everything.

Three ways: records of the referee replayed by the package; games of the package written down and judged by the
referee; and records spoiled by chance, which both must refuse at the same line, or read alike.
"""

import random
import re

import pytest

from cinqmille import PRESETS, Game, RecordError, Rules, replay
from playing import NAMES, games
from referee import RefereeError, random_record, referee
from sheets import random_sheet


def said_by_package(record: str) -> dict[str, object]:
    """Where the game stands, or the line that is wrong."""
    try:
        return standing(replay(record))
    except RecordError as error:
        return {"error_line": error.line}


def said_by_referee(record: str) -> dict[str, object]:
    try:
        return referee(record)
    except RefereeError as error:
        return {"error_line": error.line}


def standing(game: Game) -> dict[str, object]:
    position = game.position
    return {
        "scores": list(position.scores),
        "ladders": [list(seat.ladder) for seat in position.seats],
        "scoreless": [seat.scoreless for seat in position.seats],
        "to_play": None if position.to_play is None else game.players[position.to_play],
        "winners": [game.players[seat] for seat in position.winners],
        "phase": position.phase,
        "turn_points": position.turn_points,
        "dice_left": position.dice_left,
    }


def spoiled(rng: random.Random, record: str) -> str:
    """One of the turns changed by a hand that slips."""
    lines = record.splitlines()
    turns = [place for place, line in enumerate(lines) if re.match(r"(?:Ana|Ben|Cleo|Dora|Eve):", line)]
    if not turns:
        return record
    players = next(line for line in lines if line.startswith("players: "))[9:].split(", ")
    place = rng.choice(turns)
    name, _, rest = lines[place].partition(": ")
    tokens = rest.split("#")[0].split()
    match rng.randrange(9):
        case 0 if len(tokens) > 1:
            tokens.pop(rng.randrange(len(tokens)))
        case 1:
            tokens.insert(rng.randrange(len(tokens) + 1), rng.choice(("=", "+", "?50", "=50", "skip", "leave", "15")))
        case 2:
            tokens[rng.randrange(len(tokens))] = rng.choice(("=", "=0", "=0*", "=600", "+", "?100", "skip", "back"))
        case 3:
            name = rng.choice(players)
        case 4:
            lines.pop(place)
            return "\n".join(lines) + "\n"
        case 5:
            lines.insert(place, lines[place])
            return "\n".join(lines) + "\n"
        case _:
            token = rng.randrange(len(tokens))
            digits = [match.start() for match in re.finditer("[0-9]", tokens[token])]
            if digits:
                at = rng.choice(digits)
                tokens[token] = tokens[token][:at] + rng.choice("123456") + tokens[token][at + 1 :]
    lines[place] = f"{name}: {' '.join(tokens)}"
    return "\n".join(lines) + "\n"


def records_of_the_referee(seed: str, sheets: int, each: int) -> dict[str, int]:
    rng, seen = random.Random(seed), {"games": 0, "over": 0, "refused": 0, "read": 0}
    for _ in range(sheets):
        text = random_sheet(rng)
        for _ in range(each):
            record = random_record(rng, text, NAMES[: rng.randint(2, 5)], max_turns=40)
            found = said_by_package(record)
            assert found == said_by_referee(record), record
            seen["games"] += 1
            seen["over"] += found["phase"] == "over"
            worse = spoiled(rng, record)
            found = said_by_package(worse)
            assert found == said_by_referee(worse), worse
            seen["refused" if "error_line" in found else "read"] += 1
    return seen


def games_of_the_package(seed: str, sheets: int, each: int) -> dict[str, int]:
    rng, seen = random.Random(seed), {"games": 0, "over": 0}
    for _ in range(sheets):
        text = random_sheet(rng)
        for _ in range(each):
            *_, game = games(rng, Rules.parse(text), rng.randint(2, 5), most=rng.choice((20, 150)))
            record = game.text
            assert standing(replay(record)) == said_by_referee(record), record
            seen["games"] += 1
            seen["over"] += game.position.phase == "over"
    return seen


def test_the_package_replays_records_of_the_referee_alike() -> None:
    """RULES §2 to §6; and what a slip of the hand spoils is refused at the same line."""
    seen = records_of_the_referee("records", sheets=50, each=8)
    assert seen["over"] > 60
    assert min(seen["refused"], seen["read"]) > 60


def test_the_referee_judges_games_of_the_package_alike() -> None:
    seen = games_of_the_package("games", sheets=40, each=6)
    assert seen["over"] > 40


@pytest.mark.parametrize("preset", PRESETS)
def test_both_agree_on_every_sheet(preset: str) -> None:
    rng = random.Random(preset)
    for players in (2, 3, 4):
        record = random_record(rng, preset, NAMES[:players])
        assert said_by_package(record) == said_by_referee(record), record
        *_, game = games(rng, PRESETS[preset], players)
        assert standing(game) == said_by_referee(game.text), game.text


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_tens_of_thousands_of_games(seed: int) -> None:
    """About 24,000 records and games, and 18,000 spoiled ones."""
    assert records_of_the_referee(f"long {seed}", sheets=150, each=20)["games"] == 3000
    assert games_of_the_package(f"long {seed}", sheets=60, each=17)["games"] == 1020
