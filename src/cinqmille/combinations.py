"""The table of combinations as its players read it: what each is worth, what is none, what counts otherwise.

Which line of the table decides for which dice, and what dice are worth that are no combination of their own, is
asked from the scoring table: examples and exceptions are found, never written down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement

from cinqmille.patterns import FACES, Combination, Dice
from cinqmille.rules import Rules
from cinqmille.scoring import scored
from cinqmille.words import N_, Words

Row = tuple[str, str, str]


def value(rules: Rules, combination: Combination, words: Words) -> str:
    """Return what a combination is worth under ``rules``: its points, or that it wins or is none."""
    if combination.kind == "win":
        return words.say("wins at once")
    if combination.kind == "none":
        return words.say("not a combination")
    if not combination.letter:
        return words.number(combination.points)
    text = words.say(_times(combination), points=combination.points)
    points = sorted(_sets(rules, combination).values())
    if len(points) < 2:
        return text
    return words.say("{value}, so {least} to {most}", value=text, least=points[0], most=points[-1])


def rows(rules: Rules, words: Words) -> Iterator[Row]:
    """Yield the table of combinations: an example, the name, the value. Lines that never count are left out."""
    for combination in rules.combinations:
        sets = _sets(rules, combination)
        if sets:
            example = sorted(sets)[len(sets) // 2]
            yield _spread(example), _narrowed(combination.pattern, sets, words), value(rules, combination, words)
    blank = blank_roll(rules)
    if blank:
        what = words.say("a roll of all dice in which nothing scores")
        yield _spread(blank), what, words.say("{points}, as hot dice", points=rules.blank_roll)


def notes(rules: Rules, words: Words) -> Iterator[str]:
    """Yield what the table alone does not tell: dice that are worth nothing, or more than their line says."""
    yield words.say("A die that is part of no combination is worth nothing.")
    yield from _more_of_a_kind(rules, words)
    for combination in rules.combinations:
        yield from _better_apart(rules, combination, words)


def changes(rules: Rules, base: Rules, words: Words) -> Iterator[str]:
    """Yield how the combinations differ from those of ``base``, each with its name and what it is worth now."""
    ours, theirs = ({c.pattern: c for c in table.combinations} for table in (rules, base))
    for pattern in sorted(ours.keys() | theirs.keys(), key=lambda pattern: (len(pattern), pattern)):
        told, now = words.combination(pattern), ours.get(pattern)
        if now is None and len(pattern) <= rules.dice:
            lost, now = _lost(rules, base, theirs[pattern])
            told = _narrowed(pattern, lost, words) if lost else ""
        if now is not None and told and now != theirs.get(pattern):
            yield words.say("{name}: {value}", name=told, value=value(rules, now, words))


def _lost(rules: Rules, base: Rules, gone: Combination) -> tuple[list[Dice], Combination]:
    """The dice of a line of ``base`` that are worth something else where ``rules`` have no such line, and what.

    Where letters name the dice, only those that are no combination any more: others have lines of their own.
    """
    sets = _sets(base, gone)
    now = {dice: _worth(rules, dice) for dice in sets}
    if gone.digits == len(gone.pattern):
        changed = [dice for dice in sets if now[dice] != _worth(base, dice)]
        return changed, Combination.parse(gone.pattern, now[changed[0]] if changed else "none")
    return [dice for dice in sets if now[dice] == "none"], Combination(gone.pattern, "none")


def _worth(rules: Rules, dice: Dice) -> str | int:
    if dice not in rules.table.melds:
        return "none"
    meld = rules.table.melds[dice]
    return "win" if meld is None else meld.points


def blank_roll(rules: Rules) -> Dice:
    """Return a roll of all dice that is worth ``blank_roll``; empty when none is."""
    for roll in combinations_with_replacement(FACES, rules.dice):
        best = scored(rules, roll).best
        if best is not None and best.melds[0].pattern == "blank":
            return roll
    return ()


def _times(combination: Combination) -> str:
    """The sentence for so many times a face: which one, where the combination has several."""
    letters = Counter(symbol for symbol in combination.pattern if symbol.isalpha())
    size = letters[combination.letter]
    if list(letters.values()).count(size) > 1:
        return N_("{points} \u00d7 the higher face")
    if size == len(combination.pattern):
        return N_("{points} \u00d7 the face")
    return _TIMES_ONE.get(size, N_("{points} \u00d7 the face of the equal dice"))


_TIMES_ONE = {1: N_("{points} \u00d7 the face of the other die"), 2: N_("{points} \u00d7 the face of the pair")}


def _sets(rules: Rules, combination: Combination) -> dict[Dice, int]:
    """The sets of dice for which this line of the table decides, with their points."""
    melds = rules.table.melds
    matched = {dice for dice, _ in combination.matches()}
    if combination.kind == "none":
        others = [c for c in rules.combinations if c.kind != "none"]
        return {dice: 0 for other in others for dice, _ in other.matches() if dice in matched and dice not in melds}
    found = {dice: melds[dice] for dice in matched if dice in melds}
    if combination.kind == "win":
        return {dice: 0 for dice, meld in found.items() if meld is None}
    return {dice: meld.points for dice, meld in found.items() if meld and meld.pattern == combination.pattern}


def _spread(dice: Dice) -> str:
    return "\u00a0".join(str(face) for face in sorted(dice, key=lambda face: (-dice.count(face), face)))


def _narrowed(pattern: str, sets: Iterable[Dice], words: Words) -> str:
    """The name of a combination, and which dice it stands for where other lines of the table take some."""
    whole = words.combination(pattern)
    others = sorted({dice for dice, _ in Combination(pattern, "none").matches()} - set(sets))
    if not others:
        return whole
    if len(set(pattern)) == 1:
        faces = sorted(dice[0] for dice in sets)
        if len(faces) == 1:
            return words.combination(str(faces[0]) * len(pattern))
        if len(faces) > 2 and faces == list(range(faces[0], faces[-1] + 1)):
            return words.say("{name} ({first} to {last})", name=whole, first=faces[0], last=faces[-1])
        return words.say("{name} ({faces})", name=whole, faces=words.one_of(map(str, faces)))
    if len(others) > 3:
        return words.say("{name} (unless another line fits the same dice)", name=whole)
    return words.say("{name} (except {dice})", name=whole, dice=words.all_of(map(_spread, others)))


def _more_of_a_kind(rules: Rules, words: Words) -> Iterator[str]:
    """Tell what four equal dice are where only three are a combination, and so on."""
    melds = rules.table.melds
    of_a_kind = {n: [face for face in FACES if (face,) * n in melds] for n in range(3, rules.dice + 1)}
    sizes = [n for n, faces in of_a_kind.items() if faces]
    if not sizes:
        return
    names: list[str] = []
    examples: list[str] = []
    for size in range(min(sizes) + 1, rules.dice + 1):
        left_out = [(face,) * size for face in FACES if face not in of_a_kind[size]]
        if left_out:
            names.append(_narrowed("A" * size, left_out, words))
            examples = examples or [*_examples(rules, left_out, words)]
    if names and examples:
        yield words.say(
            "Not combinations of their own: {names}. Smaller ones count there, and other dice are left: {examples}.",
            names=words.all_of(names),
            examples=words.series(examples),
        )


def _examples(rules: Rules, rolls: Iterable[Dice], words: Words) -> Iterator[str]:
    """Up to two of these rolls with what they are worth: one that leaves dice, one that leaves none."""
    shown = set()
    for roll in rolls:
        best = scored(rules, roll).best
        left = len(roll) - len(best.dice) if best else 0
        if best is None or bool(left) in shown:
            continue
        shown.add(bool(left))
        dice, points = _spread(roll), best.points
        if not left:
            yield words.say("{dice} is worth {points}", dice=dice, points=points)
            continue
        yield words.count(
            "{dice} is worth {points} and leaves {n} die",
            "{dice} is worth {points} and leaves {n} dice",
            left,
            dice=dice,
            points=points,
        )


def _better_apart(rules: Rules, combination: Combination, words: Words) -> Iterator[str]:
    """Tell when the dice of a combination are worth more as other combinations, which then count."""
    if combination.kind != "points":
        return
    sets = _sets(rules, combination)
    covers = {dice: rules.table.cover(dice) for dice in sorted(sets)}
    for dice, cover in covers.items():
        if cover is not None and cover[0] > sets[dice]:
            yield words.say(
                "What is set aside counts in the best way: {dice} is worth {points}, more than as {name}.",
                dice=_spread(dice),
                points=cover[0],
                name=words.combination(combination.pattern),
            )
            return
