"""Dice that anybody can work out again: from a seed, or from what a server and the seats of a table committed to.

Fair dice (``dice: fair-1 …`` in a record) hang on two kinds of secrets. The server commits to its secret before anybody
joins. Every seat that can has a chain of links, each the SHA-256 of the next: it commits to the first one and shows one
more for every roll it asks for. A roll is made from the server's secret and everything that was shown before it, so
neither side chooses. ``docs/fair.md`` gives the construction in full and says what it protects from, and what not.

Hashes, links and secrets are written as 64 lower-case hexadecimal digits; seats and rolls count from 0.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from cinqmille.actions import Points, Roll
from cinqmille.errors import CinqMilleError, IllegalAction, InvalidText, RecordError
from cinqmille.patterns import Dice
from cinqmille.position import MOST_PLAYERS
from cinqmille.record import Game, replay
from cinqmille.rules import Rules

NAME = "fair-1"
DRAWN = 8  # dice of a roll; the game takes as many of the first ones as it needs
SEED = re.compile(r"[\w.+-]{1,64}")

_HEX = "[0-9a-f]{64}"
_ID = "[A-Za-z0-9_-]{1,64}"
_CHAIN = f"{_HEX}/{_HEX}/{_HEX}/[1-9][0-9]{{0,8}}"
_SEATS = f"(?:-|{_CHAIN})(?:,(?:-|{_CHAIN})){{1,{MOST_PLAYERS - 1}}}"
_RANGE = re.compile("[0-9]{1,9}(?:-[0-9]{1,9})?")
_HEADER = re.compile(
    f"{NAME} table=({_ID}) commitment=({_HEX}) seats=({_SEATS})(?: alone=([0-9,-]+))?"
    f"(?: secret=({_HEX})(?: seal=({_HEX}))?)?"
)
_SEALED = re.compile(f"^(dice: {NAME} [^\n]*) seal=({_HEX})$", re.MULTILINE)


# Seeds


def seeded_faces(seed: str, number: int) -> Iterator[int]:
    """Yield the faces of roll ``number`` from a seed, without end: the bytes of SHA-256 of ``SEED/number/block``."""
    block = 0
    while True:
        yield from _faces(hashlib.sha256(f"{seed}/{number}/{block}".encode()).digest())
        block += 1


def _faces(drawn: bytes) -> Iterator[int]:
    # 252 is the largest multiple of 6 in a byte: without it the low faces would come more often.
    return (byte % 6 + 1 for byte in drawn if byte < 252)


# Secrets, commitments, links


def new_secret() -> str:
    """Return 32 random bytes of the operating system: a server's secret, or the seed of a chain."""
    return secrets.token_hex(32)


def commitment(table: str, secret: str) -> str:
    """Return what the server shows from the first moment on, long before it shows ``secret``."""
    return _hash(f"cinqmille-{NAME} commitment {table} {secret}")


def is_link(text: object) -> bool:
    """Tell whether this is 64 lower-case hexadecimal digits, as every link, hash and secret is."""
    return isinstance(text, str) and re.fullmatch(_HEX, text) is not None


def before(link: str) -> str:
    """Return the link before ``link`` in its chain: the SHA-256 of its 32 bytes."""
    return hashlib.sha256(bytes.fromhex(link)).hexdigest()


def follows(link: str, earlier: str) -> bool:
    """Tell whether ``link`` is the one after ``earlier`` in its chain; False for what is no link at all."""
    return is_link(link) and before(link) == earlier


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# Drawing


@dataclass(frozen=True, slots=True)
class Share:
    """What a seat with a chain has shown: links 0 (``anchor``), 1 (``opening``) and ``count``, the last one."""

    anchor: str
    opening: str
    last: str
    count: int

    @classmethod
    def opened(cls, anchor: str, opening: str) -> Share:
        """Return the share of a seat before its first roll; raise InvalidText when the opening is not link 1."""
        if not follows(opening, anchor):
            raise InvalidText("opening_wrong")
        return cls(anchor, opening, opening, 1)

    def __str__(self) -> str:
        return f"{self.anchor}/{self.opening}/{self.last}/{self.count}"


