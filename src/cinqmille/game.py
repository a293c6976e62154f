"""The game as a pure function: a position and an action give the next position (RULES §2, 4, 5).

Chance is an input: a :class:`Roll` is an action that arrives from outside, so a solver, a server and a family
with real dice run the same code. One implementation, ``_advance``, serves ``verify`` (raises), ``can``
(asks), ``apply`` (the next position) and ``do`` (the next position and what happened).

Seats are numbered from 0 in Python. A turn goes through the phases ``start`` (only when the previous turn may
be taken over), ``roll`` (dice are awaited), ``choose`` (dice must be set aside) and ``decide`` (bank or
roll on); at the end the phase is ``over``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from typing import Any, assert_never

from cinqmille.actions import (
    ANNOUNCEMENTS,
    Action,
    Announce,
    Announced,
    Back,
    Bank,
    Banked,
    Busted,
    CameBack,
    Doubled,
    Event,
    Fell,
    Kept,
    Leave,
    Overshot,
    Points,
    Predicted,
    Roll,
    Rolled,
    RollOn,
    Scoreless,
    SetAside,
    Skip,
    Skipped,
    TakeOver,
    TargetReached,
    TookOver,
    WentAway,
    Won,
)  # fmt: skip
from cinqmille.errors import CinqMilleError, IllegalAction
from cinqmille.patterns import FACES, Dice
from cinqmille.position import FEWEST_PLAYERS, MOST_PLAYERS, Offer, Position, Seat
from cinqmille.rules import Rules
from cinqmille.scoring import Keep, scored

MOST_TYPED = 999_999_999  # points of a turn typed as its points: as many digits as a text may have


@dataclass(frozen=True, slots=True)
class Step:
    """What an action led to: the next position and the events in order."""

    position: Position
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A player's whole next choice: the dice to set aside (None when that is done) and what then.

    ``then`` is None when the set-aside itself ends the turn (an exact target passed).
    """

    keep: Keep | None
    then: Action | None


def start(rules: Rules, players: int = 2) -> Position:
    """Return the first position of a game for 2 to 8 players; raise IllegalAction for another number."""
    if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
        raise IllegalAction("players_number", players=players, fewest=FEWEST_PLAYERS, most=MOST_PLAYERS)
    return Position(rules, (Seat(),) * players, 0, "roll", 0, rules.dice)


def apply(position: Position, action: Action) -> Position:
    """Return the position after ``action``; raise IllegalAction when the rules do not allow it here.

    Faces that no die has are InvalidText, here and in :func:`do` and :func:`verify`.
    """
    return _advance(position, action, None)


def do(position: Position, action: Action) -> Step:
    """Return the position after ``action`` and what happened; raise IllegalAction as :func:`apply`."""
    events: list[Event] = []
    return Step(_advance(position, action, events), tuple(events))


def verify(position: Position, action: Action) -> None:
    """Raise IllegalAction, saying what would be legal, unless ``action`` is allowed here."""
    _advance(position, action, None)


def can(position: Position, action: Action) -> bool:
    """Tell whether ``action`` is allowed here."""
    try:
        _advance(position, action, None)
    except CinqMilleError:
        return False
    return True


def legal_keeps(position: Position) -> tuple[Keep, ...]:
    """Return the keeps of the roll on the table, most points first; empty unless the phase is ``choose``."""
    if position.phase != "choose":
        return ()
    found = scored(position.rules, position.roll).keeps
    if position.announced is None:
        return found
    return tuple(keep for keep in found if keep.points == position.announced)


def legal_actions(position: Position) -> tuple[Action, ...]:
    """Return every action of the players and the dice that is legal here.

    Where dice are awaited these are the rolls, each set of dice once, in rising order. What a table decides
    or a score sheet is told (``Points``, ``Skip``, ``Leave``, ``Back``) is not listed: ask :func:`can`.
    """
    match position.phase:
        case "start":
            return (RollOn(), TakeOver())
        case "roll":
            return _rolls(position.dice_left)
        case "choose":
            return tuple(SetAside(keep.dice) for keep in legal_keeps(position))
        case "decide":
            return _decisions(position, position.turn_points, position.dice_left)
        case _:
            return ()


