"""A second, independent reading of RULES.md, kept as the referee of the package.

It exists because an engine cannot check itself: this file was written from RULES.md alone, imports nothing
of the package, and prefers the most literal, slowest code that says the same thing as the sentence it stands
for. Where package and referee disagree on a recorded game, one of them is wrong by the text of RULES.md, and
that text decides, never the majority. Do not share code with it, nor speed it up at the price of clarity.

    referee(text)            play a text record (RULES.md §6) and say where the game stands
    parse_rules(text)        `cinq-des(entry=500)` as a dict; the sheets beside the two of §3 are read from their files
    brute_keeps(rules, dice) every legal set-aside of one roll, by trying everything
    wins(rules, dice)        does this roll win at once?
    random_record(rng, ...)  a random legal game, as a text record
"""

from __future__ import annotations

import itertools
import math
import random
import re
import tomllib
from collections.abc import Generator, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

Rules = dict[str, Any]
Dice = tuple[int, ...]
Table = tuple[tuple[str, str], ...]  # pattern and value, both as written

FACES = (1, 2, 3, 4, 5, 6)
ANNOUNCEMENTS = (50, 100, 150, 200)

# ------------------------------------------------------------------------------------- the sheets (§3)

# "none" in a column of §3 says that the sheet has no such combination, not that it bars one somebody adds.
CINQ_DES_TABLE = {
    "1": "100",
    "5": "50",
    "111": "1000",
    "AAA": "100*A",
    "11111": "win",
    "55555": "5000",
    "12345": "1500",
    "23456": "1500",
}
SIX_DES_TABLE = {
    "1": "100",
    "5": "50",
    "111": "1000",
    "AAA": "100*A",
    "1111": "2000",
    "AAAA": "200*A",
    "11111": "4000",
    "AAAAA": "400*A",
    "111111": "8000",
    "AAAAAA": "800*A",
    "123456": "1500",
    "AABBCC": "1500",
    "AAABBB": "2500",
}
DEFAULTS: Rules = {
    "entry": 750,
    "target": 5000,
    "ending": "first",
    "tie": "shared",
    "min_bank": 0,
    "equal_scores": "allowed",
    "hot_dice": "may",
    "scoreless_limit": 0,
    "scoreless_penalty": "zero",
    "strike": False,
    "prediction": False,
    "last_leg": 0,
    "takeover": "never",
    "exact": False,
    "keep": "any",
    "floor": 0,
    "blank_roll": 0,
}
PRESETS: dict[str, tuple[int, dict[str, str], Rules]] = {
    "cinq-des": (5, CINQ_DES_TABLE, {}),
    "six-des": (6, SIX_DES_TABLE, {"entry": 500, "ending": "last_turns"}),
}
SHEETS = Path(__file__).parents[1] / "src" / "cinqmille" / "presets"
CHOICES: dict[str, tuple[str, ...]] = {
    "ending": ("first", "last_turns", "finish_round"),
    "tie": ("shared", "first"),
    "equal_scores": ("allowed", "fall"),
    "hot_dice": ("may", "must"),
    "takeover": ("never", "opened", "always"),
    "keep": ("any", "all"),
}
SWITCHES = ("strike", "prediction", "exact")
NUMBERS = {
    "dice": r"[1-8]",
    "entry": r"\d+",
    "target": r"[1-9]\d*",
    "min_bank": r"\d+",
    "scoreless_limit": r"\d+",
    "last_leg": r"\d+",
    "blank_roll": r"\d+",
    "floor": r"0|-\d+",
}


