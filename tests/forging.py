"""Writes another game from a finished record, as anybody can who has read docs/fair.md and has the record.

Secret, commitment, anchors and openings stay; decisions, rolls, date and winner are others. The game itself is played
with the package, so that it is legal; all that forges (states, dice, links, seal) is worked out here.
"""

import hashlib
import hmac
import random
import re

from cinqmille import Bank, Roll, RollOn, Rules, SetAside, apply, can, keeps, start


def sha(data: str | bytes) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


class Forger:
    """One attempt at another game from the secrets of a record."""

    def __init__(self, text: str) -> None:
        self.head = dict(line.split(": ", 1) for line in text.split("\n")[:4])
        self.names = self.head["players"].split(", ")
        self.said = dict(word.split("=", 1) for word in self.head["dice"].split(" ")[1:])
        self.chains: list[list[str]] = []
        begin = f"cinqmille-fair-1 start {self.said['table']}\n{self.said['commitment']}\n{self.head['rules']}\n"
        for name, seat in zip(self.names, self.said["seats"].split(","), strict=True):
            if seat == "-":
                self.chains.append([])
                begin += f"{name}\t-\t-\n"
                continue
            anchor, opening, last, count = seat.split("/")
            chain = [last]
            for _ in range(int(count)):
                chain.append(sha(bytes.fromhex(chain[-1])))
            self.chains.append(chain[::-1])
            begin += f"{name}\t{anchor}\t{opening}\n"
        self.alone: list[int] = []
        self.state, self.rolls, self.shown = sha(begin), 0, [1] * len(self.names)

    def roll(self, seat: int, count: int) -> str:
        link = "-"
        if self.shown[seat] + 1 < len(self.chains[seat]):
            self.shown[seat] += 1
            link = self.chains[seat][self.shown[seat]]
        elif self.chains[seat]:  # its links are used up: it never came, says the forger
            self.alone.append(self.rolls)
        self.state = sha(f"cinqmille-fair-1 roll {self.state} {self.rolls} {seat} {link}")
        self.rolls += 1
        faces, block = "", 0
        while len(faces) < count:
            told = f"cinqmille-fair-1 dice {self.state} {block}"
            drawn = hmac.new(bytes.fromhex(self.said["secret"]), told.encode(), "sha256").digest()
            faces += "".join(str(byte % 6 + 1) for byte in drawn if byte < 252)
            block += 1
        return faces[:count]

    def record(self, turns: list[str], date: str) -> str:
        seats = [
            f"{chain[0]}/{chain[1]}/{chain[count]}/{count}" if chain else "-"
            for chain, count in zip(self.chains, self.shown, strict=True)
        ]
        alone = f" alone={','.join(_ranges(self.alone))}" if self.alone else ""
        dice = (
            f"dice: fair-1 table={self.said['table']} commitment={self.said['commitment']} "
            f"seats={','.join(seats)}{alone} secret={self.said['secret']}"
        )
        head = f"rules: {self.head['rules']}\nplayers: {self.head['players']}\ndate: {date}\n"
        body = "".join(f"{turn}\n" for turn in turns)
        seal = sha(f"{head}{dice}\n{body}")
        return f"{head}{dice} seal={seal}\n{body}"


def _ranges(numbers: list[int]) -> list[str]:
    runs = [[number, number] for number in numbers[:1]]
    for number in numbers[1:]:
        if number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return [f"{first}-{last}" if last > first else str(first) for first, last in runs]


def _attempt(text: str, date: str, rng: random.Random) -> tuple[str, tuple[int, ...]]:
    forger = Forger(text)
    rules = Rules.parse(forger.head["rules"])
    position = start(rules, players=len(forger.names))
    turns: list[str] = []
    while position.phase != "over":
        seat, words = position.to_play, list[str]()
        assert seat is not None
        while position.phase != "over" and position.to_play == seat:
            if position.phase == "decide":
                points = position.turn_points
                if can(position, Bank()) and rng.random() < 0.6:
                    position = apply(position, Bank())
                    words.append(f"={points}")
                    break
                position = apply(position, RollOn())
                continue
            faces = forger.roll(seat, position.dice_left)
            position = apply(position, Roll.parse(faces))
            if position.phase != "choose" or position.to_play != seat:
                words.append(f"{faces}>-" if position.phase != "over" else faces)
                break
            keep = rng.choice(keeps(rules, faces))
            position = apply(position, SetAside(keep.dice))
            words.append(f"{faces}>{''.join(map(str, keep.dice))}")
        turns.append(f"{forger.names[seat]}: {' '.join(words)}")
    return forger.record(turns, date), position.winners


def forged(text: str, *, date: str = "2020-02-20") -> str:
    """Another game from the same secrets, won by somebody else."""
    last = re.findall(r"(?m)^(.+?):", text)[-1]
    names = text.split("\n")[1].removeprefix("players: ").split(", ")
    for seed in range(2_000):
        other, winners = _attempt(text, date, random.Random(seed))
        if names.index(last) not in winners:
            return other
    raise AssertionError("no other game was found")
