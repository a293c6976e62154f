"""Rules in which somebody could never win are refused (RULES §5; C040, C045), checked by walking every game there is.

The walker knows nothing of the package: it plays all turns that luck could bring with the referee's scoring and
banking, over whole ladders of totals, and looks for a standing from which no turn after turn wins.
"""

import itertools
import random
from collections import defaultdict

import pytest

import referee
from cinqmille import PRESETS, InvalidRules, Rules
from referee import ANNOUNCEMENTS, FACES, Game, Refused, brute_keeps, parse_rules, wins

Turn = tuple[int, int]  # points and dice left
Standing = tuple[tuple[int, ...], int]  # ladder and scoreless turns in a row
START: Standing = ((), 0)
WON: Standing = ((), -1)


def turns(rules: referee.Rules) -> tuple[set[Turn], set[int]]:
    """Every (points, dice left) that a turn can come to, and the numbers of dice that can bust on the way."""
    dice = rules["dice"]
    most = max(rules["target"] - rules["floor"], rules["entry"], rules["min_bank"]) + referee.step(rules)
    menus: dict[int, list[dict[tuple[int, ...], int]]] = {}
    for count in range(1, dice + 1):
        rolls = itertools.combinations_with_replacement(FACES, count)
        menus[count] = [brute_keeps(rules, roll) for roll in rolls if not wins(rules, roll)]
    seen, todo, busts = {(0, dice)}, [(0, dice)], set[int]()
    while todo:
        points, left = todo.pop()
        rolled = left or dice
        for menu in menus[rolled]:
            if not menu:
                busts.add(rolled)
                continue
            after = [(points + worth, rolled - len(aside)) for aside, worth in menu.items()]
            best = max(menu.values())
            if rules["prediction"] and rolled == 2 and points and best in ANNOUNCEMENTS:
                after += [(2 * (points + w), rolled - len(aside)) for aside, w in menu.items() if w == best]
            for total, dice_left in after:
                state = (min(total, most), dice_left)
                if state not in seen:
                    seen.add(state)
                    todo.append(state)
    return seen - {(0, dice)}, busts


def standing(game: Game) -> Standing:
    return tuple(game.ladders[0]), game.scoreless[0] if game.rules["scoreless_limit"] else 0


def at(rules: referee.Rules, place: Standing) -> Game:
    game = Game(rules, ("Ana", "Ben"))
    game.ladders[0], game.scoreless[0] = list(place[0]), place[1]
    return game


def banked(rules: referee.Rules, place: Standing, outcomes: set[Turn]) -> set[Standing]:
    """Where a turn that is banked can lead to."""
    game, found = at(rules, place), set[Standing]()
    score, target = game.score(0), rules["target"]
    for points, left in outcomes:
        if rules["exact"] and score + points > target:
            continue
        try:
            total = game.total_after(points, left)
        except Refused:
            continue
        if total >= target:
            found.add(WON)
        else:
            after = at(rules, place)
            after.gain(total, None)
            found.add(standing(after))
    return found


def scoreless(rules: referee.Rules, place: Standing, outcomes: set[Turn], busts: set[int]) -> set[Standing]:
    """Where a turn without gain can lead to: a bust, or more than an exact target allows."""
    score = place[0][-1] if place[0] else 0
    passed = rules["exact"] and any(score + points > rules["target"] for points, _ in outcomes)
    found = set[Standing]()
    for possible, on_all_dice in ((bool(busts) or passed, False), (rules["dice"] in busts, True)):
        if possible:
            game = at(rules, place)
            game.scoreless_turn(on_all_dice)
            found.add(standing(game))
    return found


def playable(text: str, most: int = 20_000) -> bool | None:
    """Whether a player at 0 can win by banking alone, and nobody can come to where no turns win; None: too many."""
    rules = parse_rules(text)
    outcomes, busts = turns(rules)
    banks: dict[Standing, set[Standing]] = {}
    came_from: defaultdict[Standing, set[Standing]] = defaultdict(set)
    todo = [START]
    while todo:
        place = todo.pop()
        if place in banks or place == WON:
            continue
        if len(banks) == most:
            return None
        banks[place] = banked(rules, place, outcomes)
        after = banks[place] | scoreless(rules, place, outcomes, busts)
        for other in after:
            came_from[other].add(place)
        todo += after
        if rules["equal_scores"] == "fall" and 0 < (place[0] or (0,))[-1] < rules["target"] - rules["last_leg"]:
            todo.append((place[0][:-1], place[1]))  # somebody else arrives here
    can_win, todo = {WON}, [WON]
    while todo:
        new = came_from[todo.pop()] - can_win
        can_win |= new
        todo += new
    by_banking, todo = {START}, [START]
    while todo:
        new = banks.get(todo.pop(), set()) - by_banking
        by_banking |= new
        todo += new
    return WON in by_banking and set(banks) <= can_win


