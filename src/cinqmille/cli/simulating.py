"""The answers of ``simulate``: what games between bots came to, as a table, as JSON or as CSV."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from cinqmille.bots import bot
from cinqmille.cli.output import Answer, Data, columns, wrapped
from cinqmille.cli.waiting import waiting
from cinqmille.reports import BotReport, Report, Tournament
from cinqmille.rules import Rules
from cinqmille.simulation import simulate as play
from cinqmille.simulation import tournament as play_all
from cinqmille.words import Words

# What `--json` says of a bot unless details are asked for.
_KEYS = ("bot", "wins", "win_rate", "interval", "mean_turns", "mean_points", "busts")
_ROUND_ROBIN = ("rules", "bots", "win_rates", "standings", "games_per_pair", "seed", "seconds")


def simulate(
    rules: Rules, bots: str, *, games: int, seed: int | None, rotate: bool, tournament: bool, workers: int | None,
    details: bool, csv: bool, words: Words,
) -> Answer | str:  # fmt: skip
    """Games of all ``bots`` at one table, or of every two of them in a ``tournament``."""
    players = [bot(spec) for spec in bots.split(",")]
    if seed is None:
        seed = secrets.randbelow(1 << 32)  # the answer tells it, so that the games can be played again
    found: Report | Tournament
    with waiting(words.say("Playing"), words) as progress:

        def told(done: int, games: int) -> None:
            progress(done / games)

        if tournament:
            found = play_all(rules, players, games_per_pair=games, seed=seed, workers=workers, progress=told)
        else:
            found = play(rules, players, games=games, seed=seed, rotate=rotate, workers=workers, progress=told)
    if csv:
        return found.to_csv()
    if isinstance(found, Tournament):
        return Answer(lambda: _tournament_data(found, details), lambda: _tournament_text(found, words))
    return Answer(lambda: _match_data(found, details), lambda: _match_text(found, details, words))


def _match_data(report: Report, details: bool) -> Data:
    data = report.to_json()
    if details:
        return data
    bots = [{key: getattr(one, key) for key in _KEYS} for one in report.bots]
    return {"rules": report.rules, "bots": bots, **{key: data[key] for key in ("games", "seed", "seconds", "turns")}}


def _tournament_data(table: Tournament, details: bool) -> Data:
    data = table.to_json()
    return data if details else {key: data[key] for key in _ROUND_ROBIN}


def _match_text(report: Report, details: bool, words: Words) -> str:
    say = words.say
    head = [say("bot"), say("won"), say("95% interval"), say("turns"), say("points a turn"), say("busted")]
    rows = [[one.bot, *_won(one.win_rate, one.interval, words), *_turns(one, words)] for one in report.bots]
    blocks = [_title(report.rules, words), columns([head, *rows], right=range(1, len(head)))]
    if details:
        blocks.append(_seats(report, words))
        blocks.append(_openings(report.bots, words))
    blocks.append(
        wrapped(
            words.count(
                "{n} game, {turns} turns, seed {seed}: {seconds} s.",
                "{n} games, {turns} turns, seed {seed}: {seconds} s.",
                report.games,
                turns=words.number(report.turns),
                seed=str(report.seed),
                seconds=words.decimal(report.seconds, 2),
            )
        )
    )
    return "\n\n".join(blocks)


def _title(rules: str, words: Words) -> str:
    return wrapped(words.say("Games under the rules {rules}", rules=rules))


def _won(rate: float, interval: tuple[float, float], words: Words) -> list[str]:
    low, high = (words.percent(bound, 2) for bound in interval)
    return [words.percent(rate, 2), words.say("{low} to {high}", low=low, high=high)]


def _turns(one: BotReport, words: Words) -> list[str]:
    busts = one.busts / one.turns if one.turns else 0.0
    return [words.decimal(one.mean_turns, 2), words.decimal(one.mean_points, 1), words.percent(busts)]


def _seats(report: Report, words: Words) -> str:
    head = [words.say("seat"), words.say("won"), words.say("95% interval")]
    rows = [[str(seat), *_won(one.win_rate, one.interval, words)] for seat, one in enumerate(report.seats, 1)]
    return columns([head, *rows], right=range(len(head)))


def _openings(bots: Sequence[BotReport], words: Words) -> str:
    say, falls = words.say, any(one.lost for one in bots)
    head = [say("bot"), say("opens in turn"), say("best turn"), say("hot dice"), *([say("lost to falls")] * falls)]
    rows = []
    for one in bots:
        opens = "-" if one.opening_turn is None else words.decimal(one.opening_turn, 2)
        row = [one.bot, opens, words.number(one.best_turn), words.number(one.hot_dice)]
        rows.append([*row, *([words.number(one.lost)] * falls)])
    return columns([head, *rows], right=range(1, len(head)))


def _tournament_text(table: Tournament, words: Words) -> str:
    say = words.say
    head = [say("bot"), say("won"), say("95% interval")]
    rows = [[one.bot, *_won(one.win_rate, one.interval, words)] for one in table.standings]
    places = [str(place) for place in range(1, len(table.bots) + 1)]
    cross = [["", say("bot"), *places]]
    for place, name, rates in zip(places, table.bots, table.win_rates, strict=True):
        cross.append([place, name, *("-" if rate is None else words.percent(rate) for rate in rates)])
    played = words.count(
        "{n} game a pair, the two beginning in turn, seed {seed}: {seconds} s.",
        "{n} games a pair, the two beginning in turn, seed {seed}: {seconds} s.",
        table.games_per_pair,
        seed=str(table.seed),
        seconds=words.decimal(table.seconds, 2),
    )
    return "\n\n".join(
        [
            _title(table.rules, words),
            columns([head, *rows], right=range(1, len(head))),
            wrapped(say("How often the bot of the row beats that of the column:")),
            columns(cross, right={0, *range(2, len(cross[0]))}),
            wrapped(played),
        ]
    )
