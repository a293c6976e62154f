"""Checks the dice of a sealed record as a stranger would, from the text of docs/fair.md alone.

It knows nothing of the package and nothing of the game: the names say whose line it is, a word of faces is a roll.
"""

import hashlib
import hmac
import re


class Refused(Exception):
    """The dice of this record are not what its header promises."""


def need(holds: object, what: str) -> None:
    if not holds:
        raise Refused(what)


def sha(data: str | bytes) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def checked(text: str) -> dict[str, tuple[int, int]]:
    """For each player, how many rolls there were and how many of them with a link of the player's own."""
    text = text.replace("\r\n", "\n")
    lines = [line.split("#")[0].strip() for line in text.split("\n")]
    lines = [line for line in lines if line]
    pairs = [(line.split(":", 1)[0].strip(), line.split(":", 1)[1].strip()) for line in lines]
    fields = dict(reversed(pairs))  # a header comes before the turns
    names = [name.strip() for name in fields["players"].split(",")]
    words = fields["dice"].split(" ")
    need(words[0] == "fair-1", "kind")
    said = dict(word.split("=", 1) for word in words[1:])
    need(
        [*said] == [word for word in ("table", "commitment", "seats", "alone", "secret", "seal") if word in said],
        "order",
    )
    need("secret" in said and "seal" in said, "unfinished")
    need(all(re.fullmatch("[0-9a-f]{64}", said[key]) for key in ("commitment", "secret", "seal")), "digits")
    need(text.count(" seal=") == 1 and sha(text.replace(f" seal={said['seal']}", "")) == said["seal"], "seal")
    table, secret, promise = said["table"], said["secret"], said["commitment"]
    need(sha(f"cinqmille-fair-1 commitment {table} {secret}") == promise, "commitment")

    chains: list[list[str]] = []
    begin = f"cinqmille-fair-1 start {table}\n{promise}\n{fields['rules']}\n"
    seats = said["seats"].split(",")
    need(len(seats) == len(names), "seats")
    for name, seat in zip(names, seats, strict=True):
        if seat == "-":
            chains.append([])
            begin += f"{name}\t-\t-\n"
            continue
        anchor, opening, last, count = seat.split("/")
        need(int(count) < 10_000, "count")
        chain = [last]
        for _ in range(int(count)):
            chain.append(sha(bytes.fromhex(chain[-1])))
        need(chain[-1] == anchor and chain[-2] == opening, "chain")
        chains.append(chain[:-2])
        begin += f"{name}\t{anchor}\t{opening}\n"
    state = sha(begin)

    alone = set[int]()
    for item in filter(None, said.get("alone", "").split(",")):
        first, _, last = item.partition("-")
        need(int(last or first) < 10_000, "alone")
        alone |= set(range(int(first), int(last or first) + 1))
    rolls = [
        (names.index(name), [int(face) for face in word.split(">")[0]])
        for name, turn in pairs
        if name in names
        for word in turn.split()
        if re.fullmatch("[1-6]+(>.*)?", word)
    ]
    found = dict.fromkeys(names, (0, 0))
    for number, (place, dice) in enumerate(rolls):
        need(number not in alone or seats[place] != "-", "alone")
        link = "-"
        if seats[place] != "-" and number not in alone:
            need(chains[place], "too few links")
            link = chains[place].pop()
        alone.discard(number)
        state = sha(f"cinqmille-fair-1 roll {state} {number} {place} {link}")
        drawn: list[int] = []
        for block in range(4):
            text = f"cinqmille-fair-1 dice {state} {block}"
            digest = hmac.new(bytes.fromhex(secret), text.encode(), "sha256").digest()
            drawn += [byte % 6 + 1 for byte in digest if byte < 252]
        need(drawn[: len(dice)] == dice, f"roll {number}")
        total, own = found[names[place]]
        found[names[place]] = total + 1, own + (link != "-")
    need(not alone, "alone")
    need(not any(chains), "too many links")
    return found
