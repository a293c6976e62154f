"""One turn by itself: the most points it can bring, the law of its points, the chance to reach k, when to bank.

A turn stands at ``t`` points at risk with ``n`` dice to roll next (all of them after hot dice). With ``f(t)`` the worth
of banking (the points themselves, or 1 from k points on), a roll and the decision after a set-aside are worth::

    roll(t, n)  = win[n] * f(win) + sum over menus of n dice: weight * max over options of after(t + points, dice)
    after(t, n) = max(f(t) where banking is allowed, roll(t, n), announcing, with two dice left)

Every option scores, so rows are swept from the top down, each final when written; nothing is cut off at the top (see
``horizon``), and the only error is that of rounding, below 1e-12 of the value.

Of the rules only the combinations, ``dice``, ``keep``, ``blank_roll``, ``hot_dice`` and ``prediction`` are looked at.
What depends on the score is an argument: ``minimum``, the points below which banking is refused (0, or an entry), and
``target``, the points still missing to the target (all of it unless said). The target matters twice: from there on hot
dice may be banked even where they must be rolled, and a roll that wins at once is worth so many points, or those at
risk if they are more.

Points are points everywhere, never steps. Arrays have a row for every multiple of the table's step, from 0 up, and a
column for every number of dice to roll next (column 0 is empty). ::

    >>> from cinqmille import PRESETS
    >>> turn = best_turn(PRESETS["farkle-facebook"])
    >>> round(turn.mean, 3), round(turn.rolling(300, 6), 4), turn.bank_from[4].points
    (548.858, 801.9995, 3050)
    >>> round(turn.law().bust, 4), round(turn_law(PRESETS["farkle-facebook"], steady(350)).mean, 1)
    (0.1978, 430.4)
    >>> round(chances_to_reach(PRESETS["cinq-des"]).at(750), 4)
    0.2203
"""

from cinqmille.turn.best import Above, Reach, Turn, best_turn, chances_to_reach, reach_turn
from cinqmille.turn.law import BankFrom, Policy, TurnLaw, by_dice, steady, turn_law
from cinqmille.turn.menus import BANK, ROLL

__all__ = [
    "BANK", "ROLL", "Above", "BankFrom", "Policy", "Reach", "Turn", "TurnLaw", "best_turn", "by_dice",
    "chances_to_reach", "reach_turn", "steady", "turn_law",
]  # fmt: skip
