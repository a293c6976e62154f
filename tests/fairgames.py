"""Games played by chance with fair dice, for the tests: seats with and without chains, links left out."""

import hashlib
import random

from cinqmille.actions import Action, Back, Leave, Roll, Skip
from cinqmille.fair import Deal, Share
from cinqmille.game import can
from cinqmille.record import Game
from cinqmille.rules import Rules
from playing import NAMES, player_action

RULES = Rules.parse("cinq-des(target=1000, entry=0)")
TABLE = "Tq3_dTable-0"


def chain(seed: str, length: int = 400) -> list[str]:
    """The links of a seat, the anchor first."""
    links = [seed]
    for _ in range(length):
        links.append(hashlib.sha256(bytes.fromhex(links[-1])).hexdigest())
    return links[::-1]


def secret(rng: random.Random) -> str:
    return rng.randbytes(32).hex()


def played(
    seed: int,
    rules: Rules = RULES,
    players: int = 2,
    *,
    chains: float = 1.0,
    absent: float = 0.0,
    coming: float = 0.0,
    names: tuple[str, ...] = NAMES,
    most: int = 5_000,
) -> tuple[Game, Deal]:
    """A game with fair dice: a seat has a chain with chance ``chains``, a roll lacks its link with ``absent``."""
    rng = random.Random(seed)
    links = [chain(secret(rng), 3_000) if rng.random() < chains else None for _ in range(players)]
    shares = tuple(Share.opened(one[0], one[1]) if one else None for one in links)
    game = Game.new(rules, names[:players], {"date": "2026-11-30"})
    deal = Deal.begin(TABLE, secret(rng), rules, game.players, shares)
    while game.position.phase != "over" and len(game.actions) < most:
        seat = game.position.to_play
        assert seat is not None
        if game.position.phase == "roll":
            share, own = deal.shares[seat], links[seat]
            link = own[share.count + 1] if own and share and rng.random() >= absent else None
            deal, dice = deal.draw(seat, link)
            game = game.play(Roll(dice[: game.position.dice_left]))
            continue
        action: Action = rng.choice((Leave(rng.randrange(players)), Back(rng.randrange(players)), Skip()))
        if rng.random() >= coming or not can(game.position, action):
            action = player_action(rng, game.position)
        game = game.play(action)
    return game, deal
