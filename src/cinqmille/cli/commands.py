"""What can be typed: the commands and options of ``cinqmille``, made in the reader's language.

A command returns an :class:`Answer` (the caller prints it as text or, when ``json`` was asked, as JSON), a text that is
printed as it is, or an exit status. ``--lang`` is an option here only so that help and completion know it.
What a command needs it imports when it runs, so that help is quick.
"""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Group, Parameter

from cinqmille.bots import BOTS
from cinqmille.cli.keeping import add_tables
from cinqmille.cli.output import Answer
from cinqmille.cli.pages import Pages
from cinqmille.cli.refusals import Refusal, conflict, of_input, port_of, whole
from cinqmille.cli.shared import PROGRAM, Lang, Shared, rule_sheets
from cinqmille.errors import CinqMilleError
from cinqmille.words import Words

DEFAULT_RULES = "cinq-des"


def version() -> str:
    """Return the program's name and version."""
    from importlib.metadata import version

    return f"{PROGRAM} {version(PROGRAM)}"


def command_line(words: Words) -> App:
    """Return everything that can be typed, in the language of ``words``."""
    say, shared = words.say, Shared(words)
    options = Group.create_ordered(say("Options"), sort_key=9)
    app = App(
        name=PROGRAM,
        help=say("Cinq Mille: the dice game 5000 and its family, with your own house rules."),
        usage=shared.usage(say("COMMAND")),
        version=version,
        help_format="plaintext",
        help_formatter=Pages(words),
        group_commands=Group.create_default_commands(say("Commands")),
        group_arguments=Group.create_default_arguments(say("Arguments")),
        group_parameters=options,
        suppress_keyboard_interrupt=False,
    )
    for add in (
        _add_serve, _add_play, _add_rules, _add_score, _add_odds, _add_advise, _add_solve, _add_simulate, _add_replay,
        _add_verify, add_tables, _add_completion,
    ):  # fmt: skip
        add(app, shared)
    app.command(lambda: None, name="--lang", help=shared.lang_help)
    app["--help"].help = say("Show this page; after a command, the page of that command.")
    app["--version"].help = say("Show the version.")
    for name in ("--help", "--version", "--lang"):
        app[name].group = (options,)
    return app


def _add_serve(app: App, shared: Shared) -> None:
    say = shared.words.say
    host = Parameter(
        name="--host",
        metavar=say("ADDRESS"),
        help=say("The address to listen at; 127.0.0.1 unless given, so that nobody else can come in."),
    )
    port = Parameter(
        name="--port",
        metavar=say("NUMBER"),
        help=say("The port, 0 for any that is free; unless given 5000, or the next one that is free."),
    )
    near = shared.flag("--lan", say("Let everybody in the same Wi-Fi come in, and show a QR code for their phones."))
    public = Parameter(
        name="--public",
        metavar="URL",
        help=say("The address people reach the server under, as in https://play.example: invitations lead there."),
    )
    names = Parameter(
        name="--host-name",
        metavar=say("NAME"),
        negative=(),
        help=say("Another name the server answers to, or * for every one; can be given several times."),
    )
    database = Parameter(
        name="--database",
        metavar="URL",
        help=say(
            "Where tables are kept: a file (sqlite:///path) or a server (postgresql://...); unless given, "
            "CINQMILLE_DATABASE or a file of yours."
        ),
    )
    limits = Parameter(
        name="--limits",
        metavar=say("NUMBER"),
        show_default=False,
        help=say("How many times the usual one address may ask for; 1 unless given, 0 for no limits."),
    )
    proxy = Parameter(
        name="--proxy",
        metavar=say("ADDRESSES"),
        show_default=False,
        help=say(
            "The proxies that are believed when they say who asks (addresses or networks, with commas); 127.0.0.1 "
            "unless given."
        ),
    )
    browser = shared.flag("--no-browser", say("Do not open the browser."))
    purpose = say("The game in the browser: it prints its address and opens it. Stop it with Ctrl-C.")

    @app.command(**shared.about(0, "serve", help=purpose))
    def _(
        *,
        host: Annotated[str | None, host] = None,
        port: Annotated[str | None, port] = None,
        lan: Annotated[bool, near] = False,
        public: Annotated[str | None, public] = None,
        host_name: Annotated[list[str] | None, names] = None,
        database: Annotated[str | None, database] = None,
        limits: Annotated[float, limits] = 1.0,
        proxy: Annotated[str, proxy] = "127.0.0.1",
        no_browser: Annotated[bool, browser] = False,
        lang: Annotated[Lang, shared.lang] = None,
    ) -> int:
        from cinqmille.web import serve

        if not 0 <= limits < float("inf"):
            raise Refusal("bad_limits", say("The limits cannot be {number} times the usual ones.", number=str(limits)))
        number = None if port is None else port_of("--port", port, shared.words)
        try:
            serve(
                host, number, browser=not no_browser, database=database, lan=lan, public=public or "",
                names=host_name or (), limits=limits, proxy=proxy, words=shared.words,
            )  # fmt: skip
        except CinqMilleError as error:
            raise of_input(error, shared.words) from None
        except OSError as error:
            detail = error.strerror or str(error)
            raise Refusal(
                "cannot_serve",
                say(
                    "Nothing can be served at {host}, port {port}: {detail}.",
                    host=host or "127.0.0.1",
                    port="5000" if number is None else str(number),
                    detail=detail,
                ),
            ) from None
        return 0


