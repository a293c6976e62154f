"""Why the best plan is best: the sentences of a piece of advice, and its plans as short phrases.

Every number in a sentence is exact or comes from the advice itself: the chance of a bust from ``odds``, the chance
that the turn scores, or reaches what it needs, from the turn that the advice has solved. What a sentence says of the
rules is asked of the rules: a refusal of ``bank_problem``, the events of ``do``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cinqmille.actions import Announce, Bank, Fell, Points, RollOn, SetAside, TakeOver
from cinqmille.game import apply, bank_problem, do
from cinqmille.odds import odds
from cinqmille.position import Position
from cinqmille.scoring import format_dice
from cinqmille.words import N_, Words

if TYPE_CHECKING:
    from cinqmille.advice import Advice, Valued
    from cinqmille.game import Plan

# Chances this near to each other are told as equal, and as nearly equal.
_EQUAL, _NEARLY = 0.00005, 0.002
# Chances of reaching the target this turn are worth a sentence from here on.
_WORTH_TELLING = 0.01


class Reasons:
    """What one piece of advice says of its plans, in one language; ``names`` are the players' by seat."""

    def __init__(self, advice: Advice, words: Words, names: Sequence[str]) -> None:
        position = advice.position
        assert position.to_play is not None
        self.advice, self.words, self.position, self.rules = advice, words, position, position.rules
        self.seat = position.to_play
        self.names = names
        self.best = advice.best
        self.decided = self._decided(self.best.plan)
        # Two decimals where one would hide which plan is better.
        first, second = (advice.plans[0].win, advice.plans[:2][-1].win)
        self._digits = 2 if first - second > 1e-6 and words.percent(first) == words.percent(second) else 1

    # Numbers

    def win(self, one: Valued) -> str:
        """Return a plan's chance to win in %, as precise as it takes to tell the best two apart."""
        return self.chance(one.win, self._digits)

    def chance(self, value: float, digits: int = 1) -> str:
        """Return a chance in %, never rounded to certainty."""
        number, least = self.words.percent, 10.0 ** -(digits + 2)
        if value <= 1e-12 or value >= 1.0 - 1e-12:
            return number(round(value), 0)
        if value < least / 2:
            return f"< {number(least, digits)}"
        return f"> {number(1.0 - least, digits)}" if value >= 1.0 - least / 2 else number(value, digits)

    def mean(self, value: float) -> str:
        """Mean points, as a whole number."""
        return self.words.number(round(value))

    def bust(self, dice: int) -> str:
        """The chance that a roll of so many dice is a bust."""
        return self.chance(float(odds(self.rules, dice).bust))

    # Plans

    def _decided(self, plan: Plan) -> Position:
        """The position once the dice of a plan are set aside."""
        return self.position if plan.keep is None else apply(self.position, SetAside(plan.keep.dice))

    def _dice(self, position: Position) -> int:
        return position.dice_left or self.rules.dice

    def label(self, one: Valued) -> str:
        """A plan as a short phrase."""
        say, plan = self.words.say, one.plan
        after = self._decided(plan)
        if plan.keep is None:
            return self._then(one, after)
        dice = format_dice(plan.keep.dice)
        if plan.then is None:
            return say("set {dice} aside: past {target}, turn lost", dice=plan.keep.dice, target=self.rules.target)
        return say("set {dice} aside, {then}", dice=dice, then=self._then(one, after))

    def _then(self, one: Valued, after: Position) -> str:
        say, count = self.words.say, self.words.count
        match one.plan.then:
            case Bank():
                return say("bank {points}", points=after.turn_points)
            case Announce(points):
                return say("announce {points} and roll", points=points)
            case TakeOver():
                offer = self.position.offer
                assert offer is not None
                return count(
                    "take over {points} points and {n} die",
                    "take over {points} points and {n} dice",
                    offer.dice or self.rules.dice,
                    points=offer.points,
                )
            case _:
                dice = self._dice(after)
                if dice == self.rules.dice:
                    again = after.turn_points > 0
                    return say(N_("roll all {dice} dice again") if again else N_("roll all {dice} dice"), dice=dice)
                return count("roll {n} die", "roll {n} dice", dice)

    def _with_keep(self, kind: type[object]) -> Valued | None:
        """The best plan with the dice of the best one that goes on in this way."""
        keep = self.best.plan.keep
        fitting = (one for one in self.advice.plans if one.plan.keep == keep and isinstance(one.plan.then, kind))
        return next(fitting, None)

    # Why

    def why(self) -> tuple[str, ...]:
        """Return the sentences that say why the best plan is best, and what to beware of."""
        return tuple(sentence[:1].upper() + sentence[1:] for sentence in self._why())

    def _why(self) -> Iterator[str]:
        if self.best.win <= 1e-12:
            yield self.words.say("No choice can win any more; this one brings the most points.")
            return
        yield from self._main()
        yield from self._close()
        yield from self._goal()
        yield from self._consequences()

    def _main(self) -> Iterator[str]:
        """The choice itself against the nearest other one."""
        plan, position = self.best.plan, self.position
        if position.phase == "roll":
            yield from self._nothing_to_decide()
            return
        if plan.then is None:
            yield self.words.say("Every choice passes {target}: the turn is lost.", target=self.rules.target)
            return
        sure = self.best.win >= 1.0 - 1e-12
        if plan.keep is not None and not sure and len({one.plan.keep for one in self.advice.plans}) > 1:
            yield from self._keeping()
        match plan.then:
            case Bank():
                yield from self._banking()
            case RollOn() if position.phase == "start":
                yield from self._offer()
            case TakeOver():
                yield from self._offer()
            case Announce():
                yield from self._announcing()
            case _:
                yield from self._rolling()

    def _nothing_to_decide(self) -> Iterator[str]:
        say, position = self.words.say, self.position
        dice = self._dice(position)
        yield self.words.count(
            "Nothing to decide before this roll of {n} die: {bust} to score nothing; this turn brings {mean} points on average, and you win {win} of the games.",
            "Nothing to decide before this roll of {n} dice: {bust} to score nothing; this turn brings {mean} points on average, and you win {win} of the games.",
            dice,
            bust=self.bust(dice),
            mean=self.mean(self.best.turn_mean),
            win=self.win(self.best),
        )
        if position.announced is not None:
            right = float(odds(self.rules, 2).points.get(position.announced, 0))
            yield say(
                "{points} are announced: {chance} that it is right and the whole turn doubles.",
                points=position.announced,
                chance=self.chance(right),
            )
        need = self.rules.entry if position.score <= 0 else self.rules.min_bank
        if need > position.turn_points and position.announced is None:
            sentence = (
                N_("Getting on the board takes {need} points in one turn: at best it succeeds {chance} of the time.")
                if position.score <= 0
                else N_("Banking takes {need} points in one turn: at best it succeeds {chance} of the time.")
            )
            yield say(sentence, need=need, chance=self.chance(self._reaching(need, position.turn_points, dice)))

    def _reaching(self, need: int, points: int, dice: int) -> float:
        """The largest chance that a turn comes to ``need`` points."""
        rules = self.rules
        if rules.exact or rules.last_leg:
            return self.best.scored  # there the score decides too, and the plan has to bring the points anyway
        from cinqmille.turn import reach_turn

        return reach_turn(rules, need, target=rules.target - self.position.score).rolling(points, dice)

    def _instead(self) -> Valued:
        """The best plan with other dice to compare with: those worth most or, if they are chosen, another number."""
        plans, keep = self.advice.plans, self.best.plan.keep
        assert keep is not None
        most = max(one.plan.keep.points for one in plans if one.plan.keep is not None)
        others = [one for one in plans if one.plan.keep not in (None, keep)]
        if keep.points < most:
            others.sort(key=lambda one: one.plan.keep is None or one.plan.keep.points < most)
        else:
            others.sort(key=lambda one: one.plan.keep is None or len(one.plan.keep.dice) == len(keep.dice))
        return others[0]

    def _keeping(self) -> Iterator[str]:
        """These dice rather than others."""
        words, best, other = self.words, self.best, self._instead()
        keep, instead = best.plan.keep, other.plan.keep
        assert keep is not None
        assert instead is not None
        after, otherwise = self._decided(best.plan), self._decided(other.plan)
        params: dict[str, object] = {
            "dice": keep.dice,
            "points": words.points(keep.points),
            "other": format_dice(instead.dice),
            "other_points": words.points(instead.points),
            "win": self.win(other),
        }
        if not isinstance(best.plan.then, RollOn) or not isinstance(other.plan.then, RollOn):
            then = self._then(other, otherwise) if other.plan.then is not None else self.label(other)
            yield words.say(
                "Set {dice} aside ({points}) rather than {other} ({other_points}): the best with {other} would be to {then}, winning {win}.",
                **params, then=then,
            )  # fmt: skip
            return
        left, right = self._dice(after), self._dice(otherwise)
        bust, other_bust = odds(self.rules, left).bust, odds(self.rules, right).bust
        yield words.say(
            _KEEPS[(bust > other_bust) - (bust < other_bust), keep.points > instead.points],
            **params,
            count=words.dice(left),
            other_count=words.number(right),
            bust=self.bust(left),
            other_bust=self.bust(right),
        )

    def _rolling(self) -> Iterator[str]:
        say, after, best = self.words.say, self.decided, self.best
        dice, points = self._dice(after), after.turn_points
        bank = self._with_keep(Bank)
        if bank is None:
            yield from self._cannot_bank(after)
        if after.dice_left == 0:
            yield say("Hot dice: all {dice} dice are rolled again, and the points stay at risk.", dice=dice)
        params: dict[str, object] = {
            "bust": self.bust(dice),
            "points": self.words.points(points),
            "mean": self.mean(best.turn_mean),
            "win": self.win(best),
        }
        if bank is None:
            yield self.words.count(
                "Roll {n} die: {bust} to lose everything on this roll ({points}), {mean} points on average at the end of the turn; you win {win} of the games.",
                "Roll {n} dice: {bust} to lose everything on this roll ({points}), {mean} points on average at the end of the turn; you win {win} of the games.",
                dice,
                **params,
            )
            return
        yield self.words.count(
            "Roll {n} die: {bust} to lose everything on this roll ({points}), {mean} points on average at the end of the turn; banking you win {bank} of the games, rolling {win}.",
            "Roll {n} dice: {bust} to lose everything on this roll ({points}), {mean} points on average at the end of the turn; banking you win {bank} of the games, rolling {win}.",
            dice,
            bank=self.win(bank),
            **params,
        )
        if after.opener is None and after.score + points >= self.rules.target:
            total = after.score + points
            yield say("Banking now would begin the last turns, with only {total} for the others to pass.", total=total)
        elif bank.win <= 1e-12:
            yield say("Banking now cannot win any more: there is nothing to lose.")
        elif round(best.turn_mean) < round(bank.turn_mean) and best.win - bank.win >= _NEARLY:
            yield say("That means fewer points on average, but more games won: this score asks for the risk.")

    def _cannot_bank(self, after: Position) -> Iterator[str]:
        problem = bank_problem(after, after.turn_points, after.dice_left)
        assert problem is not None
        code, params = problem
        yield self.words.say(_CANNOT_BANK[code], **params)
        if code in ("below_entry", "below_min_bank"):
            chance = self._reaching(params["need"], after.turn_points, self._dice(after))
            yield self.words.say("The chance to get there this turn: {chance} at best.", chance=self.chance(chance))

    def _banking(self) -> Iterator[str]:
        say, after, best = self.words.say, self.decided, self.best
        dice, total = self._dice(after), after.score + after.turn_points
        end = apply(after, Bank())
        if end.phase == "over" and end.winners == (self.seat,):
            yield say("Bank {points}: that makes {total}, and you win the game.", points=after.turn_points, total=total)
            return
        if best.win >= 1.0 - 1e-12:
            yield say(
                "Bank {points}: that makes {total}, and nobody can catch you any more.",
                points=after.turn_points,
                total=total,
            )
            return
        roll = self._with_keep(RollOn)
        assert roll is not None
        yield self.words.count(
            "Bank {points}: rolling {n} die would lose everything in {bust} of the cases, for {mean} points on average at the end of the turn; banking you win {win} of the games, rolling {roll}.",
            "Bank {points}: rolling {n} dice would lose everything in {bust} of the cases, for {mean} points on average at the end of the turn; banking you win {win} of the games, rolling {roll}.",
            dice,
            points=self.words.points(after.turn_points),
            bust=self.bust(dice),
            mean=self.mean(roll.turn_mean),
            win=self.win(best),
            roll=self.win(roll),
        )
        if round(roll.turn_mean) > round(best.turn_mean) and best.win - roll.win >= _NEARLY:
            yield say("Rolling would bring more points on average, but fewer games won: what is safe counts more here.")

    def _announcing(self) -> Iterator[str]:
        then = self.best.plan.then
        assert isinstance(then, Announce)
        right = float(odds(self.rules, 2).points.get(then.points, 0))
        yield self.words.say(
            "Announce {points}: {chance} that it is right, and then the whole turn doubles; a wrong announcement costs nothing by itself. {bust} to lose everything on this roll ({at_risk}); you win {win} of the games.",
            points=then.points,
            chance=self.chance(right),
            bust=self.bust(2),
            at_risk=self.words.points(self.decided.turn_points),
            win=self.win(self.best),
        )
        yield from self._compared((Bank, RollOn))

    def _compared(self, kinds: tuple[type[object], ...]) -> Iterator[str]:
        others = [one for kind in kinds if (one := self._with_keep(kind)) is not None]
        if others:
            told = [self.words.say("{plan} ({win})", plan=self.label(one), win=self.win(one)) for one in others]
            yield self.words.say("Instead: {plans}.", plans=self.words.all_of(told))

    def _offer(self) -> Iterator[str]:
        offer, words = self.position.offer, self.words
        assert offer is not None
        dice, every = offer.dice or self.rules.dice, self.rules.dice
        taking = next(one for one in self.advice.plans if isinstance(one.plan.then, TakeOver))
        fresh = next(one for one in self.advice.plans if isinstance(one.plan.then, RollOn))
        yield words.count(
            "Taking over the turn of {player}: {points} to begin with, but {bust} to lose them rolling {n} die, and {mean} points on average at the end of the turn.",
            "Taking over the turn of {player}: {points} to begin with, but {bust} to lose them rolling {n} dice, and {mean} points on average at the end of the turn.",
            dice,
            player=self.names[offer.by],
            points=words.points(offer.points),
            bust=self.bust(dice),
            mean=self.mean(taking.turn_mean),
        )
        yield words.say(
            "Rolling all {dice} dice instead: {bust} to score nothing, {mean} points on average. Taking over you win {taking} of the games, with a turn of your own {fresh}.",
            dice=every,
            bust=self.bust(every),
            mean=self.mean(fresh.turn_mean),
            taking=self.win(taking),
            fresh=self.win(fresh),
        )

    def _close(self) -> Iterator[str]:
        """Whether another plan is as good, or nearly."""
        decided = self.best.win >= 1.0 - 1e-12 or (self.best.plan.keep is not None and self.best.plan.then is None)
        if len(self.advice.plans) < 2 or decided:
            return
        second = self.advice.plans[1]
        less = self.best.win - second.win
        if self.best.win < _NEARLY:
            yield self.words.say("It is as good as lost: this is the best there is.")
            return
        if less < _EQUAL:
            yield self.words.say("Just as good: {plan}.", plan=self.label(second))
        elif less < _NEARLY:
            points = self.words.percent(less, 2 if less < 0.0005 else 1).rstrip("%\u202f")
            yield self.words.say(
                N_("Nearly equal: to {plan} costs only {points} percentage points.")
                if self.advice.exact
                else N_(
                    "Nearly equal: to {plan} costs only {points} percentage points, less than these estimates can tell."
                ),
                plan=self.label(second),
                points=points,
            )

    # What else there is to know

    def _goal(self) -> Iterator[str]:
        """What the turn needs, and how likely it gets it."""
        position, rules, say, words = self.position, self.rules, self.words.say, self.words
        if position.opener is not None:
            yield from self._last_turns(position.opener)
            return
        banks = isinstance(self.best.plan.then, Bank)
        if banks or not _WORTH_TELLING <= self.best.reaches < 1.0 - 1e-12:
            return
        missing = rules.target - position.score - self.decided.turn_points
        if missing <= 0:
            return
        yield say(
            N_(
                "Exactly {points} more make the target {target}: played like this, this turn gets there {chance} of the time."
            )
            if rules.exact
            else N_(
                "{points} more make the target {target}: played like this, this turn gets there {chance} of the time."
            ),
            points=words.points(missing),
            target=rules.target,
            chance=self.chance(self.best.reaches),
        )

    def _last_turns(self, opener: int) -> Iterator[str]:
        position, say, words = self.position, self.words.say, self.words
        others = [seat.score for place, seat in enumerate(position.seats) if place != self.seat]
        highest = max(others)
        leaders = [self.names[place] for place, seat in enumerate(position.seats) if seat.score == highest]
        missing = highest + self.rules.step - position.score - self.decided.turn_points
        yield say(
            "Last turns, since {player} has reached the target: {leaders} leads with {highest}.",
            player=self.names[opener],
            leaders=words.all_of(leaders),
            highest=highest,
        )
        ties = isinstance(self.best.plan.then, Bank) and missing == self.rules.step and self.rules.tie == "shared"
        if ties:
            yield say("Banking makes it equal: an equal total shares the win.")
        elif missing > 0:
            yield say(
                "Passing that takes {missing} more points: played like this, this turn gets there {chance} of the time.",
                missing=missing,
                chance=self.chance(self.best.reaches),
            )
            if self.rules.tie == "shared":
                yield say("An equal total shares the win.")
        following = self._followers()
        if following:
            yield words.count(
                "{players} still plays after you.",
                "{players} still play after you.",
                len(following),
                players=words.all_of(following),
            )

    def _followers(self) -> list[str]:
        position, count = self.position, len(self.position.seats)
        stop = 0 if self.rules.ending == "finish_round" else position.opener
        found = []
        for distance in range(1, count):
            place = (self.seat + distance) % count
            if place == stop:
                break
            if not position.seats[place].away:
                found.append(self.names[place])
        return found

    def _consequences(self) -> Iterator[str]:
        """What a bank brings about beside its points, and what a bust costs beside the turn's."""
        banks = isinstance(self.best.plan.then, Bank)
        if banks:
            yield from self._after_bank()
        if self.best.win < 1.0 - 1e-12:
            yield from self._after_nothing(struck=not banks)

    def _after_bank(self) -> Iterator[str]:
        say, words, after, rules = self.words.say, self.words, self.decided, self.rules
        done = do(after, Bank())
        for event in done.events:
            if isinstance(event, Fell):
                yield say("If you bank: {event}", event=words.event(event, self.names))
        end = done.position
        if end.phase == "over":
            return
        gain = end.seats[self.seat].score - after.score
        if gain < after.turn_points and not any(isinstance(event, Fell) for event in done.events):
            yield say("Your total stops at {total}, where the last leg begins.", total=end.seats[self.seat].score)
        if after.opener is None and end.opener is not None:
            yield say(_OPENS[rules.ending])
        if end.phase == "start" and end.offer is not None and end.to_play is not None:
            yield words.count(
                "{player} may then go on with your turn, {points} points and {n} die; that is taken into account.",
                "{player} may then go on with your turn, {points} points and {n} dice; that is taken into account.",
                end.offer.dice or rules.dice,
                player=self.names[end.to_play],
                points=end.offer.points,
            )

    def _after_nothing(self, *, struck: bool) -> Iterator[str]:
        position, rules, say = self.position, self.rules, self.words.say
        fresh = Position(rules, position.seats, self.seat, "roll", 0, rules.dice, opener=position.opener)
        standing = position.seats[self.seat]
        plain = apply(fresh, Points(0)).seats[self.seat].score
        due = 0 < rules.scoreless_limit <= standing.scoreless + 1
        if due and plain < position.score:
            yield self.words.count(
                "Careful: without points this turn you fall from {before} to {after}.",
                "Careful: without points this turn, the {n}th in a row, you fall from {before} to {after}.",
                standing.scoreless + 1,
                before=position.score,
                after=plain,
            )
        worse = apply(fresh, Points(0, True)).seats[self.seat].score
        if struck and worse < plain and self._dice(self.decided) == rules.dice and self.decided.phase != "choose":
            yield say(
                "Careful: a bust on all {dice} dice makes you fall from {before} to {after}.",
                dice=rules.dice,
                before=position.score,
                after=worse,
            )


