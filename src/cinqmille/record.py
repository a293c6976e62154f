"""Games written down: the text record of RULES §6, JSON, and the replay that recomputes everything else.

A :class:`Game` is rules, players, headers and actions. Reading is strict: whatever cannot be read or is not
allowed is a RecordError with line and column, and nothing of the file is half used. Writing a game and reading
it again gives an equal game, comments included; only a roll that was decided on but not yet made is left
out of the text (the JSON keeps it).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from cinqmille.actions import (
    Action,
    Announce,
    Back,
    Bank,
    Event,
    Leave,
    Points,
    Roll,
    RollOn,
    SetAside,
    Skip,
    TakeOver,
    format_action,
    parse_action,
)  # fmt: skip
from cinqmille.errors import CinqMilleError, IllegalAction, InvalidText, RecordError
from cinqmille.exchange import read_json, rules_from_json, whole_number
from cinqmille.game import Step, do, legal_keeps, start
from cinqmille.position import Position
from cinqmille.rules import Rules
from cinqmille.scoring import format_dice, parse_dice, scored

HEADERS = ("rules", "players", "seats", "date", "dice")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: it stands after so many actions, on their line or on a line of its own."""

    after: int
    text: str
    inline: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """One line of the record: whose it is, its tokens, and how many actions came before it."""

    player: int
    tokens: tuple[str, ...]
    first_action: int
    last_action: int

    @property
    def text(self) -> str:
        """The tokens as they stand after the name."""
        return " ".join(self.tokens)