def _add_play(app: App, shared: Shared) -> None:
    words, say = shared.words, shared.words.say
    label = say("FILE")
    argument = Parameter(
        name=label,
        help=say("The file the game is kept in; a game that is there already goes on."),
    )
    seats = Parameter(
        name="--players",
        metavar=say("NAMES"),
        help=say(
            "Who plays, in this order; a bot after an equals sign: Ana,Ben=steady:350. There are {bots}.",
            bots=", ".join(BOTS),
        ),
    )
    source = Parameter(
        name="--dice",
        metavar=say("DICE"),
        help=say(
            "Whose dice: system (the program rolls), real (you type yours in) or 'seed 42' (rolls that can be "
            "repeated)."
        ),
    )
    seed = Parameter(name="--seed", metavar=say("NUMBER"), help=say("The same as --dice with that seed."))
    purpose = say("A game in the terminal, or its score sheet for real dice; it asks for what is not given.")

    @app.command(**shared.about(1, "play", f"[{label}]", help=purpose))
    def _(
        file: Annotated[Path | None, argument] = None,
        /,
        *,
        rules: Annotated[str | None, shared.rules] = None,
        players: Annotated[str | None, seats] = None,
        dice: Annotated[str | None, source] = None,
        seed: Annotated[str | None, seed] = None,
        lang: Annotated[Lang, shared.lang] = None,
    ) -> int:
        from cinqmille.cli import answers

        if dice is not None and seed is not None:
            raise conflict("--dice", "--seed", words)
        return answers.play(
            words,
            file=file,
            rules=rules,
            players=players,
            dice=dice if seed is None else f"seed {seed}",
        )


def _add_rules(app: App, shared: Shared) -> None:
    words, say = shared.words, shared.words.say
    label = say("RULES")
    argument = Parameter(name=label, help=shared.rules_help, completer=rule_sheets)
    as_toml = shared.flag("--toml", say("Print it as a TOML file, to start house rules from."))
    as_json = shared.json(say("without RULES presets, else every rule, combinations, canonical, fingerprint"))
    purpose = say("The rule sheets there are, or one of them in sentences.")

    @app.command(**shared.about(2, "rules", f"[{label}]", help=purpose))
    def _(
        rules: Annotated[str | None, argument] = None,
        /,
        *,
        toml: Annotated[bool, as_toml] = False,
        json: Annotated[bool, as_json] = False,
        lang: Annotated[Lang, shared.lang] = None,
    ) -> Answer | str:
        from cinqmille.cli import answers

        if toml and json:
            raise conflict("--toml", "--json", words)
        if rules is None and toml:
            example = f"{PROGRAM} rules {DEFAULT_RULES} --toml"
            raise Refusal("argument_missing", say("--toml needs a rule sheet: write {example}.", example=example))
        if rules is None:
            return answers.presets(words)
        sheet = answers.sheet(rules, words)
        return answers.toml(sheet, words) if toml else answers.rules(sheet, words)


