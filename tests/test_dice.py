"""Where dice come from: fair, repeatable, and never rolled twice (cases C013, C014, C087, C088)."""

from collections import Counter

import pytest

from cinqmille.dice import DiceSource, RealDice, SeededDice, SystemDice, parse_source
from cinqmille.errors import InvalidText

# 99.9 % of fair dice stay below these (5 and 35 degrees of freedom).
CHI2_5, CHI2_35 = 20.52, 66.62


def chi_square(counts: Counter[object], kinds: int) -> float:
    expected = sum(counts.values()) / kinds
    missing = kinds - len(counts)
    return sum((seen - expected) ** 2 / expected for seen in counts.values()) + missing * expected


@pytest.mark.parametrize("header", ["system", "seed 42", "seed family-game.2", "real"])
def test_a_source_is_read_from_its_header(header: str) -> None:
    assert parse_source(header).header == header
    assert parse_source(f"  {header.replace(' ', '   ')} ").header == header


@pytest.mark.parametrize("text", ["", "loaded", "seed", "seed a b", "seed a,b", "42", "real dice", "seed " + "9" * 65])
def test_another_header_is_refused(text: str) -> None:
    with pytest.raises(InvalidText) as caught:
        parse_source(text)
    assert caught.value.code == "bad_dice_source"
    assert "seed 42" in str(caught.value)


def test_seeded_dice_are_the_same_everywhere() -> None:
    """Written down once: recorded games depend on them."""
    dice = SeededDice("42")
    assert [dice.roll(number, 6) for number in range(4)] == [
        (1, 5, 4, 4, 4, 6),
        (1, 3, 4, 3, 4, 1),
        (6, 1, 4, 6, 3, 6),
        (3, 4, 1, 2, 3, 1),
    ]


def test_a_seeded_roll_depends_on_its_number_only() -> None:
    dice = SeededDice("7")
    forward = [dice.roll(number, 5) for number in range(50)]
    assert [SeededDice("7").roll(number, 5) for number in reversed(range(50))] == forward[::-1]
    assert all(dice.roll(number, 2) == forward[number][:2] for number in range(50))
    assert len(set(forward)) > 45
    assert [SeededDice("8").roll(number, 5) for number in range(50)] != forward


def test_many_dice_of_one_roll() -> None:
    faces = SeededDice("1").roll(0, 1000)
    assert chi_square(Counter(faces), 6) < CHI2_5


@pytest.mark.parametrize("seed", ["0", "1", "2026"])
def test_seeded_dice_are_fair(seed: str) -> None:
    """60,000 dice: every face as often as it should be, at every place of a roll, and whatever came before."""
    rolls = [SeededDice(seed).roll(number, 5) for number in range(12_000)]
    faces = [face for roll in rolls for face in roll]
    assert chi_square(Counter(faces), 6) < CHI2_5
    for place in range(5):
        assert chi_square(Counter(roll[place] for roll in rolls), 6) < CHI2_5
    # Pairs that do not overlap: others do not follow this law.
    assert chi_square(Counter(zip(faces[::2], faces[1::2], strict=True)), 36) < CHI2_35
    firsts = [roll[0] for roll in rolls]
    assert chi_square(Counter(zip(firsts[::2], firsts[1::2], strict=True)), 36) < CHI2_35


def test_system_dice_show_every_face(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[object] = []

    def choice(faces: tuple[int, ...]) -> int:
        drawn.append(faces)
        return faces[len(drawn) % len(faces)]

    monkeypatch.setattr("secrets.choice", choice)
    assert set(SystemDice().roll(0, 8)) == {1, 2, 3, 4, 5, 6}
    assert set(drawn) == {(1, 2, 3, 4, 5, 6)}


def test_system_dice_are_fair_enough() -> None:
    """Not a fixed seed, so only what would be wrong beyond doubt is told: a face missing, or twice as often."""
    dice = SystemDice()
    counts = Counter(face for number in range(3_000) for face in dice.roll(number, 5))
    assert set(counts) == {1, 2, 3, 4, 5, 6}
    assert all(2_000 < count < 3_000 for count in counts.values())


def test_a_system_roll_that_could_not_be_stored_is_not_rolled_again() -> None:
    dice = SystemDice()
    first = dice.roll(3, 5)
    assert all(dice.roll(3, count) == first[:count] for count in (5, 3, 1, 5))
    assert any(dice.roll(number, 5) != first for number in range(4, 30))


def test_real_dice_are_not_drawn() -> None:
    dice: DiceSource = RealDice()
    assert dice.roll(0, 5) is None
