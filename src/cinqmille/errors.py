"""Everything that can be refused: the exception tree, the codes and their English sentences.

::

    CinqMilleError (ValueError)     code, params, and a sentence as str
      InvalidRules                  rules that cannot be read or cannot be played
      InvalidText                   dice, positions, records that cannot be read
      IllegalAction                 read, but not allowed here; says what would be
      RecordError                   any of these at a line and column of a record

Codes are stable names for programs. The sentence says what is wrong, with which input, and what would be right;
``words`` renders code and parameters in the reader's language with the same templates as its message keys.
"""

from __future__ import annotations

from typing import Any

SENTENCES = {
    # Rules
    "bad_pattern": "'{pattern}' is not a combination: write faces 1 to 6 and capital letters A to F, as in 111 or AABBCC.",
    "bad_combination_value": "Combination {pattern} cannot be worth '{value}': write points (1500), so many times a face (100*A), win or none.",
    "letter_not_in_pattern": "Combination {pattern} cannot be worth {letter} times something: there is no {letter} in it.",
    "pattern_too_long": "Combination {pattern} needs {length} dice; this game has {dice}.",
    "bad_flag": "{name} cannot be '{value}': it is true or false.",
    "bad_choice": "{name} cannot be '{value}': it is one of {choices}.",
    "bad_number": "{name} cannot be '{value}': it is a whole number from {low} to {high}.",
    "bad_choice_or_number": "{name} cannot be '{value}': it is {choices} or a whole number from {low} to {high}.",
    "unknown_preset": "There is no rule sheet '{name}': there are {known}.",
    "unknown_parameter": "There is no rule '{name}': there are combinations, such as AABBCC, and the rules {known}.",
    "misspelt_parameter": "There is no rule '{name}', perhaps {closest} is meant: there are {known}, and combinations such as AABBCC.",
    "rule_among_combinations": "{name} is a rule, not a combination: put it above the line [combinations].",
    "no_combinations": '{file} has no combinations: list them under [combinations], or name a sheet to start from, as in base = "cinq-des".',
    "repeated_parameter": "'{name}' is given twice.",
    "rules_syntax": "'{text}' cannot be read as rules: write a sheet and what differs, as in cinq-des(entry=500, AAAA=none).",
    "bad_toml": "{file} cannot be read as a rule sheet: {detail}.",
    "unreadable_file": "{file} cannot be read: {detail}.",
    "not_utf8": "{file} cannot be read: it is not UTF-8 text.",
    "no_points": "These combinations give no points at all: add one that does, such as 1=100.",
    "not_a_multiple": "{name} cannot be {value}: every score of this table is a multiple of {step}; {below} or {above} would do.",
    "prediction_needs_five_dice": "prediction needs five dice (three set aside, two to announce); this game has {dice}.",
    "last_leg_too_long": "last_leg cannot be {last_leg}: the target is only {target}.",
    "entry_unreachable": "Nobody could ever open: the entry is {entry}, but a turn brings at most {most}.",
    "target_unreachable": "Nobody could ever reach {target}: a turn brings at most {most}, less than the minima or the last leg ask for.",
    "target_unreachable_exactly": "Nobody could ever hit {target} exactly with these combinations and minima.",
    "dead_end": "A player at {total} could never win: no turns add exactly the {missing} missing to {target}.",
    "not_solvable": "These rules cannot be solved exactly: {name}={value} remembers whole histories.",
    "not_solvable_many": "With {players} players these rules cannot be solved exactly, because of {name}={value}: solve the game of two, or ask for advice, which approximates.",
    "solution_exceeds_memory": "{rules} with {players} players cannot be solved here: {states} states need {gigabytes} GB of memory, and this machine has {most}.",
    "solving_too_long": "Here no time is taken for solving {rules} with {players} players, which takes about {minutes} minutes.",
    "solution_too_large": "{rules} cannot be solved here: turns that may be taken over would need {gibibytes} GiB.",
    "solution_damaged": "The stored solution of {rules} is damaged.",
    "solution_version": "The stored solution of {rules} has format {version}; this program reads format {expected}.",
    "solution_foreign": "This is no solution of {rules} for {players} players: it was made for {found} with {found_players}.",
    "other_solution": "This is no solution of {rules}: it was made for {found}.",
    # Texts
    "bad_dice": "'{text}' is not dice: write faces from 1 to 6, as in 15534 or 1 5 5 3 4.",
    "too_many_dice": "{dice} is too many dice: {count}, where this game has {most}.",
    "position_part_missing": "A position needs {part}=, as in scores=500/0 player=2 rules=cinq-des.",
    "position_part_unknown": "'{part}' does not belong in a position: its parts are rules, {known}, each once, as name=value.",
    "position_part_wrong": "In this position {part} cannot be '{value}'.",
    "score_below_floor": "No score can be {score}: none is ever below {floor}.",
    "score_in_last_leg": "No score can be {score}: on the way to {target} totals stop at {cap}, where the last leg begins.",
    "score_passes_exact": "No score can be {score}: the target {target} must be hit exactly.",
    "score_has_won": "With a score of {score} the game is over: whoever reaches {target} first wins.",
    "scores_equal": "Two players cannot both have {score}: who arrives on a total makes the other one fall.",
    "had_last_turn": "Player {seat} is at the target with {score}, so player {player} cannot be to play: in the last turns everybody plays once more, in order. Give the whole position as a line.",
    "points_at_risk_negative": "The points at risk cannot be {points}.",
    "points_at_risk_missing": "With {left} dice left there are points at risk: say how many; at the start of a turn {dice} dice are rolled.",
    "dice_missing": "With {points} points at risk, give the roll on the table or the number of dice left.",
    "dice_left_wrong": "There cannot be {left} dice left: from 0 (all are set aside) to {dice} are possible.",
    "roll_begins_turn": "{roll} has {count} dice, but a turn begins with {dice}: give the points at risk too.",
    "roll_is_bust": "{roll} is a bust: nothing scores, the turn is over and there is nothing to decide.",
    "roll_wins": "{roll} wins at once: there is nothing to decide.",
    "bad_keep": "'{text}' is not dice set aside: write them with their points, as in 155=200.",
    "bad_action": "'{text}' is not an action: write dice (15534), >155, =, roll, +, ?50, =450, =0*, skip, leave 2 or back 2.",
    "bad_name": "'{name}' cannot be a player's name: it needs at least one character, and no colon, comma, # or control character.",
    "name_is_header": "'{name}' cannot be a player's name: a record begins lines with {known}.",
    "name_twice": "'{name}' is the name of two players: give each one a name of their own.",
    "bad_seats": "'{text}' is not a bot's seat: write a player and a bot, as in Ben=steady:350, each player once.",
    "bot_needs_solution": (
        "The bot '{bot}' plays solved games, and with {name} = {value} and {players} players there is no solution: "
        "take 'best'."
    ),
    "bot_game_too_large": "The bot '{bot}' plays solved games, and the solution of {rules} would be too large: take 'best'.",
    "bot_unsolved": (
        "The bot '{bot}' plays solved games, and {rules} is not solved for {players} players yet: solve it first, or take "
        "'best'."
    ),
    "unknown_bot": "There is no bot '{spec}': there are {known}.",
    "odds_dice": "This game never rolls {dice_number} dice at once: from 1 to {most} are possible.",
    # Records
    "record_line": "'{text}' is neither a header nor a turn: write a name, a colon and what was played.",
    "header_missing": "The line '{name}:' is missing: a record begins with {known}.",
    "repeated_header": "The line '{name}:' stands twice.",
    "unknown_player": "There is no player '{name}': there are {known}.",
    "out_of_turn": "It is not the turn of {player}: {expected} is to play.",
    "turn_is_over": "'{token}' comes too late: the turn is over.",
    "turn_not_finished": "The turn of {player} is not finished: only the last line may stop in the middle.",
    "bad_token": "'{token}' cannot be read: write a roll and what was set aside (15534>155, 24>- for a bust), =, +, ?50, skip, leave or back.",
    "points_missing": "Points are missing: a turn typed as its points is =450, a scoreless one =0.",
    "set_aside_missing": "What was set aside of {roll} is missing; it can be {legal}.",
    "wrong_gain": "This turn adds {gain}, not {written}.",
    "wins_alone": "{dice} wins at once: nothing is set aside.",
    "not_a_bust": "{roll} is not a bust; what can be set aside: {legal}.",
    "is_a_bust": "{roll} is a bust: nothing can be set aside; write {roll}>-.",
    "no_such_entry": "There is no entry {number}: they are numbered from 1 to {entries}.",
    "not_json": "This is not JSON: it goes wrong at line {line}, column {column}.",
    "json_wrong": "This JSON is not what was expected: {key} is missing or of another kind.",
    "other_rules": "{rules} has changed since this was stored (fingerprint {stored}, now {found}): it cannot be read.",
    # Actions
    "players_number": "A game has 2 to 8 players, not {players}.",
    "game_over": "The game is over.",
    "start_due": "A turn begins: roll all dice ({dice}), or take over {points} points (dice to roll: {left}).",
    "dice_due": "Dice are awaited: {dice} to roll.",
    "set_aside_due": "Set scoring dice of {roll} aside first: {legal}.",
    "decision_due": "The dice are set aside: bank {points}, or roll again (dice to roll: {dice}).",
    "roll_on_due": "The dice are set aside, but {points} cannot be banked: roll again (dice to roll: {dice}).",
    "wrong_number_of_dice": "{dice} has the wrong number of dice, {count}: {expected} to roll now.",
    "not_in_roll": "{dice} is not in the roll {roll}; what can be set aside: {legal}.",
    "does_not_count": "In {dice} not every die counts; what can be set aside of {roll}: {legal}.",
    "keep_all_due": "This table sets aside as many dice as possible, so not {dice}; of {roll}: {legal}.",
    "prediction_must_keep": "The prediction of {announced} came true, so not {dice}: the dice that make it are set aside, {legal}.",
    "below_entry": "Getting on the board takes {need} points in one turn: this one has {turn}, {missing} short; roll again.",
    "below_min_bank": "Banking takes {need} points in one turn: this one has {turn}, {missing} short; roll again.",
    "hot_dice_must_roll": "All dice are set aside: at this table they must be rolled again, all {dice}, unless the target is reached.",
    "last_leg_needs_target": "From {score} only a turn that reaches {target} may be banked: it takes {need}, this one has {turn}, {missing} short; roll again.",
    "takeover_never": "This table never takes over the previous player's turn.",
    "nothing_to_take_over": "There is nothing to take over: the previous player did not bank, or the dice left are not known.",
    "takeover_not_opened": "Only players on the board may take over.",
    "takeover_passes_target": "Taking over {points} points at {score} would reach or pass the exact target {target}.",
    "prediction_off": "This table makes no announcements.",
    "prediction_needs_two_dice": "Announcements are made with two dice left to roll; {dice} would be rolled now.",
    "announcement_unknown": "{points} cannot be announced: {legal} can.",
    "points_not_a_multiple": "{points} points are not possible: every score of this table is a multiple of {step}.",
    "points_not_scoreless": "The star is for a turn without points on a roll of all dice (0*), not for {points}.",
    "points_pass_target": "{points} points at {score} pass the exact target {target}: such a turn is scoreless, 0.",
    "no_such_seat": "There is no seat {seat}: they are numbered from 1 to {seats}.",
    "already_away": "The player of seat {seat} has already left.",
    "not_away": "The player of seat {seat} has not left.",
    "leave_between_turns": "The player of seat {seat} can leave when the turn in progress is over.",
    "back_between_turns": "The player of seat {seat} can come back when the turn in progress is over.",
    "last_player_stays": "The player of seat {seat} is the last one present and cannot leave.",
    # Tables
    "bad_dice_source": "'{text}' is not a way to roll: write system, seed 42 or real.",
    "fair_elsewhere": "The dice of this game are drawn by its table online, {table}: it can be looked at here, but goes on only there.",
    "dice_are_drawn": "The program rolls the dice of this game: no dice and no points are typed in.",
    "drawn_dice_stay": "The program rolled these dice and they stay: only what was typed since can be taken back.",
    "drawn_turns_stay": "The program rolled the dice of this game: nothing was typed that could be corrected.",
    "roll_comes_last": "A roll comes last: what follows is decided when its dice lie on the table.",
    "nothing_to_undo": "There is nothing to undo.",
    "bot_plays": "{player} is a bot and decides by itself.",
    "record_differs": "{file} holds another game, with {header}: {found}. Leave that option out to go on with it, or name another file.",
    "no_such_choice": "There is no choice #{number}: they are numbered from #1 to #{choices}.",
    "nothing_chosen": "No dice are chosen: choose those to set aside first.",
    "nothing_asked": "Say what to do: press one of the buttons.",
    "unknown_choice": "'{text}' is nothing that can be done here.",
    "bad_points": "'{text}' is not the points of a turn: write a whole number such as 450, or 0 for none.",
    "stale": "Something has happened since: this was meant for number {seen}, the table is at {number}.",
    # What is stored
    "table_gone": "There is no such table any more: it was deleted.",
    "not_stored": "This could not be stored just now: try again in a moment.",
    "not_loaded": "This cannot be read from the database just now: try again in a moment.",
    "database_address": "This is no address of a database: write the path of a file, sqlite:///PATH, or postgresql://USER:PASSWORD@HOST/NAME.",
    "database_driver": "PostgreSQL needs the extra 'postgres': python -m pip install 'cinqmille[postgres]' installs it.",
    "database_missing": "There is no database {database}.",
    "database_unusable": "The database {database} cannot be used: {detail}.",
    "database_newer": "The database {database} was written by a newer version of cinqmille: install that one, or name another database.",
    # Fair dice
    "bad_fair_dice": "The line 'dice: fair-1 ...' cannot be read: it is not as a table online writes it.",
    "opening_wrong": "The opening does not belong to the anchor: the anchor must be the SHA-256 of its 32 bytes.",
    "link_wrong": "This is not link {number} of seat {seat}: its SHA-256 must be the link before it; a seat without a chain gives none.",
    "not_verifiable": "The dice of this game cannot be checked, they are '{dice_source}': only those of a table online (fair-1) or of a seed can be worked out again.",
    "secret_not_shown": "This game cannot be checked yet: the secret of its dice is in the record only when the game is over.",
    "seal_missing": "The record has no seal: a game that is over ends its line 'dice: fair-1 ...' with one.",
    "seal_broken": "This record was changed after it was sealed: not a letter of it may differ.",
    "turns_missing": "The secret of the dice is in this record, but its game is not over: turns are missing.",
    "fair_seats": "The line 'dice: fair-1 ...' has {seats} seats, but there are {players} players.",
    "commitment_broken": "The secret in this record is not the one that table {table} committed to.",
    "commitment_differs": "Before the game {noted} was noted as the commitment, but this record has {found}.",
    "seal_differs": "This is not the game that was noted: at its end {noted} was noted as the seal, but this record has {found}.",
    "no_seal": "A seal was noted, but the dice of this record come from a seed, and it has none.",
    "bad_seal": "'{text}' is not a seal: it is 64 digits, 0 to 9 and a to f.",
    "no_commitment": "A commitment was noted, but the dice of this record come from a seed and have none.",
    "bad_commitment": "'{text}' is not a commitment: it is 64 digits, 0 to 9 and a to f.",
    "alone_wrong": "The list alone={numbers} is wrong: it names rolls, from 0 up to {rolls} exclusive, of seats with a chain, each once, in order.",
    "links_number": "{player} must have shown {expected} links, one for the start and one for each roll with a link, but the record says {count}.",
    "links_broken": "The links of {player} are no chain: hashed again and again, the last one must lead to the opening and the anchor.",
    "turn_not_rolled": "{player}'s turn is written as its points, {points}: where dice are drawn every roll is written down.",
    "roll_differs": "Roll {number} of the game is not the one that was drawn: {player}'s {roll} should be {dice}. A roll, a name, a rule, a seat or a secret was changed.",
    # The server
    "too_many": "Too much at once: wait {seconds} s and try again.",
    "too_large": "This is too much: {kilobytes} kB at most can be sent here.",
    "too_slow": "This took too long to arrive: all of it must be here within {seconds} s.",
    "other_site": "This request comes from another site.",
    "other_host": "This server is not known as '{host}': whoever runs it can allow that name with --host-name, or give the server's address with --public.",
    "bad_address": "This address contains a character that no address has.",
    "body_kind": "This is sent as {expected}, not as {kind}.",
    "body_not_text": "What was sent is not text in UTF-8.",
    "body_unreadable": "What was sent cannot be read.",
    "head_too_large": "The address and the headers of this request are too long: {kilobytes} kB at most are read.",
    "too_many_fields": "This form has more fields than there can be.",
    "too_deep": "This JSON is nested too deeply: {levels} levels at most can be read.",
    "not_found": "There is nothing here.",
    "bad_public": "'{text}' is not the address of a server: write https:// and its name, as in https://play.example, without a path.",
    "bad_proxy": "'{text}' is neither the address of a proxy nor a network of them: write them as in 10.0.0.7 or 10.0.0.0/8, with commas.",
    "no_network": "This machine is in no network that others could reach it in: join one, or name its address with --host.",
    "server_failed": "Something went wrong on the server that should not: its log has the details. Try again.",
    "stopping": "The server is just being started anew: try again in a moment.",
    "busy": "Others are being thought for already: try again in a moment.",
    # Tables far apart
    "no_table": "There is no such table. It may have been deleted.",
    "no_seat": "You have no seat at this table: you can watch.",
    "once_without_secret": "A table that is opened once, however often it is asked for, needs a secret of the program's own.",
    "no_secret": "Show the secret of your seat: Authorization: Bearer.",
    "foreign_secret": "This secret belongs to no seat of this table.",
    "table_full": "All {seats} seats of this table are taken; you can watch.",
    "already_begun": "The game has begun: the seats stay as they are.",
    "not_begun": "The game has not begun yet.",
    "sent_away": "The host of this table has freed your seat: you can watch.",
    "host_only": "Only {player}, who opened the table, can do this.",
    "last_person_stays": "The last person at a table stays; delete the table instead.",
    "long_name": "A name has {most} characters at most.",
    "bad_link": "'{text}' is not a link of a chain: it has 64 digits from 0 to f.",
    "no_chain": "{player} has given no chain, so there is nothing to open.",
    "skip_by_others": "{player} cannot skip the own turn: bank, roll, or leave the table.",
    "stays_a_turn": "{player} has just come back, and stays for a turn before leaving again.",
    "link_without_roll": "Nothing is rolled by this, so it takes no link: show the next link with a roll.",
    "not_your_seat": "{player} can only leave or come back to the own seat.",
    "not_yet": "The devices of the others have {seconds} more seconds to answer.",
    "still_waiting": "The table still waits for {player}: another {seconds} seconds.",
    "waits_for_ever": "This table agreed to wait for everybody, however long it takes.",
    "not_to_play": "{player} is not to play, so there is no turn to skip.",
    "unknown_entry": "An entry of this table is of a kind this version does not know: {kind}.",
    "dice_changed": "Entry {entry} of table {table} holds other dice than were drawn: the database was changed.",
    # Mass play
    "endless_game": "Game {game} was given up after {turns} turns: these bots never come to an end under these rules.",
    "bot_stays": "The bot {bot} cannot be sent to other processes: define it in a module of its own, or let one worker play.",
}


