"""Fair dice: drawn from everybody's secrets, worked out again by two programs, refused where anything was changed."""

import hashlib
import json
import random
import re
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from cinqmille import fair
from cinqmille.actions import Roll, RollOn
from cinqmille.dice import FairDice, SeededDice, SystemDice, new_source, parse_source
from cinqmille.errors import SENTENCES, CinqMilleError, IllegalAction, InvalidText, RecordError
from cinqmille.fair import Deal, Share, Verified, record_text, verify
from cinqmille.record import Comment, Game, replay
from cinqmille.rules import Rules
from cinqmille.table import Table
from draws import Refused, checked
from fairgames import RULES, TABLE, chain, played
from forging import forged
from playing import player_action

OTHERS = (
    "cinq-des",
    "six-des(target=3000)",
    "cinq-des(takeover=always, prediction=true, equal_scores=fall, target=2000)",
)


def sealed(text: str) -> str:
    """The record with the seal that belongs to it, as somebody who rewrites records makes it."""
    text = re.sub(r"(?m)^(dice: .*) seal=\S*$", r"\1", text)
    seal = hashlib.sha256(text.encode()).hexdigest()
    return re.sub(r"(?m)^(dice: .*)$", rf"\1 seal={seal}", text)


@pytest.fixture(scope="module")
def record() -> str:
    """A finished game of two, both with chains, some rolls drawn without a link."""
    games = (played(seed, absent=0.2) for seed in range(100))
    game, deal = next(one for one in games if len(one[1].alone) > 3 and len(one[0].turns()) > 12)
    return record_text(game, deal)


def refusal(text: str) -> CinqMilleError:
    with pytest.raises(CinqMilleError) as caught:
        verify(text)
    return caught.value


# Drawing


def test_links_are_hashes_of_the_next_one() -> None:
    links = chain("00" * 32, 3)
    assert links[2] == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
    assert fair.follows(links[1], links[0])
    assert fair.follows(links[3], links[2])
    assert not fair.follows(links[2], links[0])
    assert not fair.follows(links[1].upper(), links[0])
    assert not fair.follows("", links[0])


@pytest.mark.parametrize("text", [None, 5, "", "0" * 63, "0" * 65, "g" * 64, "A" * 64, "0" * 64 + "\n", "\u0660" * 64])
def test_what_is_no_link(text: object) -> None:
    assert not fair.is_link(text)
    assert fair.is_link("0a" * 32)


def test_secrets_differ() -> None:
    assert len({fair.new_secret() for _ in range(100)}) == 100
    assert all(fair.is_link(fair.new_secret()) for _ in range(100))


def test_dice_written_down_once() -> None:
    """Recorded games depend on them for ever."""
    one, two = chain("11" * 32, 9), chain("22" * 32, 9)
    shares = (Share.opened(one[0], one[1]), None, Share.opened(two[0], two[1]))
    deal = Deal.begin("t", "ab" * 32, Rules.parse("six-des"), ("Ana", "Zoé", "Ben"), shares)
    drawn = []
    for seat, link in ((0, one[2]), (0, one[3]), (1, None), (2, None), (2, two[2])):
        deal, dice = deal.draw(seat, link)
        drawn.append("".join(map(str, dice)))
    assert drawn == ["43431533", "14153663", "42442164", "23232116", "12613151"]
    assert deal.alone == (3,)
    assert deal.rolls == 5
    assert deal.header(over=False) == (
        f"fair-1 table=t commitment={fair.commitment('t', 'ab' * 32)} "
        f"seats={one[0]}/{one[1]}/{one[3]}/3,-,{two[0]}/{two[1]}/{two[2]}/2 alone=3"
    )
    assert deal.header(over=True) == deal.header(over=False) + f" secret={'ab' * 32}"


