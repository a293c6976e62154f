"""What a device keeps besides its tables: its own rule sheets, the usual names, and the form of a new game."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace

from cinqmille.errors import CinqMilleError
from cinqmille.rules import PRESETS, Rules, Sheet
from cinqmille.store import Store
from cinqmille.words import Words

LONGEST_TITLE = 60
_MOST_SHEETS, _MOST_NAMES = 40, 30


@dataclass(frozen=True, slots=True)
class Own:
    """A rule sheet of this device: a key in forms and addresses, its title, its rules."""

    key: str
    title: str
    rules: Rules


def clean(title: str) -> str:
    """Return a title as one line without signs that control, cut at :data:`LONGEST_TITLE`."""
    # "Cf" turns the direction of what follows, but also joins emoji: the joiner alone may stay.
    spaced = (" " if sign.isspace() else sign for sign in title)
    kept = (sign for sign in spaced if sign == "\u200d" or unicodedata.category(sign)[0] != "C")
    return " ".join("".join(kept).split())[:LONGEST_TITLE].strip()


def titled(rules: Rules, title: str) -> Sheet:
    """Return a rule sheet of these rules; without a title it is told by what differs from its preset."""
    sheet = Sheet.load(rules.canonical) if rules.canonical in PRESETS else _written(rules)
    return replace(sheet, title={"fr": title, "en": title}) if title else sheet


def _written(rules: Rules) -> Sheet:
    return Sheet(rules.canonical, rules, {}, PRESETS.sheet(rules.base).source, {})


def known_as(rules: Rules, words: Words, own: Iterable[Own] = ()) -> str:
    """Return the title of rules: that of a sheet with just these, or of the sheet they were made from."""
    for sheet in own:
        if sheet.rules == rules:
            return sheet.title
    titles = PRESETS.sheet(rules.base).title
    title = titles.get(words.lang) or next(iter(titles.values()), rules.base)
    return title if rules == PRESETS[rules.base] else words.say("{title}, house rules", title=title)


async def sheets(store: Store, device: str) -> list[Own]:
    """Return the rule sheets of a device, by title; those that this version does not play are left out."""
    found = []
    for item in await _list(store, device, "sheets"):
        try:
            found.append(Own(item["key"], item["title"], Rules.parse(item["rules"])))
        except CinqMilleError:
            continue
    return sorted(found, key=lambda own: (own.title.casefold(), own.key))


async def save(store: Store, device: str, title: str, rules: Rules, key: str = "") -> Own:
    """Keep rules under a title, those with the same key or title are replaced; return the sheet."""
    kept = await _list(store, device, "sheets")
    same = [item["key"] for item in kept if item["key"] == key or item["title"] == title]
    own = Own(same[0] if same else secrets.token_hex(4), title, rules)
    others = [item for item in kept if item["key"] not in same][-_MOST_SHEETS + 1 :]
    row = {"key": own.key, "title": title, "rules": rules.canonical}
    await store.remember(device, "sheets", [*others, row])
    return own


async def drop(store: Store, device: str, key: str) -> None:
    """Delete a rule sheet."""
    kept = await _list(store, device, "sheets")
    await store.remember(device, "sheets", [item for item in kept if item["key"] != key])


async def names(store: Store, device: str) -> list[str]:
    """Return the usual names, the last ones first."""
    kept = (await store.recall(device, ["names"])).get("names")
    return [str(name) for name in kept] if isinstance(kept, list) else []


async def greet(store: Store, device: str, played: Iterable[str]) -> None:
    """Remember the names of people who play."""
    fresh = list(dict.fromkeys(name for name in played if name))
    old = [name for name in await names(store, device) if name not in fresh]
    await store.remember(device, "names", (fresh + old)[:_MOST_NAMES])


async def _list(store: Store, device: str, key: str) -> list[dict[str, str]]:
    kept = (await store.recall(device, [key])).get(key)
    return [dict(item) for item in kept] if isinstance(kept, list) else []
