"""The faults that others reported (data/reports.jsonl), one by one: those of rules, scoring, game, record and bots.

Every report is tested here, or stands in NOT_HERE with the file whose test names it or the reason why it is not tested.
Where a report names several readings, the one that RULES.md picks is tested.
"""

import json
import random
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from cinqmille import (
    PRESETS,
    Bank,
    IllegalAction,
    InvalidRules,
    InvalidText,
    Points,
    Position,
    RecordError,
    Roll,
    RollOn,
    Rules,
    SetAside,
    TakeOver,
    apply,
    can,
    do,
    keeps,
    legal_actions,
    odds,
    parse_action,
    replay,
    score,
    start,
)
from cinqmille.actions import Banked, Fell, Kept, Scoreless, Won
from cinqmille.bots import Steady

TESTS = Path(__file__).parent
REPORTS = [json.loads(line) for line in (TESTS / "data" / "reports.jsonl").read_text(encoding="utf-8").splitlines()]

DRIVERS: dict[str, Callable[[], None]] = {}


def report(*ids: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def register(driver: Callable[[], None]) -> Callable[[], None]:
        assert not set(ids) & set(DRIVERS), f"{ids} twice"
        DRIVERS.update(dict.fromkeys(ids, driver))
        return driver

    return register


# Where the other reports are tested, or why they are not: `tests/...` is a file that names the report.
NOT_HERE: dict[str, str] = {
    "C013": "tests/test_dice.py",
    "C014": "tests/test_dice.py",
    "C015": "tests/test_api.py",
    "C017": "tests/test_terminal.py",
    "C021": "no such rule: a full hand that is banked never costs the next turn (RULES §5.3 has may and must)",
    "C024": "no such rule: a bust puts no tick on a line (RULES §5.4 and §5.5 are the penalties)",
    "C029": "tests/test_tables.py",
    "C031": "tests/test_api.py",
    "C032": "tests/test_table.py",
    "C033": "tests/test_terminal.py",
    "C034": "tests/test_web_table_browser.py",
    "C035": "tests/test_api.py",
    "C036": "tests/test_web_far.py",
    "C037": "tests/test_web_far.py",
    "C046": "no such rule: what passes an exact target is lost and given to nobody (RULES §5.9)",
    "C069": "no such rule: no combination has to be confirmed",
    "C071": "tests/test_tables.py",
    "C072": "tests/test_table.py",
    "C075": "tests/test_table.py",
    "C076": "tests/test_web_far.py",
    "C077": "tests/test_web_far.py",
    "C078": "tests/test_terminal_files.py",
    "C079": "tests/test_tables.py",
    "C080": "tests/test_terminal.py",
    "C081": "tests/test_tables.py",
    "C082": "tests/test_tables.py",
    "C083": "tests/test_web_far.py",
    "C084": "tests/test_tables.py",
    "C085": "no such rule: nobody plays simultaneous rounds",
    "C086": "tests/test_web_table_browser.py",
    "C087": "tests/test_dice.py",
    "C088": "tests/test_dice.py",
    "C089": "tests/test_web_table_browser.py",
    "C090": "tests/test_web_table_browser.py",
    "C091": "tests/test_web_table_browser.py",
    "C092": "tests/test_web_table_browser.py",
    "C093": "tests/test_web_table_browser.py",
    "C094": "tests/test_web_table_browser.py",
    "C095": "tests/test_web_table_browser.py",
}


def test_every_report_is_tested_or_has_its_place() -> None:
    ids = [entry["id"] for entry in REPORTS]
    assert len(ids) == len(set(ids)) == 95
    assert not set(DRIVERS) & set(NOT_HERE)
    assert set(DRIVERS) | set(NOT_HERE) == set(ids)
    for number, place in NOT_HERE.items():
        if place.startswith("tests/"):
            assert number in (TESTS.parent / place).read_text(encoding="utf-8"), f"{number} is not in {place}"
        else:
            assert place.startswith("no such rule: ")


@pytest.mark.parametrize("entry", [e for e in REPORTS if e["id"] not in NOT_HERE], ids=lambda entry: str(entry["id"]))
def test_report(entry: dict[str, object]) -> None:
    DRIVERS[str(entry["id"])]()


# Drivers.


def at(rules: str, *turns: str, players: str = "Ana, Ben") -> Position:
    return replay(f"rules: {rules}\nplayers: {players}\n" + "".join(f"{turn}\n" for turn in turns)).position


def legal(rules: str, roll: str) -> dict[str, int]:
    return {"".join(map(str, keep.dice)): keep.points for keep in keeps(Rules.parse(rules), roll)}


def best(rules: str, roll: str) -> int:
    found = score(Rules.parse(rules), roll).best
    return found.points if found else 0


def refusal(position: Position, action: str) -> IllegalAction:
    with pytest.raises(IllegalAction) as error:
        apply(position, parse_action(action))
    return error.value


@report("C001")
def four_and_a_pair() -> None:
    for dice in set(product((3, 4), repeat=6)):
        if sorted(dice) == [3, 3, 3, 3, 4, 4]:
            roll = "".join(map(str, dice))
            assert best("farkle-minimal(AABBCC=750, AAAABB=750)", roll) == 750
            assert legal("farkle-minimal(AABBCC=750)", roll) == {"333": 300}
            assert best("farkle-minimal(AABBCC=750, AAAA=200*A)", roll) == 600


@report("C002")
def figures_need_all_their_dice_in_one_roll() -> None:
    for roll in ("11", "1122"):
        assert legal("six-des(AABBCC=1000)", roll) == {"1": 100, "11": 200}


@report("C003")
def an_instant_win_still_shows_what_was_set_aside() -> None:
    position = at("six-des(AAAAAA=win)", "Ana: 222155>222155 444444")
    assert (position.winners, position.turn_points, position.scores) == ((0,), 400, (0, 0))


@report("C004")
def a_short_straight_and_a_single() -> None:
    for roll, points in (("123455", 550), ("112345", 600), ("234565", 800)):
        assert best("kingdom-come", roll) == points
        assert score(PRESETS["kingdom-come"], roll).full


PREDICTION = "cinq-des(prediction=true, entry=0)"


@report("C005")
def a_right_prediction_doubles_these_points_too() -> None:
    position = at(PREDICTION, "Ana: 33326>333 ?150 15>15")
    assert (position.turn_points, position.dice_left) == (900, 0)
    assert can(position, Bank())
    assert not can(apply(position, RollOn()), Bank())
    must = at("cinq-des(prediction=true, entry=0, hot_dice=must)", "Ana: 33326>333 ?150 15>15")
    assert refusal(must, "=").code == "hot_dice_must_roll"


@report("C006")
def a_wrong_prediction_costs_nothing() -> None:
    assert at(PREDICTION, "Ana: 33326>333 ?100 15>15").turn_points == 450


@report("C007")
def left_over_dice_of_a_triple_are_singles() -> None:
    assert best("greed-kata", "55552") == 550


@report("C008")
def a_die_is_set_aside_at_most_once() -> None:
    position = at("cinq-des", "Ana: 15534")
    assert refusal(position, ">11").code == "not_in_roll"
    after = apply(position, SetAside((1,)))
    assert after.dice_left == 4
    assert refusal(after, ">1").code == "roll_on_due"


@report("C009")
def a_triple_takes_its_own_faces() -> None:
    assert [best("greed-kata", roll) for roll in ("12225", "25551")] == [350, 600]


@report("C010")
def after_hot_dice_all_dice_are_rolled() -> None:
    position = at("kingdom-come", "Ana: 123456>123456")
    assert position.dice_left == 0
    rolled = apply(position, RollOn())
    assert rolled.dice_left == 6
    assert odds(rolled.rules, rolled.dice_left).bust < odds(rolled.rules, 5).bust


@report("C011")
def which_dice_must_be_set_aside() -> None:
    assert can(at("six-des", "Ana: 155346"), SetAside((1,)))
    assert apply(at("six-des", "Ana: 155346"), SetAside((1,))).dice_left == 5
    error = refusal(at("six-des(keep=all)", "Ana: 155346"), ">1")
    assert error.code == "keep_all_due"
    assert "155 (200)" in str(error)


@report("C012")
def pairs_of_a_broken_triple() -> None:
    assert legal("six-des", "222533") == {"222": 200, "5": 50, "2225": 250}
    for aside in ("2", "22", "3", "33", "225"):
        assert refusal(at("six-des", "Ana: 222533"), f">{aside}").code == "does_not_count"


@report("C016")
def the_straight_is_listed_and_worth_what_the_list_says() -> None:
    for rules in PRESETS.values():
        for combination in rules.combinations:
            if combination.pattern == "123456":
                assert best(rules.canonical, "654321") == combination.points
    assert {c.pattern for c in PRESETS["farkle-minimal"].combinations} == {"1", "5", "111", "AAA"}
    assert best("farkle-minimal", "123456") == 150


@report("C018")
def hot_dice_are_counted_once() -> None:
    game = replay("rules: farkle-minimal\nplayers: Ana, Ben\nAna: 111555>111555\n")
    game, events = game.play(RollOn()).step(Roll.parse("111223"))
    hot = [e for _, _, step in game.steps() for e in step.events if isinstance(e, Kept) and e.dice_left == 0]
    assert len(hot) == 1
    assert len(events) == 1
    assert len(game.position.roll) == 6


@report("C019")
def hot_dice_may_or_must_be_rolled() -> None:
    turns = ("Ana: 12345>12345",)
    assert apply(at("cinq-des", *turns), Bank()).scores == (1500, 0)
    error = refusal(at("cinq-des(hot_dice=must)", *turns), "=")
    assert error.code == "hot_dice_must_roll"


@report("C020")
def five_ones_win_before_any_other_rule() -> None:
    position = at("cinq-des(hot_dice=must, exact=true, target=500, entry=0)", "Ana: 11111")
    assert (position.phase, position.winners) == ("over", (0,))


@report("C022", "C023")
def three_scoreless_turns_in_a_row() -> None:
    for limit, after in ((3, (0, 0)), (0, (2500, 0))):
        position = at(f"cinq-des(scoreless_limit={limit})", "Ana: =2500")
        told = []
        for _ in range(6):
            step = do(position, Points(0))
            told += [event for event in step.events if isinstance(event, Scoreless | Fell) and event.seat == 0]
            position = step.position
        assert position.scores == after
        counts = [(e.in_a_row, e.due) for e in told if isinstance(e, Scoreless)]
        assert counts == [(1, False), (2, False), (3, limit == 3)]
        falls = [e for e in told if isinstance(e, Fell)]
        assert falls == ([Fell(0, 2500, 0, "scoreless", 0)] if limit else [])
        assert position.seats[0].scoreless == (0 if limit else 3)


@report("C025")
def banking_before_setting_aside() -> None:
    position = at("farkle-minimal", "Ana: 123466")
    error = refusal(position, "=")
    assert error.code == "set_aside_due"
    assert "1 (100)" in str(error)
    assert can(position, SetAside((1,)))


@report("C026")
def setting_aside_before_the_first_roll() -> None:
    position = start(PRESETS["farkle-minimal"])
    assert refusal(position, ">1").code == "dice_due"
    assert position == start(PRESETS["farkle-minimal"])


@report("C027")
def a_bust_leaves_the_total_as_it_was() -> None:
    position = at("six-des(min_bank=350)", "Ana: =1000", "Ben: =0", "Ana: 333526>333 523>5 23>-")
    assert position.scores == (1000, 0)


@report("C028")
def no_bank_after_a_bust() -> None:
    position = at("six-des", "Ana: 111234>111 223>-")
    assert position.to_play == 1
    assert refusal(position, "=").code == "dice_due"
    with pytest.raises(RecordError) as error:
        at("six-des", "Ana: 111234>111 223>- =1000")
    assert error.value.code == "turn_is_over"


@report("C030")
def only_the_player_to_play_plays() -> None:
    for line, code in (("Ben: 15534>155", "out_of_turn"), ("Anna: 15534>155", "unknown_player")):
        with pytest.raises(RecordError) as error:
            at("cinq-des", line)
        assert error.value.code == code
        assert "Ana" in str(error.value)


@report("C038")
def the_entry_says_what_is_missing() -> None:
    position = at("six-des", "Ana: 444235>444 235>5")
    error = refusal(position, "=")
    assert (error.code, error.params["missing"]) == ("below_entry", 50)
    assert legal_actions(position) == (RollOn(),)


@report("C039")
def who_falls_back_to_0_must_open_again() -> None:
    """RULES §2.7: of the two readings, must_reopen."""
    position = at("six-des(scoreless_limit=1)", "Ana: =500", "Ben: =0", "Ana: =0", "Ben: =0", "Ana: 111234>11")
    assert position.scores == (0, 0)
    assert refusal(position, "=").code == "below_entry"


@report("C040", "C045")
def an_exact_finisher_is_exempt_from_the_minimum() -> None:
    rules = "six-des(exact=true, min_bank=200, target=10000)"
    position = at(rules, "Ana: =9900", "Ben: =0", "Ana: 123466>1")
    assert apply(position, Bank()).scores == (10000, 0)
    with pytest.raises(InvalidRules) as error:
        Rules.parse("farkle-minimal(exact=true, 5=none, 1=150, 111=none)")
    assert error.value.code == "dead_end"


@report("C041", "C042")
def the_last_points_are_made_in_one_turn() -> None:
    """RULES §5.7: a total stops at 4000, and from there only a turn that reaches 5000 counts (so 4700 never is)."""
    rules = "cinq-des(last_leg=1000)"
    assert apply(Position.parse(f"scores=3800/0 rules={rules}"), Points(400)).scores[0] == 4000
    assert refusal(Position.parse(f"scores=4000/0 rules={rules}"), "=950").code == "last_leg_needs_target"
    for total, turn in ((4000, 1000), (3800, 1200)):
        after = apply(Position.parse(f"scores={total}/0 rules={rules}"), Points(turn))
        assert (after.scores[0], after.winners) == (5000, (0,))
    with pytest.raises(InvalidText):
        Position.parse(f"scores=4700/0 rules={rules}")


@report("C043")
def small_thresholds_are_accepted() -> None:
    assert Rules.parse("six-des(entry=50, min_bank=0)").entry == 50
    assert can(at("six-des(entry=50)", "Ana: 523466>5"), Bank())
    for step in range(0, 1000, 50):
        assert Rules.parse(f"six-des(entry={step}, min_bank={step})").min_bank == step


@report("C044")
def the_entry_holds_in_the_last_turn() -> None:
    position = at("six-des(target=1000)", "Ana: =1000", "Ben: 444235>444 235>5")
    assert refusal(position, "=").params["missing"] == 50


@report("C047", "C073")
def each_other_player_has_one_last_turn_in_order() -> None:
    order = []
    position = at("six-des(target=1000)", "Ana: =0", "Ben: =1000", players="Ana, Ben, Cleo")
    while position.to_play is not None:
        order.append(position.to_play)
        position = apply(position, Points(0))
    assert order == [2, 0]
    assert position.winners == (1,)


@report("C048", "C053")
def a_tie_is_shared_or_goes_to_the_first_arrival() -> None:
    turns = ("Ana: =0", "Ben: =5200", "Cleo: =0", "Ana: =5200")
    for tie, winners in (("shared", (0, 1)), ("first", (1,))):
        step_back = at(f"six-des(tie={tie})", *turns[:-1], players="Ana, Ben, Cleo")
        step = do(step_back, Points(5200))
        assert step.position.winners == winners
        assert step.events[-1] == Won(winners, "shared" if len(winners) > 1 else "highest")


@report("C049", "C074")
def a_round_is_finished_so_that_all_have_had_as_many_turns() -> None:
    rules = "six-des(target=1000, ending=finish_round)"
    for seat in range(4):
        position, turns = start(Rules.parse(rules), 4), [0] * 4
        while position.to_play is not None:
            turns[position.to_play] += 1
            position = apply(position, Points(1000 if position.to_play == seat else 0))
        assert turns == [1, 1, 1, 1]
        assert position.winners == (seat,)


@report("C050")
def banking_without_reaching_the_leader_is_allowed() -> None:
    """RULES §4 has no such block: of the two readings, the permissive one."""
    position = at("six-des(target=10000)", "Ana: =0", "Ben: =8000", "Ana: =10000")
    assert apply(position, Points(500)).scores == (10000, 8500)


@report("C051")
def a_second_player_past_the_target_opens_nothing_new() -> None:
    position = at("six-des(target=10000)", "Ana: =10000", "Ben: =10500")
    assert (position.phase, position.winners) == ("over", (1,))


@report("C052")
def the_other_side_gets_its_last_turn() -> None:
    position = at("six-des(target=1000)", "Ana: =1000")
    assert (position.phase, position.to_play) == ("roll", 1)


@report("C054")
def a_bot_obeys_house_rules() -> None:
    tens = "cinq-des(1=10, 5=5, 111=100, AAA=10*A, 12345=150, 23456=150, 55555=500, target=500, entry=50, min_bank=30)"
    position = Position.parse(f"scores=0/0 phase=decide points=40 left=2 rules={tens}")
    assert Steady(0).choose(position) == RollOn()
    rng = random.Random(54)
    position = start(Rules.parse(tens))
    for _ in range(400):
        if position.to_play is None:
            break
        if position.phase == "roll":
            position = apply(position, Roll(tuple(rng.choices(range(1, 7), k=position.dice_left))))
        else:
            action = Steady(0).choose(position)
            if action == Bank():
                assert position.turn_points >= (30 if position.score else 50)
            position = apply(position, action)


@report("C055")
def the_winning_bank_is_told_before_the_end() -> None:
    position = Position.parse("scores=4900/0 phase=decide points=100 left=4 rules=cinq-des")
    assert do(position, Steady().choose(position)).events == (Banked(0, 100, 100, 5000), Won((0,), "target"))


FALL = "cinq-des(equal_scores=fall)"


@report("C056", "C062")
def a_fall_cascades_and_keeps_its_author() -> None:
    turns = ("Ana: =900", "Ben: =1450", "Cleo: =0", "Ana: =0", "Ben: =850", "Cleo: =0", "Ana: =550", "Ben: =0")
    step = do(at(FALL, *turns, players="Ana, Ben, Cleo"), Points(2300))
    assert step.position.scores == (900, 1450, 2300)
    assert [e for e in step.events if isinstance(e, Fell)] == [
        Fell(1, 2300, 1450, "equal", 2),
        Fell(0, 1450, 900, "equal", 1),
    ]


@report("C057")
def nobody_falls_at_zero() -> None:
    position = at("cinq-des(equal_scores=fall, strike=true)", "Ana: =0", "Ben: =750", "Ana: =0")
    step = do(position, parse_action("22346"))
    assert step.position.scores == (0, 0)
    assert [e for e in step.events if isinstance(e, Fell)] == [Fell(1, 750, 0, "strike", 1)]


@report("C058", "C059")
def the_previous_total_is_the_last_live_one() -> None:
    """Struck totals are gone for good: a ladder, not a field for the previous score."""
    strike = "cinq-des(strike=true, entry=0)"
    turns = ["Ana: =500", "Ben: =0", "Ana: =700", "Ben: =0", "Ana: =600", "Ben: =0", "Ana: 22346>-", "Ben: =0"]
    assert at(strike, *turns).seats[0].ladder == (500, 1200)
    turns += ["Ana: =1200", "Ben: =0", "Ana: 22346>-", "Ben: =0"]
    assert at(strike, *turns).seats[0].ladder == (500, 1200)
    position = Position.parse(f"scores=500<900<1500/0/0 player=2 rules={FALL}")
    for points, ladder in ((1500, (500, 900)), (900, (500,))):
        position = apply(position, Points(points))  # Ben at 1500, then Cleo at 900
        assert position.seats[0].ladder == ladder


@report("C060")
def totals_at_the_target_are_immune() -> None:
    position = at("cinq-des(equal_scores=fall, ending=last_turns)", "Ana: =5000", "Ben: =5000")
    assert (position.scores, position.winners) == ((5000, 5000), (0, 1))


@report("C061")
def an_equal_total_sends_to_the_previous_one() -> None:
    """The report has the harsher rule of another sheet, to zero; RULES §5.2 has the previous total."""
    position = at(FALL, "Ana: =900", "Ben: =800", "Ana: =950", "Ben: =1050")
    assert position.scores == (900, 1850)
    position = at(FALL, "Ana: =1850", "Ben: =1850")
    assert position.scores == (0, 1850)
    assert refusal(position, "=700").code == "below_entry"


@report("C063", "C067")
def a_corrected_end_is_no_end() -> None:
    """The phase is recomputed: the last turns are cancelled, a finished game goes on."""
    game = replay("rules: six-des(target=10000)\nplayers: Ana, Ben\nAna: =9500\nBen: =500\nAna: =500\n")
    assert game.position.opener == 0
    corrected = game.corrected(3, "=450")
    assert (corrected.position.opener, corrected.position.scores, corrected.position.to_play) == (None, (9950, 500), 1)
    over = game.play(Points(0))
    assert over.position.winners == (0,)
    reopened = over.corrected(3, "=0")
    assert (reopened.position.phase, reopened.position.winners, reopened.position.to_play) == ("roll", (), 0)
    assert over.cut(len(over.actions) - 2).position.winners == ()


@report("C064")
def any_earlier_entry_can_be_corrected() -> None:
    game = replay("rules: six-des\nplayers: Ana, Ben\nAna: =950\nBen: =500\nAna: =0\nBen: =50\n")
    assert game.corrected(1, "=500").position.scores == (500, 550)
    fall = replay("rules: six-des(equal_scores=fall)\nplayers: Ana, Ben\nAna: =950\nBen: =500\nAna: =0\nBen: =50\n")
    assert fall.corrected(1, "=550").position.scores == (0, 550)
    assert [fall.cut(count).position.scores for count in range(5)] == [
        (0, 0),
        (950, 0),
        (950, 500),
        (950, 500),
        (950, 550),
    ]


@report("C065")
def more_dice_than_the_game_has() -> None:
    position = start(PRESETS["six-des"])
    assert refusal(position, "1115555").code == "wrong_number_of_dice"
    with pytest.raises(IllegalAction) as error:
        score(PRESETS["six-des"], "1115555")
    assert error.value.code == "too_many_dice"


@report("C066")
def a_skipped_turn_is_neutral() -> None:
    """RULES §6: of the two readings, skip_neutral."""
    turns = ["Ana: =750", "Ben: =0", "Ana: 22346>-", "Ben: =0", "Ana: 22346>-", "Ben: skip", "Ana: skip", "Ben: skip"]
    position = at("cinq-des(scoreless_limit=3)", *turns)
    assert position.seats[0].scoreless == 2
    assert at("cinq-des(scoreless_limit=3)", *turns, "Ana: 22346>-").scores == (0, 0)


@report("C068")
def a_turn_that_could_only_pass_the_target_is_not_offered() -> None:
    rules = "cinq-des(takeover=always, exact=true, target=10000, entry=0)"
    turns = ("Ana: =9500", "Ben: =0", "Ana: skip", "Ben: 66632>666 =600")
    position = at(rules, *turns)
    assert position.phase == "roll"
    assert refusal(position, "+").code == "takeover_passes_target"
    fits = at(rules, "Ana: =9350", *turns[1:])
    assert can(fits, TakeOver())


@report("C070")
def only_a_banked_turn_is_taken_over() -> None:
    """The reading of the five-dice sheet."""
    rules = "cinq-des(takeover=always)"
    assert can(at(rules, "Ana: 11123>111 ="), TakeOver())
    assert refusal(at(rules, "Ana: 11123>111 24>-"), "+").code == "nothing_to_take_over"