def test_a_roll_depends_on_everything_before_it() -> None:
    """Another secret, table, name, rule, anchor, order, link or seat gives other dice; the same ones the same."""
    one, two = chain("11" * 32, 9), chain("22" * 32, 9)
    shares = (Share.opened(one[0], one[1]), Share.opened(two[0], two[1]))

    def rolls(
        table: str = "t", key: str = "ab" * 32, rules: str = "cinq-des", players: tuple[str, ...] = ("Ana", "Ben"),
        seats: tuple[Share | None, ...] = shares, first: str | None = one[2],
    ) -> tuple[object, ...]:  # fmt: skip
        deal = Deal.begin(table, key, Rules.parse(rules), players, seats)
        drawn = []
        for seat, link in ((0, first if seats[0] else None), (1, None), (1, None)):
            deal, dice = deal.draw(seat, link)
            drawn.append(dice)
        return tuple(drawn)

    usual = rolls()
    assert usual == rolls()
    for other in (
        rolls(table="u"), rolls(key="ac" * 32), rolls(rules="cinq-des(entry=500)"), rolls(players=("Ben", "Ana")),
        rolls(players=("Ana", "Benn")), rolls(seats=(shares[0], None)), rolls(seats=(None, shares[1])),
        rolls(first=None),
    ):  # fmt: skip
        assert not set(other) & set(usual)


def test_a_wrong_link_is_refused_and_changes_nothing() -> None:
    one = chain("11" * 32, 9)
    deal = Deal.begin("t", "ab" * 32, RULES, ("Ana", "Ben"), (Share.opened(one[0], one[1]), None))
    for seat, link in ((0, one[1]), (0, one[3]), (0, one[2].upper()), (0, "x"), (0, ""), (1, one[2]), (1, "00" * 32)):
        with pytest.raises(IllegalAction) as caught:
            deal.draw(seat, link)
        assert caught.value.code == "link_wrong"
        assert caught.value.params["seat"] == seat + 1
    assert deal.draw(0, one[2])[0].shares[0] == Share(one[0], one[1], one[2], 2)
    with pytest.raises(InvalidText, match="anchor"):
        Share.opened(one[0], one[2])


@pytest.mark.parametrize(
    ("table", "key", "seats"), [("", "ab" * 32, 2), ("a b", "ab" * 32, 2), ("t", "AB" * 32, 2), ("t", "ab" * 32, 3)]
)
def test_a_deal_that_cannot_be_is_refused(table: str, key: str, seats: int) -> None:
    with pytest.raises(InvalidText):
        Deal.begin(table, key, RULES, ("Ana", "Ben"), (None,) * seats)


@pytest.mark.parametrize("with_links", [True, False])
def test_fair_dice_are_fair(with_links: bool) -> None:
    """48,000 dice: every face as often as it should be at every place, and whatever the place before showed."""
    links = chain("33" * 32, 6_010)
    share = Share.opened(links[0], links[1]) if with_links else None
    deal = Deal.begin("t", "cd" * 32, RULES, ("Ana", "Ben"), (share, None))
    rolls = []
    for number in range(6_000):
        deal, dice = deal.draw(0, links[number + 2] if with_links else None)
        rolls.append(dice)

    def chi_square(counts: Counter[object], kinds: int) -> float:
        expected = sum(counts.values()) / kinds
        return sum((n - expected) ** 2 / expected for n in counts.values()) + (kinds - len(counts)) * expected

    # 99.9 % of fair dice stay below these (5 and 35 degrees of freedom).
    for place in range(8):
        assert chi_square(Counter(roll[place] for roll in rolls), 6) < 20.52
        assert chi_square(Counter((roll[place], roll[place - 1]) for roll in rolls), 36) < 66.62
    assert chi_square(Counter((one[0], two[0]) for one, two in zip(rolls[::2], rolls[1::2], strict=True)), 36) < 66.62


# Whole games, checked by two programs


