"""Games played by chance with the package, for the tests: any legal action, dice loaded so that rare things happen."""

import random
from collections.abc import Iterator
from itertools import combinations_with_replacement

from cinqmille import (
    Announce,
    Back,
    Bank,
    Game,
    Leave,
    Points,
    Position,
    Roll,
    RollOn,
    Rules,
    SetAside,
    Skip,
    TakeOver,
    can,
    legal_actions,
)
from cinqmille.actions import ANNOUNCEMENTS, Action

NAMES = ("Ana", "Ben", "Cleo", "Dora", "Eve", "Finn", "Gus", "Hal")
FACES = (1, 2, 3, 4, 5, 6)


def random_roll(rng: random.Random, position: Position) -> Roll:
    """Dice for a position that awaits them; every second time they are loaded."""
    count = position.dice_left
    dice = [rng.choice(FACES) for _ in range(count)]
    match rng.randrange(14):
        case 0 | 1 | 2:
            dice[0] = rng.choice((1, 5))
        case 3:
            dice = [rng.choice((2, 3, 4, 6)) for _ in range(count)]
        case 4:
            face = rng.choice(FACES)
            dice = [face if rng.random() < 0.85 else rng.choice((1, 5)) for _ in range(count)]
        case 5:
            dice = [1 + place % 6 for place in range(rng.randrange(2), count + 2)][:count]
        case 6:
            pairs = rng.sample(FACES, 3)
            dice = [face for face in pairs for _ in range(rng.choice((2, 3)))][:count]
            dice += [rng.choice(FACES) for _ in range(count - len(dice))]
        case _:
            pass
    rng.shuffle(dice)
    return Roll(tuple(dice))


def random_points(rng: random.Random, position: Position) -> Points:
    """A turn typed as points; often one that meets a total that matters."""
    rules, score = position.rules, position.score
    wanted = [total - score for total in (*position.scores, rules.cap, rules.target, rules.cap + rules.step)]
    wanted += [rules.entry, rules.min_bank, 0, 0, rules.step * rng.randrange(40)]
    return Points(max(0, rng.choice(wanted)), rng.random() < 0.2)


def table_action(rng: random.Random, position: Position) -> Action:
    """What a table decides, allowed or not."""
    seat = rng.randrange(len(position.seats))
    return rng.choice((Leave(seat), Back(seat), Back(seat), Skip(), random_points(rng, position)))


def player_action(rng: random.Random, position: Position) -> Action:
    """One of the legal actions of the players and the dice; more often one that leads somewhere rare."""
    if position.phase == "roll":
        return random_roll(rng, position)
    actions = legal_actions(position)
    if position.phase == "choose" and rng.random() < 0.5:
        return max(
            (action for action in actions if isinstance(action, SetAside)),
            key=lambda action: (len(action.dice), rng.random()),
        )
    if Bank() in actions and rng.random() < 0.35:
        return Bank()
    return rng.choice(actions)


def random_action(rng: random.Random, position: Position, table: float = 0.03) -> Action:
    """A legal action of anybody; one of the table's (typed points, skip, leave, back) with chance ``table``."""
    for _ in range(4):
        if rng.random() < table and can(position, action := table_action(rng, position)):
            return action
    return player_action(rng, position)


def games(rng: random.Random, rules: Rules, players: int, most: int = 300, table: float = 0.03) -> Iterator[Game]:
    """A game as it grows, action by action, until it is over or has ``most`` actions."""
    game = Game.new(rules, NAMES[:players])
    yield game
    for _ in range(most):
        if game.position.phase == "over":
            return
        game = game.play(random_action(rng, game.position, table))
        yield game


def every_action(position: Position) -> Iterator[Action]:
    """Everything one could try with so many dice: all rolls, all set-asides, all announcements, every seat."""
    dice = position.rules.dice
    for count in range(dice + 2):
        for faces in combinations_with_replacement(FACES, count):
            yield SetAside(faces)
            yield Roll(faces)
    yield from (Bank(), RollOn(), TakeOver())
    yield from (Announce(points) for points in (*ANNOUNCEMENTS, 0, 250, -50, 75))
