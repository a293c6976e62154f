"""The rule page: what a table plays, in sentences for its players, made from the parameters and nothing else.

:func:`page` writes a :class:`Page` of sections, which a terminal shows with :func:`as_text` and a web page in its
own way. Every number and every example is asked from the engine, so the page cannot say other rules than those
that are played. What RULES calls decisions, points on which rule sheets are silent and which change who wins,
is told apart by :func:`decisions`, to be shown before a game.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cinqmille import combinations
from cinqmille.actions import ANNOUNCEMENTS
from cinqmille.odds import odds
from cinqmille.plaintext import cells, fitted, wrapped
from cinqmille.position import FEWEST_PLAYERS, MOST_PLAYERS
from cinqmille.rules import PARAMETERS, PRESETS, Rules, Sheet
from cinqmille.words import N_, Words


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page: paragraphs, then numbered steps, a table with its columns, and notes in this order."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A rule page: its title and its sections."""

    title: str
    sections: tuple[Section, ...]


def page(source: Sheet | Rules, words: Words) -> Page:
    """Return the rule page of a sheet, or of bare rules, which are told by what differs from their preset."""
    sheet = source if isinstance(source, Sheet) else Sheet.load(source.canonical)
    rules = sheet.rules
    sections = [
        _game(sheet, words),
        _combinations(rules, words),
        _turn(rules, words),
        _minima(rules, words),
        _end(rules, words),
        *(write(rules, words) for name, write in _HOUSE_RULES.items() if _applies(rules, name)),
        _decided(rules, words),
        _chances(rules, words),
        _about(sheet, words),
    ]
    return Page(_title(sheet, words), tuple(section for section in sections if section is not None))


def decisions(rules: Rules, words: Words) -> tuple[str, ...]:
    """Return what these rules settle where rule sheets are silent and the winner depends on it (RULES §5)."""
    found = []
    if rules.hot_dice == "must":
        found.append(words.say("With hot dice on the target or above one may bank: the duty to roll again ends there."))
    if rules.equal_scores == "fall":
        found.append(_safe_totals(rules, words))
    if rules.exact and rules.min_bank:
        found.append(_exempt(words))
    if rules.ending != "first":
        found.append(_tie(rules, words))
    if _reopens(rules):
        found.append(_reopening(rules, words))
    return tuple(found)


def in_short(rules: Rules, words: Words) -> str:
    """Return the rules in one line: dice, target, entry, and every house rule that is on."""
    named = [p.name for p in PARAMETERS if p.name in ("dice", "target", "entry", "ending")]
    named += [p.name for p in PARAMETERS if p.name not in named and _applies(rules, p.name)]
    return words.series(words.rule(rules, name) for name in named)


def _applies(rules: Rules, name: str) -> bool:
    """Whether a house rule is on and can make a difference beside the others."""
    needs = {
        "scoreless_penalty": rules.scoreless_limit > 0,
        "floor": _loses_points(rules),
        "tie": rules.ending != "first",
    }
    default = next(parameter.default for parameter in PARAMETERS if parameter.name == name)
    return needs.get(name, True) and (getattr(rules, name) != default or name == "scoreless_penalty")


def _loses_points(rules: Rules) -> bool:
    return rules.scoreless_limit > 0 and isinstance(rules.scoreless_penalty, int)


def _falls(rules: Rules) -> bool:
    return rules.equal_scores == "fall" or rules.strike or rules.scoreless_limit > 0


def _busts(rules: Rules) -> bool:
    return any(rules.table.can_bust(count) for count in range(1, rules.dice + 1))


# The game


def _title(sheet: Sheet, words: Words) -> str:
    own = _in(sheet.title, words)
    base = _in(PRESETS.sheet(sheet.rules.base).title, words)
    return own or words.say("{title}, house rules", title=base)


def _in(texts: object, words: Words) -> str:
    """The text of the reader's language, or of another one when the sheet has no more."""
    found = texts if isinstance(texts, dict) else {}
    return str(found.get(words.lang) or next(iter(found.values()), ""))