@dataclass(frozen=True, slots=True)
class Deal:
    """How the dice of one table are drawn, and how far: frozen, every roll gives the next one.

    ``shares`` has None for a seat without a chain. ``alone`` are the numbers of the rolls of seats with a chain that
    were drawn without a link. ``state`` and ``rolls`` say what was drawn so far.
    """

    table: str
    secret: str = field(repr=False)
    commitment: str
    shares: tuple[Share | None, ...]
    state: str
    rolls: int
    alone: tuple[int, ...]

    @classmethod
    def begin(
        cls, table: str, secret: str, rules: Rules, players: tuple[str, ...], shares: tuple[Share | None, ...]
    ) -> Deal:
        """Return the dice of a game that begins; raise InvalidText for a table, a secret or seats that cannot be."""
        if not re.fullmatch(_ID, table) or not is_link(secret):
            raise InvalidText("bad_fair_dice")
        if len(shares) != len(players):
            raise InvalidText("fair_seats", seats=len(shares), players=len(players))
        promise = commitment(table, secret)
        seats = "".join(
            f"{name}\t{share.anchor if share else '-'}\t{share.opening if share else '-'}\n"
            for name, share in zip(players, shares, strict=True)
        )
        state = _hash(f"cinqmille-{NAME} start {table}\n{promise}\n{rules.canonical}\n{seats}")
        return cls(table, secret, promise, shares, state, 0, ())

    def draw(self, seat: int, link: str | None) -> tuple[Deal, Dice]:
        """Return what follows a roll of ``seat``, and its eight dice, of which the game takes the first ones.

        ``link`` is the next one of the seat's chain; None for a roll drawn without. Raises IllegalAction for
        anything else, and for a link of a seat without a chain.
        """
        share, shares, alone = self.shares[seat], self.shares, self.alone
        if link is not None:
            if share is None or not follows(link, share.last):
                raise IllegalAction("link_wrong", seat=seat + 1, number=share.count + 1 if share else 1)
            shown = replace(share, last=link, count=share.count + 1)
            shares = (*shares[:seat], shown, *shares[seat + 1 :])
        elif share is not None:
            alone = (*alone, self.rolls)
        state = _hash(f"cinqmille-{NAME} roll {self.state} {self.rolls} {seat} {link or '-'}")
        dice = tuple(islice(self._drawn(state), DRAWN))
        return replace(self, shares=shares, state=state, rolls=self.rolls + 1, alone=alone), dice

    def _drawn(self, state: str) -> Iterator[int]:
        key, block = bytes.fromhex(self.secret), 0
        while True:
            text = f"cinqmille-{NAME} dice {state} {block}"
            yield from _faces(hmac.digest(key, text.encode(), "sha256"))
            block += 1

    def header(self, *, over: bool) -> str:
        """Return the value of the record's ``dice:`` header; the secret is in it only when the game is ``over``."""
        seats = ",".join("-" if share is None else str(share) for share in self.shares)
        alone = f" alone={_ranges(self.alone)}" if self.alone else ""
        secret = f" secret={self.secret}" if over else ""
        return f"{NAME} table={self.table} commitment={self.commitment} seats={seats}{alone}{secret}"


def _ranges(numbers: tuple[int, ...]) -> str:
    """Growing numbers as ``3,7-9``."""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(f"{first}-{last}" if last > first else str(first) for first, last in found)


# Records


@dataclass(frozen=True, slots=True)
class Header:
    """What a ``dice: fair-1 …`` header says; nothing of it is proven. ``alone`` is as it is written, ``3,7-9``."""

    table: str
    commitment: str
    shares: tuple[Share | None, ...]
    alone: str
    secret: str | None
    seal: str | None


def read_header(text: str) -> Header:
    """Return what a header says; raise InvalidText when it is not one, to the letter."""
    match = _HEADER.fullmatch(text)
    if match is None:
        raise InvalidText("bad_fair_dice")
    table, promise, seats, alone, secret, seal = match.groups()
    return Header(table, promise, tuple(map(_share, seats.split(","))), alone or "", secret, seal)


def _share(text: str) -> Share | None:
    if text == "-":
        return None
    anchor, opening, last, count = text.split("/")
    return Share(anchor, opening, last, int(count))


def record_text(game: Game, deal: Deal) -> str:
    """Return the record of a game with how its dice were drawn; sealed when the game is over."""
    seal = seal_of(game, deal)
    return _with_dice(game, deal.header(over=seal is not None) + (f" seal={seal}" if seal else "")).text


def seal_of(game: Game, deal: Deal) -> str | None:
    """Return the seal of a game that is over, which whoever was there can compare with that of a record; else None."""
    return _seal(_with_dice(game, deal.header(over=True)).text) if game.position.phase == "over" else None


def _with_dice(game: Game, header: str) -> Game:
    return replace(game, headers=tuple((dict(game.headers) | {"dice": header}).items()))


def _seal(text: str) -> str:
    # A comment out of JSON may hold half a letter, which has no UTF-8.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# Checking


@dataclass(frozen=True, slots=True)
class Seat:
    """The rolls of one seat: how many, with a link of its own, and drawn without one (``rolls`` = ``own`` + ``alone``).

    ``chain`` tells whether the seat had links at all.
    """

    name: str
    rolls: int
    own: int
    alone: int
    chain: bool


