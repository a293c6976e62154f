"""Cinq Mille: the dice game 5000 and its family, with your own house rules, played right.

Importing this package loads the standard library only.
"""

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

__all__ = [
    "PARAMETERS", "PRESETS", "Announce", "Back", "Bank", "CinqMilleError", "Game", "IllegalAction", "InvalidRules",
    "InvalidText", "Keep", "Leave", "Meld", "Odds", "Plan", "Points", "Position", "RecordError", "Roll", "RollOn",
    "Rules",
    "Scored", "Seat", "SetAside", "Sheet", "Skip", "Step", "TakeOver", "apply", "can", "do", "format_action",
    "keeps", "legal_actions", "legal_keeps", "legal_plans", "odds", "parse_action", "replay", "score", "start",
    "verify",
]  # fmt: skip