def _game(sheet: Sheet, words: Words) -> Section:
    rules, say = sheet.rules, words.say
    aims = {
        ("first", False): N_("The first player to reach {target} points wins."),
        ("first", True): N_("The first player to reach exactly {target} points wins."),
        ("last_turns", False): N_("Reach {target} points, and have the highest total when the last turns are over."),
        ("last_turns", True): N_(
            "Reach exactly {target} points: when the last turns are over, the highest total wins."
        ),
        ("finish_round", False): N_("Reach {target} points, and have the highest total at the end of the round."),
        ("finish_round", True): N_("Reach exactly {target} points: at the end of the round the highest total wins."),
    }
    paragraphs = [
        say(aims[rules.ending, rules.exact], target=rules.target),
        say(
            "For {fewest} to {most} players, with {dice} and something to write the scores down.",
            fewest=FEWEST_PLAYERS,
            most=MOST_PLAYERS,
            dice=words.dice(rules.dice),
        ),
    ]
    if not sheet.title:
        paragraphs.append(_differences(rules, words))
    return Section(say("The game"), tuple(paragraphs))


def _differences(rules: Rules, words: Words) -> str:
    base = PRESETS.sheet(rules.base)
    theirs, ours = base.rules.values(), rules.values()
    changes = [words.rule(rules, name) for name in ours if ours[name] != theirs[name]]
    changes += combinations.changes(rules, base.rules, words)
    return words.say(
        "What differs from the sheet \u201c{title}\u201d: {changes}.", title=_in(base.title, words), changes=words.series(changes)
    )  # fmt: skip


def _combinations(rules: Rules, words: Words) -> Section:
    return Section(
        words.say("Combinations"),
        columns=(words.say("For example"), words.say("Combination"), words.say("Points")),
        rows=tuple(combinations.rows(rules, words)),
        notes=tuple(combinations.notes(rules, words)),
    )


# A turn


def _turn(rules: Rules, words: Words) -> Section:
    say, count = words.say, words.count
    dice, busts = rules.dice, _busts(rules)
    steps = [count("Roll the die.", "Roll all {n} dice.", dice)]
    if rules.takeover != "never":
        steps[0] += " " + say("Or take over the previous turn (see below).")
    if busts:
        if rules.blank_roll:
            bust = say("If nothing scores with fewer than all dice, the roll is a bust (a farkle): the turn ends and its points are lost.")  # fmt: skip
        else:
            bust = say("If nothing scores, the roll is a bust (a farkle): the turn ends and its points are lost.")
        penalties = rules.strike or rules.scoreless_limit
        after = say("The score stays as it was, unless a penalty is due (see below).") if penalties else say("The score stays as it was.")  # fmt: skip
        steps.append(f"{bust} {after}")
    steps.append(_setting_aside(rules, words))
    if dice > 1:
        steps.append(say("Combinations are made within one roll: dice set aside earlier never complete one."))
    bank = say("Then bank, which adds the points of the turn to the score and ends the turn, or roll the dice that are left for more.")  # fmt: skip
    if dice == 1:
        bank = say("Then bank, which adds the points of the turn to the score and ends the turn, or go on.")
    risk = say("All points of the turn are at risk until they are banked.") if busts else ""
    minimum = say("A minimum may be needed to bank (see below).") if rules.entry or rules.min_bank else say("Any number of points may be banked.")  # fmt: skip
    steps.append(" ".join(text for text in (bank, risk, minimum) if text))
    steps.append(_hot_dice(rules, words))
    if combinations.blank_roll(rules):
        steps.append(
            say(
                "A roll of all dice in which nothing scores is worth {points} and counts as hot dice.",
                points=rules.blank_roll,
            )
        )
    return Section(say("A turn"), steps=tuple(steps))


def _setting_aside(rules: Rules, words: Words) -> str:
    if rules.dice == 1:
        return words.say("Set the die aside.")
    if rules.keep == "all":
        return words.say("Set aside as many dice as possible, all of them part of combinations; of two choices with as many dice take either.")  # fmt: skip
    text = words.say("Set aside scoring dice, at least one. Every die set aside must be part of a combination, but not every die that could score need be set aside.")  # fmt: skip
    single = next((str(dice[0]) for dice, meld in sorted(rules.table.melds.items()) if len(dice) == 1 and meld), None)
    if single is None or rules.dice < 3:
        return text
    example = words.say(
        "Of {dice}, for example, a lone {face} may be set aside.", dice="\u00a0".join(single * 3), face=single
    )
    return f"{text} {example}"