def parse_rules(text: str) -> Rules:
    """`cinq-des(entry=500, AAA=none)` as a dict: every parameter, `dice`, and `table` (pattern -> value)."""
    match = re.fullmatch(r"\s*([a-z0-9-]+)\s*(?:\((.*)\))?\s*", text)
    if match is None:
        raise ValueError(f"not a rule sheet: {text!r}")
    dice, preset_table, preset_parameters = PRESETS.get(match[1]) or read_sheet(match[1])
    rules: Rules = {**DEFAULTS, **preset_parameters, "dice": dice}
    changes: dict[str, str] = {}
    for item in (match[2] or "").split(","):
        if not item.strip():
            continue
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise ValueError(f"no value: {item!r}")
        if re.fullmatch(r"[1-6A-Z]+", name):
            changes["".join(sorted(name))] = value
        elif name in CHOICES and value in CHOICES[name]:
            rules[name] = value
        elif name in SWITCHES and value in ("true", "false"):
            rules[name] = value == "true"
        elif name in NUMBERS and re.fullmatch(NUMBERS[name], value):
            rules[name] = int(value)
        elif name == "scoreless_penalty" and value in ("zero", "previous"):
            rules[name] = value
        elif name == "scoreless_penalty" and re.fullmatch(r"[1-9]\d*", value):
            rules[name] = int(value)
        else:
            raise ValueError(f"no such parameter or value: {item.strip()!r}")
    if rules["prediction"] and rules["dice"] != 5:
        raise ValueError("prediction is for five dice")
    table = {pattern: value for pattern, value in preset_table.items() if len(pattern) <= rules["dice"]}
    table |= {pattern: _checked_value(pattern, value, rules["dice"]) for pattern, value in changes.items()}
    rules["table"] = tuple(sorted(table.items()))
    return rules


@cache
def read_sheet(name: str) -> tuple[int, dict[str, str], Rules]:
    """The dice, the combinations and the other parameters of a rule sheet's own file."""
    path = SHEETS / f"{name}.toml"
    if not path.is_file():
        raise ValueError(f"not a rule sheet: {name!r}")
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    words = ("title", "source", "notes", "combinations", "dice")
    parameters = {key: value for key, value in content.items() if key not in words}
    if unknown := set(parameters) - set(DEFAULTS):
        raise ValueError(f"no such parameter: {unknown}")
    table = {"".join(sorted(pattern)): str(value) for pattern, value in content["combinations"].items()}
    return content["dice"], table, parameters


def table_rules(dice: int, table: dict[str, str], **parameters: Any) -> Rules:
    """Rules with exactly these combinations and the default parameters of §5, for scoring."""
    return {**DEFAULTS, **parameters, "dice": dice, "table": tuple(sorted(table.items()))}


def _checked_value(pattern: str, value: str, dice: int) -> str:
    letter = re.fullmatch(r"[1-9]\d*\*([A-Z])", value)
    known = value in ("win", "none") or re.fullmatch(r"[1-9]\d*", value) or (letter and letter[1] in pattern)
    if not known or len(pattern) > dice:
        raise ValueError(f"not a combination: {pattern}={value}")
    return value


# ------------------------------------------------------------------------------------ scoring (§2, §3)


@cache
def _readings(pattern: str) -> tuple[tuple[Dice, tuple[tuple[str, int], ...]], ...]:
    """Every multiset of dice a pattern stands for, with the faces its letters took."""
    letters = sorted({c for c in pattern if c.isalpha()})
    readings = []
    for faces in itertools.permutations(FACES, len(letters)):
        meaning = dict(zip(letters, faces, strict=True))
        dice = tuple(sorted(meaning[c] if c in meaning else int(c) for c in pattern))
        readings.append((dice, tuple(meaning.items())))
    return tuple(readings)


@cache
def _combination(table: Table, dice: Dice) -> float | None:
    """What exactly these dice are worth as one combination: points, infinity for a win, None for nothing."""
    found: list[tuple[int, float]] = []  # (digits in the pattern, value)
    for pattern, value in table:
        if len(pattern) != len(dice):
            continue
        digits = sum(c.isdigit() for c in pattern)
        for read, meaning in _readings(pattern):
            if read != dice:
                continue
            if value == "win":
                found.append((digits, math.inf))
            elif value == "none":
                found.append((digits, -1))
            elif "*" in value:
                times, letter = value.split("*")
                found.append((digits, int(times) * dict(meaning)[letter]))
            else:
                found.append((digits, int(value)))
    if not found:
        return None
    best = max(found)[1]  # the most digits decide; between equals, the larger value
    return None if best == -1 else best