class CinqMilleError(ValueError):
    """What the package refuses; ``code`` and ``params`` are for programs, ``str`` is the sentence.

    A parameter is a number, a word, dice (a tuple of faces), words, numbers, or keeps.
    """

    def __init__(self, code: str, /, **params: Any) -> None:
        self.code = code
        self.params = params
        super().__init__(code, params)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.code, self.params), self.__dict__

    def __str__(self) -> str:
        return SENTENCES[self.code].format(**{name: plain(value, name) for name, value in self.params.items()})


def _again(kind: type[CinqMilleError], code: str, params: dict[str, Any]) -> CinqMilleError:
    """Make an error that was copied or sent to another process; its other attributes follow by themselves."""
    return kind.__new__(kind, code, params)


class InvalidRules(CinqMilleError):
    """Rules that cannot be read, or that cannot be played."""


class InvalidText(CinqMilleError):
    """Text that cannot be read as what it should be."""


class IllegalAction(CinqMilleError):
    """An action that the rules do not allow in this position."""


class RecordError(CinqMilleError):
    """What is wrong in a record, at ``line`` and ``column`` (both from 1), with the code of the ``cause``."""

    def __init__(self, line: int, column: int, cause: CinqMilleError) -> None:
        super().__init__(cause.code, **cause.params)
        self.line, self.column, self.cause = line, column, cause

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {super().__str__()}"


def plain(value: object, name: str = "") -> str:
    """Return a parameter as it stands in an English sentence; ``words`` has its counterpart per language."""
    if isinstance(value, tuple):
        if name in DICE_PARAMS:
            return "".join(map(str, value))
        return ", ".join(f"{plain(v.dice, 'dice')} ({v.points})" if hasattr(v, "points") else str(v) for v in value)
    return str(value)


DICE_PARAMS = ("dice", "roll")