def _hot_dice(rules: Rules, words: Words) -> str:
    if rules.hot_dice == "may":
        return words.count(
            "Hot dice: once the die is set aside, it may be rolled again, and the points go on adding up.",
            "Hot dice: once all dice are set aside, all {n} dice may be rolled again, and the points go on adding up.",
            rules.dice,
        )
    text = words.count(
        "Hot dice: once the die is set aside, it must be rolled again, and the points go on adding up; only a turn that reaches the target may be banked instead.",
        "Hot dice: once all dice are set aside, all {n} dice must be rolled again, and the points go on adding up; only a turn that reaches the target may be banked instead.",
        rules.dice,
    )
    if rules.keep == "any" and rules.dice > 1:
        text += " " + words.say("Setting fewer dice aside, so as not to come to that, is allowed.")
    return text


def _minima(rules: Rules, words: Words) -> Section | None:
    entry, least = rules.entry, rules.min_bank
    if not entry and not least:
        return None
    say = words.say
    if entry == least:
        paragraphs = [
            say("A turn can be banked from {points} points on, the first one like every other.", points=entry)
        ]
    else:
        paragraphs = [
            say("To get on the board a player needs {points} points in one turn.", points=entry) if entry else say("The first points need no minimum."),
            say("Once on the board, a turn can be banked from {points} points on.", points=least) if least else say("Once on the board there is no minimum any more."),
        ]  # fmt: skip
        if _reopens(rules):
            paragraphs.append(_reopening(rules, words))
    paragraphs.append(say("Below the minimum one must roll again: nobody may stop there and pass."))
    paragraphs.append(
        say("The minimum holds for the winning turn too.") if not (rules.exact and least) else _exempt(words)
    )
    return Section(say("Minimum points"), (" ".join(paragraphs),))


def _reopens(rules: Rules) -> bool:
    """Whether a player can fall off the board, and being off it makes a difference."""
    return (rules.entry != rules.min_bank or rules.takeover == "opened") and _falls(rules)


def _reopening(rules: Rules, words: Words) -> str:
    if not rules.entry:
        return words.say("After a fall to 0 one is off the board until points are banked again.")
    if rules.floor and _loses_points(rules):
        return words.say("After a fall to 0 or below one must open again, with {points} points.", points=rules.entry)
    return words.say("After a fall to 0 one must open again, with {points} points.", points=rules.entry)


def _exempt(words: Words) -> str:
    return words.say("A turn that hits the target exactly needs no minimum, once on the board.")


def _end(rules: Rules, words: Words) -> Section:
    say, exact = words.say, rules.exact
    if rules.ending == "first":
        end = say("Whoever banks a total of exactly {target} wins at once.", target=rules.target) if exact else say("Whoever banks a total of {target} or more wins at once.", target=rules.target)  # fmt: skip
    else:
        reached = say("When a player banks a total of exactly {target}, the end begins.", target=rules.target) if exact else say("When a player banks a total of {target} or more, the end begins.", target=rules.target)  # fmt: skip
        if rules.ending == "last_turns":
            then = say("Each of the others has one last turn, in order, under the same rules; that player does not play again, and another who reaches the target too opens no more turns. Then the highest total wins.")  # fmt: skip
        else:
            then = say(
                "The round is played to its end, so that all have had as many turns. Then the highest total wins."
            )
        end = f"{reached} {then} {_tie(rules, words)}"
    paragraphs = [end, say("Only banked points count: points at risk never end the game.")]
    wins = [words.combination(c.pattern) for c in rules.combinations if c.kind == "win"]
    if wins:
        paragraphs.append(
            say(
                "Wins at once in a single roll: {names}. It beats every other rule, whatever the score and whatever is set aside.",
                names=words.one_of(wins),
            )
        )
    return Section(say("The end"), tuple(paragraphs))


def _tie(rules: Rules, words: Words) -> str:
    if rules.tie == "first":
        return words.say("Of equal totals at the top, the one that was reached first wins.")
    return words.say("Players with the same highest total win together.")


# House rules


def _equal_totals(rules: Rules, words: Words) -> Section:
    say = words.say
    text = say("Whoever arrives on another player's total, by banking or by falling, sends that player back to the total before the last one (to 0 from a first total). Who stands there falls in turn, and so on until no two totals are equal.")  # fmt: skip
    return Section(say("Equal totals"), (f"{text} {_safe_totals(rules, words)}",))


