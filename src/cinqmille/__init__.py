"""Cinq Mille: the dice game 5000 and its family, with your own house rules, played right.

Importing this package loads the standard library only; ``solve``, ``advise`` and ``simulate``, which compute, load
what they need when they are first used.
"""

from typing import TYPE_CHECKING

from cinqmille.actions import (
    Announce,
    Back,
    Bank,
    Leave,
    Points,
    Roll,
    RollOn,
    SetAside,
    Skip,
    TakeOver,
    format_action,
    parse_action,
)  # fmt: skip
from cinqmille.errors import CinqMilleError, IllegalAction, InvalidRules, InvalidText, RecordError
from cinqmille.game import Plan, Step, apply, can, do, legal_actions, legal_keeps, legal_plans, start, verify
from cinqmille.odds import Odds, odds
from cinqmille.position import Position, Seat
from cinqmille.record import Game, replay
from cinqmille.rules import PARAMETERS, PRESETS, Rules, Sheet
from cinqmille.scoring import Keep, Meld, Scored, keeps, score
from cinqmille.situation import situation

if TYPE_CHECKING:
    from cinqmille.advice import advise
    from cinqmille.simulation import simulate
    from cinqmille.solutions import solve

__all__ = [
    "PARAMETERS", "PRESETS", "Announce", "Back", "Bank", "CinqMilleError", "Game", "IllegalAction", "InvalidRules",
    "InvalidText", "Keep", "Leave", "Meld", "Odds", "Plan", "Points", "Position", "RecordError", "Roll", "RollOn",
    "Rules", "Scored", "Seat", "SetAside", "Sheet", "Skip", "Step", "TakeOver", "advise", "apply", "can", "do",
    "format_action", "keeps", "legal_actions", "legal_keeps", "legal_plans", "odds", "parse_action", "replay", "score",
    "simulate", "situation", "solve", "start", "verify",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Return one of the heavy names, loading its module now."""
    match name:
        case "advise":
            from cinqmille import advice

            return advice.advise
        case "simulate":
            from cinqmille import simulation

            return simulation.simulate
        case "solve":
            from cinqmille import solutions

            return solutions.solve
        case _:
            raise AttributeError(f"module 'cinqmille' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
