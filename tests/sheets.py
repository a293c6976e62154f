"""Rule sheets made by chance, for the tests: as text, which the package and the referee both read.

``pick`` chooses one of some options; it is ``random.Random(...).choice``, or a draw of hypothesis.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from cinqmille import PRESETS, InvalidRules, Rules

Pick = Callable[[Sequence[Any]], Any]

# What each parameter may be; None leaves it as the preset has it. `dice` and the combinations come separately.
OPTIONS: dict[str, tuple[object, ...]] = {
    "target": (500, 1000, 1500, 2000, 3000),
    "entry": (None, 0, 50, 200, 350, 500, 750),
    "ending": (None, "first", "last_turns", "finish_round"),
    "tie": (None, "shared", "first"),
    "min_bank": (None, 0, 50, 200, 300, 500),
    "equal_scores": (None, "allowed", "fall", "fall"),
    "hot_dice": (None, "may", "must"),
    "keep": (None, None, "any", "all"),
    "blank_roll": (None, None, None, 0, 250, 500),
    "scoreless_limit": (None, 0, 1, 2, 3),
    "scoreless_penalty": (None, "zero", "previous", 50, 200, 500, 1000),
    "floor": (None, 0, -500, -1000, -2500),
    "strike": (None, "false", "true"),
    "prediction": (None, "false", "true"),
    "last_leg": (None, 0, 200, 500, 1000),
    "takeover": (None, "never", "opened", "always"),
    "exact": (None, "false", "true"),
}

COMBINATIONS = (
    "1=none", "5=none", "1=50", "2=50", "5=100", "AA=50", "11=300", "AAA=none", "AAA=200*A", "111=300", "111=none",
    "555=win", "AAAA=none", "AAAA=1000", "AAAA=200*A", "AAAA=win", "AABB=300", "AABB=50*A", "11AA=400", "ABCD=150",
    "1234=500", "AAAAA=win", "11111=win", "55555=5000", "12345=none", "12345=1000", "23456=win", "AAABB=750",
    "AAABB=100*B", "AABBCC=750", "AABBCC=none", "AAAABB=1500", "AAABBB=none", "AAABBB=300*A", "111222=none",
    "123456=win", "123456=3000", "AAAAAA=10000", "AABBBC=650", "12AA=250",
)  # fmt: skip


def sheet_text(pick: Pick) -> str:
    """Return the text of some rules, which may turn out unplayable."""
    preset = pick(("cinq-des", "cinq-des", "cinq-des", "six-des", "six-des", *PRESETS))
    dice = pick((None, None, None, None, None, 2, 3, 4, 5, 6, 7, 8))
    count = dice or PRESETS[preset].dice
    items = [f"dice={dice}"] if dice else []
    for name, options in OPTIONS.items():
        value = None if name == "prediction" and count != 5 else pick(options)
        if value is not None:
            items.append(f"{name}={value}")
    patterns: set[str] = set()
    for _ in range(pick((0, 0, 0, 1, 2, 4))):
        combination = pick(COMBINATIONS)
        pattern = combination.partition("=")[0]
        if len(pattern) <= count and pattern not in patterns:
            patterns.add(pattern)
            items.append(combination)
    return f"{preset}({', '.join(items)})"


def random_sheet(rng: random.Random) -> str:
    """Return the text of rules that can be played."""
    while True:
        text = sheet_text(rng.choice)
        try:
            Rules.parse(text)
        except InvalidRules:
            continue
        return text


@st.composite
def sheets(draw: st.DrawFn) -> str:
    """The text of rules that can be played."""
    text = sheet_text(lambda options: draw(st.sampled_from(options)))
    try:
        Rules.parse(text)
    except InvalidRules:
        return draw(st.sampled_from(("cinq-des(target=1000)", "six-des(target=1000)")))
    return text