def legal_plans(position: Position) -> tuple[Plan, ...]:
    """Return the player's whole choices: (keep, then) pairs after a roll, (None, then) before one."""
    if position.phase in ("start", "decide"):
        return tuple(Plan(None, action) for action in legal_actions(position))
    plans: list[Plan] = []
    for keep in legal_keeps(position):
        points, left = _set_aside(position, keep)
        if _overshoots(position, points):
            plans.append(Plan(keep, None))
        else:
            plans += [Plan(keep, then) for then in _decisions(position, points, left)]
    return tuple(plans)


def bank_problem(position: Position, turn_points: int, dice_left: int) -> tuple[str, dict[str, Any]] | None:
    """Return why the player to play could not bank so many points with so many dice left, or None (RULES §2.6).

    The answer is the code and the parameters of the refusal. Quick, for bots.
    """
    rules, score = position.rules, position.score
    total = score + turn_points
    hits = total >= rules.target
    need = rules.entry if score <= 0 else rules.min_bank
    if turn_points < need and not (hits and rules.exact and score > 0):
        code = "below_entry" if score <= 0 else "below_min_bank"
        return code, {"need": need, "turn": turn_points, "missing": need - turn_points}
    if hits:
        return None
    if dice_left == 0 and rules.hot_dice == "must":
        return "hot_dice_must_roll", {"dice": rules.dice}
    if score >= rules.cap:
        return "last_leg_needs_target", {
            "score": score,
            "target": rules.target,
            "need": rules.target - score,
            "turn": turn_points,
            "missing": rules.target - total,
        }
    return None


@cache
def _rolls(count: int) -> tuple[Roll, ...]:
    return tuple(Roll(dice) for dice in combinations_with_replacement(FACES, count))


def _decisions(position: Position, turn_points: int, dice_left: int) -> tuple[Action, ...]:
    actions: list[Action] = []
    if bank_problem(position, turn_points, dice_left) is None:
        actions.append(Bank())
    actions.append(RollOn())
    if position.rules.prediction and dice_left == 2:
        actions += [Announce(points) for points in ANNOUNCEMENTS]
    return tuple(actions)


def _set_aside(position: Position, keep: Keep) -> tuple[int, int]:
    """The turn points and the dice left after ``keep``; a right prediction doubles the whole turn (RULES §5.6)."""
    points = position.turn_points + keep.points
    return points if position.announced is None else 2 * points, position.dice_left - len(keep.dice)


def _overshoots(position: Position, turn_points: int) -> bool:
    return position.rules.exact and position.score + turn_points > position.rules.target


Events = list[Event] | None


def _advance(position: Position, action: Action, events: Events) -> Position:
    match action:
        case Roll():
            return _roll(position, action.dice, events)
        case SetAside():
            return _keep(position, action.dice, events)
        case RollOn():
            return _roll_on(position, action)
        case Bank():
            return _bank(position, events)
        case TakeOver():
            return _take_over(position, events)
        case Announce():
            return _announce(position, action.points, events)
        case Points():
            return _points_only(position, action, events)
        case Skip():
            return _skip(position, events)
        case Leave():
            return _leave(position, action.seat, events)
        case Back():
            return _back(position, action.seat, events)
        case _:
            assert_never(action)


def _wrong_phase(position: Position) -> IllegalAction:
    """The refusal that says what is awaited instead."""
    match position.phase:
        case "start":
            offer = position.offer
            assert offer is not None
            dice = offer.dice or position.rules.dice
            return IllegalAction("start_due", dice=position.rules.dice, points=offer.points, left=dice)
        case "roll":
            return IllegalAction("dice_due", dice=position.dice_left)
        case "choose":
            return IllegalAction("set_aside_due", roll=position.roll, legal=legal_keeps(position))
        case "decide":
            dice = position.dice_left or position.rules.dice
            problem = bank_problem(position, position.turn_points, position.dice_left)
            code = "decision_due" if problem is None else "roll_on_due"
            return IllegalAction(code, points=position.turn_points, dice=dice)
        case _:
            return IllegalAction("game_over")