def _safe_totals(rules: Rules, words: Words) -> str:
    say = words.say
    safe = [say("0 or less") if rules.floor and _loses_points(rules) else "0"]
    if rules.last_leg and rules.cap:
        safe.append(say("{total} (where the last leg begins)", total=rules.cap))
    if rules.ending != "first":
        target = rules.target
        safe.append(words.number(target) if rules.exact else say("all from {total} up", total=target))
    return say("Totals that players may share without anyone falling: {totals}.", totals=words.all_of(safe))


def _scoreless(rules: Rules, words: Words) -> Section:
    say, penalty = words.say, rules.scoreless_penalty
    paragraphs = [
        words.count(
            "After every turn without gain, whatever the cause, comes a penalty.",
            "After {n} turns in a row without gain, whatever the cause, comes a penalty.",
            rules.scoreless_limit,
        )
    ]
    if penalty == "zero":
        paragraphs.append(say("The score falls to 0."))
    elif penalty == "previous":
        paragraphs.append(say("The score falls back to the total before the last one (to 0 from a first total)."))
    else:
        paragraphs.append(
            say("{points} points are lost, but no loss takes a score below {floor}.", points=penalty, floor=rules.floor)
        )
        if rules.strike or rules.equal_scores == "fall":
            paragraphs.append(say("Earlier totals that are not below the new one are struck off with it."))
    if rules.scoreless_limit > 1:
        paragraphs.append(say("A gain starts the count again, and so does the penalty."))
    paragraphs.append(say("A turn that the table skips counts neither way."))
    return Section(say("Turns without points"), (" ".join(paragraphs),))


def _strike(rules: Rules, words: Words) -> Section:
    say = words.say
    when = say("A bust on a roll of all dice, the first roll of a turn or the one after hot dice, strikes off the player's last banked turn: the score falls back to the total before (to 0 from a first total).")  # fmt: skip
    if rules.takeover != "never":
        when += " " + say("Taking over a turn that ended with hot dice means such a roll too.")
    if rules.scoreless_limit:
        when += " " + say("At most one fall a turn: when the penalty for turns without points is due as well, only the harsher one counts.")  # fmt: skip
    if not rules.table.can_bust(rules.dice):
        when += " " + say("With these combinations a roll of all dice never busts, so this never happens.")
    return Section(say("Strike"), (when,))


def _prediction(rules: Rules, words: Words) -> Section:
    say = words.say
    paragraphs = [
        say("With exactly three dice set aside since the last roll of all dice, the player may announce what the other two will score: {points}. An announcement is final: the two dice are rolled.", points=words.one_of(map(words.number, ANNOUNCEMENTS))),
        say("If the best score of that roll is exactly the number announced, the dice that make it must be set aside and the whole turn doubles, these points included. Otherwise nothing changes."),
    ]  # fmt: skip
    if rules.exact:
        paragraphs.append(say("The doubled value counts for the exact target, even where it passes it."))
    if rules.takeover != "never":
        paragraphs.append(say("Points taken over double too. Dice that the previous player set aside count among the three once the player has set aside at least one."))  # fmt: skip
    return Section(say("Prediction"), (" ".join(paragraphs),))


def _last_leg(rules: Rules, words: Words) -> Section:
    say = words.say
    if not rules.cap:
        text = say("All {points} points must be made in one turn: only a turn that reaches the target may be banked.", points=rules.target)  # fmt: skip
        return Section(say("Last leg"), (text,))
    paragraphs = [
        say("The last {points} points must be made in one turn. A total that would pass {cap} without reaching {target} stops at {cap}; there only a turn that reaches {target} may be banked.", points=rules.last_leg, cap=rules.cap, target=rules.target)
    ]  # fmt: skip
    if rules.entry or rules.min_bank:
        paragraphs.append(say("For the minimum the points of the turn count, also those that the stop cuts off."))
    return Section(say("Last leg"), (" ".join(paragraphs),))


def _takeover(rules: Rules, words: Words) -> Section:
    say = words.say
    who = say("The next player, if on the board,") if rules.takeover == "opened" else say("The next player")
    paragraphs = [
        say("{who} may go on with a turn that was just banked instead of rolling all dice: with its points, and with the dice that were left (all of them if none were). The dice must then be rolled. What was banked stays with the one who banked it.", who=who),
        say("Points taken over count like one's own, for the minimum to get on the board too.") if rules.takeover == "always" and rules.entry else say("Points taken over count like one's own."),
    ]  # fmt: skip
    if rules.last_leg:
        paragraphs.append(
            say("All points of the turn are handed on, also those that the stop before the last leg cut off.")
        )
    if rules.exact:
        paragraphs.append(say("A turn whose points would reach or pass the exact target is not on offer."))
    if rules.ending == "last_turns":
        paragraphs.append(say("In the last turns, too, one may take over."))
    return Section(say("Taking over"), (" ".join(paragraphs),))


