"""Everything that can be said, said in both languages: refusals, events, labels, and the catalog behind them."""

import ast
import re
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from itertools import product
from pathlib import Path
from string import Formatter
from typing import Any, get_args

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from cinqmille import PARAMETERS, PRESETS, CinqMilleError, Game, Keep, Position, RecordError, Roll, Rules, Sheet, keeps
from cinqmille import actions as a
from cinqmille.bots import bot, check_bot
from cinqmille.dice import parse_source
from cinqmille.errors import SENTENCES
from cinqmille.exchange import position_from_json
from cinqmille.fair import Deal, Share, verify
from cinqmille.game import apply, do, start
from cinqmille.odds import odds
from cinqmille.patterns import Combination
from cinqmille.position import PHASES
from cinqmille.record import replay
from cinqmille.scoring import parse_dice, score
from cinqmille.situation import situation
from cinqmille.table import Table
from cinqmille.words import DECIDED_BY, LANGUAGES, Words, language

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "cinqmille"
LOCALE = SOURCE / "locale" / "fr" / "LC_MESSAGES"
NAMES = ("Ana", "Ben", "Zoé")
FR, EN = Words("fr"), Words("en")

# Words that both languages write alike.
SHARED = {
    "arguments", "chance", "minute", "minutes", "options", "point", "points", "robot", "score", "scores", "site", "six",
    "total",
}  # fmt: skip


# Refusals


def game(turns: str = "", rules: str = "cinq-des") -> Game:
    return replay(f"rules: {rules}\nplayers: Ana, Ben\n{turns}")


def fair_game(shown: str = "") -> Game:
    header = f"fair-1 table=Tq3_dTable-0 commitment={'ab' * 32} seats=-,-{shown}"
    return Game.new(Rules.parse("cinq-des"), ("Ana", "Ben"), {"dice": header})


def at(line: str, action: str) -> None:
    do(Position.parse(line), a.parse_action(action))


def odd(target: int, *, dice: int = 3, entry: int = 0, min_bank: int = 0, exact: bool = False, **table: int) -> Rules:
    """A table with few ways to score: ``c12=100`` is the combination 12 at 100."""
    combinations = tuple(Combination.parse(pattern[1:], points) for pattern, points in table.items())
    return Rules(
        dice=dice, combinations=combinations, target=target, entry=entry, min_bank=min_bank, exact=exact
    )  # fmt: skip