def accepted(text: str) -> bool | None:
    """What the package says; None when it has another reason to refuse."""
    try:
        Rules.parse(text)
    except InvalidRules as refusal:
        if refusal.code in ("dead_end", "entry_unreachable", "target_unreachable", "target_unreachable_exactly"):
            return False
        return None
    return True


OPTIONS: dict[str, tuple[object, ...]] = {
    "target": (200, 250, 350, 400, 450, 500, 550),
    "entry": (0, 0, 50, 100, 200, 300),
    "min_bank": (0, 0, 50, 100, 200, 250),
    "equal_scores": (None, None, "fall"),
    "hot_dice": (None, "must"),
    "keep": (None, "all"),
    "blank_roll": (0, 0, 50, 100, 150),
    "scoreless_limit": (0, 0, 0, 1, 2),
    "scoreless_penalty": ("zero", "previous", 50, 100, 200),
    "floor": (0, 0, 0, -100, -200),
    "strike": (None, None, "true"),
    "prediction": (None, None, "true"),
    "last_leg": (0, 0, 50, 100, 200),
    "exact": ("true", "true", "true", None),
}
COMBINATIONS = (
    "1=none", "5=none", "5=none", "1=200", "1=250", "5=150", "5=200", "1=150", "11=50", "2=50", "2=100", "6=350",
    "AA=100", "AAA=none", "111=none", "12345=none", "11111=none", "AAA=50*A", "AAB=50", "AB=50", "ABCD=100", "A=50",
    "A=100", "A=50*A", "A=win", "5=win",
)  # fmt: skip


def small_sheet(rng: random.Random) -> str:
    """Rules with a small target and odd tables, many of them unplayable."""
    preset, dice = rng.choice(("cinq-des", "farkle-minimal")), rng.choice((1, 1, 2, 2, 3, 3, 4, 5, 5))
    items = [f"dice={dice}"]
    for name, options in OPTIONS.items():
        value = rng.choice(options)
        if value is not None and (name != "prediction" or dice == 5):
            items.append(f"{name}={value}")
    patterns: set[str] = set()
    for combination in rng.choices(COMBINATIONS, k=rng.choice((0, 1, 2, 3, 4, 5))):
        pattern = combination.partition("=")[0]
        if len(pattern) <= dice and pattern not in patterns:
            patterns.add(pattern)
            items.append(combination)
    return f"{preset}({', '.join(items)})"


def compare(seed: int, number: int) -> dict[bool, int]:
    rng, verdicts = random.Random(seed), {True: 0, False: 0}
    for _ in range(number):
        text = small_sheet(rng)
        said = accepted(text)
        found = None if said is None else playable(text, 3000)
        if said is not None and found is not None:
            assert said == found, text
            verdicts[found] += 1
    return verdicts


def test_just_the_rules_in_which_nobody_can_be_stuck_are_accepted() -> None:
    verdicts = compare(seed=1, number=250)
    assert verdicts[True] > 150
    assert verdicts[False] > 15


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_just_the_rules_in_which_nobody_can_be_stuck_are_accepted_at_length(seed: int) -> None:
    verdicts = compare(seed, number=700)
    assert verdicts[True] > 400
    assert verdicts[False] > 40