def _add_score(app: App, shared: Shared) -> None:
    words, say = shared.words, shared.words.say
    label = say("ROLL")
    argument = Parameter(name=label, required=True, help=say("The dice as they lie: 15534 or 1 5 5 3 4."))
    dispute = Parameter(
        name="--keep",
        metavar=say("DICE"),
        help=say("Settle a dispute: may these dice be set aside, and what are they worth?"),
    )
    as_json = shared.json("rules, roll, bust, wins, keeps [dice, points], best")
    purpose = say("What a roll is worth: everything that can be set aside, with its points.")

    @app.command(**shared.about(3, "score", label, help=purpose))
    def _(
        *roll: Annotated[str, argument],
        rules: Annotated[str, shared.rules] = DEFAULT_RULES,
        keep: Annotated[str | None, dispute] = None,
        json: Annotated[bool, as_json] = False,
        lang: Annotated[Lang, shared.lang] = None,
    ) -> Answer:
        from cinqmille.cli import answers

        return answers.score(answers.sheet(rules, words).rules, " ".join(roll), keep, words)


def _add_odds(app: App, shared: Shared) -> None:
    words, say = shared.words, shared.words.say
    number = Parameter(
        name="--dice",
        metavar=say("NUMBER"),
        help=say("Only for so many dice, with the chance of every score."),
    )
    as_json = shared.json(
        say(
            "rules, odds (by number of dice: bust, full, wins and mean_best, each with its fraction as bust_exact and "
            "so on, and points: chance and exact of every score)"
        )
    )
    purpose = say("The exact chances of one roll, for every number of dice.")

    @app.command(**shared.about(4, "odds", help=purpose))
    def _(
        *,
        dice: Annotated[str | None, number] = None,
        rules: Annotated[str, shared.rules] = DEFAULT_RULES,
        json: Annotated[bool, as_json] = False,
        lang: Annotated[Lang, shared.lang] = None,
    ) -> Answer:
        from cinqmille.cli import answers

        return answers.odds(answers.sheet(rules, words).rules, dice, words)


def _add_advise(app: App, shared: Shared) -> None:
    words, say = shared.words, shared.words.say

    signed = ("--scores", "--turn-points")  # -50 is a number there, if a wrong one

    def option(name: str, metavar: str, help: str) -> Parameter:
        return Parameter(name=name, metavar=metavar, help=help, allow_leading_hyphen=name in signed)

    line = option("--position", say("LINE"), say("The whole position, as in 'scores=500/700 rules=cinq-des'."))
    scores = option("--scores", "A,B", say("Everybody's score, in the order of play: 500,700."))
    me = option("--me", say("NUMBER"), say("Who is to play: 1 for the first score, 2 for the second."))
    at_risk = option("--turn-points", say("POINTS"), say("The points at risk in this turn; 0 unless given."))
    roll = option("--roll", say("ROLL"), say("The dice on the table, if some are to be set aside: 15534."))
    left = option(
        "--dice-left",
        say("NUMBER"),
        say("How many dice are left after setting aside, if it is time to bank or roll; 0 if none are."),
    )
    as_json = shared.json(
        say(
            "plans [keep (dice or null), then (bank, roll, takeover, announce 50, or null where the turn is lost), "
            "win, turn_mean], best first; exact; reason (a sentence, or null)"
        )
    )
    purpose = say("What to do now: every choice with its chance to win, best first, and why.")

    @app.command(**shared.about(5, "advise", help=purpose))
    def _(
        *,
        scores: Annotated[str | None, scores] = None,
        me: Annotated[str | None, me] = None,
        turn_points: Annotated[str | None, at_risk] = None,
        roll: Annotated[str | None, roll] = None,
        dice_left: Annotated[str | None, left] = None,
        position: Annotated[str | None, line] = None,
        rules: Annotated[str | None, shared.rules] = None,
        json: Annotated[bool, as_json] = False,
        lang: Annotated[Lang, shared.lang] = None,
    ) -> Answer:
        from cinqmille.cli import advising

        given = {
            "--position": position, "--rules": rules, "--scores": scores, "--me": me, "--turn-points": turn_points,
            "--roll": roll, "--dice-left": dice_left,
        }  # fmt: skip
        return advising.advise(given, words)