@cache
def _best_cover(table: Table, dice: Dice) -> int | None:
    """The best way to cover ALL these dice with combinations; None when there is none."""
    if not dice:
        return 0
    best: int | None = None
    others = range(1, len(dice))  # the first die is in some combination with some of the others
    for size in range(len(dice)):
        for chosen in itertools.combinations(others, size):
            value = _combination(table, (dice[0], *(dice[i] for i in chosen)))
            if value is None or value == math.inf:
                continue
            rest = _best_cover(table, tuple(dice[i] for i in others if i not in chosen))
            if rest is not None and (best is None or int(value) + rest > best):
                best = int(value) + rest
    return best


@cache
def _keeps(table: Table, all_dice: int, keep: str, blank_roll: int, dice: Dice) -> tuple[tuple[Dice, int], ...]:
    keeps: dict[Dice, int] = {}
    for size in range(1, len(dice) + 1):
        for positions in itertools.combinations(range(len(dice)), size):
            aside = tuple(dice[i] for i in positions)
            points = _best_cover(table, aside)
            if points is not None:
                keeps[aside] = points
    if not keeps and blank_roll and len(dice) == all_dice:
        keeps[dice] = blank_roll
    if keep == "all" and keeps:
        most = max(len(aside) for aside in keeps)
        keeps = {aside: points for aside, points in keeps.items() if len(aside) == most}
    return tuple(keeps.items())


def brute_keeps(rules: Rules, dice: Iterable[int]) -> dict[Dice, int]:
    """Every legal set-aside of this roll with its points; empty for a bust. `win` is not looked at."""
    key = (rules["table"], rules["dice"], rules["keep"], rules["blank_roll"])
    return dict(_keeps(*key, tuple(sorted(dice))))


@cache
def _wins(table: Table, dice: Dice) -> bool:
    for size in range(1, len(dice) + 1):
        for aside in itertools.combinations(dice, size):
            if _combination(table, aside) == math.inf:
                return True
    return False


def wins(rules: Rules, dice: Iterable[int]) -> bool:
    """Is a combination marked `win` lying in this roll?"""
    return _wins(rules["table"], tuple(sorted(dice)))


@cache
def _step(table: Table, blank_roll: int) -> int:
    values = [blank_roll]
    for pattern, _ in table:
        for dice, _ in _readings(pattern):
            value = _combination(table, dice)
            if value is not None and value != math.inf:
                values.append(int(value))
    return math.gcd(*values)


def step(rules: Rules) -> int:
    """The number every score of this table is a multiple of."""
    return _step(rules["table"], rules["blank_roll"])


# ------------------------------------------------------------------------------------ the game (§2-§5)


class Refused(Exception):
    """Something the rules do not allow; the reader of the record adds the line."""


class RefereeError(Exception):
    """A record that is not a legal game, with the line that is wrong."""

    def __init__(self, line: int, why: str = "") -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line