def _roll(position: Position, dice: Dice, events: Events) -> Position:
    seat = position.to_play
    if position.phase != "roll" or seat is None:
        raise _wrong_phase(position)
    rules, left = position.rules, position.dice_left
    if len(dice) != left:
        raise IllegalAction("wrong_number_of_dice", dice=dice, count=len(dice), expected=left)
    found = scored(rules, dice)
    all_dice = left == rules.dice
    if events is not None:
        events.append(Rolled(seat, dice, all_dice))
    if found.wins:
        if events is not None:
            events.append(Won((seat,), "at_once", position.turn_points))
        return Position(
            rules, position.seats, None, "over", position.turn_points, left, dice, None, position.opener, None, (seat,)
        )
    announced = position.announced
    best = found.best
    if announced is not None:
        worth = best.points if best else 0
        if events is not None:
            events.append(Predicted(seat, announced, worth, worth == announced))
        if worth != announced:
            announced = None
    if best is None:
        if events is not None:
            events.append(Busted(seat, position.turn_points, all_dice))
        return _scoreless(position, all_dice, events)
    return Position(rules, position.seats, seat, "choose", position.turn_points, left, dice, announced, position.opener)


def _keep(position: Position, dice: Dice, events: Events) -> Position:
    seat = position.to_play
    if position.phase != "choose" or seat is None:
        raise _wrong_phase(position)
    keep = scored(position.rules, position.roll).by_dice.get(dice)
    if keep is None or (position.announced is not None and keep.points != position.announced):
        raise _keep_refusal(position, dice)
    points, left = _set_aside(position, keep)
    if events is not None:
        events.append(Kept(seat, dice, keep.points, position.turn_points + keep.points, left))
        if position.announced is not None:
            events.append(Doubled(seat, points))
    if _overshoots(position, points):
        if events is not None:
            events.append(Overshot(seat, points, position.score + points))
        return _scoreless(position, False, events)
    return Position(position.rules, position.seats, seat, "decide", points, left, position.roll, None, position.opener)


def _keep_refusal(position: Position, dice: Dice) -> IllegalAction:
    roll, legal = position.roll, legal_keeps(position)
    if not dice:
        return IllegalAction("set_aside_due", roll=roll, legal=legal)
    if any(dice.count(face) > roll.count(face) for face in dice):
        return IllegalAction("not_in_roll", dice=dice, roll=roll, legal=legal)
    if position.announced is not None:
        return IllegalAction("prediction_must_keep", dice=dice, announced=position.announced, legal=legal)
    if position.rules.keep == "all" and position.rules.table.cover(dice) is not None:
        return IllegalAction("keep_all_due", dice=dice, roll=roll, legal=legal)
    return IllegalAction("does_not_count", dice=dice, roll=roll, legal=legal)


def _roll_on(position: Position, action: Action) -> Position:
    if position.phase not in ("decide", "start"):
        raise _wrong_phase(position)
    rules = position.rules
    left = position.dice_left or rules.dice
    return Position(rules, position.seats, position.to_play, "roll", position.turn_points, left, opener=position.opener)


def _take_over(position: Position, events: Events) -> Position:
    offer, seat, rules = position.offer, position.to_play, position.rules
    if position.phase != "start" or offer is None or seat is None:
        if position.phase == "over":
            raise IllegalAction("game_over")
        if rules.takeover == "never":
            raise IllegalAction("takeover_never")
        if not position.fresh:
            raise _wrong_phase(position)
        if offer is None or offer.by == seat:
            raise IllegalAction("nothing_to_take_over")
        if rules.takeover == "opened" and position.score <= 0:
            raise IllegalAction("takeover_not_opened")
        raise IllegalAction("takeover_passes_target", points=offer.points, score=position.score, target=rules.target)
    left = offer.dice or rules.dice
    if events is not None:
        events.append(TookOver(seat, offer.points, left))
    return Position(rules, position.seats, seat, "roll", offer.points, left, opener=position.opener)


def _announce(position: Position, points: int, events: Events) -> Position:
    rules, seat = position.rules, position.to_play
    if not rules.prediction:
        raise IllegalAction("prediction_off")
    if position.phase != "decide" or seat is None:
        raise _wrong_phase(position)
    if position.dice_left != 2:
        raise IllegalAction("prediction_needs_two_dice", dice=position.dice_left or rules.dice)
    if points not in ANNOUNCEMENTS:
        raise IllegalAction("announcement_unknown", points=points, legal=ANNOUNCEMENTS)
    if events is not None:
        events.append(Announced(seat, points))
    return Position(
        rules, position.seats, seat, "roll", position.turn_points, 2, announced=points, opener=position.opener
    )