def _add_solve(app: App, shared: Shared) -> None:
    words, say = shared.words, shared.words.say
    number = Parameter(name="--players", metavar=say("NUMBER"), help=say("How many play, 2 to 8."))
    again = shared.flag("--fresh", say("Solve it now, whatever is stored."))
    patient = shared.flag("--long", say("Solve it even if that takes more than ten minutes."))
    as_json = shared.json("rules, players, win [per seat], residual, passes, seconds, exact, stored")
    purpose = say("The chance to win of every seat when all play perfectly, exactly.")

    @app.command(**shared.about(6, "solve", help=purpose))
    def _(
        *,
        rules: Annotated[str, shared.rules] = DEFAULT_RULES,
        players: Annotated[str, number] = "2",
        fresh: Annotated[bool, again] = False,
        long: Annotated[bool, patient] = False,
        json: Annotated[bool, as_json] = False,
        lang: Annotated[Lang, shared.lang] = None,
    ) -> Answer:
        from cinqmille.cli import answers, solving

        seats = whole("--players", players, words)
        return solving.solve(answers.sheet(rules, words).rules, seats, fresh=fresh, long=long, words=words)


def _add_simulate(app: App, shared: Shared) -> None:
    words, say = shared.words, shared.words.say
    label = say("NUMBER")
    seats = Parameter(
        name="--bots",
        metavar=say("BOTS"),
        required=True,
        help=say(
            "Which bots play, in the order of their seats: perfect,steady:350. There are {bots}.", bots=", ".join(BOTS)
        ),
    )
    many = Parameter(name="--games", metavar=label, help=say("How many games; in a round robin, of every pair."))
    repeat = Parameter(
        name="--seed", metavar=label, help=say("The seed of the dice: the same one gives the same games.")
    )
    turning = shared.flag("--rotate", say("Every bot moves one seat on with each game."))
    robin = shared.flag("--tournament", say("A round robin: every bot against every other, beginning in turn."))
    hands = Parameter(name="--workers", metavar=label, help=say("How many cores work; unless given, all."))
    more = shared.flag("--details", say("Tell everything that was counted: seats, opening turns, best turns and more."))
    as_csv = shared.flag("--csv", say("Answer with a table for spreadsheets."))
    as_json = shared.json(
        "rules, bots [bot, wins, win_rate, interval, mean_turns, mean_points, busts], games, seed, seconds, turns"
    )
    purpose = say("Many games between bots: how often each wins, and how sure that is.")

    @app.command(**shared.about(7, "simulate", help=purpose))
    def _(
        *,
        bots: Annotated[str, seats],
        games: Annotated[str, many] = "10000",
        seed: Annotated[str | None, repeat] = None,
        rules: Annotated[str, shared.rules] = DEFAULT_RULES,
        rotate: Annotated[bool, turning] = False,
        tournament: Annotated[bool, robin] = False,
        workers: Annotated[str | None, hands] = None,
        details: Annotated[bool, more] = False,
        csv: Annotated[bool, as_csv] = False,
        json: Annotated[bool, as_json] = False,
        lang: Annotated[Lang, shared.lang] = None,
    ) -> Answer | str:
        from cinqmille.cli import answers, simulating

        if csv and (json or details):
            raise conflict("--csv", "--json" if json else "--details", words)
        if rotate and tournament:
            raise conflict("--rotate", "--tournament", words)
        return simulating.simulate(
            answers.sheet(rules, words).rules,
            bots,
            games=whole("--games", games, words),
            seed=None if seed is None else whole("--seed", seed, words),
            rotate=rotate,
            tournament=tournament,
            workers=None if workers is None else whole("--workers", workers, words),
            details=details,
            csv=csv,
            words=words,
        )