class Game:
    """Everything that lies on the table; changed in place by whoever plays."""

    def __init__(self, rules: Rules, names: Sequence[str]) -> None:
        self.rules = rules
        self.names = list(names)
        seats = len(self.names)
        self.ladders: list[list[int]] = [[] for _ in range(seats)]
        self.scoreless = [0] * seats
        self.present = [True] * seats
        self.arrived = [0] * seats  # when each seat came to its present total
        self.clock = 0
        self.to_play = 0
        self.left_over: tuple[int, int, int] | None = None  # points, dice and seat of the turn just banked
        self.last_turns: list[int] | None = None  # seats that still have their last turn
        self.last_round = False
        self.winners: list[int] = []
        self.fresh()

    # the turn in progress, for those who look
    def fresh(self) -> None:
        self.turn_points = 0
        self.dice_left: int = self.rules["dice"]
        self.rolling = False  # has the player to play rolled, or taken over, already?
        self.busted = False
        self.menu: dict[Dice, int] = {}
        self.phase = "over" if self.winners else "start" if self.offered() else "roll"

    def score(self, seat: int) -> int:
        return self.ladders[seat][-1] if self.ladders[seat] else 0

    def cap(self) -> int | None:
        return self.rules["target"] - self.rules["last_leg"] if self.rules["last_leg"] else None

    def offered(self) -> bool:
        """5.8: may the player to play go on with the turn just banked?"""
        if self.rules["takeover"] == "never" or self.left_over is None:
            return False
        points, _, owner = self.left_over
        score = self.score(self.to_play)
        if owner == self.to_play:
            return False
        if self.rules["takeover"] == "opened" and score <= 0:
            return False
        return not (self.rules["exact"] and score + points >= self.rules["target"])

    # ladders
    def moved(self, seat: int) -> None:
        """This seat has arrived on a total: count the moment, then whoever stands there falls (5.2)."""
        self.clock += 1
        self.arrived[seat] = self.clock
        if self.ladders[seat] == [0]:
            self.ladders[seat] = []
        total = self.score(seat)
        if self.rules["equal_scores"] != "fall":
            return
        if total <= 0 or total >= self.rules["target"] or total == self.cap():
            return
        for other in range(len(self.names)):
            if other != seat and self.score(other) == total:
                self.ladders[other].pop()
                self.moved(other)

    def struck(self, seat: int) -> list[int]:
        """The ladder after a fall to the previous total; nothing below a single rung of 0 or less."""
        ladder = self.ladders[seat]
        if not ladder or (len(ladder) == 1 and ladder[0] <= 0):
            return list(ladder)
        return ladder[:-1]

    def penalised(self, seat: int) -> list[int]:
        """The ladder after the scoreless penalty (5.4)."""
        ladder, score, penalty = self.ladders[seat], self.score(seat), self.rules["scoreless_penalty"]
        if penalty == "previous":
            return self.struck(seat)
        new = 0 if penalty == "zero" else max(self.rules["floor"], score - penalty)
        if new >= score:
            return list(ladder)
        if penalty == "zero":
            return []
        return [rung for rung in ladder if rung < new] + [new]

    def scoreless_turn(self, on_all_dice: bool) -> None:
        """The turn to play brought nothing; `on_all_dice`: by a bust on a roll of all dice."""
        seat = self.to_play
        falls: list[list[int]] = []
        self.scoreless[seat] += 1
        if self.rules["scoreless_limit"] and self.scoreless[seat] >= self.rules["scoreless_limit"]:
            self.scoreless[seat] = 0
            falls.append(self.penalised(seat))
        if self.rules["strike"] and on_all_dice:
            falls.append(self.struck(seat))
        if falls:
            harsher = min(falls, key=lambda ladder: ladder[-1] if ladder else 0)
            if harsher != self.ladders[seat]:
                self.ladders[seat] = harsher
                self.moved(seat)
        self.next_player(None)

    def gain(self, total: int, left_over: tuple[int, int, int] | None) -> None:
        """The player to play has banked and stands on `total`."""
        seat = self.to_play
        self.scoreless[seat] = 0
        self.ladders[seat].append(total)
        self.moved(seat)
        if total >= self.rules["target"]:
            if self.rules["ending"] == "first":
                self.winners = [seat]
                self.fresh()
                return
            if self.rules["ending"] == "finish_round":
                self.last_round = True
            elif self.last_turns is None:
                seats = len(self.names)
                self.last_turns = [(seat + i) % seats for i in range(1, seats)]
        self.next_player(left_over)

    def next_player(self, left_over: tuple[int, int, int] | None) -> None:
        self.left_over = left_over
        seats = len(self.names)
        if self.last_turns is not None:
            while self.last_turns and not self.present[self.last_turns[0]]:
                self.last_turns.pop(0)
            if self.last_turns:
                self.to_play = self.last_turns.pop(0)
            else:
                self.count_up()
        else:
            while True:
                self.to_play += 1
                if self.to_play == seats:
                    self.to_play = 0
                    if self.last_round:
                        self.count_up()
                        break
                if self.present[self.to_play]:
                    break
        self.fresh()

    def count_up(self) -> None:
        """§4: the highest total wins."""
        highest = max(self.score(seat) for seat in range(len(self.names)))
        self.winners = [seat for seat in range(len(self.names)) if self.score(seat) == highest]
        if self.rules["tie"] == "first":
            self.winners = [min(self.winners, key=lambda seat: self.arrived[seat])]

    # what a table decides (§6)
    def skip(self) -> None:
        self.next_player(None)

    def leave(self, seat: int) -> None:
        if not self.present[seat]:
            raise Refused("is away already")
        if sum(self.present) == 1:
            raise Refused("the last one cannot leave")
        self.present[seat] = False
        if seat == self.to_play:
            self.next_player(None if self.rolling else self.left_over)

    def back(self, seat: int) -> None:
        if self.present[seat]:
            raise Refused("is not away")
        self.present[seat] = True

    # banking (2.6)
    def total_after(self, points: int, dice_left: int) -> int:
        """The total on which a bank of these turn points arrives, or why it is refused."""
        score, target, cap = self.score(self.to_play), self.rules["target"], self.cap()
        total = score + points
        if score <= 0:
            if points < self.rules["entry"]:
                raise Refused(f"{self.rules['entry'] - points} points missing to open")
        elif points < self.rules["min_bank"] and not (self.rules["exact"] and total == target):
            raise Refused(f"{self.rules['min_bank'] - points} points missing to bank")
        if self.rules["hot_dice"] == "must" and dice_left == 0 and total < target:
            raise Refused("all dice are set aside: roll")
        if cap is not None and cap < total < target:
            total = cap
        if total <= score:
            raise Refused("would add nothing")
        return total

    def total_typed(self, points: int) -> int:
        """The same for a turn typed as points only."""
        score = self.score(self.to_play)
        if points % step(self.rules):
            raise Refused("no turn is worth that")
        if self.rules["exact"] and score + points > self.rules["target"]:
            raise Refused("passes the target: such a turn is =0")
        if score + points == self.cap() and points > 0:
            return score + points  # it may be a larger turn, written with what it added
        return self.total_after(points, dice_left=1)

    def result(self) -> dict[str, Any]:
        return {
            "scores": [self.score(seat) for seat in range(len(self.names))],
            "ladders": [list(ladder) for ladder in self.ladders],
            "scoreless": list(self.scoreless),
            "to_play": None if self.winners else self.names[self.to_play],
            "winners": [self.names[seat] for seat in self.winners],
            "phase": self.phase,
            "turn_points": self.turn_points,
            "dice_left": self.dice_left,
        }