@dataclass(frozen=True, slots=True)
class Game:
    """A game as it is kept: rules, players, headers and actions; ``position`` is where they lead.

    ``headers`` are the header lines beside ``rules`` and ``players``, in order. Make one with :meth:`new`,
    :meth:`parse` or :meth:`play`; the constructor trusts that the actions are legal.
    """

    rules: Rules
    players: tuple[str, ...]
    headers: tuple[tuple[str, str], ...]
    actions: tuple[Action, ...]
    position: Position
    comments: tuple[Comment, ...] = ()

    @classmethod
    def new(cls, rules: Rules, players: tuple[str, ...], headers: Mapping[str, str] | None = None) -> Game:
        """Return a game that has not begun; raise InvalidText for names that cannot stand in a record.

        ``headers`` are more header lines, such as ``{"seats": "Ben=steady:350"}``.
        """
        names = tuple(check_name(name, players[:place]) for place, name in enumerate(players))
        position = start(rules, len(names))
        game = cls(rules, names, tuple((headers or {}).items()), (), position)
        for key, value in game.headers:
            _check_header(key, value, names)
        game.seats  # noqa: B018 - a seat of nobody is refused here
        return game

    @classmethod
    def parse(cls, text: str) -> Game:
        """Return the game of a text record; raise RecordError with line and column."""
        return _parse(text)

    @property
    def seats(self) -> dict[int, str]:
        """The bots by seat, as the header ``seats`` names them (``Ben=steady:350``); people are not in it."""
        found: dict[int, str] = {}
        for item in dict(self.headers).get("seats", "").split(","):
            if not item.strip():
                continue
            owners = [name for name in self.players if item.strip().startswith(f"{name}=")]
            owner = max(owners, key=len, default=None)
            spec = item.strip()[len(owner) + 1 :].strip() if owner else ""
            if owner is None or not spec or self.players.index(owner) in found:
                raise InvalidText("bad_seats", text=item.strip())
            found[self.players.index(owner)] = spec
        return found

    def play(self, action: Action) -> Game:
        """Return the game with ``action`` added; raise IllegalAction when it is not allowed."""
        return self.step(action)[0]

    def step(self, action: Action) -> tuple[Game, tuple[Event, ...]]:
        """Return the game with ``action`` added and what happened; raise IllegalAction when it is not allowed."""
        if self.actions and isinstance(self.actions[-1], RollOn) and not isinstance(action, Roll):
            # A decision to roll that no roll followed is taken back: the text record has no word for it.
            return self.cut(len(self.actions) - 1).step(action)
        action, position, events = _kept(self.position, action)
        return replace(self, actions=(*self.actions, action), position=position), events

    def cut(self, count: int) -> Game:
        """Return the game after its first ``count`` actions."""
        game = replace(self, actions=(), position=start(self.rules, len(self.players)))
        game = replace(game, comments=tuple(c for c in self.comments if c.after <= count))
        position = game.position
        for action in self.actions[:count]:
            position = do(position, action).position
        return replace(game, actions=self.actions[:count], position=position)

    def steps(self) -> Iterator[tuple[Position, Action, Step]]:
        """Replay: yield every action with the position before it and what it led to."""
        position = start(self.rules, len(self.players))
        for action in self.actions:
            step = do(position, action)
            yield position, action, step
            position = step.position

    def turns(self) -> tuple[Turn, ...]:
        """Return the lines of the record, the last one perhaps in progress."""
        return tuple(_turns(self))

    def corrected(self, number: int, text: str) -> Game:
        """Return the game with line ``number`` of its turns (from 1) rewritten and everything after it replayed.

        ``text`` is what stands after the name; empty takes the line out. Raises RecordError when it cannot be
        read or when a later line is no longer allowed; ``line`` then counts turns, not lines of the file.
        """
        turns = self.turns()
        if not 1 <= number <= len(turns):
            raise IllegalAction("no_such_entry", number=number, entries=len(turns))
        lines = [f"{self.players[turn.player]}: {turn.text}" for turn in turns]
        lines[number - 1 : number] = [f"{self.players[turns[number - 1].player]}: {text}"] if text.strip() else []
        game = replace(self, actions=(), comments=(), position=start(self.rules, len(self.players)))
        ends = [0]
        for place, line in enumerate(lines, start=1):
            game = _play_line(game, line, place, last=place == len(lines))
            ends.append(len(game.actions))
        comments: list[Comment] = []
        for comment in self.comments:
            place = sum(turn.last_action < comment.after for turn in turns) + (comment.after > 0)
            gone = len(lines) < len(turns) and place >= number
            inline = comment.inline and not (gone and place == number)
            comments.append(Comment(ends[place - gone], comment.text, inline))
        return replace(game, comments=tuple(comments))

    @property
    def text(self) -> str:
        """The text record of RULES §6."""
        return _format(self)

    def to_json(self) -> dict[str, object]:
        """Return the game as plain data: actions in their text form, rules with their fingerprint."""
        return {
            "rules": self.rules.canonical,
            "fingerprint": self.rules.fingerprint,
            "players": list(self.players),
            "headers": dict(self.headers),
            "actions": [format_action(action) for action in self.actions],
            "comments": [[comment.after, comment.text, comment.inline] for comment in self.comments],
        }

    @classmethod
    def from_json(cls, source: str | Mapping[str, object]) -> Game:
        """Return the game of :meth:`to_json`, or of its text.

        Raises InvalidText when it is not such a game or was made under other rules than its name now stands
        for, and RecordError with the number of the action (as line) when one is not allowed.
        """
        data = read_json(source, {"rules": str, "fingerprint": str, "players": list, "headers": dict, "actions": list})
        rules = rules_from_json(data)
        texts = {"players": data["players"], "headers": [*data["headers"].values()], "actions": data["actions"]}
        for key, items in texts.items():
            if not all(isinstance(item, str) for item in items):
                raise InvalidText("json_wrong", key=key)
        game = cls.new(rules, tuple(data["players"]), data["headers"])
        position, actions = game.position, list[Action]()
        for number, text in enumerate(data["actions"], start=1):
            try:
                action, position, _ = _kept(position, parse_action(text))
            except CinqMilleError as error:
                raise RecordError(number, 1, error) from None
            actions.append(action)
        game = replace(game, actions=tuple(actions), position=position)
        try:
            comments = tuple(
                Comment(whole_number(after), text, inline is True) for after, text, inline in data["comments"]
            )
            places = [0, *(comment.after for comment in comments), len(game.actions)]
            if places != sorted(places) or any(re.search(r"[\r\n]", comment.text) for comment in comments):
                raise ValueError
        except (KeyError, TypeError, ValueError):
            raise InvalidText("json_wrong", key="comments") from None
        return replace(game, comments=comments)

    @property
    def last_roll(self) -> Roll | None:
        """The last dice thrown, in whatever turn."""
        return next((action for action in reversed(self.actions) if isinstance(action, Roll)), None)

    def summary(self) -> dict[str, object]:
        """Return where the game stands as plain data: the answer of ``cinqmille replay --json``."""
        position = self.position
        return {
            "rules": self.rules.canonical,
            "players": [
                {"name": name, "score": seat.score, "history": list(seat.ladder), "scoreless": seat.scoreless}
                for name, seat in zip(self.players, position.seats, strict=True)
            ],
            "to_play": None if position.to_play is None else self.players[position.to_play],
            "phase": position.phase,
            "turn_points": position.turn_points,
            "dice_left": position.dice_left,
            "last_roll": str(self.last_roll) if self.last_roll else None,
            "winners": [self.players[place] for place in position.winners],
        }


