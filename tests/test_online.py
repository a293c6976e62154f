"""An online table: seats, how it begins, who may act, absence, and that the journal alone brings it back."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from cinqmille.actions import Back, Bank, Leave, RollOn, SetAside, Skip, TakeOver, parse_action
from cinqmille.errors import CinqMilleError, InvalidText
from cinqmille.fair import new_secret, verify
from cinqmille.game import apply, legal_keeps
from cinqmille.online import PATIENCE, SEALING, Change
from cinqmille.seating import Entry
from faraway import HOUSE, START, Chain, Played


def refused(code: str, command: Callable[[], object]) -> CinqMilleError:
    with pytest.raises(CinqMilleError) as raised:
        command()
    assert raised.value.code == code, raised.value
    return raised.value


@pytest.mark.parametrize("seed", range(6))
def test_a_whole_game_is_what_its_journal_says_and_its_dice_can_be_checked(seed: int) -> None:
    rng = random.Random(seed)
    bold = "cinq-des(target=1000, takeover=always, prediction=true)"
    played = Played(rng.choice([HOUSE, "six-des(entry=0, target=2000)", bold]))
    played.gather("Ben", "Cleo", chains=seed % 3 != 0)
    if seed % 2:
        played.do(played.table.seat_bot(0, "steady:300", "Robo", played.now))
    played.begin()
    assert played.table.stage == "playing"
    while played.table.stage == "playing":
        played.play(rng)
        if rng.random() < 0.1:
            played.table = played.reloaded()  # the server was started again
    again = played.reloaded()
    assert again.record == played.table.record
    assert again.number == len(played.entries)
    verified = verify(again.record)
    assert verified.players == tuple(one.name for one in again.seats)
    if played.chains:
        assert [seat.alone for seat in verified.seats][:3] == [0, 0, 0]


def test_the_secret_is_in_no_view_and_no_record_before_the_end() -> None:
    played = Played()
    played.gather("Ben")
    played.begin()
    rng = random.Random(1)
    while played.table.stage == "playing":
        told = json.dumps(played.table.public(me=0)) + played.table.record + repr(played.table)
        assert played.table.secret not in told
        played.play(rng)
    assert played.table.secret in played.table.record
    assert "key-b" not in json.dumps([Entry(*json.loads(one)[:5]).public() for one in played.entries])


def test_joining_twice_is_joining_once() -> None:  # report C083
    played = Played()
    played.gather("Ben", chains=False)
    assert played.table.join("Ben", "key-b", START) is None
    assert played.table.join("Somebody else", "key-b", START) is None
    assert [one.name for one in played.table.seats] == ["Ana", "Ben"]
    played.begin()
    assert played.table.join("Ben", "key-b", START) is None


def test_names_are_unique_and_fit_in_a_record() -> None:
    played = Played()
    refused("name_twice", lambda: played.table.join(" Ana ", "key-x", START))
    refused("bad_name", lambda: played.table.join("a:b", "key-x", START))
    refused("bad_name", lambda: played.table.join("", "key-x", START))
    refused("long_name", lambda: played.table.join("x" * 41, "key-x", START))
    refused("name_is_header", lambda: played.table.join("dice", "key-x", START))


def test_a_full_or_begun_table_takes_nobody() -> None:
    played = Played(seats=2)
    played.gather("Ben", chains=False)
    refused("table_full", lambda: played.table.join("Cleo", "key-c", START))
    played.begin()
    refused("already_begun", lambda: played.table.join("Cleo", "key-c", START))
    refused("already_begun", lambda: played.table.leave(0, 1, START))


def test_only_the_host_starts_and_manages_the_seats() -> None:
    played = Played()
    refused("players_number", lambda: played.table.start(0, START))
    played.gather("Ben", "Cleo", chains=False)
    refused("host_only", lambda: played.table.start(1, START))
    refused("host_only", lambda: played.table.leave(1, 2, START))
    refused("host_only", lambda: played.table.seat_bot(1, "steady", "Robo", START))
    assert played.table.start(1, START, host_away=True) is not None
    played.do(played.table.leave(0, 0, START))  # the host goes: the next person is the host
    assert played.table.host == 0
    assert played.table.seats[0].name == "Ben"
    refused("last_person_stays", lambda: played.do(played.table.leave(0, 1, START)).leave(0, 0, START))


def test_whoever_is_sent_away_does_not_come_back_and_whoever_goes_may() -> None:
    played = Played()
    played.gather("Ben", "Cleo", chains=False)
    played.do(played.table.leave(2, 2, START))
    played.do(played.table.leave(0, 1, START))
    refused("sent_away", lambda: played.table.join("Benjamin", "key-b", START))
    played.do(played.table.join("Cleo", "key-c", START))
    assert [one.name for one in played.table.seats] == ["Ana", "Cleo"]
    assert played.reloaded().barred == played.table.barred == {"key-b"}


def test_the_order_of_a_rematch_is_kept_whoever_comes_first() -> None:
    played = Played(order=("Cleo", "Ben", "Ana"))
    played.gather("Ben", "Dora", "Cleo", chains=False)
    assert [one.name for one in played.table.seats] == ["Cleo", "Ben", "Ana", "Dora"]
    assert played.table.seats[played.table.host or 0].name == "Ana"


def test_the_game_begins_when_every_chain_is_opened_and_only_then() -> None:
    played = Played()
    played.gather("Ben")
    played.do(played.table.start(0, START))
    assert played.table.stage == "sealing"
    refused("not_begun", lambda: played.table.act(0, (RollOn(),), seen=played.table.number, link=None, now=START))
    refused("opening_wrong", lambda: played.table.open_chain(0, played.chains[1].next(), START))
    refused("opening_wrong", lambda: played.table.open_chain(0, "x", START))
    played.do(played.table.open_chain(0, played.chains[0].next(), START))
    assert played.table.open_chain(0, played.chains[0].next(), START) is None
    refused("not_yet", lambda: played.table.begin(0, START + 1))
    refused("already_begun", lambda: played.table.share(1, Chain().anchor, START))
    played.do(played.table.begin(1, START + SEALING + 1))
    assert played.reloaded().stage == "playing"
    assert [one.share is not None for one in played.table.seats] == [True, False]
    played.chains[0].shown = 1
    del played.chains[1]
    played.play_on(random.Random(3))
    assert verify(played.table.record).seats[1].own == 0


def test_a_command_that_is_stale_double_illegal_or_anothers_is_refused_and_changes_nothing() -> None:
    played = Played()
    played.gather("Ben")
    played.begin()
    table, number = played.table, played.table.number
    refused("stale", lambda: played.act(RollOn(), seen=number - 1))
    refused("stale", lambda: played.act(RollOn(), seen=number + 1))
    refused("out_of_turn", lambda: played.act(RollOn(), seat=1))
    refused("dice_due", lambda: played.act(Bank()))
    refused("dice_are_drawn", lambda: played.act(parse_action("11111")))
    refused("skip_by_others", lambda: played.act(Skip()))
    refused("not_your_seat", lambda: played.act(Leave(1)))
    refused("not_your_seat", lambda: played.act(Back(1)))
    refused("takeover_never", lambda: played.act(TakeOver()))
    assert played.table is table
    played.act(RollOn())
    refused("stale", lambda: played.act(RollOn(), seen=number))  # the same request once more


def test_a_turn_that_ends_while_it_is_played_gives_no_roll_of_the_next_player_away() -> None:
    tried, rng = 0, random.Random(4)
    while not tried:  # what is rolled is nobody's choice, that of a test neither
        played = Played("wikipedia-5000(target=1000, entry=0)")
        played.gather("Ben")
        played.begin()
        while played.table.stage == "playing":
            table = played.table
            position = table.table.position  # type: ignore[union-attr]
            for keep in legal_keeps(position):
                aside = SetAside(keep.dice)
                if apply(position, aside).to_play not in (None, position.to_play):  # it passes an exact target
                    refused("out_of_turn", partial(played.act, aside, RollOn()))
                    tried += 1
            assert played.table is table
            played.play(rng)
        verify(played.table.record)


def test_a_link_that_is_not_the_next_one_is_refused() -> None:
    played = Played()
    played.gather("Ben")
    played.begin()
    for link in (new_secret(), played.chains[0].links[1], played.chains[0].links[3], played.chains[1].next()):
        rolls = partial(played.table.act, 0, (RollOn(),), seen=played.table.number, link=link, now=START)
        refused("link_wrong", rolls)
    refused("bad_link", lambda: played.table.act(0, (RollOn(),), seen=played.table.number, link="<b>", now=START))


def test_a_link_is_taken_with_a_roll_and_with_nothing_else() -> None:
    played = Played()
    played.gather("Ben")
    played.begin()
    played.act(RollOn())
    while played.table.to_play == 0 and played.table.table.position.phase == "choose":  # type: ignore[union-attr]
        position = played.table.table.position  # type: ignore[union-attr]
        aside, seen = SetAside(legal_keeps(position)[0].dice), played.table.number
        link = played.chains[0].next()
        refused("link_without_roll", partial(played.table.act, 0, (aside,), seen=seen, link=link, now=START))
        refused("link_without_roll", partial(played.table.act, 0, (Leave(0),), seen=seen, link=link, now=START))
        played.act(aside, RollOn())


def test_nobody_comes_and_goes_so_often_that_the_others_cannot_act() -> None:
    played = Played("cinq-des(entry=0, target=5000)")
    played.gather("Ben", "Cleo")
    played.begin()
    played.act(Leave(1), seat=1)
    played.act(Back(1), seat=1)
    refused("stays_a_turn", lambda: played.act(Leave(1), seat=1))
    refused("stays_a_turn", lambda: played.act(Leave(1), Back(1), seat=1))
    played.table = played.reloaded()
    refused("stays_a_turn", lambda: played.act(Leave(1), seat=1))
    rng = random.Random(1)
    while played.table.to_play != 2:  # Ben has his turn
        played.play(rng)
    while not played.table.table.position.fresh:  # type: ignore[union-attr]
        played.play(rng)
    played.act(Leave(1), Back(1), seat=1)
    refused("stays_a_turn", lambda: played.act(Leave(1), seat=1))


def test_the_same_link_gives_the_same_dice_however_often_it_is_asked() -> None:
    played = Played()
    played.gather("Ben")
    played.begin()
    link, seen = played.chains[0].next(), played.table.number
    one = played.table.act(0, (RollOn(),), seen=seen, link=link, now=START)
    two = played.table.act(0, (RollOn(),), seen=seen, link=link, now=START + 60)
    assert one.entry.data == two.entry.data


def test_nobody_is_acted_for_before_the_agreed_delay() -> None:  # reports C081, C082
    played = Played(after=60)
    played.gather("Ben", "Cleo")
    played.begin()
    table, now = played.table, played.now

    def act_for(seat: int, way: str, *, since: float, at: float) -> Change:
        return played.table.act_for(1, seat, way, seen=played.table.number, since=since, now=at)

    refused("still_waiting", lambda: act_for(0, "skip", since=now, at=now + 59))
    refused("still_waiting", lambda: act_for(2, "remove", since=now, at=now + 59))
    # Who is there and does nothing is waited for longer, but not for ever.
    refused("still_waiting", lambda: act_for(0, "skip", since=now + 60 * PATIENCE - 1, at=now + 60 * PATIENCE - 1))
    assert act_for(0, "skip", since=now + 60 * PATIENCE, at=now + 60 * PATIENCE).table.to_play == 1
    assert played.table is table
    played.do(act_for(0, "skip", since=now, at=now + 60))
    assert played.table.to_play == 1
    refused("not_to_play", lambda: act_for(2, "skip", since=now, at=now + 120))
    refused(
        "waits_for_ever",
        lambda: replace(played.table, terms=replace(table.terms, after=0)).act_for(
            1, 2, "skip", seen=played.table.number, since=0, now=now + 10**6
        ),
    )
    refused("stale", lambda: played.table.act_for(1, 2, "bot", seen=0, since=0, now=now))
    refused("bad_choice", lambda: act_for(2, "shoot", since=now, at=now + 120))


def test_a_bot_plays_on_and_a_returning_player_takes_over_with_the_points_of_the_turn() -> None:  # reports C081, C084
    played = Played("cinq-des(entry=0, target=3000)", after=60)
    played.gather("Ben")
    played.begin()
    rng = random.Random(5)
    while not (played.table.to_play == 0 and played.table.table.position.phase == "choose"):  # type: ignore[union-attr]
        played.play(rng)
    roll = played.table.table.position.roll  # type: ignore[union-attr]
    played.do(played.table.act_for(1, 0, "bot", seen=played.table.number, since=0.0, now=played.now))
    assert played.table.awaits == "bot"
    assert played.table.table.position.roll == roll  # type: ignore[union-attr]
    refused("bot_plays", lambda: played.table.act_for(1, 0, "bot", seen=played.table.number, since=0.0, now=played.now))
    played.do(played.table.let_bot_play(played.now))
    played.do(played.table.come_back(0, played.now))
    assert not played.table.seats[0].stand_in
    assert played.table.come_back(0, played.now) is None
    for _ in range(4):
        played.table = played.reloaded()
        played.play(rng)
    played.play_on(rng)
    verified = verify(played.table.record)
    assert verified.seats[1].alone == 0


def test_whoever_acts_again_takes_over_from_the_bot_in_the_same_step() -> None:
    played = Played(after=60)
    played.gather("Ben")
    played.begin()
    played.do(played.table.act_for(1, 0, "bot", seen=played.table.number, since=0.0, now=played.now + 60))
    table = played.act(RollOn(), seat=0)
    assert not table.seats[0].stand_in
    assert played.reloaded().awaits == table.awaits == "player" or table.to_play == 1


def test_removing_a_seat_never_shifts_the_turn_and_it_may_come_back() -> None:
    played = Played("cinq-des(entry=0, target=3000)", after=60)
    played.gather("Ben", "Cleo")
    played.begin()
    rng = random.Random(7)
    played.do(played.table.act_for(1, 0, "remove", seen=played.table.number, since=0.0, now=played.now + 60))
    assert played.table.to_play == 1
    for expected in (1, 2, 1, 2):
        assert played.table.to_play == expected
        while played.table.to_play == expected:
            played.play(rng)
    # In mid-turn of another one the seat is noted, and plays again when that turn is over.
    while played.table.table.position.fresh:  # type: ignore[union-attr]
        played.play(rng)
    played.do(played.table.come_back(0, played.now))
    assert played.table.seats[0].returning
    assert played.table.come_back(0, played.now) is None
    while played.table.table.position.seats[0].away:  # type: ignore[union-attr]
        played.play(rng)
    assert not played.table.seats[0].returning
    assert played.reloaded().record == played.table.record
    played.play_on(rng)
    assert verify(played.table.record).rolls


def test_the_last_one_present_is_never_removed() -> None:
    played = Played(after=60)
    played.gather("Ben")
    played.begin()
    played.do(played.table.act_for(0, 1, "remove", seen=played.table.number, since=0.0, now=played.now + 60))
    refused(
        "last_player_stays",
        lambda: played.table.act_for(None, 0, "remove", seen=played.table.number, since=0.0, now=played.now + 999),
    )


def test_a_table_that_is_over_says_so_to_everybody_and_stays() -> None:  # report C071
    played = Played()
    played.gather("Ben")
    played.begin()
    played.play_on(random.Random(2))
    table = played.table
    refused("game_over", lambda: table.act(0, (RollOn(),), seen=table.number, link=None, now=START))
    refused("stale", lambda: table.act(0, (RollOn(),), seen=table.number - 1, link=None, now=START))  # asked once more
    refused("game_over", lambda: table.act_for(0, 1, "skip", seen=table.number, since=0, now=START + 10**6))
    refused("game_over", lambda: table.come_back(0, START))
    assert table.let_bot_play(START) is None
    assert table.start(0, START) is None
    assert table.public()["winners"]


def test_a_database_whose_dice_were_changed_is_found_out() -> None:
    played = Played()
    played.gather("Ben")
    played.begin()
    played.act(RollOn())
    roll = json.loads(played.entries[-1])[4]["actions"][0]
    other = "".join(str(int(face) % 6 + 1) for face in roll)
    played.entries[-1] = played.entries[-1].replace(roll, other)
    with pytest.raises(InvalidText) as raised:
        played.reloaded()
    assert raised.value.code == "dice_changed"


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"seats": 1}, "bad_number"), ({"seats": 9}, "bad_number"), ({"seats": True}, "bad_number"),
        ({"after": 5}, "bad_number"), ({"after": 10**9}, "bad_number"), ({"pace": -1}, "bad_number"),
        ({"then": "sulk"}, "bad_choice"),
    ],
)  # fmt: skip
def test_terms_that_cannot_be_are_refused(terms: dict[str, Any], code: str) -> None:
    refused(code, lambda: Played(**terms))