def turn(game: Game) -> Generator[None, str, None]:
    """One whole turn. It is told what happens: `+`, `=450` (points only), `15534` (a roll), `>155`, `?50`.

    Ends when the turn ends; what it waits for meanwhile can be read off the game (`phase`, `menu`, ...).
    """
    rules, seat, all_dice = game.rules, game.to_play, game.rules["dice"]
    score, target = game.score(seat), rules["target"]
    points, dice_left, announced = 0, all_dice, 0

    said = yield

    # instead of dice: points only, or the previous turn
    typed = re.fullmatch(r"=(\d+)(\*?)", said)
    if typed:
        if int(typed[1]) == 0:
            game.scoreless_turn(on_all_dice=typed[2] == "*")
            return
        if typed[2]:
            raise Refused("only =0 can be marked")
        game.gain(game.total_typed(int(typed[1])), None)
        return
    if said == "+":
        if not game.offered() or game.left_over is None:
            raise Refused("there is nothing to take over")
        points, dice_left, _ = game.left_over
        dice_left = dice_left or all_dice
        game.phase, game.turn_points, game.dice_left, game.rolling = "roll", points, dice_left, True
        said = yield

    while True:
        # the roll
        if not re.fullmatch(r"[1-6]+", said):
            raise Refused("dice are awaited")
        rolled = tuple(sorted(int(c) for c in said))
        if len(rolled) != dice_left:
            raise Refused(f"{dice_left} dice are to be rolled")
        game.rolling, game.busted = True, False
        if wins(rules, rolled):
            game.winners = [seat]
            game.phase, game.dice_left, game.menu = "over", dice_left, {}  # the turn points stay as they are: C003
            return
        menu = brute_keeps(rules, rolled)
        if not menu:
            game.scoreless_turn(on_all_dice=dice_left == all_dice)
            game.busted = True
            return
        doubles = announced > 0 and max(menu.values()) == announced
        if doubles:
            menu = {aside: worth for aside, worth in menu.items() if worth == announced}
        announced = 0

        # the set-aside
        game.phase, game.dice_left, game.menu = "choose", dice_left, menu
        said = yield
        if not re.fullmatch(r">[1-6]+", said):
            raise Refused("dice are to be set aside")
        aside = tuple(sorted(int(c) for c in said[1:]))
        if aside not in menu:
            raise Refused("these dice cannot be set aside")
        points += menu[aside]
        dice_left -= len(aside)
        if doubles:
            points *= 2
        if rules["exact"] and score + points > target:
            game.scoreless_turn(on_all_dice=False)
            return

        # bank, or roll on
        game.phase, game.turn_points, game.dice_left, game.menu = "decide", points, dice_left, {}
        said = yield
        bank = re.fullmatch(r"=(\d*)", said)
        if bank:
            total = game.total_after(points, dice_left)
            if bank[1] and int(bank[1]) != total - score:
                raise Refused(f"the turn adds {total - score}")
            game.gain(total, (points, dice_left, seat))
            return
        if said.startswith("?"):
            if not rules["prediction"] or dice_left != 2:
                raise Refused("nothing can be announced now")
            if said[1:] not in {str(n) for n in ANNOUNCEMENTS}:
                raise Refused("this number cannot be announced")
            announced = int(said[1:])
            game.phase, game.dice_left = "roll", dice_left
            said = yield
        dice_left = dice_left or all_dice