def _bank(position: Position, events: Events) -> Position:
    if position.phase != "decide":
        raise _wrong_phase(position)
    problem = bank_problem(position, position.turn_points, position.dice_left)
    if problem is not None:
        raise IllegalAction(problem[0], **problem[1])
    offer = None
    if position.rules.takeover != "never" and position.to_play is not None:
        offer = Offer(position.turn_points, position.dice_left, position.to_play)
    return _gain(position, position.turn_points, offer, events)


def _points_only(position: Position, action: Points, events: Events) -> Position:
    rules, score, points = position.rules, position.score, action.points
    if position.phase == "over" or not position.fresh:
        raise _wrong_phase(position)
    if not 0 <= points <= MOST_TYPED:
        raise IllegalAction("bad_number", name="points", value=points, low=0, high=MOST_TYPED)
    if points % rules.step:
        raise IllegalAction("points_not_a_multiple", points=points, step=rules.step)
    if points and action.all_dice:
        raise IllegalAction("points_not_scoreless", points=points)
    if not points:
        return _scoreless(position, action.all_dice, events)
    total = score + points
    if rules.exact and total > rules.target:
        raise IllegalAction("points_pass_target", points=points, score=score, target=rules.target)
    # A turn that the last leg capped may have been written with what it added: its own points are not known.
    capped = rules.last_leg > 0 and total == rules.cap
    problem = bank_problem(position, points, 1)
    if problem is not None and not (capped and problem[0] in ("below_entry", "below_min_bank")):
        raise IllegalAction(problem[0], **problem[1])
    return _gain(position, points, None, events)


def _gain(position: Position, turn_points: int, offer: Offer | None, events: Events) -> Position:
    """Add a banked turn to the ladder, let equal totals fall, and see whether the target is reached."""
    rules, player = position.rules, position.to_play
    assert player is not None
    seat = position.seats[player]
    total = seat.score + turn_points
    if rules.cap < total < rules.target:
        total = rules.cap
    if events is not None:
        events.append(Banked(player, turn_points, total - seat.score, total))
    seats = _with(position.seats, player, Seat((*seat.ladder, total)))
    if rules.equal_scores == "fall":
        seats = _cascade(rules, seats, player, events)
    opener = position.opener
    if total >= rules.target:
        if rules.ending == "first":
            if events is not None:
                events.append(Won((player,), "target"))
            return Position(rules, seats, None, "over", 0, rules.dice, winners=(player,))
        if opener is None:
            opener = player
            if events is not None:
                events.append(TargetReached(player, total, rules.ending))
    return _next_turn(rules, seats, player, opener, offer, events)


def _scoreless(position: Position, bust_of_all_dice: bool, events: Events) -> Position:
    """End a turn without gain; of strike and penalty only the harsher fall happens (RULES §5.4, 5.5)."""
    rules, player = position.rules, position.to_play
    assert player is not None
    seat = position.seats[player]
    in_a_row = seat.scoreless + 1
    due = 0 < rules.scoreless_limit <= in_a_row
    if events is not None:
        events.append(Scoreless(player, in_a_row, due))
    ladder, cause = seat.ladder, ""
    if due:
        ladder, cause = _penalised(rules, seat), "scoreless"
    if rules.strike and bust_of_all_dice:
        struck = Seat(_previous(seat.ladder))
        if struck.score < Seat(ladder).score:
            ladder, cause = struck.ladder, "strike"
    after = Seat(ladder, 0 if due else in_a_row, seat.away)
    seats = _with(position.seats, player, after)
    if after.score != seat.score:
        if events is not None:
            events.append(Fell(player, seat.score, after.score, cause, player))
        if rules.equal_scores == "fall":
            seats = _cascade(rules, seats, player, events)
    return _next_turn(rules, seats, player, position.opener, None, events)


def _penalised(rules: Rules, seat: Seat) -> tuple[int, ...]:
    match rules.scoreless_penalty:
        case "zero":
            return () if seat.score > 0 else seat.ladder
        case "previous":
            return _previous(seat.ladder)
        case points:
            total = max(rules.floor, seat.score - int(points))
            if total >= seat.score:
                return seat.ladder
            below = tuple(rung for rung in seat.ladder if rung < total)
            return (*below, total) if below or total else ()


def _previous(ladder: tuple[int, ...]) -> tuple[int, ...]:
    """The ladder one fall lower; a lone rung of 0 or less is no banked turn and stays."""
    return ladder[:-1] if len(ladder) > 1 or (ladder and ladder[0] > 0) else ladder