REFUSALS: dict[str, Callable[[], object]] = {
    "bad_pattern": lambda: Combination.parse("117", 100),
    "bad_combination_value": lambda: Rules.parse("cinq-des(AAA=beaucoup)"),
    "letter_not_in_pattern": lambda: Rules.parse("cinq-des(AAA=100*B)"),
    "pattern_too_long": lambda: Rules.parse("cinq-des(AABBCC=1500)"),
    "bad_flag": lambda: Rules.parse("cinq-des(exact=peut-être)"),
    "bad_choice": lambda: Rules.parse("cinq-des(ending=later)"),
    "bad_number": lambda: Rules.parse("cinq-des(target=0)"),
    "bad_choice_or_number": lambda: Rules.parse("cinq-des(scoreless_penalty=half)"),
    "unknown_preset": lambda: Rules.parse("cinq"),
    "unknown_parameter": lambda: Rules.parse("cinq-des(colour=3)"),
    "repeated_parameter": lambda: Rules.parse("cinq-des(entry=500, entry=0)"),
    "rules_syntax": lambda: Rules.parse("cinq-des(entry)"),
    "bad_toml": lambda: Sheet.from_toml("dice 5", name="maison", source="maison.toml"),
    "unreadable_file": lambda: Rules.load("nowhere/maison.toml"),
    "not_utf8": lambda: Rules.load(str(LOCALE / "cinqmille.mo")),
    "no_points": lambda: odd(1000),
    "not_a_multiple": lambda: Rules.parse("cinq-des(entry=1230)"),
    "prediction_needs_five_dice": lambda: Rules.parse("six-des(prediction=true)"),
    "last_leg_too_long": lambda: Rules.parse("cinq-des(last_leg=6000)"),
    "entry_unreachable": lambda: odd(1000, entry=2000, c12=1000),
    "target_unreachable": lambda: odd(3000, min_bank=2000, c12=1000),
    "target_unreachable_exactly": lambda: odd(1000, exact=True, dice=1, c1=2000, c5=3000),
    "dead_end": lambda: odd(5000, exact=True, dice=1, c1=2000, c5=3000),
    "bad_dice": lambda: parse_dice("1 7"),
    "too_many_dice": lambda: score(PRESETS["cinq-des"], "155341"),
    "position_part_missing": lambda: Position.parse("player=2 rules=cinq-des"),
    "position_part_unknown": lambda: Position.parse("scores=0/0 joueur=2 rules=cinq-des"),
    "position_part_wrong": lambda: Position.parse("scores=0/30 rules=cinq-des"),
    "score_below_floor": lambda: situation(PRESETS["cinq-des"], (-50, 0), 0),
    "score_in_last_leg": lambda: situation(Rules.parse("cinq-des(last_leg=1000)"), (4500, 0), 0),
    "score_passes_exact": lambda: situation(Rules.parse("six-des(exact=true)"), (5500, 0), 1),
    "score_has_won": lambda: situation(PRESETS["cinq-des"], (5000, 0), 1),
    "scores_equal": lambda: situation(Rules.parse("cinq-des(equal_scores=fall)"), (500, 500), 0),
    "had_last_turn": lambda: situation(PRESETS["six-des"], (5000, 0), 0),
    "points_at_risk_negative": lambda: situation(PRESETS["cinq-des"], (0, 0), 0, turn_points=-50),
    "points_at_risk_missing": lambda: situation(PRESETS["cinq-des"], (0, 0), 0, dice_left=3),
    "dice_missing": lambda: situation(PRESETS["cinq-des"], (0, 0), 0, turn_points=300),
    "dice_left_wrong": lambda: situation(PRESETS["cinq-des"], (0, 0), 0, turn_points=300, dice_left=6),
    "roll_begins_turn": lambda: situation(PRESETS["cinq-des"], (0, 0), 0, roll=(1, 5)),
    "roll_is_bust": lambda: situation(PRESETS["cinq-des"], (0, 0), 0, roll=(2, 2, 3, 4, 6)),
    "roll_wins": lambda: situation(PRESETS["cinq-des"], (0, 0), 0, roll=(1, 1, 1, 1, 1)),
    "bad_keep": lambda: Keep.parse("155"),
    "bad_action": lambda: a.parse_action("keep"),
    "bad_name": lambda: Game.new(PRESETS["cinq-des"], ("Ana#", "Ben")),
    "misspelt_parameter": lambda: Rules.parse("cinq-des(enrty=500)"),
    "rule_among_combinations": lambda: Sheet.from_toml("[combinations]\nentry = 500\n", name="maison"),
    "no_combinations": lambda: Sheet.from_toml("entry = 500\n", name="maison"),
    "name_is_header": lambda: Game.new(PRESETS["cinq-des"], ("date", "Ben")),
    "name_twice": lambda: Game.new(PRESETS["cinq-des"], ("Ana", "Ana")),
    "bad_seats": lambda: Game.new(PRESETS["cinq-des"], ("Ana", "Ben"), {"seats": "Zoé=steady"}),
    "bot_needs_solution": lambda: check_bot(bot("perfect"), Rules.parse("cinq-des(strike=true)"), 2),
    "bot_game_too_large": lambda: check_bot(bot("perfect"), Rules.parse("six-des(target=40000, takeover=always)"), 2),
    "bot_unsolved": lambda: check_bot(bot("perfect"), Rules.parse("six-des(target=5000, entry=450)"), 3),
    "unknown_bot": lambda: bot("clever"),
    "odds_dice": lambda: odds(PRESETS["cinq-des"], 6),
    "record_line": lambda: game("Ana joue"),
    "header_missing": lambda: replay("players: Ana, Ben"),
    "repeated_header": lambda: game("rules: six-des"),
    "unknown_player": lambda: game("Ana: 22346>-\nZoé: 15534>1"),
    "out_of_turn": lambda: game("Ben: 22346>-"),
    "turn_is_over": lambda: game("Ana: 22346>- 15534>1"),
    "turn_not_finished": lambda: game("Ana: 15534>1\nBen: 22346>-"),
    "bad_token": lambda: game("Ana: 15534<1"),
    "points_missing": lambda: game("Ana: ="),
    "set_aside_missing": lambda: game("Ana: 15534 2346>-"),
    "wrong_gain": lambda: game("Ana: 11123>111 =1200"),
    "wins_alone": lambda: game("Ana: 11111>11111"),
    "not_a_bust": lambda: game("Ana: 15534>-"),
    "is_a_bust": lambda: game("Ana: 22346>2"),
    "no_such_entry": lambda: game("Ana: 22346>-").corrected(9, ""),
    "not_json": lambda: replay('{"rules": '),
    "json_wrong": lambda: replay('{"rules": 5}'),
    "other_rules": lambda: position_from_json(
        {
            "rules": "cinq-des", "fingerprint": "0123", "seats": [], "phase": "roll", "turn_points": 0,
            "dice_left": 5, "roll": [], "winners": [],
        }
    ),
    "players_number": lambda: start(PRESETS["cinq-des"], 9),
    "game_over": lambda: do(game("Ana: 11111").position, a.RollOn()),
    "start_due": lambda: at("scores=1000/0 player=2 phase=start offer=1000x2@1 rules=cinq-des(takeover=always)", "="),
    "dice_due": lambda: at("scores=0/0 rules=cinq-des", "="),
    "set_aside_due": lambda: at("scores=0/0 phase=choose left=5 roll=15534 rules=cinq-des", "="),
    "decision_due": lambda: at("scores=0/0 phase=decide points=1000 left=2 rules=cinq-des", ">1"),
    "roll_on_due": lambda: at("scores=0/0 phase=decide points=100 left=4 rules=cinq-des", ">1"),
    "wrong_number_of_dice": lambda: at("scores=0/0 rules=cinq-des", "1553"),
    "not_in_roll": lambda: at("scores=0/0 phase=choose left=5 roll=15534 rules=cinq-des", ">11"),
    "does_not_count": lambda: at("scores=0/0 phase=choose left=5 roll=15534 rules=cinq-des", ">14"),
    "keep_all_due": lambda: at("scores=0/0 phase=choose left=5 roll=15534 rules=cinq-des(keep=all)", ">1"),
    "prediction_must_keep": lambda: at(
        "scores=1000/0 phase=choose points=200 left=2 roll=15 announced=150 rules=cinq-des(prediction=true)", ">1"
    ),
    "below_entry": lambda: at("scores=0/0 phase=decide points=450 left=2 rules=cinq-des(entry=1000)", "="),
    "below_min_bank": lambda: at("scores=1000/0 phase=decide points=450 left=2 rules=cinq-des(min_bank=500)", "="),
    "hot_dice_must_roll": lambda: at("scores=0/0 phase=decide points=1500 left=0 rules=cinq-des(hot_dice=must)", "="),
    "last_leg_needs_target": lambda: at(
        "scores=4000/0 phase=decide points=300 left=2 rules=cinq-des(last_leg=1000)", "="
    ),
    "takeover_never": lambda: at("scores=0/0 rules=cinq-des", "+"),
    "nothing_to_take_over": lambda: at("scores=0/0 rules=cinq-des(takeover=always)", "+"),
    "takeover_not_opened": lambda: at("scores=1000/0 player=2 offer=1000x2@1 rules=cinq-des(takeover=opened)", "+"),
    "takeover_passes_target": lambda: at(
        "scores=1000/4500 player=2 offer=1000x2@1 rules=cinq-des(takeover=always, exact=true)", "+"
    ),
    "prediction_off": lambda: at("scores=0/0 phase=decide points=1000 left=2 rules=cinq-des", "?50"),
    "prediction_needs_two_dice": lambda: at(
        "scores=0/0 phase=decide points=100 left=4 rules=cinq-des(prediction=true)", "?50"
    ),
    "announcement_unknown": lambda: at(
        "scores=0/0 phase=decide points=1000 left=2 rules=cinq-des(prediction=true)", "?70"
    ),
    "points_not_a_multiple": lambda: at("scores=0/0 rules=cinq-des", "=1020"),
    "points_not_scoreless": lambda: at("scores=0/0 rules=cinq-des", "=1000*"),
    "points_pass_target": lambda: at("scores=4500/0 rules=cinq-des(exact=true)", "=1000"),
    "no_such_seat": lambda: at("scores=0/0 rules=cinq-des", "leave 3"),
    "already_away": lambda: at("scores=0/0 away=2 rules=cinq-des", "leave 2"),
    "not_away": lambda: at("scores=0/0 rules=cinq-des", "back 2"),
    "leave_between_turns": lambda: at("scores=0/0 phase=decide points=100 left=4 rules=cinq-des", "leave 2"),
    "back_between_turns": lambda: at("scores=0/0/0 away=2 phase=decide points=100 left=4 rules=cinq-des", "back 2"),
    "last_player_stays": lambda: at("scores=0/0 away=2 rules=cinq-des", "leave 1"),
    "bad_dice_source": lambda: parse_source("loaded"),
    "bad_fair_dice": lambda: parse_source("fair-1 table=Tq3"),
    "opening_wrong": lambda: Share.opened("ab" * 32, "cd" * 32),
    "link_wrong": lambda: Deal.begin("Tq3", "ab" * 32, Rules.parse("cinq-des"), ("Ana", "Ben"), (None, None)).draw(
        1, "cd" * 32
    ),
    "not_verifiable": lambda: verify(game().text),
    "fair_elsewhere": lambda: Table(fair_game(), save=lambda _: None),
    "secret_not_shown": lambda: verify(fair_game().text),
    "seal_missing": lambda: verify(fair_game(f" secret={'ab' * 32}").text),
    "seal_broken": lambda: verify(fair_game(f" secret={'ab' * 32} seal={'cd' * 32}").text),
    "turn_not_rolled": lambda: verify("rules: cinq-des\nplayers: Ana, Ben\ndice: seed 42\nAna: =1000"),
    "roll_differs": lambda: verify("rules: cinq-des\nplayers: Ana, Ben\ndice: seed 42\nAna: 15443>5"),
}  # fmt: skip

