"""The terminal game: whole games through a pipe, in both languages, and everything that can be typed wrongly."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cinqmille.actions import Scoreless, TookOver
from cinqmille.bots import BOTS, bot
from cinqmille.plaintext import cells, usable
from cinqmille.record import Game
from cinqmille.rules import PRESETS, Sheet
from cinqmille.terminal import play
from cinqmille.terminal.typed import _COMMANDS, _MOVES
from cinqmille.words import LANGUAGES, Words
from sessions import lines, resumed, session, squeezed

# Whole games


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_whole_game_with_drawn_dice(path: Path, lang: str) -> None:
    """Enter rolls, ``all r`` goes on, ``b`` banks: whatever does not fit is refused and changes nothing."""
    told = session(path, "\nall\nb\nr\n" * 400, rules="cinq-des(target=1500, entry=300)", dice="seed 1", lang=lang)
    assert told.status == 0
    assert told.game.position.phase == "over"
    winner = told.game.players[told.game.position.winners[0]]
    assert told.says("{player} wins: the target is reached!", player=winner)
    assert told.points("The whole game is in:", path)
    assert told.out.rstrip().endswith(str(path))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_whole_game_with_real_dice(path: Path, lang: str) -> None:
    told = session(
        path,
        lines("11123", "111", "b", "15534", "155", "24", "4 4 4 2 3", "444 r", "15", "all", "26346", "all b", "0", "0"),
        rules="cinq-des(target=1000, entry=750, ending=finish_round)",
        lang=lang,
    )
    assert told.turns == ["Ana: 11123>111 =1000", "Ben: 15534>155 24>-"]
    assert told.game.position.winners == (0,)
    assert told.says("{player} wins with the highest total!", player="Ana")
    again = resumed(path, lines("undo", "undo", "undo", "1-1-1-4-4 1 1 1 b", ""), lang)
    assert again.game.position.winners == (0, 1)
    assert again.says(
        "{players} win together, with the same highest total!", players=Words(lang).all_of(["Ana", "Ben"])
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_bots_alone_play_to_the_end(path: Path, lang: str) -> None:
    """Case C055: the bank that ends the game is told before the end."""
    told = session(path, "", players="Uno, Duo", bots={0: "steady:350", 1: "steady:500"}, dice="seed 9", lang=lang)
    winner = told.game.players[told.game.position.winners[0]]
    total = max(told.game.position.scores)
    won = Words(lang).say("{player} wins: the target is reached!", player=winner)
    banked = re.escape(Words(lang).number(total)).replace("\u202f", r"\s")
    assert re.search(rf"{winner} [^.]*{banked} [^.]*\. {re.escape(' '.join(won.split()))}", told.flat)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", BOTS)
def test_every_kind_of_bot_plays_a_game_against_a_person(path: Path, kind: str, lang: str) -> None:
    typed = lines(*["", "all b", "all r", "all b"] * 60)
    rules = "cinq-des(target=1000, entry=0)"
    told = session(path, typed, rules=rules, bots={1: kind}, dice="seed 5", lang=lang)
    assert told.game.seats == {1: bot(kind).spec}
    assert told.game.position.phase == "over"
    assert told.says("The bots get ready; rules that are new to them may take a minute, once.") == (
        kind in ("best", "perfect")
    )


def test_a_bot_that_cannot_play_these_rules_is_refused_before_anything_is_kept(path: Path) -> None:
    told = session(path, "", players="Uno, Duo", rules="cinq-des(strike=true)", bots={0: "perfect"}, dice="seed 1")
    assert told.status == 2
    assert "strike = true" in told.err
    assert "take 'best'" in told.err
    assert not path.exists()


def test_the_question_who_plays_is_asked_again_after_a_bot_that_cannot(path: Path) -> None:
    typed = lines("cinq-des(strike=true)", "Ana, Ben=perfect", "Ana, Ben=best", "seed 1")
    told = session(path, typed, rules=None, players=None)
    assert "strike = true" in told.flat
    assert told.game.seats == {1: "best"}


def test_the_same_game_resumed_after_every_line(tmp_path: Path) -> None:
    """Cases C014 and C080: a game left after every line and taken up again is the game played at one go."""
    rules, typed = "six-des(target=2000, entry=300)", ["", "all r", "all b", "all r", "all b", "", "all b"] * 12
    whole = session(tmp_path / "whole.txt", lines(*typed), rules=rules, dice="seed 4")
    session(tmp_path / "parts.txt", "", rules=rules, dice="seed 4")
    for line in typed:
        resumed(tmp_path / "parts.txt", lines(line))
    assert (tmp_path / "parts.txt").read_text() == whole.path.read_text()


def test_a_score_sheet_of_points_only(path: Path) -> None:
    told = session(
        path, lines("800", "=0", "450", "1000", "5000", "fix 3 500", ""), rules="six-des(entry=0)", players="Ana, Ben"
    )
    assert told.turns == ["Ana: =800", "Ben: =0", "Ana: =500", "Ben: =1000", "Ana: =5000"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_points_that_no_turn_can_bring(path: Path, lang: str) -> None:
    told = session(path, lines("900", "775", "fix 1 775", "=775", "15734", "fix 1 1025"), rules="cinq-des", lang=lang)
    wrong = "{points} points are not possible: every score of this table is a multiple of {step}."
    for place, points in ((1, 775), (2, 775), (3, 775), (5, 1025)):
        assert squeezed(Words(lang).say(wrong, points=points, step=50)) in squeezed(told.answers[place])
    assert told.says("'{text}' is not dice: write faces from 1 to 6, as in 15534 or 1 5 5 3 4.", text="15734")
    assert told.turns == ["Ana: =900"]


@pytest.mark.parametrize(
    "text",
    [
        "1 000",
        "1\u202f000",
        "1\u00a0000",
        "1.000",
        "1,000",
        "=1 000",
        "1000 points",
        "1000pts",
        "1\u202f000 pts",
        "Ana: 1 000",
    ],
)
def test_points_as_people_write_them(path: Path, text: str) -> None:
    told = session(path, lines("900", "0", text, "1 1 1 2 3"))
    assert told.turns == ["Ana: =900", "Ben: =0", "Ana: =1000", "Ben: 11123"]
    told = resumed(path, lines("undo", f"fix 3 {text.removeprefix('Ana: ')}"))
    assert told.turns[-1] == "Ana: =1000"


def test_points_that_may_be_dice_are_dice(path: Path) -> None:
    assert session(path, lines("1 534", "15.534")).turns == ["Ana: 15534"]


def test_one_die_and_what_is_set_aside_one_by_one(path: Path) -> None:
    typed = ("11152 1115", "5 5 r", "11152 1 1 1 5 b", "+ 5 5 r", "11123>1115", "11152 1 1 1 5 b", "+", "1 1", "b")
    told = session(path, lines(*typed), rules="cinq-des(takeover=always)")
    assert told.turns == [
        "Ana: 11152>1115 5>5 11152>1115 =2150",
        "Ben: + 5>5 11152>1115 =3250",
        "Ana: + 1>1 =3350",
    ]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_bust_is_told_once(path: Path, lang: str) -> None:
    """Where turns without gain are not counted; typed as points they have no other sentence."""
    for limit, told_once in ((0, [False, True]), (3, [True, True])):
        path.unlink(missing_ok=True)
        told = session(path, lines("22346", "0"), rules=f"cinq-des(scoreless_limit={limit})", lang=lang)
        nothing = [Words(lang).event(Scoreless(seat, 1, False), ("Ana", "Ben")) for seat in (0, 1)]
        assert [squeezed(line) in squeezed(told.out) for line in nothing] == told_once


# What the rules bring


@pytest.mark.parametrize("lang", LANGUAGES)
def test_taking_over_is_asked(path: Path, lang: str) -> None:
    told = session(
        path,
        lines("11123 111 b", "", "b", "+", "155", "15 15 b", "+", "12346 1", "b"),
        rules="cinq-des(takeover=always)",
        lang=lang,
    )
    assert told.turns == ["Ana: 11123>111 =1000", "Ben: + 15>15 =1150", "Ana: + 12346>1 =1250"]
    assert "+" in told.answers[0]
    assert squeezed(Words(lang).event(TookOver(1, 1000, 2), ("Ana", "Ben"))) in squeezed(told.out)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_taking_over_after_hot_dice(path: Path, lang: str) -> None:
    told = session(path, lines("12345 all b"), rules="cinq-des(takeover=always)", lang=lang)
    hot = "{player} banked a turn of {points} points with hot dice: all {dice} dice would be rolled. Take it over?"
    assert told.says(hot, player="Ana", points=1500, dice=5)


def test_taking_over_is_not_offered_after_a_bust(path: Path) -> None:
    """Cases C068 and C070."""
    rules = "cinq-des(entry=0, takeover=always, exact=true, target=1000)"
    told = session(path, lines("22346", "+", "0", "600", "55512 555 b", "+", "400"), rules=rules)
    assert told.says("There is nothing to take over: the previous player did not bank, or the dice left are not known.")
    assert told.says(
        "Taking over {points} points at {score} would reach or pass the exact target {target}.",
        points=500,
        score=600,
        target=1000,
    )
    assert told.turns == ["Ana: 22346>-", "Ben: =0", "Ana: =600", "Ben: 55512>555 =500", "Ana: =400"]
    assert "Take it over?" not in told.out


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_announcement(path: Path, lang: str) -> None:
    """Cases C005 and C006."""
    told = session(
        path,
        lines("11123 111", "?75", "?150", "15", "1", "15", "b", "22234", "222 annonce 100", "15", "all b"),
        rules="cinq-des(prediction=true, entry=0)",
        lang=lang,
    )
    assert told.turns == ["Ana: 11123>111 ?150 15>15 =2300", "Ben: 22234>222 ?100 15>15 =350"]
    assert "?50 44" not in told.flat
    assert "?150 5" in told.flat, "the chances of the announcements are told"
    assert told.says("The prediction is right: {player} announced {points}.", player="Ana", points=150)
    assert told.says("{points} cannot be announced: {legal} can.", points=75, legal=(50, 100, 150, 200))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_falls_are_told_with_cause_and_author(path: Path, lang: str) -> None:
    """Cases C056, C059 and C062."""
    told = session(
        path,
        lines("900", "1450", "0", "0", "0", "900", "550", "scores"),
        rules="cinq-des(equal_scores=fall, entry=0)",
        players="Ana, Ben, Cid",
        lang=lang,
    )
    assert told.game.position.scores == (550, 1450, 900)
    fell = "{player} falls from {before} to {after}: {author} arrives on the same total."
    assert told.says(fell, player="Ana", before=900, after=0, author="Cid")
    assert Words(lang).say("Falls:") in told.answers[-2]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_last_leg(path: Path, lang: str) -> None:
    told = session(path, lines("4450", "0", "11123 111", "b", "b"), rules="cinq-des(last_leg=1000)", lang=lang)
    assert told.turns == ["Ana: =4000", "Ben: =0", "Ana: 11123>111 =1000"]
    assert told.says("The last leg: all {need} points must come in one turn.", need=1000)
    short = session(path.with_name("b"), lines("3900", "0", "15534", "155"), rules="cinq-des(last_leg=1000)", lang=lang)
    assert short.says("Banked now the total stops at {total}, where the last leg begins.", total=4000)
    assert short.says("{total}, where it stops", total=4000)


def test_the_last_leg_asks_for_the_rest_in_one_turn(path: Path) -> None:
    told = session(path, lines("4450", "0", "15534 155", "b"), rules="cinq-des(last_leg=1000)")
    assert told.says(
        (
            "From {score} only a turn that reaches {target} may be banked: it takes {need}, "
            "this one has {turn}, {missing} short; roll again."
        ),
        score=4000,
        target=5000,
        need=1000,
        turn=200,
        missing=800,
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_exact_target(path: Path, lang: str) -> None:
    told = session(
        path,
        lines("4850", "0", "15534", "#1", "0", "15534", "all b"),
        rules="cinq-des(exact=true)",
        lang=lang,
    )
    assert told.says("passes {target}: turn lost", target=5000)
    assert told.says(
        "{player} passes the target with {total}: the turn ends, its {lost} points are lost.",
        player="Ana",
        total=5050,
        lost=200,
    )
    assert told.game.position.winners == (0,), "`all` is the best choice that does not pass the target"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_hot_dice_that_must_be_rolled(path: Path, lang: str) -> None:
    """Cases C019 and C033: the duty is shown at the same moment as the refusal to bank."""
    told = session(path, lines("12345", "#1", "b", "11123 111 b"), rules="cinq-des(hot_dice=must)", lang=lang)
    must = "All dice are set aside: at this table they must be rolled again, all {dice}, unless the target is reached."
    assert Words(lang).say("must roll again") in told.answers[0]
    assert Words(lang).say(must, dice=5).split()[0] in told.answers[1]
    assert told.says(must, dice=5)
    assert told.turns[0].startswith("Ana: 12345>12345 11123>111 =2500")


def test_hot_dice_that_may_be_banked(path: Path) -> None:
    told = session(path, lines("12345 all b"), rules="cinq-des")
    assert told.turns == ["Ana: 12345>12345 =1500"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_warning_before_the_penalty(path: Path, lang: str) -> None:
    """Cases C022 and C066: after the second turn without gain, not the first nor the third; a skip is neutral."""
    told = session(
        path,
        lines("900", "0", "skip", "0", "0", "0", "0", "0"),
        rules="cinq-des(scoreless_limit=3, scoreless_penalty=500)",
        players="Ana, Ben",
        lang=lang,
    )
    warning = Words(lang).say(
        "Careful, {player}: another turn without gain costs {penalty} points.", player="Ben", penalty=500
    )
    warned = [" ".join(warning.split()) in " ".join(answer.split()) for answer in told.answers[:8]]
    # Ben's scoreless turns are the answers 1, 3 and 5; the warning stands after 3, and again when his turn comes (4).
    assert warned == [False, False, False, True, True, False, False, False]
    assert told.game.position.scores == (900, 0)


@pytest.mark.parametrize(
    ("penalty", "expected"), [("zero", "back to 0"), ("previous", "back to the previous total"), ("250", "250")]
)
def test_every_penalty_is_named(path: Path, penalty: str, expected: str) -> None:
    rules = f"cinq-des(scoreless_limit=1, scoreless_penalty={penalty})"
    told = session(path, lines("900", "900", "0"), rules=rules)
    assert f"another turn without gain {'costs' if penalty == '250' else 'means'} {expected}" in told.flat
    assert told.game.position.scores[0] == {"zero": 0, "previous": 0, "250": 650}[penalty]


def test_a_strike_typed_as_points(path: Path) -> None:
    told = session(path, lines("900", "0", "450", "0", "0*", "scores"), rules="cinq-des(strike=true)")
    assert told.says("0* is a bust on a roll of all dice.")
    assert told.game.position.scores[0] == 900
    assert "entry 5: Ana falls from 1,350 to 900" in told.flat


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_roll_that_wins_at_once(path: Path, lang: str) -> None:
    told = session(path, lines("0", "11111", "fix 2 11123>111", "fix 2 0", "11111", ""), lang=lang)
    assert told.says("{player} wins at once with this roll!", player="Ben")
    assert told.turns == ["Ana: =0", "Ben: =0", "Ana: 11111"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_last_turns_are_announced(path: Path, lang: str) -> None:
    """Cases C044, C047 and C048."""
    told = session(
        path,
        lines("5000", "450", "155342 155", "undo", "undo", "=500", "5000", ""),
        rules="six-des",
        players="Ana, Ben, Cid",
        lang=lang,
    )
    assert told.says(
        "{player} reaches the target with {total}: one last turn for each of the others.", player="Ana", total=5000
    )
    assert told.says(
        (
            "The last turns: {player} has reached the target, the highest total is "
            "{highest}. {missing} points would match it."
        ),
        player="Ana",
        highest=5000,
        missing=5000,
    )
    assert told.game.position.winners == (0, 2)


@pytest.mark.parametrize("preset", list(PRESETS))
def test_every_rule_sheet_can_be_played(path: Path, preset: str) -> None:
    told = session(path, "\nall r\nall b\nall\nr\n" * 15, rules=preset, dice="seed 2", players="Ana, Ben, Cid")
    assert len(told.game.turns()) > 5


# Corrections


_WORDS = [word for words in (*_MOVES.values(), *_COMMANDS.values()) for word in words.split()]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_word_when_the_game_is_over(path: Path, lang: str) -> None:
    ends = {*_COMMANDS["quit"].split()}
    words = [word for word in _WORDS if word not in ends | {*_COMMANDS["undo"].split()}]
    moves = [*" ".join([*_MOVES.values(), _COMMANDS["leave"], _COMMANDS["back"]]).split(), "1000", "?50", "155", "=5*"]
    told = session(path, lines("5000", *words, *moves, "leave Ben", "Ben: back"), lang=lang)
    assert told.status == 0
    assert told.turns == ["Ana: =5000"]
    over = squeezed(Words(lang).say("The game is over."))
    for answer in told.answers[len(words) + 1 : len(words) + len(moves) + 3]:
        assert squeezed(answer).startswith(over)


@pytest.mark.parametrize("dice", ["real", "seed 1"])
@pytest.mark.parametrize("word", _WORDS)
def test_every_word_before_and_in_a_game(path: Path, word: str, dice: str) -> None:
    for typed in (word, f"{word} Ben"):
        path.unlink(missing_ok=True)
        assert session(path, lines(typed), dice=dice).status == 0
    assert (
        session(
            path,
            lines(word, "1", word, "Ana, Ben", word, "2"),
            rules=None,
            players=None,
            dice=None,
            terminal=True,
            record=False,
        ).status
        == 0
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_undo_in_both_languages(path: Path, lang: str) -> None:
    told = session(path, lines("15534 155", "annuler", "undo", "ANNULER", "undo"), lang=lang)
    assert told.turns == []
    assert told.says("There is nothing to undo.")


def test_undo_of_a_set_aside_with_drawn_dice(path: Path) -> None:
    """Case C032."""
    told = session(path, lines("", "#1", "undo", "#1", "undo", "undo", "all r", "undo"), dice="seed 1")
    assert told.says("The program rolled these dice and they stay: only what was typed since can be taken back.")
    assert len([token for token in told.turns[0].split() if ">" in token]) >= 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_undo_of_a_correction(path: Path, lang: str) -> None:
    told = session(path, lines("900", "0", "fix 1 800", "undo"), lang=lang)
    assert told.says("The correction is taken back.")
    assert told.turns == ["Ana: =900", "Ben: =0"]


def test_undo_of_coming_and_going_with_drawn_dice(path: Path) -> None:
    told = session(path, lines("leave", "undo", "skip", "undo", "leave Ben", "undo"), players="Ana, Ben", dice="seed 1")
    assert told.turns == []


def test_a_correction_is_written_like_a_turn(path: Path) -> None:
    """Case C064."""
    told = session(
        path,
        lines("900", "0", "450", "fix", "fix 1", "fix 1 1 1 1 2 3 111 b", "corriger 2 11123>111 =1000", "fix 3 0"),
    )
    assert told.turns == ["Ana: 11123>111 =1000", "Ben: 11123>111 =1000", "Ana: =0"]
    assert told.says("Entry {entry} was {before}; it is corrected.", entry=1, before="=900")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_correction_that_breaks_a_later_entry_is_refused(path: Path, lang: str) -> None:
    told = session(path, lines("900", "0", "450", "fix 1 0", "fix 2 none", "fix 9 450", "fix 2 11", "fix x"), lang=lang)
    assert told.turns == ["Ana: =900", "Ben: =0", "Ana: =450"]
    stops = "With this change entry {entry} ({turn}) would no longer be allowed; nothing was changed:"
    assert told.says(stops, entry=3, turn="Ana: =450")
    assert told.says("There is no entry {number}: they are numbered from 1 to {entries}.", number=9, entries=3)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_correction_that_ends_the_game_earlier(path: Path, lang: str) -> None:
    """Nothing is taken out before it was shown and asked for."""
    session(path, lines("4500", "0", "450", "900"), lang=lang)
    told = resumed(path, lines("fix 1 5000", "fix 1 4450 !", "fix 1 5000!", ""), lang)
    assert told.says("With this change the game ends with entry {entry}, before these; nothing was changed:", entry=1)
    assert "fix 1 5000 !\n" in told.answers[0]
    assert "fix 1" not in told.answers[1], "there is nothing to take out: ! changes nothing"
    for answer in (told.answers[0], told.answers[2]):
        assert all(line in answer for line in ("2  Ben: =0\n", "3  Ana: =450\n", "4  Ben: =900\n"))
    assert told.says("Taken out:")
    assert told.turns == ["Ana: =5000"]
    assert told.game.position.winners == (0,)


def test_a_correction_may_end_the_game_with_a_later_entry(path: Path) -> None:
    told = session(path, lines("4000", "0", "500", "900", "0", "fix 1 4500", "fix 1 4500 !", ""))
    assert "before these" in told.answers[5]
    assert told.turns == ["Ana: =4500", "Ben: =0", "Ana: =500"]


def test_an_entry_can_be_taken_out(path: Path) -> None:
    told = session(path, lines("900", "leave Cid", "0", "fix 2 none", "scores"), players="Ana, Ben, Cid")
    assert told.turns == ["Ana: =900", "Ben: =0"]


def test_a_correction_reopens_a_game(path: Path) -> None:
    """Cases C063 and C067."""
    session(path, lines("5000"), rules="cinq-des")
    told = resumed(path, lines("undo", "4000", "0", "1000", "fix 3 950", "scores", "fix 3 1000", ""))
    assert told.turns == ["Ana: =4000", "Ben: =0", "Ana: =1000"]
    assert told.out.count("Ana wins: the target is reached!") == 1
    last_turns = session(path.with_name("l.txt"), lines("4950", "0", "500", "fix 3 0", "600"), rules="six-des")
    assert last_turns.game.position.opener is None


def test_nothing_is_corrected_with_drawn_dice(path: Path) -> None:
    told = session(path, lines("", "fix 1 450"), dice="seed 1")
    assert told.says("The program rolled the dice of this game: nothing was typed that could be corrected.")


# Seats


@pytest.mark.parametrize("lang", LANGUAGES)
def test_skip_leave_and_back(path: Path, lang: str) -> None:
    told = session(
        path,
        lines(
            "passer",
            "leave",
            "partir bé",
            "leave ana",
            "leave nobody",
            "back",
            "back ana",
            "revenir Bé",
            "15534",
            "leave Cid",
            "leave",
        ),
        players="Ana, Bé, Cid",
        lang=lang,
    )
    assert told.turns == [
        "Ana: skip",
        "Bé: leave",
        "Ana: leave",
        "Ana: back",
        "Bé: back",
        "Cid: 15534 leave",
        "Ana: leave",
    ]
    assert told.says("There is no player '{name}': there are {known}.", name="nobody", known=("Ana", "Bé", "Cid"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_leave_and_back_as_a_record_has_them(path: Path, lang: str) -> None:
    """RULES §6: the same form serves the score sheet."""
    sheet = ["Ben: leave", "Ana: skip", "Cid: 15534 leave", "Ana: =900", "Cid: back", "Ana: leave"]
    typed = [*sheet[:4], "Ben: skip", "cid: revenir", "Ana: partir  # ill", "Zoé: leave"]
    told = session(path, lines(*typed), players="Ana, Ben, Cid", lang=lang)
    assert told.turns == sheet
    assert told.says("It is not the turn of {player}: {expected} is to play.", player="Ben", expected="Ana")
    again = resumed(path, lines("fix 6 Ana: skip", "fix 6 Cid: leave", "fix 6 partir"), lang)
    assert again.turns == sheet
    assert again.says("Entry {entry} was {before}; it is corrected.", entry=6, before="skip")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_announcement_waits_for_its_dice(path: Path, lang: str) -> None:
    told = session(path, lines("11123 111", "?50"), rules="cinq-des(prediction=true)", lang=lang)
    sentence = "{points} announced: if right, the turn doubles."
    assert squeezed(Words(lang).say(sentence, points=50)) in squeezed(told.answers[1])
    assert resumed(path, "", lang).says(sentence, points=50)


def test_a_sheet_is_announced_by_its_title_and_its_combinations(path: Path) -> None:
    file = path.with_name("maison.toml")
    file.write_text('title = "Chez Mamie"\nbase = "cinq-des"\n[combinations]\nAAAA = "200*A"\n')
    told = session(path, "", rules=str(file))
    assert told.before.startswith("Chez Mamie\n")
    assert "four of a kind: 200" in told.before
    assert "four of a kind: 200" in resumed(path, "").before
    assert session(path, "", rules=str(file), players=None, dice=None).before.startswith("Chez Mamie\n")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_refusals_name_the_player_of_a_seat(path: Path, lang: str) -> None:
    typed = ("back Ana", "leave Ben", "Ben: leave", "15534", "leave Cid", "back Ben", "undo", "leave Cid", "leave")
    told = session(path, lines(*typed, "fix 2 back"), players="Ana, Ben, Cid", lang=lang)
    assert told.says("{player} has not left.", player="Ana")
    assert told.says("{player} has already left.", player="Ben")
    assert told.says("{player} can leave when the turn in progress is over.", player="Cid")
    assert told.says("{player} can come back when the turn in progress is over.", player="Ben")
    assert told.says("{player} is the last one present and cannot leave.", player="Ana")
    assert told.says("{player} has not left.", player="Cid"), "in a correction too"
    assert ("seat" if lang == "en" else "place") not in told.flat


def test_bots_wait_when_nobody_is_left(path: Path) -> None:
    told = session(path, lines("leave", "", "", "back ana"), bots={1: "steady:350"}, dice="seed 1")
    assert told.flat.count("Only bots are left. Enter lets Ben play.") == 3
    assert [turn.text for turn in told.game.turns() if turn.player == 0] == ["leave", "back"]


# Disputes and other questions


@pytest.mark.parametrize("lang", LANGUAGES)
def test_disputes(path: Path, lang: str) -> None:
    """Cases C011 and C012."""
    told = session(
        path,
        lines(
            "why",
            "222533",
            "why 2225",
            "pourquoi 22 dans 222533",
            "why",
            "why 112233",
            "why 333666 in 333666",
            "why 223446",
            "why 1111111",
            "why x",
        ),
        rules="six-des",
        lang=lang,
    )
    words = Words(lang)
    worth = words.say(
        "{dice} in {whole} is worth {points}: {made}.",
        dice=(2, 2, 2, 5),
        whole="222533",
        points=words.points(250),
        made="|",
    )
    assert " ".join(worth.split("|")[0].split()) in told.flat
    assert told.says(
        "In {dice} not every die counts; what can be set aside of {roll}: {legal}.",
        dice=(2, 2),
        roll=(2, 2, 2, 5, 3, 3),
        legal=("2225 (250)", "222 (200)", "5 (50)"),
    )
    assert told.says("{roll} is a bust: no die in it counts.", roll=(2, 2, 3, 4, 4, 6))
    assert told.says("{dice} is too many dice: {count}, where this game has {most}.", dice=(1,) * 7, count=7, most=6)
    assert told.turns == ["Ana: 222533"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_dispute_after_a_right_announcement(path: Path, lang: str) -> None:
    told = session(
        path, lines("0", "33362>333 ?150", "15", "why 1", "why", "why 1 in 15", "why 1 in 115"),
        rules="cinq-des(prediction=true)", players="Ana, Ben", lang=lang,
    )  # fmt: skip
    refusal = "The prediction of {announced} came true, so not {dice}: the dice that make it are set aside, {legal}."
    answers = [told.answers[place] for place in (3, 5)]
    kept = squeezed(Words(lang).say(refusal, announced=150, dice=(1,), legal=("15 (150)",)))
    assert all(kept in squeezed(answer) for answer in answers)
    choices = Words(lang).say("All that can be set aside of {roll}: {choices}.", roll=(1, 5), choices="15 (150)")
    assert squeezed(choices) in squeezed(told.answers[4])
    assert kept not in squeezed(told.answers[6]), "another roll is no matter of this turn"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_dispute_with_half_missing_is_explained(path: Path, lang: str) -> None:
    halves = ["why 155 in", "why in 155", "pourquoi dans", "why 15534>", "why"]
    told = session(path, lines(*halves, "why 15534>155", "why 155 IN 15534"), lang=lang)
    explained = squeezed(Words(lang).say("why 155 in 15534: how dice score, or why they do not."))
    assert [explained in squeezed(answer) for answer in told.answers[:7]] == [True] * 5 + [False] * 2
    assert told.answers[5].partition(":")[0] == told.answers[6].partition(":")[0]


def test_a_roll_that_wins_is_explained(path: Path) -> None:
    told = session(path, lines("why 11111", "why 111 in 11123", "why 1111 in 11112"))
    assert told.says("{roll} wins at once.", roll=(1,) * 5)
    assert "111 in 11123 is worth 1,000 points: 111: 1,000 (three 1s)." in told.flat
    assert "1111 in 11112 is worth 1,100 points: 1: 100 + 111: 1,000 (three 1s)." in told.flat


def test_the_table_keeps_as_many_as_possible(path: Path) -> None:
    """Case C011."""
    told = session(path, lines("15534", "1", "why 1"), rules="cinq-des(keep=all)")
    refusal = "This table sets aside as many dice as possible, so not {dice}; of {roll}: {legal}."
    assert told.flat.count(Words("en").say(refusal, dice=(1,), roll=(1, 5, 5, 3, 4), legal=("155 (200)",))) == 2


@pytest.mark.parametrize(("lang", "word"), [("fr", "conseil"), ("en", "hint"), ("en", "Conseil")])
def test_whoever_asks_is_told_what_to_do_and_why(path: Path, lang: str, word: str) -> None:
    told = session(path, lines(word, "15534", word, "155", word, "q"), lang=lang, rules="cinq-des(entry=0)")
    words = Words(lang)
    assert told.says("hint: what to do now, the chance to win of every choice, and why.") is False
    before, after, decided = told.answers[0], told.answers[2], told.answers[4]
    patience = words.say("The chances are worked out; the first time at new rules this can take a while.")
    assert squeezed(patience) in squeezed(before)
    assert squeezed(patience) not in squeezed(after)
    assert squeezed(words.say("roll all {dice} dice", dice=5)) in squeezed(before)
    assert squeezed(words.say("set {dice} aside, {then}", dice=(1,), then="")) in squeezed(after)
    assert squeezed(words.say("bank {points}", points=200)) in squeezed(decided)
    assert told.game.turns()[0].text == "15534>155"


def test_a_game_that_is_over_has_no_hints(path: Path) -> None:
    told = session(path, lines("11111", "hint", ""))
    assert told.says("The game is over.")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_questions_change_nothing(path: Path, lang: str) -> None:
    questions = ["help", "aide", "?", "h", "sheet", "règles", "RULES", "odds", "chances", "scores", "record", "partie"]
    told = session(path, lines("15534", *questions), lang=lang)
    assert told.turns == ["Ana: 15534"]
    assert told.out.count(str(path)) == 4
    assert Words(lang).say("Combinations") in told.out
    assert Words(lang).percent(4 / 9) in told.out


def test_the_rules_shown_are_the_rules_played(path: Path) -> None:
    """Cases C016 and C017."""
    told = session(path, lines("sheet"), rules="six-des(AABBCC=750, hot_dice=must, entry=350)")
    assert "750" in told.out
    assert "350" in told.out
    assert told.says("With hot dice on the target or above one may bank: the duty to roll again ends there.")
    assert told.flat.index("the duty to roll again ends there") < told.flat.index("Ana to play"), "before the game"


# What is shown


def test_every_choice_with_its_risk(path: Path) -> None:
    """Case C010: with all dice set aside the chance is that of all dice."""
    told = session(path, lines("11155 111", "55", "0"))
    rows = [line.split() for line in told.out.splitlines() if line.startswith("  #")]
    assert rows[0] == ["#1", "55", "100", "1,100", "all", "5", "7.7%", "total", "1,100"]
    assert rows[1] == ["#2", "5", "50", "1,050", "1", "66.7%", "total", "1,050"]


def test_what_is_missing_is_told(path: Path) -> None:
    """Case C038."""
    told = session(path, lines("15534", "155", "b"))
    assert "550 short" in told.out
    assert told.says(
        ("Getting on the board takes {need} points in one turn: this one has {turn}, {missing} short; roll again."),
        need=750,
        turn=200,
        missing=550,
    )
    assert told.turns == ["Ana: 15534>155"]


def test_many_choices_are_all_there(path: Path) -> None:
    told = session(path, lines("111555", "#15 r", "#1 b"), rules="six-des(AAABBB=none)")
    assert "#12" in told.out
    assert "and #13 " in told.out
    assert "#15" in told.out


NAMES = "Élodie-Marguerite de la Tour du Pin, 王小明明明明明明明明明明明明明明明明, é̂é̂é̂é̂é̂é̂é̂é̂, Bo, x" + "y" * 60


@pytest.mark.parametrize("lang", LANGUAGES)
def test_eight_players_with_any_names(path: Path, lang: str) -> None:
    names = NAMES + ", Ana, Ben 2, Zoë"
    told = session(path, lines(*["950"] * 16, "scores", "leave zoe"), players=names, lang=lang, rules="six-des")
    table = [line for line in told.out.splitlines() if line.startswith(("> ", "  ")) and re.search(r"\d  ", line)]
    assert {cells(line) for line in table if cells(line) > 60} == {78}, "every line of the score table ends alike"
    assert Words(lang).say("(away) {total}", total="") in told.out


def test_an_ascii_terminal_shows_everything_plainly(path: Path) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    stdin = io.TextIOWrapper(io.BytesIO(b"15534\n\xff\xfe\nr\xe8gles\n5000\nquitter\n"), encoding="ascii")
    status = play(
        words=Words("fr"),
        sheet=Sheet.load("cinq-des"),
        players=["Zoë", "王"],
        dice="real",
        record=path,
        stdin=stdin,
        stdout=out,
        stderr=io.StringIO(),
    )
    shown = raw.getvalue().decode("ascii")
    assert status == 0
    assert "A Zoe de jouer" in shown
    assert "44,4 %" in shown


def test_closed_streams() -> None:
    assert usable(None).read() == ""
    assert play(words=Words("en"), stdin=None, stdout=None, stderr=None) == 0


# What is typed wrongly

GARBAGE = [
    *("foo", "é", "!!", "1 5 5 3", "1115555", "99999", "15634 7", "155", "155 155", "b", "r r", "#0", "#99", "#", "="),
    *("==", "=-5", "=450*", "=123", "123456", ">", ">155", "15534>", "15534>-", "22346>2", "15534>15 b", "+", "?50"),
    *("15534>155 =999", "?", "? 50", "all all", "undo 3", "Ana", "Ana:", "Zed: 15534", "Ben: 15534", ":", "leave"),
    *("back Zed", "fix", "fix 1", "fix 1 foo", "fix 999999999999 0", "why", "why 7", "why in", "why 155 in", "save"),
    *("save /", "save /no/such/folder/x", "save \x00", "save ~nobody-at-all/x", "\x1b[A", "\x00", "1" * 30, "x" * 1500),
    *("y" * 9000, "=99999999999", "9" * 400, "١٥٥٣٤", "½", "１５５３４", "\t", "skip skip", "15534 155 b b"),
]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("before", [[], ["15534"], ["15534 155"], ["900", "15534 1", "5512"]])
def test_nothing_typed_wrongly_loses_anything(path: Path, lang: str, before: list[str]) -> None:
    for garbage in GARBAGE:
        path.unlink(missing_ok=True)
        session(path, lines(*before), lang=lang)
        text = path.read_text()
        told = resumed(path, lines(garbage), lang)
        assert told.status == 0
        assert "".join(told.answers[:-1]).strip(), garbage[:30]
        actions = Game.parse(text).actions
        assert told.game.actions[: len(actions)] == actions or garbage == "undo", garbage[:30]


USUAL = [
    *("", "b", "r", "all", "all b", "undo", "15534", "155", "450", "0", "skip", "leave", "back", "fix 1 0", "+", "?50"),
    "#1",
]
LINES = st.one_of(
    st.sampled_from(USUAL),
    st.text(alphabet="123456 >=-#?+*br:", max_size=14),
    st.text(max_size=30),
)


@pytest.mark.parametrize("dice", ["real", "seed 3"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(typed=st.lists(LINES, max_size=20))
def test_whatever_is_typed_the_record_can_be_read(path: Path, dice: str, typed: list[str]) -> None:
    path.unlink(missing_ok=True)
    rules = "cinq-des(entry=0, takeover=always, prediction=true, equal_scores=fall, scoreless_limit=3, strike=true)"
    told = session(path, "\n".join(typed) + "\n", rules=rules, bots={1: "steady:300"}, dice=dice)
    assert told.status == 0
    assert told.game.text == path.read_text(encoding="utf-8")