def cases() -> Iterator[tuple[int, Rules, int, float, float, float]]:
    rng = random.Random(2026)
    for seed in range(60):
        rules = Rules.parse(OTHERS[seed // 7 % 3]) if seed % 3 else RULES
        yield (
            seed,
            rules,
            2 + seed % 7,
            rng.choice((0, 0.5, 1, 1)),
            rng.choice((0, 0, 0.2, 1)),
            rng.choice((0, 0, 0.05)),
        )


@pytest.mark.parametrize(("seed", "rules", "players", "chains", "absent", "coming"), [*cases()])
def test_a_game_is_verified_by_this_program_and_by_a_strangers(
    seed: int, rules: Rules, players: int, chains: float, absent: float, coming: float
) -> None:
    game, deal = played(seed, rules, players, chains=chains, absent=absent, coming=coming)
    text = record_text(game, deal)
    found = verify(text)
    assert {seat.name: (seat.rolls, seat.own) for seat in found.seats} == checked(text)
    assert (found.kind, found.rules, found.players) == ("fair-1", rules, game.players)
    assert (found.table, found.commitment) == (TABLE, deal.commitment)
    assert found.rolls == deal.rolls == sum(isinstance(action, Roll) for action in game.actions)
    for seat, share in zip(found.seats, deal.shares, strict=True):
        assert seat.rolls == seat.own + seat.alone
        assert seat.chain == (share is not None)
        assert seat.own == (share.count - 1 if share else 0)
    assert sum(seat.alone for seat in found.seats if seat.chain) == len(deal.alone)
    # The record is read as any other, and as JSON.
    again = replay(text)
    assert again.text == text
    assert again.actions == game.actions
    assert (
        verify(json.dumps(again.to_json()))
        == verify(json.dumps(again.to_json(), ensure_ascii=False, indent=1))
        == found
    )


def test_a_record_sealed_once_is_verified_for_ever() -> None:
    text = (Path(__file__).parent / "data" / "fair.txt").read_text(encoding="utf-8")
    assert {seat.name: (seat.rolls, seat.own) for seat in verify(text).seats} == checked(text)


def test_another_roll_is_refused_by_both(record: str) -> None:
    """Every die of a record changed to every other face; both programs find it, ours at its line and column."""
    rolls = list(re.finditer(r"(?<= )([1-6]+)(?=>| |$)", record, re.MULTILINE))
    assert len(rolls) > 15
    found = Counter[str]()
    for roll in rolls:
        for place in range(roll.start(), roll.end()):
            other = str(int(record[place]) % 6 + 1)
            changed = sealed(record[:place] + other + record[place + 1 :])
            with pytest.raises(Refused):
                checked(changed)
            error = refusal(changed)
            assert isinstance(error, RecordError)
            found[error.code] += 1
            if error.code == "roll_differs":
                assert error.line == record[: roll.start()].count("\n") + 1
                assert error.column == roll.start() - record.rindex("\n", 0, roll.start())
                assert (
                    "".join(map(str, error.params["roll"]))
                    == roll[1][: place - roll.start()] + other + (record[place + 1 : roll.end()])
                )
                assert "".join(map(str, error.params["dice"])) == roll[1]
    assert found["roll_differs"] > 40, "the others are no legal games any more"


# One bit


def flips(text: str) -> Iterator[tuple[int, str]]:
    """The record with every bit of every byte flipped in turn; what is no UTF-8 is refused where it is read."""
    data = bytearray(text.encode())
    for place in range(len(data)):
        for bit in range(8):
            data[place] ^= 1 << bit
            with suppress(UnicodeDecodeError):
                yield place * 8 + bit, data.decode()
            data[place] ^= 1 << bit


@pytest.mark.parametrize("form", ["text", "crlf", "json", "ascii json"])
def test_one_bit_changed_is_refused_wherever_it_is(form: str) -> None:
    text, rolls = short_record()
    match form:
        case "crlf":
            text = text.replace("\n", "\r\n")
        case "json":
            text = json.dumps(replay(text).to_json(), ensure_ascii=False, indent=1)
        case "ascii json":
            text = json.dumps(replay(text).to_json())
        case _:
            pass
    assert verify(text).rolls == rolls
    number = 0
    for number, changed in flips(text):  # noqa: B007 - the last number is how many there were
        with pytest.raises(CinqMilleError):
            verify(changed)
    assert number > 6_000


def short_record() -> tuple[str, int]:
    """The shortest of some games, with comments and letters beyond ASCII, and how many rolls it has."""
    rules = Rules.parse("cinq-des(target=500, entry=0)")
    found = [played(seed, rules, absent=0.3, names=("Zoé", "Ben")) for seed in range(40)]
    game, deal = min((one for one in found if one[1].alone), key=lambda one: len(one[0].actions))
    game = replace(game, comments=(Comment(0, " À nous", False), Comment(len(game.actions), " enfin", True)))
    return record_text(game, deal), deal.rolls


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "\n",
        lambda text: text[:-1],
        lambda text: text + " ",
        lambda text: text.replace("\n", " \n", 1),
        lambda text: text.replace("\n", "\n\n", 1),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("players: ", "players:  "),
        lambda text: text.replace("rules: ", "rules : "),
        lambda text: text + "# a word\n",
        lambda text: text.replace("date: 2026-11-30", "date: 2026-11-31"),
        lambda text: "\ufeff\ufeff" + text,
    ],
)
def test_not_a_letter_may_differ(record: str, change: Callable[[str], str]) -> None:
    assert refusal(change(record)).code in ("seal_broken", "record_line")


