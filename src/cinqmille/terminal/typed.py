"""What a typed line means: commands in both languages, and the actions of a turn in every way they are written.

Dice are dice wherever they stand (``155``, ``1 5 5``, ``1-5-5``); a listed choice is ``#2``; the rest are words, in
French or English whatever the language. A line means all its actions or, when one of them is refused, none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from cinqmille.actions import (
    Action,
    Announce,
    Back,
    Bank,
    Leave,
    Points,
    Roll,
    RollOn,
    SetAside,
    Skip,
    TakeOver,
)  # fmt: skip
from cinqmille.errors import IllegalAction, InvalidText
from cinqmille.game import apply, legal_keeps, verify
from cinqmille.position import Position
from cinqmille.scoring import Keep, parse_dice, scored

# Words of a turn.
_MOVES = {
    "bank": "b bank e encaisser encaisse m marquer marque",
    "roll": "r roll l lancer lance relancer relance",
    "all": "a all t tout tous best",
    "take": "+ take takeover reprendre reprends",
    "skip": "skip passer passe",
}

# Words that stand first on a line of their own.
_COMMANDS = {
    "leave": "leave partir part",
    "back": "back revenir revient retour",
    "undo": "undo annuler annule",
    "fix": "fix corriger corrige",
    "sheet": "sheet rules regles feuille",
    "odds": "odds chances probabilites",
    "hint": "hint advice advise conseil conseille",
    "scores": "scores score ladder totaux echelle",
    "record": "record partie fiche",
    "why": "why dispute pourquoi contester",
    "help": "help h aide ?",
    "save": "save enregistrer",
    "quit": "quit q exit quitter sortir",
}

# Commands with something after them; the others stand alone.
_WITH_REST = ("leave", "back", "fix", "why", "save")

_MOVE_OF = {word: name for name, words in _MOVES.items() for word in words.split()}
_COMMAND_OF = {word: name for name, words in _COMMANDS.items() for word in words.split()}

# Stands for the space between dice typed one by one: no line that was typed has it.
_GAP = "\0"


class NotUnderstood(Exception):
    """A line that is neither a command nor a move; ``what`` is the part that was not understood."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@dataclass(frozen=True, slots=True)
class Moves:
    """The actions a line stands for; ``then_roll`` tells that it ends by asking for real dice."""

    actions: tuple[Action, ...]
    then_roll: bool = False