def _add_replay(app: App, shared: Shared) -> None:
    words, say = shared.words, shared.words.say
    label = say("FILE")
    argument = Parameter(
        name=label,
        allow_leading_hyphen=True,
        help=say("The record, as text or JSON; - reads it from the standard input."),
    )
    tell = shared.flag("--turns", say("Tell every turn too."))
    form = Parameter(
        name="--to",
        metavar="text|json",
        show_choices=False,
        help=say("Print the record itself, as text or as JSON."),
    )
    as_json = shared.json(
        "rules, players [name, score, history, scoreless], to_play, phase, turn_points, dice_left, last_roll, winners"
    )
    purpose = say("Where a recorded game stands; a mistake in it is told by line and column.")

    @app.command(**shared.about(8, "replay", label, help=purpose))
    def _(
        file: Annotated[Path, argument],
        /,
        *,
        turns: Annotated[bool, tell] = False,
        to: Annotated[Literal["text", "json"] | None, form] = None,
        json: Annotated[bool, as_json] = False,
        lang: Annotated[Lang, shared.lang] = None,
    ) -> Answer | str:
        from cinqmille.cli import answers

        if to and (json or turns):
            raise conflict("--to", "--json" if json else "--turns", words)
        game = answers.recorded(str(file), words)
        return answers.written(game, to) if to else answers.standing(game, turns, words)


def _add_verify(app: App, shared: Shared) -> None:
    words, say = shared.words, shared.words.say
    label = say("FILE")
    argument = Parameter(
        name=label,
        allow_leading_hyphen=True,
        help=say("The record, as text or JSON; - reads it from the standard input."),
    )
    noted = Parameter(
        name="--commitment",
        metavar=say("DIGITS"),
        help=say("The commitment you noted before the game: a record with another one is refused."),
    )
    ended = Parameter(
        name="--seal",
        metavar=say("DIGITS"),
        help=say("The seal you noted when the game was over: a record of any other game is refused."),
    )
    as_json = shared.json(
        "verified, kind, rules, players, rolls, seats [name, rolls, own, alone], table, commitment, seal, compared"
    )
    purpose = say(
        "Work out every roll of a game online, or of a seed, again: it shows that the dice follow from the secrets in "
        "the record. That it is the game that was played is shown by its seal alone."
    )

    @app.command(**shared.about(9, "verify", label, help=purpose))
    def _(
        file: Annotated[Path, argument],
        /,
        *,
        commitment: Annotated[str | None, noted] = None,
        seal: Annotated[str | None, ended] = None,
        json: Annotated[bool, as_json] = False,
        lang: Annotated[Lang, shared.lang] = None,
    ) -> Answer:
        from cinqmille.cli import verifying

        return verifying.verified(str(file), commitment, seal, words)


def _add_completion(app: App, shared: Shared) -> None:
    say = shared.words.say
    label = say("SHELL")
    argument = Parameter(name=label, help=say("The shell it is for."))
    purpose = say("The script that lets a shell complete the commands and options of {program}.", program=PROGRAM)

    @app.command(**shared.about(11, "completion", label, help=purpose))
    def _(
        shell: Annotated[Literal["bash", "zsh", "fish"], argument],
        /,
        *,
        lang: Annotated[Lang, shared.lang] = None,
    ) -> str:
        return app.generate_completion(prog_name=PROGRAM, shell=shell)