def test_a_mark_at_the_front_and_line_ends_of_other_systems_are_no_change(record: str) -> None:
    found = verify(record)
    for text in (record.replace("\n", "\r\n"), "\ufeff" + record, "\ufeff" + record.replace("\n", "\r\n")):
        assert verify(text) == found


@pytest.mark.parametrize(
    "change",
    [
        lambda data: {**data, "more": 1},
        lambda data: {**data, "rules": "cinq-des(entry=0, target=1000)"},
        lambda data: {**data, "actions": [*data["actions"][:-1], " ="]},
        lambda data: {**data, "comments": [[0, " hello", False]]},
        lambda data: {**data, "headers": {**data["headers"], "more": "words"}},
        lambda data: {**data, "players": [" Ana", "Ben"]},
    ],
)
def test_json_says_what_was_sealed_and_nothing_more(record: str, change: Callable[[dict[str, object]], object]) -> None:
    data = replay(record).to_json()
    assert json.loads(json.dumps(change(data))) != data
    assert refusal(json.dumps(change(data))).code == "seal_broken"


# Everything else that is wrong, by its name: each text is sealed again, as by somebody who rewrites records


def header(text: str) -> str:
    return dict(replay(text).headers)["dice"]


def with_header(text: str, change: Callable[[str], str]) -> str:
    old = header(text)
    new = change(old)
    assert new != old
    return sealed(text.replace(old, new))


def seats_changed(text: str, change: Callable[[list[str]], list[str]]) -> str:
    old = re.search(r"seats=(\S+)", text)
    assert old
    return with_header(text, lambda header: header.replace(old[1], ",".join(change(old[1].split(",")))))


def count_changed(text: str, count: str) -> str:
    return seats_changed(text, lambda seats: [seats[0].rpartition("/")[0] + f"/{count}", *seats[1:]])


def alone_changed(text: str, alone: str) -> str:
    return with_header(text, lambda header: re.sub(r" alone=\S+", f" alone={alone}" if alone else "", header))


FOREIGN = chain("77" * 32, 30)