# What the solver, a table at play and the doors refuse, with the parameters that they give.
ELSEWHERE: dict[str, dict[str, object]] = {
    "not_solvable": {"name": "strike", "value": "true"},
    "solution_too_large": {"rules": "six-des(takeover=always)", "gibibytes": 1200},
    "solving_too_long": {"rules": "six-des", "players": 3, "minutes": 12},
    "stopping": {},
    "busy": {},
    "solution_damaged": {"rules": "six-des"},
    "not_solvable_many": {"players": 3, "name": "takeover", "value": "always"},
    "solution_exceeds_memory": {"rules": "cinq-des", "players": 5, "states": 10**10, "gigabytes": 320, "most": 16},
    "solution_foreign": {"rules": "six-des", "players": 3, "found": "cinq-des", "found_players": 2},
    "solution_version": {"rules": "six-des", "version": 1, "expected": 2},
    "other_solution": {"rules": "six-des", "found": "cinq-des"},
    "record_differs": {"file": "partie.txt", "header": "rules", "found": "six-des"},
    "roll_comes_last": {},
    "no_such_choice": {"number": 9, "choices": 5},
    "dice_are_drawn": {},
    "drawn_dice_stay": {},
    "turns_missing": {},
    "fair_seats": {"seats": 3, "players": 2},
    "commitment_broken": {"table": "Tq3_dTable-0"},
    "commitment_differs": {"noted": "ab" * 32, "found": "cd" * 32},
    "seal_differs": {"noted": "ab" * 32, "found": "cd" * 32},
    "no_seal": {},
    "bad_seal": {"text": "abc"},
    "no_commitment": {},
    "bad_commitment": {"text": "abc"},
    "alone_wrong": {"numbers": "7-9999", "rolls": 80},
    "links_number": {"player": "Ben", "expected": 12, "count": 13},
    "links_broken": {"player": "Ben"},
    "drawn_turns_stay": {},
    "nothing_to_undo": {},
    "bot_plays": {"player": "Ben"},
    "stale": {"seen": 1200, "number": 1203},
    "nothing_chosen": {},
    "nothing_asked": {},
    "unknown_choice": {"text": "steal"},
    "bad_points": {"text": "many"},
    "table_gone": {},
    "not_stored": {},
    "not_loaded": {},
    "database_address": {},
    "database_driver": {},
    "database_missing": {"database": "/srv/tables.sqlite3"},
    "database_unusable": {"database": "/srv/tables.sqlite3", "detail": "disk I/O error"},
    "database_newer": {"database": "postgresql://cinqmille:***@db/tables"},
    "too_many": {"seconds": 30},
    "too_large": {"kilobytes": 1024},
    "too_slow": {"seconds": 20},
    "other_site": {},
    "other_host": {"host": "elsewhere.example"},
    "bad_address": {},
    "body_kind": {"expected": "application/json", "kind": "text/html"},
    "body_not_text": {},
    "body_unreadable": {},
    "head_too_large": {"kilobytes": 16},
    "too_many_fields": {},
    "too_deep": {"levels": 20},
    "not_found": {},
    "server_failed": {},
    "no_table": {},
    "no_seat": {},
    "once_without_secret": {},
    "no_secret": {},
    "foreign_secret": {},
    "table_full": {"seats": 4},
    "already_begun": {},
    "not_begun": {},
    "sent_away": {},
    "host_only": {"player": "Ben"},
    "last_person_stays": {},
    "long_name": {"most": 40},
    "bad_link": {"text": "abc"},
    "no_chain": {"player": "Ben"},
    "skip_by_others": {"player": "Ben"},
    "stays_a_turn": {"player": "Ben"},
    "link_without_roll": {},
    "not_your_seat": {"player": "Ben"},
    "not_yet": {"seconds": 7},
    "still_waiting": {"player": "Ben", "seconds": 40},
    "waits_for_ever": {},
    "not_to_play": {"player": "Ben"},
    "unknown_entry": {"kind": "danced"},
    "dice_changed": {"table": "abc123", "entry": 12},
    "bad_public": {"text": "play.example"},
    "bad_proxy": {"text": "proxy.example"},
    "no_network": {},
    "endless_game": {"game": 1204, "turns": 1000000},
    "bot_stays": {"bot": "nervous"},
}