# Named cases: what one would think of, each with the reason.
DECIDED = [
    # exact × min_bank: a hit is exempt, so nobody is stuck below the minimum (§2.6, C040, C045)
    ("cinq-des(exact=true, min_bank=500, target=550, entry=0)", True),
    ("cinq-des(exact=true, min_bank=200, target=500, entry=50)", True),
    # ... but not the entry, which binds the winner too
    ("cinq-des(exact=true, target=500, entry=550)", False),
    ("cinq-des(exact=true, target=500, entry=500)", True),
    # exact in a table without 5s: 50 more is never possible where 1s are worth 150
    ("farkle-minimal(exact=true, 5=none, 1=150, 111=none, target=500, dice=3)", False),
    ("farkle-minimal(exact=false, 5=none, 1=150, 111=none, target=500, dice=3)", True),
    ("farkle-minimal(exact=true, 5=none, target=500, dice=3)", True),
    # must × exact: with one die every set-aside is hot dice; only the target itself may be banked
    ("cinq-des(dice=1, hot_dice=must, exact=true, target=500, entry=0)", True),
    ("cinq-des(dice=1, hot_dice=must, exact=true, target=500, entry=0, 1=150, 5=200)", True),
    ("cinq-des(dice=1, hot_dice=may, exact=true, target=500, entry=0, 1=150, 5=200)", False),
    # keep=all: two dice at once leave no way to 50 but one that scores alone
    ("cinq-des(dice=2, keep=all, exact=true, target=500, entry=0, 1=100, 5=50)", True),
    ("cinq-des(dice=2, keep=all, exact=true, target=450, entry=0, 5=none, 1=none, AB=100, AA=50)", True),
    ("cinq-des(dice=2, keep=all, exact=true, target=450, entry=0, 5=none, 1=none, AB=100, 66=50, 11=250)", True),
    # last_leg: the last points in one turn
    ("cinq-des(last_leg=500, target=500, entry=0)", True),
    ("cinq-des(dice=3, target=500, last_leg=200, entry=0, 1=none, 5=none, AAA=none, 111=none, 11=100)", False),
    ("cinq-des(dice=3, target=500, last_leg=100, entry=0, 1=none, 5=none, AAA=none, 111=none, 11=100)", True),
    # a fall lets a player begin again: to zero, to the previous total, or by a strike
    ("farkle-minimal(exact=true, 5=none, 1=150, 111=none, target=450, dice=3, scoreless_limit=3)", True),
    ("farkle-minimal(exact=true, 5=none, 1=150, 111=none, target=450, dice=3, strike=true)", True),
    # ... but where the roll of all dice is never a bust, nobody is ever struck
    (
        "farkle-minimal(dice=3, target=550, entry=200, min_bank=250, keep=all, blank_roll=100, strike=true, "
        "exact=true, 555=50, A=100, 2=50, 5=100, AA=100)",
        False,
    ),
    # without any bust, passing an exact target is a scoreless turn too
    ("cinq-des(dice=2, target=500, entry=200, keep=all, scoreless_limit=2, exact=true, A=100, 5=150)", None),
    # who loses points may be pushed to where no turn wins
    ("farkle-minimal(exact=true, 5=none, target=500, dice=3, scoreless_limit=1, scoreless_penalty=100)", True),
    # ... and may climb from there to where losing again leads to 0
    (
        "farkle-minimal(dice=3, target=250, entry=0, min_bank=200, hot_dice=must, scoreless_limit=1, "
        "scoreless_penalty=50, floor=-100, last_leg=50, exact=true, 1=250, 5=win, 111=none)",
        True,
    ),
    (
        "cinq-des(dice=3, target=200, entry=0, min_bank=0, 1=none, 5=none, AAA=none, 111=none, 11=100, "
        "scoreless_limit=1, scoreless_penalty=100, floor=-100)",
        True,
    ),
    (
        "cinq-des(dice=3, target=100, entry=0, min_bank=0, 1=none, 5=none, AAA=none, 111=none, 11=100, exact=true, "
        "scoreless_limit=1, scoreless_penalty=100, floor=-100)",
        True,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), DECIDED)
def test_the_walker_and_the_package_agree_on_named_cases(text: str, expected: bool | None) -> None:
    assert accepted(text) == playable(text)
    if expected is not None:
        assert playable(text) is expected


def test_the_total_and_what_is_missing_are_named() -> None:
    """C040: never a player who cannot win any more, and the refusal says where the trap is."""
    with pytest.raises(InvalidRules) as refusal:
        Rules.parse("farkle-minimal(exact=true, 1=none, 5=150, 111=none, target=1000)")
    assert refusal.value.code == "dead_end"
    assert refusal.value.params == {"total": 950, "target": 1000, "missing": 50}


def test_every_sheet_can_be_played() -> None:
    """A sheet that is shipped was accepted; the small ones by the walker too."""
    for name in PRESETS:
        assert accepted(name)
        assert playable(f"{name}(target=600, entry=0, floor=0)", 3000) is not False