def replay(text: str) -> Game:
    """Return the game of a record, text or JSON; raise RecordError or InvalidText when it is not one."""
    text = text.removeprefix("\ufeff")
    return Game.from_json(text) if text.lstrip().startswith("{") else Game.parse(text)


def _kept(before: Position, action: Action) -> tuple[Action, Position, tuple[Event, ...]]:
    """Do ``action``, and return it as a game keeps it, typed points as what they added, with what it led to."""
    step = do(before, action)
    if isinstance(action, Points):
        action = Points(_gained(before, step.position), action.all_dice)
    return action, step.position, step.events


def _gained(before: Position, after: Position) -> int:
    """What the turn of the player to play added to the score."""
    assert before.to_play is not None
    return max(0, after.seats[before.to_play].score - before.score)


def check_name(name: str, others: tuple[str, ...]) -> str:
    """Return a player's name as a record writes it; raise InvalidText for one that cannot stand there beside these."""
    name = name.strip()
    wrong = [symbol for symbol in name if symbol in ":,#" or _is_control(symbol)]
    if wrong or not any(unicodedata.category(symbol)[0] in "LNPS" for symbol in name):
        raise InvalidText("bad_name", name=name)
    if name in HEADERS:
        raise InvalidText("name_is_header", name=name, known=HEADERS)
    if name in (other.strip() for other in others):
        raise InvalidText("name_twice", name=name)
    return name


def _is_control(symbol: str) -> bool:
    """Whether a symbol breaks lines, is no character, or turns the direction of what follows."""
    return unicodedata.category(symbol) in ("Cc", "Cs", "Cn", "Co", "Zl", "Zp") or symbol in _TURNS_TEXT


_TURNS_TEXT = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"

# How a turn begins: a line with it is no header but a player's whose name is misspelt.
_TURN = re.compile(r"(?:[1-6]+>\S*|=[0-9]+[*]?)(?:\s|$)")


def _check_header(key: str, value: str, players: tuple[str, ...]) -> None:
    """Refuse a header that a record could not be read with."""
    if key in ("rules", "players"):
        raise InvalidText("repeated_header", name=key)
    if key in players:
        raise InvalidText("name_is_header", name=key, known=(*HEADERS, key))
    if key not in HEADERS and _TURN.match(value.strip()):
        raise InvalidText("unknown_player", name=key, known=players)
    if not key or key != key.strip() or value != value.strip() or re.search(r":.*\0|[#\r\n]", f"{key}\0{value}"):
        raise InvalidText("record_line", text=f"{key}: {value}")


# Writing


def _turns(game: Game) -> Iterator[Turn]:
    tokens: list[str] = []
    first = count = 0
    for count, (before, action, step) in enumerate(game.steps(), start=1):
        player = before.to_play
        assert player is not None
        if not tokens:
            first = count - 1
        match action:
            case Roll():
                busts = scored(game.rules, action.dice).bust
                tokens.append(f"{action}>-" if busts else str(action))
            case SetAside():
                tokens[-1] += f">{format_dice(action.dice)}"
            case RollOn():
                pass
            case Bank():
                tokens.append(f"={_gained(before, step.position)}")
            case TakeOver():
                tokens.append("+")
            case Announce():
                tokens.append(f"?{action.points}")
            case Points():
                tokens.append(f"={action.points}{'*' if action.all_dice else ''}")
            case Skip():
                tokens.append("skip")
            case Leave():
                if action.seat != player:
                    yield Turn(action.seat, ("leave",), count - 1, count)
                    continue
                tokens.append("leave")
            case Back():
                yield Turn(action.seat, ("back",), count - 1, count)
                continue
        if tokens and not isinstance(action, RollOn) and (step.position.fresh or step.position.phase == "over"):
            yield Turn(player, tuple(tokens), first, count)
            tokens = []
    if tokens and game.position.to_play is not None:
        yield Turn(game.position.to_play, tuple(tokens), first, count)