def refused(code: str) -> CinqMilleError:
    if code in ELSEWHERE:
        return CinqMilleError(code, **ELSEWHERE[code])
    with pytest.raises(CinqMilleError) as caught:
        REFUSALS[code]()
    return caught.value


def assert_said(french: str, english: str) -> None:
    """Both are finished sentences or phrases, and not the same one."""
    assert french != english
    for text in (french, english):
        assert text.strip()
        assert not re.search(r"[{}]|\bNone\b|\bTrue\b|\bFalse\b|[\[(]'|\b(?:Keep|Meld|Roll)\(|  ", text), text
    assert not re.search(r"\b(?:the|and|is|are|of|to)\b", re.sub("«.*?»", "", french)), french
    assert_french_spacing(french)


def assert_french_spacing(text: str) -> None:
    assert not re.search(r" [:;!?»](?:\s|$)|« ", text), f"a no-break space is missing: {text!r}"
    assert not re.search(r"\w[;!?](?:\s|$)", text), f"a no-break space is missing: {text!r}"


def test_every_code_has_a_refusal_here() -> None:
    assert {*REFUSALS, *ELSEWHERE} == {*SENTENCES}, "give each code an example in REFUSALS or ELSEWHERE"


@pytest.mark.parametrize("code", SENTENCES)
def test_a_refusal_is_said_in_both_languages(code: str) -> None:
    error = refused(code)
    assert error.code == code
    french, english = FR.error(error), EN.error(error)
    assert_said(french, english)
    assert french.endswith(".")
    assert english.endswith(".")
    fields = {field for _, field, _, _ in Formatter().parse(SENTENCES[code]) if field}
    assert fields <= error.params.keys()
    for name in fields - {"detail"}:
        value = error.params[name]
        assert FR.value(value, name) in french
        assert EN.value(value, name) in english
        if isinstance(value, str):
            assert value in french, "what somebody wrote stays as it was written"
    if isinstance(error, RecordError):
        assert french.startswith(f"ligne {error.line}, colonne {error.column}\u00a0: ")
        assert english.startswith(f"line {error.line}, column {error.column}: ")