TAMPERED: dict[str, tuple[Callable[[str], str], set[str]]] = {
    "a foreign secret": (
        lambda text: with_header(text, lambda header: re.sub(r"secret=\S+", f"secret={'12' * 32}", header)),
        {"commitment_broken"},
    ),
    "a foreign secret and its commitment": (
        lambda text: with_header(
            text,
            lambda header: re.sub(
                r"commitment=\S+", f"commitment={fair.commitment(TABLE, '12' * 32)}",
                re.sub(r"secret=\S+", f"secret={'12' * 32}", header),
            ),
        ),
        {"roll_differs"},
    ),
    "another table": (
        lambda text: with_header(text, lambda header: header.replace(TABLE, "another")),
        {"commitment_broken"},
    ),
    "a foreign last link": (
        lambda text: seats_changed(text, lambda seats: [re.sub(r"\w+(?=/\d+$)", "ab" * 32, seats[0]), *seats[1:]]),
        {"links_broken"},
    ),
    "a foreign opening": (
        lambda text: seats_changed(text, lambda seats: [seats[0][:65] + FOREIGN[1] + seats[0][129:], *seats[1:]]),
        {"links_broken"},
    ),
    "a foreign anchor": (
        lambda text: seats_changed(text, lambda seats: [FOREIGN[0] + seats[0][64:], *seats[1:]]),
        {"links_broken"},
    ),
    "a whole foreign chain": (
        lambda text: seats_changed(
            text, lambda seats: [f"{FOREIGN[0]}/{FOREIGN[1]}/{FOREIGN[n := int(seats[0].split('/')[3])]}/{n}", seats[1]]
        ),
        {"roll_differs"},
    ),
    "swapped seats": (lambda text: seats_changed(text, lambda seats: seats[::-1]), {"links_number", "roll_differs"}),
    "swapped players": (
        lambda text: sealed(re.sub("Ana|Ben", lambda name: {"Ana": "Ben", "Ben": "Ana"}[name[0]], text)),
        {"roll_differs"},
    ),
    "a changed name": (lambda text: sealed(text.replace("Ana", "Eve")), {"roll_differs"}),
    "changed rules": (
        lambda text: sealed(text.replace("target=1000", "target=1000, scoreless_limit=9")), {"roll_differs"},
    ),
    "one link too few": (lambda text: count_changed(text, str(links(text) - 1)), {"links_number"}),
    "one link too many": (lambda text: count_changed(text, str(links(text) + 1)), {"links_number"}),
    "links by the billion": (lambda text: count_changed(text, "999999999"), {"links_number"}),
    "links beyond any number": (lambda text: count_changed(text, "9" * 4_000_000), {"bad_fair_dice"}),
    "no link": (lambda text: count_changed(text, "0"), {"bad_fair_dice"}),
    "a number with a zero": (lambda text: count_changed(text, f"0{links(text)}"), {"bad_fair_dice"}),
    "one seat more": (lambda text: seats_changed(text, lambda seats: [*seats, "-"]), {"fair_seats"}),
    "one seat": (lambda text: seats_changed(text, lambda seats: seats[:1]), {"bad_fair_dice"}),
    "nine seats": (lambda text: seats_changed(text, lambda seats: [*seats, *"-------"]), {"bad_fair_dice"}),
    "a chain denied": (lambda text: seats_changed(text, lambda seats: ["-", seats[1]]), {"alone_wrong"}),
    "alone denied": (lambda text: alone_changed(text, ""), {"links_number"}),
    "alone without end": (lambda text: alone_changed(text, "0-999999999"), {"alone_wrong"}),
    "alone again and again": (lambda text: alone_changed(text, ",".join(["0-9"] * 100_000)), {"alone_wrong"}),
    "alone backwards": (lambda text: alone_changed(text, "5-3"), {"alone_wrong"}),
    "alone out of order": (lambda text: alone_changed(text, "7,3"), {"alone_wrong"}),
    "alone not as short as can be": (lambda text: alone_changed(text, "3,4"), {"alone_wrong"}),
    "alone beyond the game": (lambda text: alone_changed(text, "4000"), {"alone_wrong"}),
    "alone with zeros": (lambda text: alone_changed(text, "03"), {"alone_wrong"}),
    "a big letter": (
        lambda text: with_header(text, lambda header: header.replace("secret=", "Secret=")), {"bad_fair_dice"},
    ),
    "two spaces": (
        lambda text: with_header(text, lambda header: header.replace(" secret=", "  secret=")), {"bad_fair_dice"},
    ),
    "no secret and no seal": (
        lambda text: text.replace(header(text), header(text).split(" secret=")[0]), {"secret_not_shown"},
    ),
    "no seal": (lambda text: text.replace(header(text), header(text).split(" seal=")[0]), {"seal_missing"}),
    "a seal without a secret": (
        lambda text: with_header(text, lambda header: re.sub(r" secret=\S+", "", header)), {"bad_fair_dice"},
    ),
    "another seal": (lambda text: text.replace(header(text)[-64:], "0" * 64), {"seal_broken"}),
    "two seals": (
        lambda text: text.replace(header(text), f"{header(text)} seal={'0' * 64}"), {"bad_fair_dice"},
    ),
    "another kind": (
        lambda text: with_header(text, lambda header: header.replace("fair-1", "fair-2")), {"not_verifiable"},
    ),
    "no dice": (lambda text: re.sub("(?m)^dice: .*\n", "", text), {"not_verifiable"}),
    "a missing turn at the end": (
        lambda text: sealed(text.rstrip("\n").rpartition("\n")[0] + "\n"), {"turns_missing"},
    ),
}  # fmt: skip