_CANNOT_BANK = {
    "below_entry": N_("You cannot bank yet: {missing} points are missing to get on the board ({need} in one turn)."),
    "below_min_bank": N_("You cannot bank yet: {missing} points are missing ({need} in one turn)."),
    "hot_dice_must_roll": N_("At this table hot dice must be rolled again."),
    "last_leg_needs_target": N_(
        "You cannot bank yet: from {score} on only a turn that reaches {target} counts, {missing} points are missing."
    ),
}

_OPENS = {
    "last_turns": N_("That reaches the target: each of the others has one last turn to pass you."),
    "finish_round": N_("That reaches the target: the round is played to its end, and the highest total wins."),
}

# Dice set aside rather than others, when both roll on: by the sign of the difference of the bust chances, and whether
# they are worth more.
_SAME = N_(
    "Set {dice} aside ({points}) rather than {other} ({other_points}): as many dice are left; {other} would win {win}."
)
_SAFER = N_(
    "Set {dice} aside ({points}) rather than {other} ({other_points}): then there are {count} to roll instead of {other_count}, and a bust in only {bust} instead of {other_bust}; {other} would win {win}."
)
_RISKIER = N_(
    "Set {dice} aside ({points}) rather than {other} ({other_points}): then there are {count} to roll instead of {other_count}, and a bust in {bust} instead of {other_bust}, but more points; {other} would win {win}."
)
_CLEARER = N_(
    "Set {dice} aside ({points}) rather than {other} ({other_points}): then there are {count} to roll instead of {other_count}, and a bust in {bust} instead of {other_bust}, and still it wins more; {other} would win {win}."
)
_KEEPS = {
    (0, True): _SAME, (0, False): _SAME, (-1, True): _SAFER, (-1, False): _SAFER, (1, True): _RISKIER,
    (1, False): _CLEARER,
}  # fmt: skip