def test_refusals_of_recorded_games_are_said() -> None:
    said = 0
    for path in sorted((ROOT / "tests" / "data" / "games").glob("*.txt")):
        try:
            played = replay(path.read_text(encoding="utf-8"))
        except CinqMilleError as error:
            assert_said(FR.error(error), EN.error(error))
            said += 1
            continue
        for _, _, step in played.steps():
            for event in step.events:
                assert_said(FR.event(event, played.players), EN.event(event, played.players))
                said += 1
    assert said > 200


def test_numbers_dice_and_lists_take_the_form_of_the_language() -> None:
    error = refused("below_entry")
    assert "1\u202f000" in FR.error(error)
    assert "1,000" in EN.error(error)
    error = refused("does_not_count")
    assert FR.error(error).endswith(
        "de 15534, on peut mettre de côté 155 (200), 15 (150), 55 (100), 1 (100) ou 5 (50)."
    )
    assert EN.error(error).endswith("of 15534: 155 (200), 15 (150), 55 (100), 1 (100) or 5 (50).")
    assert "first, last_turns ou finish_round" in FR.error(refused("bad_choice"))
    assert " et zpag-5000" in FR.error(refused("unknown_preset"))
    assert FR.error(refused("announcement_unknown")).endswith("50, 100, 150 ou 200.")


@pytest.mark.parametrize("code", DECIDED_BY)
def test_a_deciding_rule_is_a_rule(code: str) -> None:
    assert code in SENTENCES
    assert DECIDED_BY[code] in {parameter.name for parameter in PARAMETERS}


@pytest.mark.parametrize(
    ("text", "french", "english"),
    [
        (
            "dice 5",
            "il manque un signe égal après un nom, ligne 1, colonne 6",
            "an equals sign is missing after a name, at line 1, column 6",
        ),
        ("dice = ", "valeur illisible (un texte se met entre guillemets droits)", "a value that cannot be read"),
        ("dice = 5 6", "il y a quelque chose après la fin d'une valeur", "something after the end of a value"),
        ("dice = 5\ndice = 6", "un nom est donné deux fois", "a name that is given twice"),
        ("[dice]\n[dice]", "un nom est donné deux fois", "a name that is given twice"),
        ("[dice", "il manque un ] fermant, à la fin du fichier", "a closing ] is missing, at the end of the file"),
        ('source = "x', "un texte n'est pas fermé", "a text that is not closed"),
        ('source = "\\x"', "une barre oblique inverse", "a backslash in a text"),
        ("dice = [1", "une liste n'est pas fermée par ]", "a list that is not closed by ]"),
        ("title = {fr = 'x'", "un groupe n'est pas fermé par }", "a group that is not closed by }"),
        ("\u0001", "ligne illisible", "a line that cannot be read"),
        ("= 5", "ligne illisible", "a line that cannot be read"),
        ("combinations = 5", "[combinations] doit être suivi", "[combinations] must head"),
        ("# \u0001", "caractère interdit", "a character that is not allowed there"),
        ("dice = 1979-02-31", "valeur illisible", "a value that cannot be read"),
    ],
)
def test_what_the_toml_reader_says_is_said(text: str, french: str, english: str) -> None:
    with pytest.raises(CinqMilleError) as caught:
        Sheet.from_toml(text, name="maison", source="maison.toml")
    assert french in FR.error(caught.value)
    assert english in EN.error(caught.value)


@pytest.mark.parametrize(
    ("detail", "french", "english"),
    [
        ("No such file or directory", "ce fichier n'existe pas", "there is no such file"),
        ("Permission denied", "la lecture n'en est pas permise", "reading it is not permitted"),
        ("Is a directory", "c'est un dossier", "it is a folder"),
        (
            "Stale file handle",
            "message du système, «\u00a0Stale file handle\u00a0»",
            "the system says “Stale file handle”",
        ),
    ],
)
def test_what_the_system_says_is_said(detail: str, french: str, english: str) -> None:
    error = CinqMilleError("unreadable_file", file="maison.toml", detail=detail)
    assert FR.error(error) == f"Impossible de lire maison.toml\u00a0: {french}."
    assert EN.error(error) == f"maison.toml cannot be read: {english}."


# Events