def _cascade(rules: Rules, seats: tuple[Seat, ...], arrived: int, events: Events) -> tuple[Seat, ...]:
    """Let whoever holds the total that ``arrived`` came to fall, and whoever that one meets in turn (RULES §5.2)."""
    moved: int | None = arrived
    while moved is not None:
        total, by, moved = seats[moved].score, moved, None
        if not 0 < total < rules.cap:
            break
        for holder, seat in enumerate(seats):
            if holder != by and seat.score == total:
                fallen = Seat(_previous(seat.ladder), seat.scoreless, seat.away)
                if events is not None:
                    events.append(Fell(holder, total, fallen.score, "equal", by))
                seats = _with(seats, holder, fallen)
                moved = holder
    return seats


def _with(seats: tuple[Seat, ...], place: int, seat: Seat) -> tuple[Seat, ...]:
    return (*seats[:place], seat, *seats[place + 1 :])


def _next_turn(
    rules: Rules, seats: tuple[Seat, ...], player: int, opener: int | None, offer: Offer | None, events: Events
) -> Position:
    """Pass the turn to the next seat that is present, or end the game (RULES §4)."""
    count = len(seats)
    for distance in range(1, count + 1):
        place = (player + distance) % count
        if opener is not None and place == (opener if rules.ending == "last_turns" else 0):
            return _final(rules, seats, opener, events)
        if not seats[place].away:
            break
    turn = Position(rules, seats, place, "roll", 0, rules.dice, (), None, opener, offer)
    if offer is not None and turn.may_take_over:
        return Position(rules, seats, place, "start", 0, rules.dice, (), None, opener, offer)
    return turn


def _final(rules: Rules, seats: tuple[Seat, ...], opener: int, events: Events) -> Position:
    highest = max(seat.score for seat in seats)
    # From the opener on, every seat had just one more turn: this is also the order in which they arrived.
    order = [(opener + distance) % len(seats) for distance in range(len(seats))]
    tied = [place for place in order if seats[place].score == highest]
    winners = tuple(sorted(tied)) if rules.tie == "shared" else (tied[0],)
    if events is not None:
        events.append(Won(winners, "shared" if len(winners) > 1 else "highest"))
    return Position(rules, seats, None, "over", 0, rules.dice, (), None, opener, winners=winners)


def _skip(position: Position, events: Events) -> Position:
    player = position.to_play
    if player is None:
        raise IllegalAction("game_over")
    if events is not None:
        events.append(Skipped(player, position.turn_points))
    return _next_turn(position.rules, position.seats, player, position.opener, None, events)


def _leave(position: Position, place: int, events: Events) -> Position:
    seats, player = position.seats, position.to_play
    if player is None:
        raise IllegalAction("game_over")
    _check_seat(position, place)
    if seats[place].away:
        raise IllegalAction("already_away", seat=place + 1)
    if place != player and not position.fresh:
        raise IllegalAction("leave_between_turns", seat=place + 1)
    if sum(not seat.away for seat in seats) == 1:
        raise IllegalAction("last_player_stays", seat=place + 1)
    if events is not None:
        events.append(WentAway(place, position.turn_points))
    gone = _with(seats, place, Seat(seats[place].ladder, seats[place].scoreless, True))
    if place != player:
        return _same_turn(position, gone)
    # A turn that had not begun leaves the previous player's offer to the next one present.
    offer = position.offer if position.fresh else None
    return _next_turn(position.rules, gone, player, position.opener, offer, events)


def _back(position: Position, place: int, events: Events) -> Position:
    if position.phase == "over":
        raise IllegalAction("game_over")
    _check_seat(position, place)
    if not position.seats[place].away:
        raise IllegalAction("not_away", seat=place + 1)
    if not position.fresh:
        raise IllegalAction("back_between_turns", seat=place + 1)
    if events is not None:
        events.append(CameBack(place))
    seat = position.seats[place]
    return _same_turn(position, _with(position.seats, place, Seat(seat.ladder, seat.scoreless)))


def _check_seat(position: Position, place: int) -> None:
    if not 0 <= place < len(position.seats):
        raise IllegalAction("no_such_seat", seat=place + 1, seats=len(position.seats))


def _same_turn(position: Position, seats: tuple[Seat, ...]) -> Position:
    return Position(
        position.rules, seats, position.to_play, position.phase, position.turn_points, position.dice_left,
        position.roll, position.announced, position.opener, position.offer,
    )  # fmt: skip