def _format(game: Game) -> str:
    comments = list(game.comments)
    lines = [f"rules: {game.rules.canonical}", f"players: {', '.join(game.players)}"]
    lines += [f"{key}: {value}" for key, value in game.headers]

    def write_comments(count: int) -> None:
        while comments and comments[0].after <= count and not comments[0].inline:
            lines.append(f"#{comments.pop(0).text}")

    for turn in game.turns():
        write_comments(turn.first_action)
        line = f"{game.players[turn.player]}: {turn.text}"
        if comments and comments[0].inline and comments[0].after <= turn.last_action:
            line += f"  #{comments.pop(0).text}"
        lines.append(line)
    lines += [f"#{comment.text}" for comment in comments]
    return "\n".join(lines) + "\n"


# Reading


@dataclass(slots=True)
class _Lines:
    """A record split into what it is made of; each value with its line and column."""

    headers: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    turns: list[tuple[str, int]] = field(default_factory=list)
    comments: list[tuple[int, str, bool]] = field(default_factory=list)
    names: tuple[str, ...] = ()

    def add(self, whole: str, number: int) -> None:
        line, hash_sign, comment = whole.partition("#")
        in_turn = bool(line.strip()) and self._add_line(line, number)
        if hash_sign:
            self.comments.append((len(self.turns), comment.rstrip(), in_turn))

    def _add_line(self, line: str, number: int) -> bool:
        """Sort a line in, and tell whether it is a turn."""
        key, colon, value = line.partition(":")
        column = len(line) - len(line.lstrip()) + 1
        if not colon:
            raise RecordError(number, column, InvalidText("record_line", text=line.strip()))
        key = key.strip()
        if self.turns or (key in self.names and key not in HEADERS):
            self.turns.append((line, number))
            return True
        if key in self.headers:
            raise RecordError(number, column, InvalidText("repeated_header", name=key))
        self.headers[key] = (value.strip(), number, len(line) - len(value.lstrip()) + 1)
        if key == "players":
            self.names = tuple(name.strip() for name in value.split(","))
        return False


def _parse(text: str) -> Game:
    lines = _Lines()
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), start=1):
        lines.add(line, number)
    game = _opened(lines.headers)
    actions_after = [0]
    for line, number in lines.turns:
        game = _play_line(game, line, number, last=number == lines.turns[-1][1])
        actions_after.append(len(game.actions))
    comments = tuple(Comment(actions_after[turns], text, inline) for turns, text, inline in lines.comments)
    return replace(game, comments=comments)


def _opened(headers: dict[str, tuple[str, int, int]]) -> Game:
    """The game that the header lines describe, before its first turn."""
    for needed in ("rules", "players"):
        if needed not in headers:
            raise RecordError(1, 1, InvalidText("header_missing", name=needed, known=("rules", "players")))
    where = headers["rules"][1:]
    others = {key: value for key, (value, _, _) in headers.items() if key not in ("rules", "players")}
    try:
        rules = Rules.parse(headers["rules"][0])
        where = headers["players"][1:]
        game = Game.new(rules, tuple(headers["players"][0].split(",")))
        where = headers.get("seats", headers["players"])[1:]
        return Game.new(rules, game.players, others)
    except CinqMilleError as error:
        if error.params.get("name") in others:
            where = (headers[error.params["name"]][1], 1)
        raise RecordError(*where, error) from None