EVENTS: list[tuple[a.Event, str, str]] = [
    (a.Rolled(0, (1, 5, 5, 3, 4), True), "Ana lance 1 5 5 3 4.", "Ana rolls 1 5 5 3 4."),
    (a.Busted(0, 0, True), "Lancer nul pour Ana : aucun dé ne compte.", "Farkle: nothing scores for Ana."),
    (
        a.Busted(0, 1250, False),
        "Lancer nul pour Ana : 1 250 points perdus.",
        "Farkle: nothing scores for Ana; 1,250 points are lost.",
    ),
    (a.Busted(0, 1, False), "Lancer nul pour Ana : 1 point perdu.", "Farkle: nothing scores for Ana; 1 point is lost."),
    (a.Kept(0, (1, 5, 5), 200, 200, 2), "Ana met 155 de côté : 200.", "Ana sets 155 aside: 200."),
    (
        a.Kept(0, (5,), 50, 1050, 1),
        "Ana met 5 de côté : 50, soit 1 050 pour ce tour.",
        "Ana sets 5 aside: 50, which makes 1,050 this turn.",
    ),
    (
        a.Kept(0, (5,), 50, 50, 0),
        "Ana met 5 de côté : 50. Main pleine : tous les dés sont de côté.",
        "Ana sets 5 aside: 50. Hot dice: all dice are set aside.",
    ),
    (a.Announced(0, 50), "Ana annonce 50 avec les deux derniers dés.", "Ana announces 50 with the last two dice."),
    (a.Predicted(0, 50, 50, True), "Annonce juste : Ana avait dit 50.", "The prediction is right: Ana announced 50."),
    (
        a.Predicted(0, 50, 100, False),
        "Annonce manquée : Ana avait dit 50, ce lancer donne au mieux 100.",
        "The prediction is wrong: Ana announced 50, the best of this roll is 100.",
    ),
    (
        a.Doubled(0, 1100),
        "Ana double tout son tour : 1 100 points en jeu.",
        "The whole turn doubles: Ana now has 1,100 points at risk.",
    ),
    (
        a.TookOver(1, 1000, 1),
        "Ben reprend le tour précédent : 1 000 points, 1 dé à lancer.",
        "Ben takes over the previous turn: 1,000 points, 1 die to roll.",
    ),
    (
        a.TookOver(1, 1000, 5),
        "Ben reprend le tour précédent : 1 000 points, 5 dés à lancer.",
        "Ben takes over the previous turn: 1,000 points, 5 dice to roll.",
    ),
    (
        a.Overshot(0, 600, 5100),
        "Ana dépasse l'objectif avec 5 100 : le tour s'arrête, ses 600 points sont perdus.",
        "Ana passes the target with 5,100: the turn ends, its 600 points are lost.",
    ),
    (a.Banked(0, 450, 450, 1450), "Ana marque 450 : 1 450 en tout.", "Ana banks 450: 1,450 in all."),
    (
        a.Banked(0, 450, 200, 4000),
        "Ana marque 450, mais le total s'arrête à 4 000, au début de la dernière ligne droite.",
        "Ana banks 450, but the total stops at 4,000, where the last leg begins.",
    ),
    (a.Scoreless(0, 1, False), "Ana ne marque rien à ce tour.", "Ana scores nothing this turn."),
    (
        a.Scoreless(0, 2, False),
        "Ana ne marque rien, pour le 2e tour de suite.",
        "Ana scores nothing, for 2 turns in a row now.",
    ),
    (
        a.Scoreless(0, 3, True),
        "Ana n'a rien marqué depuis 3 tours : la pénalité tombe.",
        "Ana has scored nothing for 3 turns in a row: the penalty falls due.",
    ),
    (
        a.Scoreless(0, 1, True),
        "Ana n'a rien marqué à ce tour : la pénalité tombe.",
        "Ana has scored nothing this turn: the penalty falls due.",
    ),
    (
        a.Fell(1, 1450, 900, "equal", 0),
        "Ben tombe de 1 450 à 900 : Ana arrive sur son total.",
        "Ben falls from 1,450 to 900: Ana arrives on the same total.",
    ),
    (
        a.Fell(1, 1450, 900, "strike", 1),
        "Ben tombe de 1 450 à 900 : un lancer nul de tous les dés raye son dernier tour marqué.",
        "Ben falls from 1,450 to 900: a bust on all dice strikes the last banked turn.",
    ),
    (
        a.Fell(1, 0, -500, "scoreless", 1),
        "Ben tombe de 0 à −500 : c'est la pénalité des tours sans gain.",
        "Ben falls from 0 to −500: the penalty for turns without points.",
    ),
    (
        a.TargetReached(0, 5050, "last_turns"),
        "Ana atteint l'objectif avec 5 050 : dernier tour pour chacun des autres.",
        "Ana reaches the target with 5,050: one last turn for each of the others.",
    ),
    (
        a.TargetReached(0, 5050, "finish_round"),
        "Ana atteint l'objectif avec 5 050 : la manche se joue jusqu'au bout.",
        "Ana reaches the target with 5,050: the round is played to its end.",
    ),
    (a.Skipped(0, 0), "Ana passe son tour.", "Ana misses a turn."),
    (a.Skipped(0, 300), "Ana passe son tour : 300 points perdus.", "Ana misses a turn; 300 points are lost."),
    (a.WentAway(2, 0), "Zoé quitte la table.", "Zoé leaves the table."),
    (a.WentAway(2, 300), "Zoé quitte la table : 300 points perdus.", "Zoé leaves the table; 300 points are lost."),
    (a.CameBack(2), "Zoé revient à la table.", "Zoé is back at the table."),
    (a.Won((0,), "at_once"), "Ana gagne aussitôt avec ce lancer !", "Ana wins at once with this roll!"),
    (a.Won((1,), "target"), "Ben gagne : l'objectif est atteint !", "Ben wins: the target is reached!"),
    (a.Won((1,), "highest"), "Ben gagne avec le plus haut total !", "Ben wins with the highest total!"),
    (
        a.Won((0, 1, 2), "shared"),
        "Ana, Ben et Zoé gagnent ensemble, à égalité en tête !",
        "Ana, Ben and Zoé win together, with the same highest total!",
    ),
]