def plain(word: str) -> str:
    """Return a word in small letters, without accents."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def command(line: str) -> tuple[str, str]:
    """Return the name of the command that ``line`` begins with and what follows; the name is empty for moves."""
    first, rest = (*line.split(maxsplit=1), "", "")[:2]
    name = _COMMAND_OF.get(plain(first), "")
    if rest and first == "?":
        return "", line
    if rest and name and name not in _WITH_REST:
        raise NotUnderstood(line)
    return name, rest


def moves(line: str, position: Position, *, real: bool, names: Sequence[str]) -> Moves:
    """Return the actions that ``line`` means for the player to play; nothing is played.

    Raises NotUnderstood for a word that is none, and InvalidText or IllegalAction for what cannot be.
    """
    seat, rest = named(line, names)
    rest = _as_points(rest)
    tokens = _tokens(rest)
    if seat is not None and seat != position.to_play:
        if len(tokens) == 1 and (name := come_or_go(tokens[0])):
            return Moves((Leave(seat) if name == "leave" else Back(seat),))
        if position.to_play is not None:
            raise IllegalAction("out_of_turn", player=names[seat], expected=names[position.to_play])
    reader = _Reader(position, real=real)
    for token in tokens:
        reader.read(token)
    return Moves(tuple(reader.actions), reader.then_roll)


def seat_named(text: str, names: Sequence[str]) -> int:
    """Return the seat of the player whose name is ``text`` or begins with it; raise InvalidText otherwise."""
    wanted = plain(text)
    for fits in (
        [seat for seat, name in enumerate(names) if name == text],
        [seat for seat, name in enumerate(names) if plain(name) == wanted],
        [seat for seat, name in enumerate(names) if wanted and plain(name).startswith(wanted)],
    ):
        if len(fits) == 1:
            return fits[0]
    raise InvalidText("unknown_player", name=text, known=tuple(names))


def come_or_go(word: str) -> str:
    """Return ``leave`` or ``back`` for a word that means it, otherwise nothing."""
    name = _COMMAND_OF.get(plain(word), "")
    return name if name in ("leave", "back") else ""


def named(line: str, names: Sequence[str]) -> tuple[int | None, str]:
    """Return the seat of the name that a line of a record begins with, None without one, and the rest."""
    name, colon, rest = line.partition(":")
    return (seat_named(name.strip(), names), rest) if colon else (None, line)


def dispute(text: str, position: Position) -> tuple[tuple[int, ...] | None, tuple[int, ...]] | None:
    """Return the dice and the roll that ``155 in 15534`` names; the dice are None when a whole roll is asked about.

    Without a word it is the roll on the table; dice alone are part of that if they can be, otherwise a roll
    themselves. None is the answer when one of the two is missing.
    """
    part, found, whole = re.sub(r"(?i)\b(?:in|dans|de|of|from)\b", "|", text).partition("|")
    if not found:
        whole, found, part = text.partition(">")
    if found:
        part, whole = _joined(part), _joined(whole)
        return (tuple(sorted(parse_dice(part))), parse_dice(whole)) if part and whole else None
    if not text:
        return (None, position.roll) if position.roll else None
    dice = parse_dice(_joined(text))
    if len(dice) < len(position.roll):
        return tuple(sorted(dice)), position.roll
    return None, dice


def _joined(text: str) -> str:
    return re.sub(r"[-.,;\s]+", "", text)


def _as_points(line: str) -> str:
    """Return ``1 000``, ``1.000`` or ``1000 points`` as ``=1000``, and every line that is not points as it is."""
    match = re.fullmatch(
        r"(=?)\s*(\d{1,3}(?:[\s.,]\d{3})+|\d{1,9})(?:\s*(points?|pts?)\.?)?", line.strip(), re.IGNORECASE
    )
    if match is None:
        return line
    number = re.sub(r"\D", "", match[2])
    if number == match[2] and not match[3]:
        return line
    return f"={number}" if match[1] or match[3] or not re.fullmatch("[1-6]+", number) else line


def _tokens(line: str) -> list[str]:
    line = re.sub(r"\s#(?!\s*\d).*", "", line)  # the comment of a record's line
    line = re.sub(r"(?i)\bannonce[rz]?\s+(?=\d)|\bannounce\s+(?=\d)", "?", line)
    line = re.sub(r"(?<=[1-6])[-.,;](?=[1-6])", "", line)
    line = re.sub(r"(?<=[=?>#])\s+(?=[\d-])|\s+(?=>)", "", line)
    # 1 5 5 3 4 are dice one by one, and 155b is 155 b.
    line = re.sub(r"(?<![^\s>])\d(?:\s+\d)+(?![^\s>])", lambda match: re.sub(r"\s+", _GAP, match[0]), line)
    line = re.sub(r"(?<=\d)(?=[^\W\d_=])|(?<=\d)(?=[+=?])", " ", line)
    return line.replace("+", " + ").split()


class _Reader:
    """Reads the tokens of a line one by one, following where they lead."""

    def __init__(self, position: Position, *, real: bool) -> None:
        self.actions: list[Action] = []
        self.then_roll = False
        self._real = real
        self._position = position
        self._player = position.to_play

    def read(self, token: str) -> None:
        """Play one token; of dice one by one the first is a roll of its own when one die is awaited."""
        first, gap, rest = token.partition(_GAP)
        if gap and self._real and self._position.phase in ("roll", "decide") and self._position.dice_left == 1:
            self._read(first)
            token = rest
        self._read(token.replace(_GAP, ""))

    def _read(self, token: str) -> None:
        position = self._position
        if self.actions and (position.to_play != self._player or self._begun_anew()):
            raise InvalidText("turn_is_over", token=token)
        if self.actions and isinstance(self.actions[-1], RollOn):
            raise IllegalAction("roll_comes_last")
        if self.then_roll and not token[0].isdigit():
            raise IllegalAction("dice_due", dice=position.dice_left or position.rules.dice)
        self.then_roll = False
        name = _MOVE_OF.get(plain(token), "")
        if position.to_play is None and (name or come_or_go(token) or token[0] in "0123456789#?=>"):
            raise IllegalAction("game_over")
        if name:
            self._word(name)
        elif come_or_go(token):
            kind = Leave if come_or_go(token) == "leave" else Back
            assert position.to_play is not None
            self._play(kind(position.to_play))
        elif match := re.fullmatch(r"#(\d{1,3})|(\d{1,3})[).]", token):
            self._play(SetAside(self._choice(int(match[1] or match[2])).dice))
        elif match := re.fullmatch(r"\?(\d{1,9})", token):
            self._play(Announce(int(match[1])))
        elif match := re.fullmatch(r"=(\d{1,9})?(\*?)", token):
            self._points(match[1], bool(match[2]))
        elif match := re.fullmatch(r"([1-6]+)>([1-6]+|-)", token):
            self._roll_and_keep(parse_dice(match[1]), match[2])
        elif re.fullmatch(r">[1-6]{1,20}", token):
            self._play(SetAside(parse_dice(token[1:])))
        elif re.fullmatch(r"[1-6]{1,20}", token):
            self._dice(parse_dice(token))
        elif match := re.fullmatch(r"(\d{1,9})(\*?)", token):
            self._number(token, int(match[1]), bool(match[2]))
        else:
            raise NotUnderstood(token)

    def _begun_anew(self) -> bool:
        """Whether the line has ended a turn and the same player has the next one too."""
        return self._position.fresh and not isinstance(self.actions[-1], RollOn)

    def _play(self, action: Action) -> None:
        self._position = apply(self._position, action)
        self.actions.append(action)

    def _word(self, name: str) -> None:
        match name:
            case "bank":
                self._play(Bank())
            case "take":
                self._play(TakeOver())
            case "skip":
                self._play(Skip())
            case "all":
                self._play(SetAside(self._best().dice))
            case _:
                self._roll_on()

    def _roll_on(self) -> None:
        if self._real:
            if self._position.phase != "roll":
                verify(self._position, RollOn())
            self.then_roll = True
        elif self._position.phase == "roll":
            self.actions.append(RollOn())
        else:
            self._play(RollOn())

    def _dice(self, dice: tuple[int, ...]) -> None:
        if self._position.phase == "choose" or not self._real:
            self._play(SetAside(dice))
        else:
            self._roll(dice)

    def _roll(self, dice: tuple[int, ...]) -> None:
        if not self._real:
            raise IllegalAction("dice_are_drawn")
        action = Roll(dice)
        position = self._position
        if position.phase in ("start", "decide"):
            # The table adds the decision to roll by itself.
            position = apply(position, RollOn())
        self._position = apply(position, action)
        self.actions.append(action)

    def _roll_and_keep(self, roll: tuple[int, ...], kept: str) -> None:
        self._roll(roll)
        found = scored(self._position.rules, roll)
        if found.wins:
            raise IllegalAction("wins_alone", dice=roll)
        if kept == "-":
            if not found.bust:
                raise IllegalAction("not_a_bust", roll=roll, legal=legal_keeps(self._position))
        elif found.bust:
            raise IllegalAction("is_a_bust", roll=roll)
        else:
            self._play(SetAside(parse_dice(kept)))

    def _number(self, token: str, number: int, star: bool) -> None:
        position = self._position
        if not position.fresh or (number % position.rules.step and len(token) >= position.dice_left):
            raise InvalidText("bad_dice", text=token)
        self._points(str(number), star)

    def _points(self, written: str | None, star: bool) -> None:
        position = self._position
        if position.phase == "decide" and not star:
            self._play(Bank())
            assert position.to_play is not None
            gain = self._position.seats[position.to_play].score - position.score
            if written is not None and int(written) != gain:
                raise IllegalAction("wrong_gain", written=int(written), gain=gain)
        elif written is None or not position.fresh:
            self._play(Bank())
        elif not self._real:
            raise IllegalAction("dice_are_drawn")
        else:
            self._play(Points(int(written), star))

    def _choice(self, number: int) -> Keep:
        keeps = self._keeps()
        if not 1 <= number <= len(keeps):
            raise IllegalAction("no_such_choice", number=number, choices=len(keeps))
        return keeps[number - 1]

    def _best(self) -> Keep:
        """The choice worth most, or most of those that do not pass an exact target."""
        position, keeps = self._position, self._keeps()
        if position.rules.exact:
            times = 1 if position.announced is None else 2
            room = position.rules.target - position.score
            fitting = [keep for keep in keeps if times * (position.turn_points + keep.points) <= room]
            return (fitting or keeps)[0]
        return keeps[0]

    def _keeps(self) -> Sequence[Keep]:
        keeps = legal_keeps(self._position)
        if not keeps:
            verify(self._position, SetAside(()))
        return keeps