# ------------------------------------------------------------------------------------- the record (§6)


def referee(text: str) -> dict[str, Any]:
    """Play a text record from its start and say where the game stands; RefereeError where it is not legal."""
    rules: Rules | None = None
    names: list[str] = []
    turns: list[tuple[int, int, list[str]]] = []  # line number, seat, tokens
    number = 0
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.split("#")[0].strip()
        if not line:
            continue
        key, colon, rest = (part.strip() for part in line.partition(":"))
        if not colon:
            raise RefereeError(number, "no colon")
        if key in names:
            turns.append((number, names.index(key), rest.split()))
        elif turns:
            raise RefereeError(number, f"who is {key!r}?")
        elif key == "rules":
            try:
                rules = parse_rules(rest)
            except ValueError as error:
                raise RefereeError(number, str(error)) from None
        elif key == "players":
            names = [name.strip() for name in rest.split(",")]
            if not 2 <= len(names) <= 8 or len(set(names)) < len(names) or not all(names):
                raise RefereeError(number, "2 to 8 players, each with a name")
    if rules is None or not names:
        raise RefereeError(turns[0][0] if turns else max(number, 1), "rules and players are missing")
    game = Game(rules, names)
    for position, (number, seat, tokens) in enumerate(turns):
        try:
            _read_line(game, seat, tokens, last=position == len(turns) - 1)
        except Refused as refusal:
            raise RefereeError(number, str(refusal)) from None
    return game.result()


def _read_line(game: Game, seat: int, tokens: list[str], last: bool) -> None:
    if game.winners:
        raise Refused("the game is over")
    if tokens == ["back"]:
        game.back(seat)
        return
    if tokens == ["leave"]:
        game.leave(seat)
        return
    if seat != game.to_play:
        raise Refused(f"it is {game.names[game.to_play]}'s turn")
    if not tokens:
        raise Refused("an empty turn")
    playing = turn(game)
    next(playing)
    ended = False
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if ended:
            raise Refused("the turn has ended already")
        if token == "skip":
            game.skip()
            ended = True
        elif token == "leave":
            game.leave(seat)
            ended = True
        else:
            roll, arrow, aside = token.partition(">")
            ended = _tell(playing, roll)
            if aside == "-" and not (ended and game.busted):
                raise Refused("this is not a bust")
            if arrow and aside != "-":
                if ended:
                    raise Refused("nothing can be set aside")
                ended = _tell(playing, arrow + aside)
            alone = not arrow and roll.isdigit() and not game.winners
            if alone and not (last and following is None) and (ended or following not in ("skip", "leave")):
                raise Refused("a roll stands alone")
    if not ended and not last:
        raise Refused("the turn is not finished")