def links(text: str) -> int:
    share = fair.read_header(header(text)).shares[0]
    assert share
    return share.count


@pytest.mark.parametrize("case", TAMPERED)
def test_what_was_tampered_with_is_named(record: str, case: str) -> None:
    change, codes = TAMPERED[case]
    assert change(record) != record
    began = time.perf_counter()
    error = refusal(change(record))
    assert time.perf_counter() - began < 2
    assert error.code in codes
    assert SENTENCES[error.code].partition("{")[0] in str(error)


def test_a_seat_missing_in_the_header_is_named() -> None:
    text = record_text(*played(5, players=3, absent=0.5))
    assert refusal(seats_changed(text, lambda seats: seats[:2])).code == "fair_seats"


def test_every_turn_taken_out_or_doubled_is_found(record: str) -> None:
    lines = record.splitlines(keepends=True)
    assert len(lines) > 12
    for place in range(4, len(lines)):
        for copies in (0, 2):
            changed = sealed("".join(lines[:place] + [lines[place]] * copies + lines[place + 1 :]))
            assert changed != record
            refusal(changed)


def test_a_lie_about_who_rolled_alone_is_found(record: str) -> None:
    """Any roll moved into the list or out of it, with the number of links to match."""
    game, found = replay(record), fair.read_header(header(record))
    rolls = [position.to_play for position, action, _ in game.steps() if isinstance(action, Roll)]
    alone = {n for part in found.alone.split(",") for n in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)}
    for number, seat in enumerate(rolls):
        assert seat is not None
        share = found.shares[seat]
        assert share
        less = number not in alone  # the link is denied: the last one is left out
        if less and share.count == 1:
            continue
        last = fair.before(share.last) if less else "ab" * 32
        told = replace(share, last=last, count=share.count - 1 if less else share.count + 1)
        text = alone_changed(record, fair._ranges(tuple(sorted(alone ^ {number}))))
        changed = seats_changed(text, lambda seats: [*seats[:seat], str(told), *seats[seat + 1 :]])  # noqa: B023
        assert refusal(changed).code == ("roll_differs" if less else "links_broken")
        with pytest.raises(Refused):
            checked(changed)


def test_no_header_costs_memory(record: str) -> None:
    changes = [
        TAMPERED[case][0](record) for case in ("links by the billion", "alone without end", "alone again and again")
    ]
    tracemalloc.start()
    for text in changes:
        refusal(text)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 30_000_000


def test_another_game_from_the_same_secrets_passes_alone_and_is_found_by_the_seal_that_was_noted(record: str) -> None:
    """Once a game is over anybody can write another one: only who noted the seal can tell them apart."""
    true, false = verify(record), forged(record)
    found = verify(false, true.commitment)
    checked(false)  # a stranger's program is fooled as well: it is no mistake of this one
    assert (found.table, found.commitment, found.players) == (true.table, true.commitment, true.players)
    header = fair.read_header(dict(replay(false).headers)["dice"])
    for one, other in zip(header.shares, fair.read_header(dict(replay(record).headers)["dice"]).shares, strict=True):
        assert one is not None
        assert other is not None
        assert (one.anchor, one.opening) == (other.anchor, other.opening)
    assert replay(false).position.winners != replay(record).position.winners
    assert dict(replay(false).headers)["date"] != dict(replay(record).headers)["date"]
    assert found.compared == ("commitment",)
    assert verify(record, true.commitment, true.seal).compared == ("commitment", "seal")
    with pytest.raises(InvalidText) as caught:
        verify(false, true.commitment, true.seal)
    assert caught.value.code == "seal_differs"
    assert caught.value.params == {"noted": true.seal, "found": found.seal}


def test_the_seal_of_a_game_is_that_of_its_record() -> None:
    game, deal = played(3)
    assert fair.seal_of(game, deal) == verify(record_text(game, deal)).seal
    assert fair.seal_of(*played(1, most=12)) is None


def test_the_seal_is_no_signature() -> None:
    """The documentation says so: a decision rewritten in a record that is sealed anew is not found, the seal is all."""
    text = (Path(__file__).parent / "data" / "fair.txt").read_text(encoding="utf-8")
    changed = text.replace("Ana: 15544>15 =150", "Ana: 15544>1 =100")
    assert refusal(changed).code == "seal_broken"
    assert verify(sealed(changed)).rolls == verify(text).rolls


