"""Advice in words: every number in a sentence is that of the odds or of the plans, in both languages, for all rules."""

import random
import re

import pytest

from cinqmille import Position, Rules, advise, odds
from cinqmille.advice import Advice, Reason
from cinqmille.counsel import as_text, counsel, doubt
from cinqmille.outlook import outlook
from cinqmille.plaintext import cells
from cinqmille.words import Words
from playing import games
from sheets import random_sheet

FR, EN = Words("fr"), Words("en")
NAMES = ("Ana", "Ben", "Chloé", "Dora")
SMALL = "cinq-des(target=1000, entry=200"


def plain(text: str) -> str:
    """With ordinary spaces, which are easier to compare."""
    return re.sub(r"[\u00a0\u202f]", " ", text)


def said(line: str, words: Words = FR) -> str:
    found = counsel(advise(Position.parse(line)), words, NAMES)
    return plain("\n".join([found.situation, *found.why, found.doubt]))


def test_rolling_rather_than_banking_is_explained_with_the_true_numbers() -> None:
    position = Position.parse("scores=500/700 phase=decide points=300 left=4 rules=cinq-des")
    advice = advise(position)
    roll, bank = advice.plans
    (why,) = counsel(advice, FR, NAMES).why
    assert (
        plain(why)
        == (
            f"Relancer 4 dés : {100 * float(odds(position.rules, 4).bust):.1f} % de risque de tout perdre à ce lancer "
            f"(300 points), en moyenne {roll.turn_mean:.0f} points à la fin du tour ; en marquant vous gagnez "
            f"{100 * bank.win:.1f} % des parties, en relançant {100 * roll.win:.1f} %."
        )
        .replace(".", ",")
        .removesuffix(",")
        + "."
    )
    assert "15,7 %" in plain(why)
    (why,) = counsel(advice, EN, NAMES).why
    assert why.startswith("Roll 4 dice: 15.7% to lose everything on this roll (300 points), ")


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        (  # nothing to decide
            "scores=0/0 rules=cinq-des",
            ["Rien à décider avant de lancer 5 dés : 7,7 % de risque de lancer nul", "au mieux, 22,0 % de chances"],
        ),
        (  # a tie that is better than the risk
            "scores=500/1000 reached=2 phase=decide points=500 left=1 rules=cinq-des(target=1000, ending=last_turns)",
            ["Marquer fait égalité : à égalité, la victoire est partagée."],
        ),
        (  # a lost cause is called one
            "scores=0/9000 reached=2 phase=decide points=50 left=1 rules=cinq-des(entry=0, ending=last_turns)",
            ["C'est pratiquement perdu"],
        ),
        (  # which dice, and why not more
            "scores=500/700 phase=choose left=5 roll=15534 rules=cinq-des",
            ["Mettre 1 de côté (100 points) plutôt que 155 (200 points) : avec 155, le mieux serait de marquer 200"],
        ),
        (  # fewer dice would be riskier
            "scores=0/0 phase=choose left=5 roll=15534 rules=cinq-des(entry=300)",
            ["il reste 4 dés à lancer au lieu de 2, et le risque de lancer nul n'est que de 15,7 % au lieu de 44,4 %"],
        ),
        (  # entry not reached
            "scores=0/700 phase=decide points=550 left=2 rules=cinq-des",
            ["il vous manque 200 points pour ouvrir (750 en un tour)", "Chances d'y arriver à ce tour : "],
        ),
        (
            "scores=500/700 phase=decide points=100 left=4 rules=cinq-des(min_bank=300)",
            ["il vous manque 200 points (300 en un tour)"],
        ),
        (
            "scores=0/0 phase=decide points=1500 left=0 rules=cinq-des(hot_dice=must)",
            ["une main pleine se relance toujours", "Main pleine : on relance les 5 dés"],
        ),
        (
            "scores=4000/3800 phase=decide points=500 left=2 rules=cinq-des(last_leg=1000)",
            ["depuis 4 000, seul compte un tour qui atteint 5 000 ; il manque 500 points"],
        ),
        (
            f"scores=500/700 phase=decide points=500 left=2 rules={SMALL})",
            ["Marquer 500 : cela fait 1 000, et vous gagnez la partie."],
        ),
        (  # last turns
            f"scores=500/1050 reached=2 phase=decide points=300 left=2 rules={SMALL}, ending=last_turns)",
            [
                "Derniers tours, car Ben a atteint l'objectif ; le plus haut total est 1 050 (Ben).",
                "Pour le dépasser il faut encore 300 points",
                "À égalité, la victoire est partagée.",
            ],
        ),
        (
            f"scores=500/1050/0 reached=2 player=3 phase=decide points=300 left=2 rules={SMALL}, ending=last_turns)",
            ["Ana joue encore après vous."],
        ),
        (
            "scores=4500/4800 phase=decide points=500 left=2 rules=cinq-des(ending=last_turns)",
            ["Marquer maintenant ouvrirait les derniers tours, avec seulement 5 000 à dépasser pour les autres."],
        ),
        (
            f"scores=500/0 phase=decide points=750 left=1 rules={SMALL}, ending=last_turns)",
            ["L'objectif est atteint : chacun des autres a encore un tour pour vous dépasser."],
        ),
        (  # an offer
            "scores=1000/800 player=2 phase=start offer=550x2@1 rules=cinq-des(takeover=always)",
            [
                "Reprendre le tour précédent (Ana) : 550 points pour commencer, mais 44,4 % de risque",
                "Lancer plutôt les 5 dés",
            ],
        ),
        (
            "scores=0/0 phase=choose left=5 roll=11155 rules=cinq-des(takeover=always)",
            ["Ben pourra alors reprendre votre tour, 1 050 points et 1 dé"],
        ),
        (  # announcements
            "scores=500/700 phase=decide points=300 left=2 rules=cinq-des(prediction=true)",
            ["Annoncer 100 : 25,0 % de chances que ce soit juste", "Autrement : marquer 300 (48,6 %)"],
        ),
        (
            "scores=500/700 phase=roll points=300 left=2 announced=100 rules=cinq-des(prediction=true)",
            ["100 sont annoncés : 25,0 % de chances"],
        ),
        (  # an exact target
            "scores=4500/700 phase=decide points=450 left=4 rules=cinq-des(exact=true)",
            ["Marquer 450 points"],
        ),
        (  # a penalty due
            "scores=1200/700 scoreless=2/0 phase=decide points=100 left=4 rules=cinq-des(scoreless_limit=3)",
            ["Attention : sans points à ce tour, le 3e de suite, vous tombez de 1 200 à 0."],
        ),
        (  # a fall
            "scores=500<1200/700<1400 phase=decide points=200 left=2 rules=cinq-des(equal_scores=fall)",
            ["Si vous marquez : Ben tombe de 1 400 à 700", "à cette table le passé compte (totaux égaux : "],
        ),
        (
            "scores=500<1200/700 rules=cinq-des(strike=true)",
            ["un lancer nul des 5 dés vous fait tomber de 1 200 à 500"],
        ),
        (  # nearly equal
            "scores=4500/700 phase=choose roll=115 points=200 left=3 rules=cinq-des(exact=true)",
            ["Presque égal : mettre 1 de côté, marquer 300 ne coûte que 0,03 point de pourcentage."],
        ),
        (
            "scores=900/700 phase=choose left=3 roll=111 points=50 rules=cinq-des(target=1000, exact=true)",
            ["Tous les choix dépassent 1 000 : le tour est perdu."],
        ),
        (
            f"scores=500/1150/0 reached=2 player=3 phase=decide points=300 left=2 rules={SMALL}, ending=last_turns)",
            ["Marquer maintenant ne peut plus gagner : il n'y a rien à perdre."],
        ),
        (
            "scores=1500/1450/1200/2100 scoreless=0/2/0/0 player=2 phase=decide points=150 left=3 "
            "rules=cinq-des(target=3000, entry=300, ending=last_turns, scoreless_limit=3, scoreless_penalty=500)",
            ["La pénalité pour tours sans points compte dans ce tour, mais pas dans la suite."],
        ),
        ("scores=500/700/300/0 rules=cinq-des", ["une partie entière à 4 joueurs est trop longue à calculer"]),
    ],
)  # fmt: skip
def test_what_decides_a_position_is_said(line: str, sentences: list[str]) -> None:
    told = said(line)
    for sentence in sentences:
        assert sentence in told, told
    assert said(line, EN) != told