def test_every_event_is_told_here() -> None:
    assert {type(event) for event, _, _ in EVENTS} == {*get_args(a.Event)}


@pytest.mark.parametrize(("event", "french", "english"), EVENTS)
def test_an_event_is_told(event: a.Event, french: str, english: str) -> None:
    told = FR.event(event, NAMES)
    assert told.translate({0xA0: " ", 0x202F: " "}) == french
    assert EN.event(event, NAMES) == english
    assert_said(told, english)


def test_a_name_with_braces_is_a_name() -> None:
    assert EN.event(a.CameBack(0), ("{player}",)) == "{player} is back at the table."


# Mechanics, labels


@pytest.mark.parametrize(
    ("number", "french", "english"),
    [(0, "0", "0"), (999, "999", "999"), (5000, "5\u202f000", "5,000"), (-2500, "−2\u202f500", "−2,500"),
     (1_234_567, "1\u202f234\u202f567", "1,234,567")],
)  # fmt: skip
def test_numbers(number: int, french: str, english: str) -> None:
    assert (FR.number(number), EN.number(number)) == (french, english)


def test_percentages() -> None:
    assert (FR.percent(600 / 7776), EN.percent(600 / 7776)) == ("7,7\u202f%", "7.7%")
    assert (FR.percent(1, 0), EN.percent(0.12345, 2)) == ("100\u202f%", "12.35%")


def test_counts_and_lists() -> None:
    assert [FR.points(n) for n in (0, 1, 2)] == ["0 point", "1 point", "2 points"]
    assert [EN.points(n) for n in (0, 1, 2000)] == ["0 points", "1 point", "2,000 points"]
    assert [FR.dice(1), FR.dice(5), EN.dice(1), EN.dice(5)] == ["1 dé", "5 dés", "1 die", "5 dice"]
    assert [FR.counted(n) for n in (1, 2, 8, 9)] == ["1", "deux", "huit", "9"]
    assert (FR.all_of(["a"]), FR.all_of(["a", "b"]), EN.one_of(["a", "b", "c"])) == ("a", "a et b", "a, b or c")
    assert (FR.series(["a", "b"]), EN.series(["a", "b"])) == ("a\u00a0; b", "a; b")
    assert EN.value((1, 5, 5), "dice") == "155"
    assert EN.value(keeps(PRESETS["cinq-des"], "1 2 3 4 6")) == "1 (100)"
    assert EN.value((), "known") == ""


@pytest.mark.parametrize(
    ("environment", "lang"),
    [
        ({}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LANG": "fr_FR.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "FR_ca", "LANG": "en_GB"}, "fr"),
    ],
)
def test_the_language_is_that_of_the_environment(environment: dict[str, str], lang: str) -> None:
    assert language(environment) == lang


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda parameter: parameter.name)
def test_every_rule_has_its_words(parameter: Any) -> None:
    name = parameter.name
    assert_said(FR.parameter_label(name), EN.parameter_label(name))
    for choice in parameter.choices:
        assert_said(FR.choice_label(name, choice), EN.choice_label(name, choice))
        assert FR.setting(name, choice) == FR.choice_label(name, choice)
    rules = PRESETS["cinq-des"]
    assert EN.rule(rules, name).startswith(EN.parameter_label(name) + ": ")
    assert FR.rule(rules, name).startswith(FR.parameter_label(name) + "\u00a0: ")


def test_settings() -> None:
    assert [FR.setting("exact", True), EN.setting("exact", False), FR.setting("target", 5000)] == [
        "oui",
        "no",
        "5\u202f000",
    ]
    assert FR.rule(PRESETS["cinq-des"], "entry") == "ouverture\u00a0: 750"


@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_has_its_words(phase: str) -> None:
    assert_said(FR.phase(phase), EN.phase(phase))


@pytest.mark.parametrize(
    "action",
    [Roll((1, 5)), a.SetAside((1,)), a.Bank(), a.RollOn(), a.TakeOver(), a.Announce(50), a.Points(450), a.Skip(),
     a.Leave(0), a.Back(1)],
    ids=a.format_action,
)  # fmt: skip
def test_every_action_has_its_words(action: a.Action) -> None:
    assert_said(FR.action(action, NAMES), EN.action(action, NAMES))


def test_an_action_that_was_not_listed_above_is_missing() -> None:
    assert len(get_args(a.Action)) == 10
    position = start(PRESETS["cinq-des"])
    assert EN.action(a.SetAside((5, 1)), NAMES) == "set 15 aside"
    assert apply(position, Roll((1, 5, 2, 3, 3))).phase == "choose"