def _tell(playing: Generator[None, str, None], said: str) -> bool:
    try:
        playing.send(said)
    except StopIteration:
        return True
    return False


# ---------------------------------------------------------------------------------------- random games


def random_record(
    rng: random.Random, rules_text: str, players: Sequence[str] = ("Ana", "Ben"), max_turns: int = 60
) -> str:
    """A random legal game as a text record: finished, stopped after `max_turns`, or cut within a turn.

    Dice and decisions are loaded so that rare things happen: equal totals, overshoots, five 1s, hot dice,
    busts on all dice, announcements that come true, take-overs, typed points, people who leave and come back.
    """
    game = Game(parse_rules(rules_text), players)
    lines = [f"rules: {rules_text}", f"players: {', '.join(players)}"]
    if rng.random() < 0.2:
        lines.insert(rng.randrange(3), "date: 2031-02-03")
    if rng.random() < 0.2:
        lines.insert(rng.randrange(len(lines) + 1), "# made by the referee")
    absences = rng.random() < 0.25
    typing = rng.choice((0.0, 0.0, 0.1, 0.4))
    skipping = rng.choice((0.0, 0.0, 0.04))
    luck = rng.choice((0.15, 0.5, 0.8))
    turns = rng.randint(1, min(16, max_turns)) if rng.random() < 0.5 else max_turns
    cut = rng.randint(1, 8) if rng.random() < 0.5 else 0  # the last turn stops after that many tokens
    for number in range(turns):
        if absences and rng.random() < 0.15:
            lines += _come_and_go(rng, game)
        if game.winners:
            break
        seat = game.to_play
        tokens = _random_turn(rng, game, typing, skipping, absences, luck, cut if number == turns - 1 else 0)
        remark = "   # so it was" if rng.random() < 0.03 else ""
        lines.append(f"{players[seat]}: {' '.join(tokens)}{remark}")
        if game.winners:
            break
    return "\n".join(lines) + "\n"


def _come_and_go(rng: random.Random, game: Game) -> list[str]:
    seat = rng.randrange(len(game.names))
    if not game.present[seat]:
        game.back(seat)
        return [f"{game.names[seat]}: back"]
    if sum(game.present) > 1:
        game.leave(seat)
        return [f"{game.names[seat]}: leave"]
    return []


def _random_turn(
    rng: random.Random, game: Game, typing: float, skipping: float, absences: bool, luck: float, cut: int
) -> list[str]:
    seat, tokens = game.to_play, list[str]()
    others = {game.score(other) for other in range(len(game.names)) if other != seat}
    playing = turn(game)
    next(playing)
    if rng.random() < typing:
        said = _typed_points(rng, game, others)
        _tell(playing, said)
        return [said]
    patience = rng.choice((0.1, 0.5, 0.9))
    hint = 0  # the number announced
    bare = rng.random() < 0.5  # does a cut turn end with dice nobody has set aside yet?
    while True:
        if tokens and len(tokens) == cut:
            return tokens
        if game.phase in ("start", "roll", "decide") and rng.random() < skipping:
            game.skip()
            return [*tokens, "skip"]
        if absences and game.phase != "choose" and sum(game.present) > 1 and rng.random() < 0.02:
            game.leave(seat)
            return [*tokens, "leave"]
        if game.phase == "start" and not tokens and rng.random() < 0.6:
            said = "+"
        elif game.phase == "decide" and _may_bank(game) and _wants_to_bank(rng, game, others, patience):
            gain = game.total_after(game.turn_points, game.dice_left) - game.score(seat)
            said = rng.choice(("=", f"={gain}"))
        elif game.rules["prediction"] and (game.phase, game.dice_left) == ("decide", 2) and rng.random() < 0.6:
            hint = rng.choice(ANNOUNCEMENTS)
            said = f"?{hint}"
        else:
            said = _loaded_dice(rng, game.dice_left or game.rules["dice"], luck, hint, not game.rolling)
            hint = 0
        tokens.append(said)
        if _tell(playing, said):  # a bust, a win at once, a bank
            if game.busted and not (bare and len(tokens) == cut):
                tokens[-1] += ">-"
            return tokens
        if game.phase == "choose" and not (bare and len(tokens) == cut):
            said = _some_keep(rng, game, others)
            tokens[-1] += said
            if _tell(playing, said):  # past an exact target
                return tokens


