"""The table: commands with numbers, dice stored before they are shown, bots, undo and correction as replays."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cinqmille.actions import (
    Action,
    Announce,
    Back,
    Bank,
    Banked,
    Busted,
    Leave,
    Points,
    Roll,
    Rolled,
    RollOn,
    SetAside,
    Skip,
    TakeOver,
    Won,
)
from cinqmille.dice import SeededDice, SystemDice
from cinqmille.errors import CinqMilleError, IllegalAction, InvalidText, RecordError
from cinqmille.game import legal_keeps
from cinqmille.patterns import Dice
from cinqmille.record import Game
from cinqmille.rules import Rules
from cinqmille.scoring import parse_dice
from cinqmille.table import Table


class Loaded:
    """Dice that fall as a test needs them."""

    header = "loaded"

    def __init__(self, *rolls: str) -> None:
        self.rolls = [parse_dice(roll) for roll in rolls]
        self.asked: list[int] = []

    def roll(self, number: int, count: int) -> Dice:
        self.asked.append(number)
        assert len(self.rolls[number]) == count
        return self.rolls[number]


class Kept(list[Game]):
    """A save that remembers every game it got."""

    def __call__(self, game: Game) -> None:
        self.append(game)


def game(rules: str = "cinq-des", players: str = "Ana, Ben", **headers: str) -> Game:
    return Game.new(Rules.parse(rules), tuple(players.split(", ")), headers)


def real(rules: str = "cinq-des", players: str = "Ana, Ben", **headers: str) -> Table:
    return Table(game(rules, players, dice="real", **headers), save=Kept())


def recorded(text: str, **headers: str) -> Table:
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return Table(Game.parse("\n".join([*lines, text.strip()]) + "\n"), save=Kept())


def refused(code: str, do: Callable[[], object]) -> CinqMilleError:
    with pytest.raises(CinqMilleError) as caught:
        do()
    assert caught.value.code == code
    return caught.value


def awaits(table: Table) -> str:
    return table.awaits


# Dice that the program rolls


def test_a_turn_with_drawn_dice() -> None:
    kept = Kept()
    table = Table(game(), save=kept, dice=Loaded("11123", "24"))
    assert (table.number, awaits(table), table.real) == (0, "player", False)
    news = table.play(RollOn(), seen=0)
    assert [type(one.action) for one in news] == [Roll]
    assert news[0].events == (Rolled(0, (1, 1, 1, 2, 3), True),)
    table.play(SetAside((1, 1, 1)), seen=1)
    news = table.play(RollOn(), seen=2)
    assert [one.number for one in news] == [3, 4]
    assert [type(one.action) for one in news] == [RollOn, Roll]
    assert isinstance(news[-1].events[1], Busted)
    assert [one.position for one in news][-1] == table.position
    assert table.game.turns()[0].text == "11123>111 24>-"
    assert [len(one.actions) for one in kept] == [1, 2, 4]


def test_several_actions_are_all_played_or_none() -> None:
    kept = Kept()
    table = Table(game(), save=kept, dice=Loaded("15534", "24"))
    table.play(RollOn(), seen=0)
    refused("below_entry", lambda: table.play(SetAside((1, 5, 5)), Bank(), seen=1))
    assert (table.number, table.position.phase, len(kept)) == (1, "choose", 1)
    table.play(SetAside((1, 5, 5)), RollOn(), seen=1)
    assert table.position.to_play == 1


def test_the_roll_is_stored_before_it_is_told() -> None:
    """Case C014."""
    dice = Loaded("15534")
    stored: list[str] = []

    def save(game: Game) -> None:
        stored.append(game.text)

    table = Table(game(), save=save, dice=dice)
    table.play(RollOn(), seen=0)
    assert stored[0].endswith("Ana: 15534\n")


def test_what_cannot_be_stored_was_not_played() -> None:
    def save(game: Game) -> None:
        raise OSError("disk full")

    table = Table(game(), save=save, dice=SystemDice())
    with pytest.raises(OSError, match="disk full"):
        table.play(RollOn(), seen=0)
    assert (table.number, table.game.actions) == (0, ())
    kept = Kept()
    first = table.dice.roll(0, 5)
    table._save = kept
    table.play(RollOn(), seen=0)
    assert table.position.roll == first, "the dice that could not be stored are not rolled again"


def test_nothing_can_be_tried_on_a_roll_that_is_not_stored() -> None:
    dice = Loaded("15534")
    table = Table(game(), save=Kept(), dice=dice)
    refused("roll_comes_last", lambda: table.play(RollOn(), SetAside((1,)), seen=0))
    assert dice.asked == []


def test_a_stale_command_is_refused() -> None:
    """Case C072: two rolls sent at once are one throw."""
    dice = Loaded("15534")
    table = Table(game(), save=Kept(), dice=dice)
    seen = table.number
    table.play(RollOn(), seen=seen)
    error = refused("stale", lambda: table.play(RollOn(), seen=seen))
    assert error.params == {"seen": 0, "number": 1}
    assert dice.asked == [0]
    refused("stale", lambda: table.undo(seen=0))
    refused("stale", lambda: table.correct(1, "", seen=7))


def test_the_number_grows_with_undo_too() -> None:
    """Otherwise a command meant for what was undone could fit by chance."""
    table = real()
    table.play(Roll((1, 1, 1, 2, 3)), seen=0)
    table.undo(seen=1)
    assert (table.number, table.game.actions) == (2, ())
    refused("stale", lambda: table.play(Roll((1, 1, 1, 2, 3)), seen=1))


def test_only_the_player_to_play_may_play() -> None:
    """Case C030."""
    table = Table(game(players="Ana, Ben, Cid"), save=Kept(), dice=Loaded("15534"))
    error = refused("out_of_turn", lambda: table.play(RollOn(), seen=0, seat=1))
    assert error.params == {"player": "Ben", "expected": "Ana"}
    refused("out_of_turn", lambda: table.play(Leave(2), seen=0, seat=1))
    table.play(Leave(1), seen=0, seat=1)
    table.play(RollOn(), seen=1, seat=0)
    assert table.number == 2


def test_nobody_plays_on_into_the_turn_of_the_next() -> None:
    table = Table(game(players="Ana, Ben, Cid", rules="cinq-des(entry=0)"), save=Kept(), dice=Loaded("15534", "11123"))
    table.play(RollOn(), seen=0, seat=0)
    before = table.game
    refused("out_of_turn", lambda: table.play(SetAside((1, 5, 5)), Bank(), RollOn(), seen=table.number, seat=0))
    refused("out_of_turn", lambda: table.play(Leave(0), RollOn(), seen=table.number, seat=0))
    assert table.game is before


@pytest.mark.parametrize("action", [Roll((1, 1, 1, 2, 3)), Points(450)])
def test_drawn_dice_are_not_typed(action: Roll | Points) -> None:
    table = Table(game(), save=Kept(), dice=SeededDice("1"))
    refused("dice_are_drawn", lambda: table.play(action, seen=0))


@pytest.mark.parametrize("action", [Bank(), SetAside((1,)), TakeOver(), Announce(50)])
def test_what_comes_too_early_is_refused(action: Bank) -> None:
    """Cases C025 and C026."""
    table = Table(game("cinq-des(prediction=true, takeover=always)"), save=Kept(), dice=SeededDice("1"))
    with pytest.raises(IllegalAction):
        table.play(action, seen=0)
    assert table.number == 0


def test_take_over_and_announcement_roll_at_once() -> None:
    rules = "cinq-des(prediction=true, takeover=always, entry=0)"
    table = Table(game(rules), save=Kept(), dice=Loaded("11123", "15", "22334", "22235", "15"))
    table.play(RollOn(), seen=0)
    table.play(SetAside((1, 1, 1)), Bank(), seen=1)
    assert table.position.phase == "start"
    news = table.play(TakeOver(), seen=3)
    assert [type(one.action) for one in news] == [TakeOver, Roll]
    table.play(SetAside((1, 5)), Bank(), seen=table.number)
    table.play(RollOn(), seen=table.number)
    assert table.position.to_play == 1
    table.play(RollOn(), seen=table.number)
    table.play(SetAside((2, 2, 2)), seen=table.number)
    news = table.play(Announce(150), seen=table.number)
    assert [type(one.action) for one in news] == [Announce, Roll]
    table.play(SetAside((1, 5)), Bank(), seen=table.number)
    assert table.position.scores == (1000, 1150 + 700)


def test_a_game_goes_on_exactly_where_it_was() -> None:
    """Case C014: seeded dice depend on the number of the roll, so a resumed game rolls what it would have rolled."""

    def played(pause_after: int) -> str:
        table = Table(game(seats="Ana=steady:400, Ben=steady:350", dice="seed 11"), save=Kept())
        for _ in range(pause_after):
            table.play_bot()
        table = Table(Game.parse(table.game.text), save=Kept())
        while awaits(table) == "bot":
            table.play_bot()
        return table.game.text

    assert len({played(pause_after) for pause_after in (0, 1, 7, 30)}) == 1


def test_a_set_aside_can_be_taken_back_again_and_again() -> None:
    """Case C032; but never a roll, nor what was decided before one."""
    table = Table(game(), save=Kept(), dice=Loaded("11123", "15", "22346"))
    refused("nothing_to_undo", lambda: table.undo(seen=0))
    table.play(RollOn(), seen=0)
    for dice in ((1,), (1, 1), (1, 1, 1)):
        refused("drawn_dice_stay", lambda: table.undo(seen=table.number))
        table.play(SetAside(dice), seen=table.number)
        assert table.undo(seen=table.number) == (SetAside(dice),)
        assert table.position.phase == "choose"
    table.play(SetAside((1, 1, 1)), RollOn(), seen=table.number)
    refused("drawn_dice_stay", lambda: table.undo(seen=table.number))
    table.play(SetAside((1, 5)), Bank(), seen=table.number)
    assert table.undo(seen=table.number) == (Bank(),)
    table.play(Bank(), RollOn(), seen=table.number)
    refused("drawn_dice_stay", lambda: table.undo(seen=table.number))
    refused("drawn_turns_stay", lambda: table.correct(1, "=450", seen=table.number))


def test_an_exact_target_passed_can_be_taken_back_before_the_next_roll() -> None:
    table = Table(game("cinq-des(target=100, entry=0, exact=true)"), save=Kept(), dice=Loaded("15534"))
    table.play(RollOn(), seen=0)
    table.play(SetAside((1, 5)), seen=1)
    assert table.position.to_play == 1
    table.undo(seen=table.number)
    assert (table.position.to_play, table.position.phase) == (0, "choose")


def test_coming_and_going_is_taken_back_with_drawn_dice() -> None:
    table = Table(game(players="Ana, Ben, Cid"), save=Kept(), dice=Loaded("22346", "22346"))
    table.play(RollOn(), seen=0)
    for action in (Skip(), Leave(1), Leave(2)):
        before = table.game
        table.play(action, seen=table.number)
        assert table.undo(seen=table.number) == (action,)
        assert table.game == before
    table.play(Leave(2), seen=table.number)
    table.play(Back(2), seen=table.number)
    assert table.undo(seen=table.number) == (Back(2),)
    assert table.undo(seen=table.number) == (Leave(2),)
    refused("drawn_dice_stay", lambda: table.undo(seen=table.number))


def test_the_table_decides_who_sits_there() -> None:
    table = Table(game(players="Ana, Ben, Cid"), save=Kept(), dice=Loaded("15534", "22346"))
    table.play(RollOn(), seen=0)
    table.play(Skip(), seen=1)
    assert table.position.to_play == 1
    table.play(Leave(1), seen=2)
    assert table.position.to_play == 2
    table.play(Back(1), seen=3)
    refused("not_away", lambda: table.play(Back(1), seen=4))
    assert table.game.turns()[-1].text == "back"


# Bots


def test_bots_play_until_a_person_is_to_play() -> None:
    kept = Kept()
    table = Table(game(players="Ben, Ana", seats="Ben=steady:350"), save=kept, dice=Loaded("11123", "15", "22446"))
    assert awaits(table) == "bot"
    refused("bot_plays", lambda: table.play(RollOn(), seen=0))
    told = [table.play_bot() for _ in range(3)]
    assert awaits(table) == "player"
    assert table.play_bot() == ()
    assert [one.number for news in told for one in news] == [1, 2, 3]
    assert isinstance(told[-1][0].events[0], Banked)
    assert [len(one.actions) for one in kept] == [1, 2, 3]


def test_a_bot_obeys_the_entry() -> None:
    """Case C054."""
    table = Table(game(players="Ben, Ana", seats="Ben=steady:50", dice="seed 3"), save=Kept())
    while awaits(table) == "bot":
        table.play_bot()
    assert not table.game.turns()[0].text.endswith("=50")


def test_the_last_bank_of_a_bot_comes_before_the_end() -> None:
    """Case C055."""
    table = Table(game("cinq-des(target=750)", "Ben, Ana", seats="Ben=steady:350"), save=Kept(), dice=Loaded("11123"))
    for _ in range(2):
        table.play_bot()
    table = Table(game("cinq-des(target=1000)", "Ben, Ana", seats="Ben=steady:350"), save=Kept(), dice=Loaded("11123"))
    events = [event for _ in range(3) for one in table.play_bot() for event in one.events]
    assert [type(event) for event in events[-2:]] == [Banked, Won]
    assert awaits(table) == "nothing"
    assert table.play_bot() == ()


def test_somebody_rolls_the_real_dice_for_a_bot() -> None:
    table = real(players="Ben, Ana", seats="Ben=steady:350")
    assert awaits(table) == "dice"
    refused("bot_plays", lambda: table.play(Points(450), seen=0))
    table.play(Roll((1, 1, 1, 2, 3)), seen=0)
    assert awaits(table) == "bot"
    refused("bot_plays", lambda: table.play(SetAside((1,)), seen=1))
    table.play_bot()
    table.play_bot()
    assert (awaits(table), table.position.scores) == ("dice", (1000, 0))


def test_an_unknown_bot_is_refused() -> None:
    refused("unknown_bot", lambda: Table(game(seats="Ben=mind reader"), save=Kept()))


def test_unreadable_dice_are_refused() -> None:
    with pytest.raises(InvalidText):
        Table(game(dice="loaded"), save=Kept())


def test_a_record_without_dice_header_was_played_with_real_dice() -> None:
    assert recorded("rules: cinq-des\nplayers: Ana, Ben\nAna: =800").real


# Real dice


def test_real_dice_are_typed_whenever_they_are_rolled() -> None:
    table = real()
    news = table.play(Roll((1, 5, 5, 3, 4)), SetAside((1, 5, 5)), Roll((2, 4)), seen=0)
    assert [type(one.action) for one in news] == [Roll, SetAside, RollOn, Roll]
    assert table.game.turns()[0].text == "15534>155 24>-"


def test_a_roll_declines_what_could_be_taken_over() -> None:
    table = real("cinq-des(takeover=always)")
    table.play(Roll((1, 1, 1, 2, 3)), SetAside((1, 1, 1)), Bank(), seen=0)
    assert table.position.phase == "start"
    table.play(Roll((1, 5, 5, 3, 4)), seen=3)
    assert (table.position.phase, table.position.turn_points) == ("choose", 0)


def test_undo_takes_back_what_was_typed_one_by_one() -> None:
    table = real("cinq-des(entry=0)")
    table.play(Roll((1, 5, 5, 3, 4)), SetAside((1, 5, 5)), Roll((1, 4)), SetAside((1,)), Bank(), seen=0)
    table.play(Points(450), seen=table.number)
    seen = []
    while table.game.actions:
        table.undo(seen=table.number)
        seen.append(table.game.turns()[-1].text if table.game.actions else "")
    assert seen == ["15534>155 14>1 =300", "15534>155 14>1", "15534>155 14", "15534>155", "15534", ""]


def test_a_correction_is_taken_back_as_a_whole() -> None:
    table = real("cinq-des(entry=0)")
    games = []
    for points in (450, 300, 200):
        table.play(Points(points), seen=table.number)
    for change in ((1, "=700"), (3, ""), (2, "15534")):
        games.append(table.game)
        table.correct(*change, seen=table.number)
    corrected = table.game
    table.play(SetAside((1,)), seen=table.number)
    assert table.undo(seen=table.number) == (SetAside((1,)),)
    assert table.game == corrected
    for before in reversed(games):
        assert table.undo(seen=table.number) == ()
        assert table.game == before
    assert table.undo(seen=table.number) == (Points(200),)


def test_a_correction_to_nothing_is_taken_back() -> None:
    table = real("cinq-des(entry=0)")
    table.play(Points(450), seen=0)
    table.correct(1, "", seen=1)
    table.undo(seen=table.number)
    assert table.game.actions == (Points(450),)


def test_a_correction_is_taken_back_with_what_bots_did_since() -> None:
    table = real("cinq-des(entry=0)", players="Ana, Ben", seats="Ben=steady:350")
    table.play(Roll((1, 1, 1, 2, 3)), SetAside((1, 1, 1)), Bank(), seen=0)
    table.play(Roll((1, 1, 1, 2, 3)), seen=table.number)
    before = table.game
    table.correct(1, "=450", seen=table.number)
    while awaits(table) == "bot":
        table.play_bot()
    table.undo(seen=table.number)
    assert table.game == before


def test_a_decision_to_roll_is_undone_alone() -> None:
    table = real("cinq-des(entry=0)")
    table.play(Roll((1, 5, 5, 3, 4)), SetAside((1, 5, 5)), RollOn(), seen=0)
    assert table.undo(seen=table.number) == (RollOn(),)
    assert table.position.phase == "decide"


def test_undo_passes_over_what_a_bot_decided() -> None:
    table = real(players="Ben, Ana", seats="Ben=steady:350")
    table.play(Roll((1, 1, 1, 2, 3)), seen=0)
    for _ in range(2):
        table.play_bot()
    taken = table.undo(seen=table.number)
    assert [type(action) for action in taken] == [Roll, SetAside, Bank]
    assert (awaits(table), table.game.actions) == ("dice", ())
    table.play(Roll((1, 2, 2, 3, 4)), seen=table.number)
    while awaits(table) == "bot":
        table.play_bot()
    table.play(Roll((2, 3, 4, 6)), seen=table.number)
    table.undo(seen=table.number)
    assert awaits(table) == "dice"
    assert table.position.dice_left == 4


def test_any_earlier_entry_can_be_corrected() -> None:
    """Case C064."""
    table = recorded("rules: cinq-des(entry=0)\nplayers: Ana, Ben\nAna: =450\nBen: =300\nAna: =100\nBen: =200")
    table.correct(1, "=550", seen=table.number)
    assert table.position.scores == (650, 500)
    error = refused("points_not_a_multiple", lambda: table.correct(2, "=301", seen=table.number))
    assert isinstance(error, RecordError)
    assert error.line == 2
    assert table.position.scores == (650, 500)


def test_a_correction_and_what_comes_after_it_go_in_one_step() -> None:
    table = recorded("rules: cinq-des\nplayers: Ana, Ben\nAna: =800\nBen: =0\nAna: =450\nBen: =900")
    error = refused("game_over", lambda: table.correct(1, "=5000", seen=table.number))
    assert isinstance(error, RecordError)
    assert error.line == 2
    table.correct(1, "=5000", seen=table.number, last=error.line - 1)
    assert [turn.text for turn in table.game.turns()] == ["=5000"]
    assert table.position.winners == (0,)


def test_a_correction_takes_back_the_last_turns() -> None:
    """Case C063."""
    text = "rules: six-des(entry=0, target=1000)\nplayers: Ana, Ben\nAna: =950\nBen: =500\nAna: =200"
    table = recorded(text)
    assert table.position.opener == 0
    table.correct(3, "=0", seen=table.number)
    assert (awaits(table), table.position.scores) == ("dice", (950, 500))
    assert "reached" not in str(table.position)


def test_a_correction_changes_falls_and_penalties() -> None:
    """Cases C056, C062 and C066: everything is recomputed."""
    rules = "cinq-des(entry=0, equal_scores=fall, scoreless_limit=3)"
    table = recorded(f"rules: {rules}\nplayers: Ana, Ben\nAna: =900\nBen: =900\nAna: =0\nBen: =0\nAna: =0\nBen: skip")
    assert table.position.scores == (0, 900)
    table.correct(2, "=950", seen=table.number)
    assert table.position.scores == (900, 950)
    table.play(Points(0), seen=table.number)
    assert table.position.scores == (0, 950), "three scoreless turns in a row"
    assert [seat.scoreless for seat in table.position.seats] == [0, 1], "a skip is neutral"


def test_a_finished_game_can_be_reopened() -> None:
    """Case C067."""
    table = recorded("rules: cinq-des(entry=0, target=1000)\nplayers: Ana, Ben\nAna: =950\nBen: =500\nAna: =100")
    assert awaits(table) == "nothing"
    refused("game_over", lambda: table.play(Points(50), seen=table.number))
    table.correct(3, "=0", seen=table.number)
    assert (awaits(table), table.position.winners) == ("dice", ())
    table.play(Points(500), seen=table.number)
    assert table.position.winners == (1,)
    table.undo(seen=table.number)
    assert table.position.to_play == 1


def test_two_tables_know_nothing_of_each_other() -> None:
    """Case C075."""
    first, second = real("cinq-des(target=50, entry=0)"), real()
    first.play(Points(50), seen=0)
    assert awaits(first) == "nothing"
    assert (second.position.scores, second.number) == ((0, 0), 0)


@given(st.data())
def test_whatever_is_sent_the_table_is_its_record(data: st.DataObject) -> None:
    """Legal or not: the game saved is the game shown, its text leads there, and a refusal changes nothing."""
    rules = data.draw(
        st.sampled_from(["cinq-des", "six-des(takeover=always)", "cinq-des(prediction=true, exact=true)"])
    )
    header = data.draw(st.sampled_from(["real", "seed 5"]))
    kept = Kept()
    table = Table(game(rules, seats="Ben=steady:300", dice=header), save=kept)
    dice = st.lists(st.integers(1, 6), min_size=1, max_size=6).map(tuple)
    actions: st.SearchStrategy[Action] = st.one_of(
        st.builds(Roll, dice),
        st.builds(SetAside, dice),
        st.sampled_from([Bank(), RollOn(), RollOn(), TakeOver(), Announce(100), Points(500), Points(0), Skip()]),
        st.sampled_from([Leave(0), Back(0), Leave(1), Back(1)]),
    )
    for _ in range(data.draw(st.integers(1, 25))):
        before, number = table.game, table.number
        try:
            match data.draw(st.integers(0, 6)):
                case 0:
                    table.undo(seen=number)
                case 1 | 2:
                    table.play_bot()
                case 3 if table.position.phase == "choose":
                    table.play(SetAside(legal_keeps(table.position)[0].dice), seen=number)
                case _:
                    table.play(*data.draw(st.lists(actions, min_size=1, max_size=3)), seen=number)
        except CinqMilleError:
            assert (table.game, table.number) == (before, number)
        else:
            assert table.number >= number
        if kept:
            assert kept[-1] is table.game
        again = Game.parse(table.game.text)
        assert again.text == table.game.text