def _play_line(game: Game, line: str, number: int, *, last: bool) -> Game:
    name, _, rest = line.partition(":")
    start_of_name = len(line) - len(line.lstrip()) + 1
    offset = len(line) - len(rest) + 1
    tokens = [(match[0], offset + match.start()) for match in re.finditer(r"\S+", rest)]
    reader, column = _TurnReader(game, name.strip()), start_of_name
    try:
        reader.begin(tokens[0][0] if len(tokens) == 1 else "")
        if not tokens:
            raise InvalidText("points_missing")
        for place, (token, where) in enumerate(tokens, start=1):
            column = where
            reader.read(token, followed_by=tokens[place][0] if place < len(tokens) else "" if last else "\n")
    except CinqMilleError as error:
        raise RecordError(number, column, error) from None
    if not reader.ended and not last:
        end = len(line.rstrip()) + 1
        raise RecordError(number, end, IllegalAction("turn_not_finished", player=name.strip()))
    return replace(game, actions=(*game.actions, *reader.played), position=reader.position)


class _TurnReader:
    """Plays one line of a record, token by token: what was ``played`` and where it leads."""

    def __init__(self, game: Game, name: str) -> None:
        self.position = game.position
        self.played: list[Action] = []
        self.ended = False
        self._players = game.players
        self._name = name

    def begin(self, lone_token: str) -> None:
        """Check that this line may come now; ``lone_token`` is its only token, if it has just one."""
        if self._name not in self._players:
            raise InvalidText("unknown_player", name=self._name, known=self._players)
        if self.position.to_play is None:
            raise IllegalAction("game_over")
        expected = self._players[self.position.to_play]
        if expected != self._name and lone_token not in ("leave", "back"):
            raise IllegalAction("out_of_turn", player=self._name, expected=expected)

    def read(self, token: str, *, followed_by: str) -> None:
        """Play one token; it is followed by another, by a line (``"\\n"``), or by nothing."""
        if self.ended:
            raise InvalidText("turn_is_over", token=token)
        if token == "skip":
            self._play(Skip())
        elif token in ("leave", "back"):
            place = self._players.index(self._name)
            self._play(Leave(place) if token == "leave" else Back(place))
            self.ended = True
        elif token == "+":
            self._play(TakeOver())
        elif re.fullmatch(r"\?[0-9]{1,9}", token):
            self._play(Announce(int(token[1:])))
        elif match := re.fullmatch(r"=(?:([0-9]{1,9})(\*?))?", token):
            self._bank(match[1], bool(match[2]))
        elif match := re.fullmatch(r"([0-9]+)(?:>([0-9]+|-))?", token):
            self._roll(match[1], match[2], followed_by)
        else:
            raise InvalidText("bad_token", token=token)

    def _play(self, action: Action) -> None:
        action, self.position, _ = _kept(self.position, action)
        self.played.append(action)
        self.ended = self.position.phase == "over" or (self.position.fresh and not isinstance(action, RollOn))

    def _bank(self, written: str | None, star: bool) -> None:
        before = self.position
        if before.fresh:
            if written is None:
                raise InvalidText("points_missing")
            self._play(Points(int(written), star))
            return
        if star:
            raise IllegalAction("points_not_scoreless", points=int(written or 0))
        self._play(Bank())
        gained = _gained(before, self.position)
        if written is not None and int(written) != gained:
            raise IllegalAction("wrong_gain", written=int(written), gain=gained)

    def _roll(self, roll: str, kept: str | None, followed_by: str) -> None:
        dice = parse_dice(roll)
        if self.position.phase in ("start", "decide"):
            self._play(RollOn())
        self._play(Roll(dice))
        found = scored(self.position.rules, dice)
        if found.wins and kept is not None:
            raise IllegalAction("wins_alone", dice=dice)
        if found.wins:
            return
        if kept is None:
            if followed_by and found.bust:
                raise IllegalAction("is_a_bust", roll=dice)
            if followed_by not in ("", "skip", "leave"):
                raise IllegalAction("set_aside_missing", roll=dice, legal=legal_keeps(self.position))
        elif kept == "-":
            if not found.bust:
                raise IllegalAction("not_a_bust", roll=dice, legal=legal_keeps(self.position))
        elif found.bust:
            raise IllegalAction("is_a_bust", roll=dice)
        else:
            self._play(SetAside(parse_dice(kept)))