def _exact(rules: Rules, words: Words) -> Section:
    say = words.say
    paragraphs = [
        say("As soon as score and turn together pass {target}, the turn ends without points.", target=rules.target)
    ]
    if rules.keep == "any" and rules.dice > 1:
        paragraphs.append(say("A smaller set-aside may avoid that and is allowed."))
    return Section(say("Exact target"), (" ".join(paragraphs),))


_HOUSE_RULES = {
    "equal_scores": _equal_totals,
    "scoreless_limit": _scoreless,
    "strike": _strike,
    "prediction": _prediction,
    "last_leg": _last_leg,
    "takeover": _takeover,
    "exact": _exact,
}


# What remains


def _decided(rules: Rules, words: Words) -> Section | None:
    found = decisions(rules, words)
    if not found:
        return None
    intro = words.say("Rule sheets are often silent on these points, and they can decide who wins. Here:")
    return Section(words.say("Settled before the game"), (intro,), notes=found)


def _chances(rules: Rules, words: Words) -> Section:
    say = words.say
    chances = {count: odds(rules, count) for count in range(1, rules.dice + 1)}
    notes = []
    if rules.table.wins:
        whole = chances[rules.dice].wins
        notes.append(
            say(
                "Chance that a roll of all dice wins at once: {percent} ({fraction}).",
                percent=words.percent(float(whole), 2),
                fraction=_fraction(whole, words),
            )
        )
    heading = say("Chances of a bust")
    if not any(chance.bust for chance in chances.values()):
        return Section(heading, (say("With these combinations no roll is ever a bust."),), notes=tuple(notes))
    rows = tuple(
        (words.number(count), words.percent(float(chance.bust)), _fraction(chance.bust, words))
        for count, chance in chances.items()
    )
    columns = (say("Dice rolled"), say("Bust"), say("Exactly"))
    return Section(heading, columns=columns, rows=rows, notes=tuple(notes))


def _fraction(value: Fraction, words: Words) -> str:
    return f"{words.number(value.numerator)}/{words.number(value.denominator)}" if value else "0"


def _about(sheet: Sheet, words: Words) -> Section:
    paragraphs = [_in(sheet.notes, words)]
    if sheet.source:
        paragraphs.append(words.say("Source: {source}.", source=words.translated(sheet.source)))
    paragraphs.append(words.say("In short form: {canonical}", canonical=sheet.rules.canonical))
    return Section(words.say("About this sheet"), tuple(text for text in paragraphs if text))


def as_text(page: Page, width: int = 78) -> str:
    """Return the page for a terminal: wrapped at ``width``, without colours, ending with a line break."""
    lines = _headline(page.title, "=", width)
    for section in page.sections:
        lines += ["", *_headline(section.heading, "-", width)]
        lines += "\n\n".join(wrapped(paragraph, width) for paragraph in section.paragraphs).splitlines()
        lines += [wrapped(f"{place}. {step}", width, "   ") for place, step in enumerate(section.steps, start=1)]
        lines += _table(section, width)
        lines += [wrapped(f"- {note}", width, "  ") for note in section.notes]
    return "\n".join(lines) + "\n"


def _headline(text: str, line: str, width: int) -> list[str]:
    return [wrapped(text, width), line * min(cells(text), width)]


def _table(section: Section, width: int) -> list[str]:
    """The rows in columns, the last one wrapped; cell after cell where the page is too narrow for that."""
    if not section.rows:
        return []
    rows = [section.columns, *section.rows]
    sizes = [max(cells(row[place]) for row in rows) for place in range(len(section.columns) - 1)]
    indent = " " * (sum(sizes) + 2 * len(sizes))
    if len(indent) + 12 > width:
        return [wrapped(" | ".join(row), width, "  ") for row in section.rows]
    return [wrapped("  ".join((*map(fitted, row, sizes), row[-1])), width, indent) for row in rows]