@pytest.mark.parametrize(
    ("pattern", "french", "english"),
    [
        ("1", "un 1", "a 1"),
        ("111", "trois 1", "three 1s"),
        ("AAA", "trois dés identiques", "three of a kind"),
        ("AA", "une paire", "a pair"),
        ("A", "un dé quelconque", "any die"),
        ("12345", "suite de 1 à 5", "straight from 1 to 5"),
        ("12", "un 1 et un 2", "a 1 and a 2"),
        ("124", "un 1, un 2 et un 4", "a 1, a 2 and a 4"),
        ("AABBCC", "trois paires différentes", "three different pairs"),
        ("AAABBB", "deux brelans différents", "two different triplets"),
        ("AAAABBBB", "deux carrés différents", "two different fours of a kind"),
        ("AAAABB", "un carré et une paire", "a four of a kind and a pair"),
        ("AAABB", "un brelan et une paire", "a triplet and a pair"),
        ("11A", "deux 1 et un dé quelconque", "two 1s and any die"),
        ("1AA", "un 1 et une paire", "a 1 and a pair"),
        ("AAAAAB", "cinq dés identiques et un autre dé", "five of a kind and another die"),
        ("ABCDEF", "six dés différents", "six different dice"),
        ("11112222", "quatre 1 et quatre 2", "four 1s and four 2s"),
    ],
)
def test_a_combination_has_its_name(pattern: str, french: str, english: str) -> None:
    assert FR.combination(pattern) == french
    assert EN.combination(pattern) == english


# The catalog


def words_script() -> Any:
    loader = SourceFileLoader("words_script", str(ROOT / "scripts" / "words"))
    spec = spec_from_loader("words_script", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def collected() -> Catalog:
    """What the sources say now."""
    catalog: Catalog = words_script().collected()
    return catalog


@pytest.fixture(scope="module")
def stored() -> Catalog:
    with (LOCALE / "cinqmille.po").open("rb") as file:
        return read_po(file, locale="fr")


def sentences(catalog: Catalog) -> dict[str | tuple[str, ...], Message]:
    return {tuple(m.id) if isinstance(m.id, list) else m.id: m for m in catalog if m.id}


def forms(message: Message) -> list[str]:
    return [text or "" for text in (message.string if isinstance(message.string, tuple | list) else (message.string,))]


def test_the_catalog_holds_what_the_sources_say(collected: Catalog, stored: Catalog) -> None:
    assert not sentences(collected).keys() - sentences(stored).keys(), "run scripts/words"
    assert not sentences(stored).keys() - sentences(collected).keys(), "run scripts/words"


def test_everything_is_translated(stored: Catalog) -> None:
    missing = [key for key, message in sentences(stored).items() if not all(forms(message))]
    assert not missing, "translate these with scripts/words add"


def test_the_compiled_catalog_is_that_of_the_text(stored: Catalog) -> None:
    with (LOCALE / "cinqmille.mo").open("rb") as file:
        compiled = sentences(read_mo(file))
    written = sentences(stored)
    translated = {key: tuple(forms(message)) for key, message in written.items() if all(forms(message))}
    assert compiled.keys() <= written.keys(), "run scripts/words"
    assert {key: tuple(forms(compiled[key])) for key in translated} == translated, "run scripts/words"


def test_the_french_is_french_and_takes_the_same_parameters(stored: Catalog) -> None:
    sources = {PRESETS.sheet(preset).source for preset in PRESETS}
    for key, message in sentences(stored).items():
        english = list(key) if isinstance(key, tuple) else [key]
        fields = [{field for _, field, _, _ in Formatter().parse(text) if field is not None} for text in english]
        for french in filter(None, forms(message)):
            found = {field for _, field, _, _ in Formatter().parse(french) if field is not None}
            assert found in fields, f"{french!r} takes other parameters than {english}"
            words = re.findall(r"[^\W\d]+", re.sub(r"{\w+}", "", french).lower())
            alike = {*words} <= SHARED or french in sources or french.isupper()
            assert alike or french not in english, f"{french!r} is English"
            assert_french_spacing(french)
            assert french.endswith(".") == english[0].endswith("."), f"{french!r} ends otherwise than {english}"


def test_no_sentence_is_hidden_from_the_collector(collected: Catalog) -> None:
    """A sentence inside an f-string, for one, would be said in English only."""
    known = {text for key in sentences(collected) for text in (key if isinstance(key, tuple) else (key,))}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            number = {"say": 1, "count": 2, "N_": 1}.get(name, 0)
            if name == "count" and len(node.args) < 3:
                continue
            for argument in node.args[:number]:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    assert argument.value in known, f"{path.name}:{node.lineno}: {argument.value!r}"


@pytest.mark.parametrize(("preset", "lang"), [*product(PRESETS, LANGUAGES)])
def test_every_sheet_has_a_title_in_each_language(preset: str, lang: str) -> None:
    sheet = PRESETS.sheet(preset)
    assert sheet.title[lang]
    assert not sheet.notes or sheet.notes[lang]
    assert Words(lang).translated(sheet.source)