# Games that are not over, and dice of other kinds


def test_a_game_that_is_not_over_cannot_be_checked_yet() -> None:
    game, deal = played(1, most=12)
    text = record_text(game, deal)
    assert deal.secret not in text
    assert "seal=" not in text
    assert refusal(text).code == "secret_not_shown"
    assert replay(text).position == game.position
    rash = sealed(text.replace(deal.header(over=False), deal.header(over=True)))
    assert refusal(rash).code == "turns_missing"


@pytest.mark.parametrize("dice", ["system", "real", None, "loaded", "seed", "seed a b"])
def test_dice_that_cannot_be_checked_are_refused_by_name(dice: str | None) -> None:
    line = f"dice: {dice}\n" if dice else ""
    error = refusal(f"rules: cinq-des\nplayers: Ana, Ben\n{line}Ana: 15534>155 24>-\nBen: =1000\n")
    assert error.code == "not_verifiable"
    assert f"'{dice or 'real'}'" in str(error)


def seeded(seed: str = "42") -> str:
    rng = random.Random(5)
    game = Game.new(RULES, ("Ana", "Ben"), {"dice": f"seed {seed}"})
    number = 0
    while game.position.phase != "over":
        if game.position.phase == "roll":
            game = game.play(Roll(SeededDice(seed).roll(number, game.position.dice_left)))
            number += 1
        else:
            game = game.play(player_action(rng, game.position))
    return game.text


def test_dice_of_a_seed_are_checked_too() -> None:
    text = seeded()
    found = verify(text)
    assert (found.kind, found.table, found.commitment) == ("seed", None, None)
    assert found.rolls == sum(seat.rolls for seat in found.seats) > 10
    assert all((seat.own, seat.alone, seat.chain) == (0, seat.rolls, False) for seat in found.seats)
    assert verify(json.dumps(replay(text).to_json())) == found
    part = "".join(text.splitlines(keepends=True)[:7])
    assert verify(part).rolls < found.rolls
    error = refusal(text.replace("seed 42", "seed 43"))
    assert isinstance(error, RecordError)
    assert (error.code, error.line, error.params["number"]) == ("roll_differs", 4, 1)


def test_a_turn_typed_as_points_was_not_drawn() -> None:
    error = refusal("rules: cinq-des\nplayers: Ana, Ben\ndice: seed 42\n# a lie\n\nAna: =1000 # so easy\n")
    assert isinstance(error, RecordError)
    assert (error.code, error.line, error.column) == ("turn_not_rolled", 6, 6)


# Elsewhere


def unsaved(game: Game) -> None:
    pytest.fail("nothing was played")


def test_a_finished_game_can_be_looked_at_and_an_unfinished_one_goes_on_only_at_its_table(record: str) -> None:
    source = parse_source(header(record))
    assert isinstance(source, FairDice)
    assert source.header == header(record)
    table = Table(replay(record), save=unsaved)
    assert table.awaits == "nothing"
    with pytest.raises(IllegalAction, match="over"):
        table.play(RollOn(), seen=table.number)
    game, deal = played(1, most=12)
    with pytest.raises(IllegalAction, match=TABLE) as caught:
        Table(replay(record_text(game, deal)), save=unsaved)
    assert caught.value.code == "fair_elsewhere"
    with pytest.raises(IllegalAction, match=TABLE):
        source.roll(0, 5)


@pytest.mark.parametrize("text", ["fair-1", "fair-1 loaded", "fair-2 table=t"])
def test_another_header_of_fair_dice_is_refused(text: str) -> None:
    with pytest.raises(InvalidText):
        parse_source(text)


def test_a_new_game_elsewhere_has_no_fair_dice(record: str) -> None:
    with pytest.raises(InvalidText) as caught:
        new_source(header(record))
    assert caught.value.code == "bad_dice_source"
    assert isinstance(new_source("system"), SystemDice)


def test_the_answer_is_data(record: str) -> None:
    found = verify(record)
    assert isinstance(found, Verified)
    assert found == verify(record)
    assert hash(found.seats) == hash(verify(record).seats)