@dataclass(frozen=True, slots=True)
class Verified:
    """A record whose every roll was worked out again. ``kind`` is ``fair-1`` or ``seed``.

    ``table``, ``commitment`` and ``seal`` are None for a seed. ``compared`` names those of the two that are the same
    as what was noted; without the seal the dice are shown to follow, not that the game is the one played.
    """

    kind: str
    rules: Rules
    players: tuple[str, ...]
    rolls: int
    seats: tuple[Seat, ...]
    table: str | None = None
    commitment: str | None = None
    seal: str | None = None
    compared: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return what was found as plain data."""
        return {
            "verified": True,
            "kind": self.kind,
            "rules": self.rules.canonical,
            "players": list(self.players),
            "rolls": self.rolls,
            "seats": [{"name": s.name, "rolls": s.rolls, "own": s.own, "alone": s.alone} for s in self.seats],
            "table": self.table,
            "commitment": self.commitment,
            "seal": self.seal,
            "compared": list(self.compared),
        }


def verify(text: str, noted: str | None = None, seal: str | None = None) -> Verified:
    """Work out every roll of a record again, text or JSON, and return what was found.

    ``noted`` is the commitment that somebody saw before the game, ``seal`` the seal somebody saw when it ended:
    another one in the record is refused. Without the seal, this shows that the dice follow from the secrets of the
    record, which anybody can make use of once the game is over; with it, that the record is of the game that ended so.
    Raises RecordError (with line and column where there are some), InvalidText or InvalidRules when it is no record,
    when its dice cannot be checked (``system``, ``real``, a game that is not over), or when anything in it is not as
    it was drawn.
    """
    found = _verified(text)
    if noted is not None and found.commitment is None:
        raise InvalidText("no_commitment")
    if noted is not None and noted != found.commitment:
        raise InvalidText("commitment_differs", noted=noted, found=found.commitment)
    if seal is not None and found.seal is None:
        raise InvalidText("no_seal")
    if seal is not None and seal != found.seal:
        raise InvalidText("seal_differs", noted=seal, found=found.seal)
    same = {"commitment": noted, "seal": seal}
    return replace(found, compared=tuple(name for name, one in same.items() if one is not None))


def _verified(text: str) -> Verified:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    written_as_json = text.lstrip().startswith("{")
    game = replay(text)
    dice = dict(game.headers).get("dice", "real")
    kind = dice.partition(" ")[0]
    seed = dice.removeprefix("seed").strip()
    if kind == "seed" and SEED.fullmatch(seed):
        return _Check(game, None if written_as_json else text).seed(seed)
    if kind != NAME:
        raise InvalidText("not_verifiable", dice_source=dice)
    header = read_header(dice)
    if header.secret is None:
        raise InvalidText("secret_not_shown")
    if header.seal is None:
        raise InvalidText("seal_missing")
    if written_as_json:
        _check_json(text, game)
    if _seal(_SEALED.sub(r"\1", game.text if written_as_json else text)) != header.seal:
        raise InvalidText("seal_broken")
    return _Check(game, None if written_as_json else text).fair(header, header.secret)


# Strings of JSON, which stay, and the space between them, which says nothing.
_STRING_OR_SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|\s+')


def _check_json(text: str, game: Game) -> None:
    """Refuse JSON that says anything else than its text does, which is what was sealed, or spells it in another way."""
    data = json.loads(text)
    bare = _STRING_OR_SPACE.sub(lambda found: found[1] or "", text)
    forms = (json.dumps(data, ensure_ascii=ascii, separators=(",", ":")) for ascii in (True, False))
    if data != Game.parse(game.text).to_json() or bare not in forms:
        raise InvalidText("seal_broken")


@dataclass(frozen=True, slots=True)
class _Roll:
    number: int
    seat: int
    dice: Dice
    action: int  # its place among the actions of the game


class _Check:
    """The rolls of one record, compared with those that were drawn; ``text`` is None for JSON, which has no lines."""

    def __init__(self, game: Game, text: str | None) -> None:
        self.game, self.text = game, text
        self.rolls: list[_Roll] = []
        for place, (position, action, _) in enumerate(game.steps()):
            seat = position.to_play
            if isinstance(action, Points):
                error = InvalidText("turn_not_rolled", player=game.players[seat or 0], points=action.points)
                raise self._placed(error, place)
            if isinstance(action, Roll) and seat is not None:
                self.rolls.append(_Roll(len(self.rolls), seat, action.dice, place))

    def seed(self, seed: str) -> Verified:
        for roll in self.rolls:
            self._compare(roll, tuple(islice(seeded_faces(seed, roll.number), len(roll.dice))))
        return self._verified("seed", frozenset(), (None,) * len(self.game.players))

    def fair(self, header: Header, secret: str) -> Verified:
        game = self.game
        if game.position.phase != "over":
            raise InvalidText("turns_missing")
        if len(header.shares) != len(game.players):
            raise InvalidText("fair_seats", seats=len(header.shares), players=len(game.players))
        if commitment(header.table, secret) != header.commitment:
            raise InvalidText("commitment_broken", table=header.table)
        alone = self._alone(header)
        links = [self._links(seat, share, alone) for seat, share in enumerate(header.shares)]
        shares = tuple(share and Share.opened(share.anchor, share.opening) for share in header.shares)
        deal = Deal.begin(header.table, secret, game.rules, game.players, shares)
        for roll in self.rolls:
            own = header.shares[roll.seat] is not None and roll.number not in alone
            deal, dice = deal.draw(roll.seat, links[roll.seat].pop() if own else None)
            self._compare(roll, dice[: len(roll.dice)])
        found = self._verified(NAME, alone, header.shares)
        return replace(found, table=header.table, commitment=header.commitment, seal=header.seal)

    def _alone(self, header: Header) -> frozenset[int]:
        """The rolls that the header says were drawn without a link: each one a roll of a seat with a chain."""
        found: list[int] = []
        for item in header.alone.split(",") if header.alone else ():
            numbers = self._range(item)
            if not numbers or any(header.shares[self.rolls[number].seat] is None for number in numbers):
                raise InvalidText("alone_wrong", numbers=item, rolls=len(self.rolls))
            found += numbers
            if len(found) > len(self.rolls):
                break
        if _ranges(tuple(found)) != header.alone or found != sorted(set(found)):
            raise InvalidText("alone_wrong", numbers=header.alone, rolls=len(self.rolls))
        return frozenset(found)

    def _range(self, item: str) -> range:
        """The numbers of ``7-9``; empty where it is not to be written out, for being no such thing or far too long."""
        if not _RANGE.fullmatch(item):
            return range(0)
        first, _, last = item.partition("-")
        return range(int(first), int(last or first) + 1) if int(last or first) < len(self.rolls) else range(0)

    def _links(self, seat: int, share: Share | None, alone: frozenset[int]) -> list[str]:
        """The links of a seat's rolls, the last one first, once they are known to be a chain from the anchor on."""
        if share is None:
            return []
        player = self.game.players[seat]
        rolls = sum(roll.seat == seat and roll.number not in alone for roll in self.rolls)
        if share.count != rolls + 1:  # before links by the billion are worked out
            raise InvalidText("links_number", player=player, expected=rolls + 1, count=share.count)
        links, link = list[str](), share.last
        for _ in range(rolls):
            links.append(link)
            link = before(link)
        if link != share.opening or before(link) != share.anchor:
            raise InvalidText("links_broken", player=player)
        return links

    def _compare(self, roll: _Roll, drawn: Dice) -> None:
        if roll.dice != drawn:
            player = self.game.players[roll.seat]
            error = InvalidText("roll_differs", number=roll.number + 1, player=player, roll=roll.dice, dice=drawn)
            raise self._placed(error, roll.action)

    def _placed(self, error: CinqMilleError, action: int) -> CinqMilleError:
        """The error at the place of an action in the text, where there is one."""
        if self.text is None:
            return error
        game = self.game
        place, turn = next(
            (place, turn) for place, turn in enumerate(game.turns()) if turn.first_action <= action < turn.last_action
        )
        earlier = sum(isinstance(done, Roll) for done in game.actions[turn.first_action : action])
        lines = [(number, line) for number, line in enumerate(re.split("\r|\n", self.text), 1) if _says(line)]
        number, line = lines[2 + len(game.headers) + place]
        colon = line.index(":")
        words = [match.start() for match in re.finditer(r"(?<!\S)(?:[1-6]|=\d)", line) if match.start() > colon]
        return RecordError(number, words[earlier] + 1, error)

    def _verified(self, kind: str, alone: frozenset[int], shares: tuple[Share | None, ...]) -> Verified:
        game, seats = self.game, list[Seat]()
        for place, (name, share) in enumerate(zip(game.players, shares, strict=True)):
            numbers = [roll.number for roll in self.rolls if roll.seat == place]
            own = 0 if share is None else sum(number not in alone for number in numbers)
            seats.append(Seat(name, len(numbers), own, len(numbers) - own, share is not None))
        return Verified(kind, game.rules, game.players, len(self.rolls), tuple(seats))


def _says(line: str) -> bool:
    return bool(line.partition("#")[0].strip())