def test_a_lost_position_says_so() -> None:
    line = "scores=500/99950 reached=2 phase=decide points=50 left=1 rules=six-des(target=1000)"
    assert "Plus aucun choix ne peut gagner" in said(line)


def test_every_doubt_is_explained_in_both_languages() -> None:
    position = Position.parse("scores=500/700 rules=cinq-des(equal_scores=fall)")
    plans = advise(position).plans
    memory = (("name", "equal_scores"), ("value", "fall"))
    reasons = [
        Reason("players", (("players", 3),)),
        Reason("memory", memory),
        Reason("both", (("players", 3), *memory)),
        Reason("size"),
        Reason("last_turns", (("followers", 2),)),
    ]
    told = [doubt(Advice(position, plans, reason), words) for reason in reasons for words in (FR, EN)]
    assert len(set(told)) == 10
    assert not any("fall" in plain(one).replace("falls", "") for one in told[::2])
    assert all(re.search(r"moins de 0,[13] partie sur 100|less than 0\.[13] games of 100", one) for one in told)
    assert doubt(Advice(position, plans, None), FR) == ""


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_any_position_of_any_game_can_be_told_in_80_columns(lang: str) -> None:
    draw, words = random.Random(5), Words(lang)
    found = 0
    while found < 250:
        rules = Rules.parse(random_sheet(draw))
        if rules.target > 1500:
            continue
        players = draw.choice((2, 3, 4))
        seen = outlook(rules, players)
        for game in games(draw, rules, players, most=60, table=0.0):
            if game.position.to_play is None or draw.random() < 0.5:
                continue
            advice = advise(game.position, solution=seen)
            told = counsel(advice, words, NAMES)
            text = as_text(told, words, 80)
            assert max(map(cells, text.splitlines())) <= 80, text
            assert told.why, game.position
            assert not re.search(r"[{}]|\bnan\b|\bNone\b|point\(s\)", text), text
            assert (told.doubt == "") == advice.exact
            for one in advice.plans:
                assert -1e-12 <= one.scored <= 1 + 1e-12
                assert -1e-12 <= one.reaches <= one.scored + 1e-12
                assert sum(one.chances) == pytest.approx(1.0, abs=1e-9)
            found += 1


def test_a_narrow_terminal_gets_its_lines_too() -> None:
    told = counsel(advise(Position.parse("scores=500/700 phase=choose left=5 roll=15534 rules=cinq-des")), FR, NAMES)
    text = as_text(told, FR, 30)
    assert max(map(cells, text.splitlines())) <= 30
    assert "47,7" in text
