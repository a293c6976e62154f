"""A position from what one sees at the table: the scores, who plays, the points at risk, the dice.

The line of a position tells everything; here only what matters nearly always is given, and the rest is what it is at
most tables: earlier totals are not known (a fall leads to 0), nobody has turns without points behind him, and nothing
is on offer.
"""

from __future__ import annotations

from collections.abc import Sequence

from cinqmille.errors import IllegalAction, InvalidText
from cinqmille.patterns import Dice
from cinqmille.position import FEWEST_PLAYERS, MOST_PLAYERS, Position, Seat
from cinqmille.rules import Rules
from cinqmille.scoring import scored


def situation(
    rules: Rules,
    scores: Sequence[int],
    player: int,
    *,
    turn_points: int = 0,
    roll: Dice | None = None,
    dice_left: int | None = None,
) -> Position:
    """Return the position in which ``player`` (from 0) is to play with ``turn_points`` at risk.

    ``roll`` lies on the table, or ``dice_left`` dice are left after setting aside (0, or all, after hot dice); with
    neither, and nothing at risk, the turn begins. Who is at the target already opened the last turns. Raises
    IllegalAction or InvalidText naming what cannot be, such as a roll in which there is nothing to decide.
    """
    count = len(scores)
    if not FEWEST_PLAYERS <= count <= MOST_PLAYERS:
        raise IllegalAction("players_number", players=count, fewest=FEWEST_PLAYERS, most=MOST_PLAYERS)
    if not 0 <= player < count:
        raise IllegalAction("no_such_seat", seat=player + 1, seats=count)
    for score in scores:
        _check_score(rules, score)
    _check_equal(rules, scores)
    opener = _opener(rules, scores, player)
    _check_points(rules, scores[player], turn_points)
    phase, left = _phase(rules, turn_points, roll, dice_left)
    seats = tuple(Seat((score,) if score else ()) for score in scores)
    dice = () if roll is None else tuple(roll)
    return Position(rules, seats, player, phase, turn_points, left, dice, opener=opener)


def _check_score(rules: Rules, score: int) -> None:
    if score % rules.step:
        raise IllegalAction("points_not_a_multiple", points=score, step=rules.step)
    if score < rules.floor:
        raise InvalidText("score_below_floor", score=score, floor=rules.floor)
    if rules.cap < score < rules.target:
        raise InvalidText("score_in_last_leg", score=score, cap=rules.cap, target=rules.target)
    if rules.exact and score > rules.target:
        raise InvalidText("score_passes_exact", score=score, target=rules.target)
    if rules.ending == "first" and score >= rules.target:
        raise InvalidText("score_has_won", score=score, target=rules.target)


def _check_equal(rules: Rules, scores: Sequence[int]) -> None:
    """Where equal totals fall, no two players have the same."""
    if rules.equal_scores == "fall":
        for score in scores:
            if 0 < score < rules.cap and list(scores).count(score) > 1:
                raise InvalidText("scores_equal", score=score)


def _opener(rules: Rules, scores: Sequence[int], player: int) -> int | None:
    """Who began the last turns: of those at the target the one who was there first."""
    reached = [seat for seat, score in enumerate(scores) if score >= rules.target]
    if not reached:
        return None
    late = [seat for seat in reached if seat >= player] if rules.ending == "finish_round" else [player]
    if set(late) & set(reached):
        raise InvalidText("had_last_turn", seat=late[0] + 1, score=scores[late[0]], player=player + 1)
    # The turns after the opener's go round once, so nobody between the player and the opener was there before.
    return min(reached, key=lambda seat: (seat - player) % len(scores))


def _check_points(rules: Rules, score: int, points: int) -> None:
    if points < 0:
        raise InvalidText("points_at_risk_negative", points=points)
    if points % rules.step:
        raise IllegalAction("points_not_a_multiple", points=points, step=rules.step)
    if rules.exact and score + points > rules.target:
        raise IllegalAction("points_pass_target", points=points, score=score, target=rules.target)


def _phase(rules: Rules, points: int, roll: Dice | None, left: int | None) -> tuple[str, int]:
    """The phase, and the dice left in it."""
    if left is not None and not 0 <= left <= rules.dice:
        raise InvalidText("dice_left_wrong", left=left, dice=rules.dice)
    if roll is not None:
        return "choose", _rolled(rules, points, roll, left)
    if not points:
        if left not in (None, rules.dice):
            raise InvalidText("points_at_risk_missing", left=left, dice=rules.dice)
        return "roll", rules.dice
    if left is None:
        raise InvalidText("dice_missing", points=points)
    return "decide", left % rules.dice


def _rolled(rules: Rules, points: int, roll: Dice, left: int | None) -> int:
    found = scored(rules, roll)
    if left is not None and len(roll) != left:
        raise IllegalAction("wrong_number_of_dice", dice=roll, count=len(roll), expected=left)
    if not points and len(roll) != rules.dice:
        raise InvalidText("roll_begins_turn", roll=roll, count=len(roll), dice=rules.dice)
    if found.wins:
        raise InvalidText("roll_wins", roll=roll)
    if found.bust:
        raise InvalidText("roll_is_bust", roll=roll)
    return len(roll)