def _loaded_dice(rng: random.Random, count: int, luck: float, hint: int, first: bool) -> str:
    if hint and rng.random() < 0.6:
        come_true = {50: ("52", "35", "56"), 100: ("12", "61", "55"), 150: ("15", "51"), 200: ("11",)}
        return rng.choice(come_true[hint])
    dice = [rng.choice(FACES) for _ in range(count)]
    if rng.random() < luck:
        kind = rng.randrange(12 if first else 10)
        if kind < 4:  # something always scores
            dice[0] = rng.choice((1, 5))
        elif kind < 6:  # many of a kind, or hot dice
            face = rng.choice(FACES)
            dice = [face if rng.random() < 0.8 else rng.choice((1, 5, face)) for _ in range(count)]
        elif kind == 6:
            dice = [1 if rng.random() < 0.85 else rng.choice(FACES) for _ in range(count)]
        elif kind == 7:
            dice = [1 + (i + rng.choice((0, 0, 1))) % 6 for i in range(count)]
        elif kind == 8:  # pairs and triplets
            size = rng.choice((2, 3))
            dice = [face for face in rng.sample(FACES, 3) for _ in range(size)][:count]
            dice += [rng.choice(FACES) for _ in range(count - len(dice))]
        else:  # mostly busts
            dice = [rng.choice((2, 2, 3, 3, 4, 4, 6, 6, 5)) for _ in range(count)]
    rng.shuffle(dice)
    return "".join(map(str, dice))


def _some_keep(rng: random.Random, game: Game, others: set[int]) -> str:
    keeps = list(game.menu.items())
    score, target = game.score(game.to_play), game.rules["target"]
    goals = [a for a, points in keeps if score + game.turn_points + points in {*others, target, game.cap()}]
    past = [a for a, points in keeps if score + game.turn_points + points > target]
    if goals and rng.random() < 0.7:
        aside = rng.choice(goals)
    elif game.rules["exact"] and past and rng.random() < 0.3:
        aside = rng.choice(past)
    elif rng.random() < 0.6:
        aside = max(keeps, key=lambda keep: (len(keep[0]), keep[1]))[0]
    else:
        aside = rng.choice(keeps)[0]
    return ">" + "".join(map(str, rng.sample(aside, len(aside))))


def _may_bank(game: Game) -> bool:
    try:
        game.total_after(game.turn_points, game.dice_left)
    except Refused:
        return False
    return True


def _wants_to_bank(rng: random.Random, game: Game, others: set[int], patience: float) -> bool:
    total = game.total_after(game.turn_points, game.dice_left)
    if total >= game.rules["target"] or total in others:
        return rng.random() < 0.9
    if game.dice_left == 2 and game.rules["prediction"] and rng.random() < 0.5:
        return False
    return rng.random() > patience


def _typed_points(rng: random.Random, game: Game, others: set[int]) -> str:
    rules, score, unit = game.rules, game.score(game.to_play), step(game.rules)
    wanted = [rules["target"] - score, (game.cap() or 0) - score, rules["entry"], rules["min_bank"]]
    wanted += [other - score for other in others for _ in range(3)]
    wanted += [unit * rng.randrange(1, 40) for _ in range(4)]
    legal = []
    for points in wanted:
        try:
            if points > 0:
                game.total_typed(points)
                legal.append(f"={points}")
        except Refused:
            continue
    return rng.choice(legal) if legal and rng.random() < 0.7 else rng.choice(("=0", "=0*"))
