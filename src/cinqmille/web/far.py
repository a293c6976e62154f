"""Online tables in the browser: joining, starting, playing from one's own seat, and what is done about who is away.

A seat belongs to a secret: the cookie ``seat`` of the table, or one that follows from the device's own. Only its hash
is stored; the rejoin link holds it after a ``#``, where no server and no log sees it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from cinqmille.actions import Announce, Rolled, RollOn, TakeOver
from cinqmille.errors import CinqMilleError, IllegalAction
from cinqmille.fair import new_secret
from cinqmille.online import Change, OnlineTable
from cinqmille.rules import PARAMETERS, PRESETS, Rules
from cinqmille.seating import WAYS, Terms
from cinqmille.web import gamelist, own
from cinqmille.web.addresses import public_url, qr_svg, within_reach
from cinqmille.web.bodies import form
from cinqmille.web.charts import lines
from cinqmille.web.commands import commands
from cinqmille.web.holders import device_token, key_of, seat_token
from cinqmille.web.refusals import Refused, status_of
from cinqmille.web.render import is_part, render, words_of
from cinqmille.web.scene import scene
from cinqmille.web.setup import Setup, today
from cinqmille.web.tables import Far, Tables, new_id
from cinqmille.web.thinking import Thinking
from cinqmille.words import Words

router = APIRouter(prefix="/t/{id}")
_YEAR = 365 * 24 * 3600


def _tables(request: Request) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


@dataclass(frozen=True, slots=True)
class Person:
    """A seat of an online table as a page shows it.

    ``ways`` are what the others may do for a seat that is away by now: ``bot``, ``skip``, ``remove``; ``alone`` how
    many of its rolls were drawn without a link although it has a chain.
    """

    seat: int
    name: str
    bot: str
    me: bool
    host: bool
    here: bool
    stand_in: bool
    removed: bool
    chain: bool
    opened: bool
    ways: tuple[str, ...]
    alone: int


@dataclass(frozen=True, slots=True)
class Company:
    """Who is at an online table, and what whoever looks may do; ``me`` is None for those who watch.

    ``link`` is the number of the next link of the own chain, 0 without one; ``missing`` the seats whose opening is
    awaited; ``begins_in`` the seconds until one may begin without them; ``drawn_alone`` whether the last roll was the
    own one and drawn without a link of the own chain; ``seal`` that of the finished game, else empty.
    """

    stage: str
    people: tuple[Person, ...]
    me: int | None
    hosting: bool
    may_join: bool
    may_start: bool
    link: int
    anchor: str
    commitment: str
    missing: tuple[str, ...]
    begins_in: int
    watching: int
    after: int
    then: str
    awaits: str
    most_seats: int
    drawn_alone: bool
    seal: str


def company(live: Far, me: int | None) -> Company:
    """Return who is at a table, as the holder of seat ``me`` sees it."""
    online, now = live.online, time.time()
    alone = _alone(live)
    people = tuple(_person(live, seat, me, now, alone.count(seat)) for seat in range(len(online.seats)))
    mine = None if me is None else online.seats[me]
    share = mine.share if mine is not None else None
    host = online.host
    host_away = host is not None and not people[host].here
    return Company(
        stage=online.stage, people=people, me=me, hosting=me is not None and me == host,
        may_join=me is None and online.stage == "gathering" and len(people) < online.terms.seats,
        may_start=online.stage == "gathering" and me is not None and (me == host or host_away) and len(people) > 1,
        link=0 if share is None else share.count + 1, anchor="" if share is None else share.anchor,
        commitment=online.commitment,
        missing=tuple(one.name for one in people if one.chain and not one.opened),
        begins_in=online.begins_in(now), watching=max(0, len(live.watchers) - _looking(live)),
        after=online.terms.after, then=online.terms.then, awaits=online.awaits, most_seats=online.terms.seats,
        drawn_alone=_last_alone(online) and me is not None and alone[-1:] == (me,), seal=online.seal or "",
    )  # fmt: skip


def _alone(live: Far) -> tuple[int, ...]:
    """The seats of the rolls that were drawn without a link although their seat has a chain, in order."""
    deal = live.online.deal
    if deal is None or not deal.alone:
        return ()
    seats = [event.seat for event in live.course.events if isinstance(event, Rolled)]
    return tuple(seats[number] for number in deal.alone)


def _last_alone(online: OnlineTable) -> bool:
    return online.deal is not None and online.deal.alone[-1:] == (online.deal.rolls - 1,)


def _person(live: Far, seat: int, me: int | None, now: float, alone: int) -> Person:
    online = live.online
    one = online.seats[seat]
    away = online.table is not None and online.table.position.seats[seat].away
    ways: tuple[str, ...] = ()
    if me is not None and seat != me and not away and online.may_act_for(seat, live.last_seen(seat), now):
        ways = ("bot", "skip", "remove") if seat == online.to_play else ("bot", "remove")
    return Person(
        seat, one.name, one.bot, seat == me, one.host, live.here(seat), one.stand_in, away, one.share is not None,
        one.share is not None and bool(one.share.opening), ways, alone,
    )  # fmt: skip


def _looking(live: Far) -> int:
    """How many windows of people with a seat look on."""
    return sum(live.streams[one.key] for one in live.online.seats if one.key)


def me_at(request: Request, live: Far) -> int | None:
    """Return the seat that whoever asks holds at a table."""
    return live.online.seat_of(key_of(seat_token(request, live.id)))


async def shown(request: Request, live: Far, refusal: str = "", chosen: tuple[int, ...] = ()) -> dict[str, Any]:
    """Return what the templates of an online table need.

    ``moment`` is what the events of the stream are numbered with: that of the table, the rematch, and how many
    watch.
    """
    words, tables, device = words_of(request), _tables(request), request.state.device
    gathers = live.online.stage == "gathering"
    usual = await own.names(tables.store, device) if gathers and me_at(request, live) is None else []
    rematch = await tables.rematch_of(live) if live.online.stage == "over" else None
    # From here on nothing waits: what follows is of one moment.
    me, terms = me_at(request, live), live.online.terms
    there = company(live, me)
    told: dict[str, Any] = {
        "id": live.id, "online": live.online, "far": there, "refusal": refusal, "chosen": chosen,
        "moment": f"{live.moment}.{int(rematch is not None)}.{there.watching}", "game": live.online.game, "scene": None,
        "rules": terms.rules, "rules_title": own.known_as(terms.rules, words), "absence": absence(terms, words),
        "usual": usual, "rematch": None if rematch is None else rematch.id,
        "returning": me is not None and live.online.seats[me].returning,
    }  # fmt: skip
    if live.online.table is None:
        link = public_url(request, f"/t/{live.id}")
        qr = qr_svg(link, words.say("QR code of the invitation"))
        told |= {"link": link, "qr": qr, "within_reach": within_reach(request), "bots": Setup.first().bots(words)}
        told["house"] = house(terms.rules, words)
    else:
        mine = me is not None and me == live.online.to_play
        told["scene"] = scene(live.online.table, live.course, words, mine=mine)
        if live.online.stage == "over":
            series = [(one.name, one.totals) for one in live.story.players]
            told |= {"story": live.story, "chart": lines(series, top=terms.rules.target)}
    return told


def house(rules: Rules, words: Words) -> str:
    """Return what house rules change in the sheet they were made from, in short; empty for a sheet as it stands."""
    usual = PRESETS[rules.base]
    changed = [one.name for one in PARAMETERS if getattr(rules, one.name) != getattr(usual, one.name)]
    return words.series(words.rule(rules, name) for name in changed)


def absence(terms: Terms, words: Words) -> str:
    """Return what a table agreed on for those who stay away."""
    if not terms.after:
        return words.say("Nobody is ever passed over: the table waits for whoever is away.")
    delay = lasting(terms.after, words)
    match terms.then:
        case "ask":
            return words.say(
                "Who has been away for {delay} may be passed over: the others decide whether a robot plays on, the "
                "turn is skipped, or they play on without.",
                delay=delay,
            )
        case "bot":
            return words.say("For whoever is away at their turn for {delay}, a robot plays on.", delay=delay)
        case "skip":
            return words.say("Whoever is away at their turn for {delay} misses that turn.", delay=delay)
        case "remove":
            return words.say("Whoever is away at their turn for {delay} is out, until they come back.", delay=delay)


def lasting(seconds: int, words: Words) -> str:
    """Return a length of time in its largest whole unit, "never" for 0."""
    if not seconds:
        return words.say("never")
    if seconds % 86400 == 0:
        return words.count("{n} day", "{n} days", seconds // 86400)
    if seconds % 3600 == 0:
        return words.count("{n} hour", "{n} hours", seconds // 3600)
    if seconds % 60 == 0:
        return words.count("{n} minute", "{n} minutes", seconds // 60)
    return words.count("{n} second", "{n} seconds", seconds)


async def show(request: Request, live: Far) -> Response:
    """The page of an online table: the game, or the invitation while people gather."""
    me = me_at(request, live)
    if me is not None:
        tables = _tables(request)
        if not live.streams[live.online.seats[me].key]:
            live.still.add(live.online.seats[me].key)  # until its stream comes, where scripts run
        tables.touch(live, me)
        live = await takes_over(request, live)
    return render(request, "far.html", **await shown(request, live))


async def takes_over(request: Request, live: Far) -> Far:
    """Whoever comes back to the page, or whose stream does, takes over from the bot that stood in."""
    me = me_at(request, live)
    return live if me is None else await _tables(request).command(live, lambda table: _returned(table, me))


def _returned(table: OnlineTable, me: int) -> Change | None:
    """Who comes back takes over from the bot that stood in; a seat that was removed is asked for by hand."""
    return table.come_back(me, time.time()) if table.stage == "playing" and table.seats[me].stand_in else None


async def acted(
    request: Request,
    live: Far,
    command: Callable[[OnlineTable, int], Change | None],
    *,
    chosen: tuple[int, ...] = (),
    bots: Sequence[str] = (),
    players: int = 0,
) -> Response:
    """Let a command of the own seat act, and show the table with what came of it, or with the refusal.

    ``bots`` get ready before, for so many players.
    """
    words, me = words_of(request), me_at(request, live)
    if me is None:
        raise Refused(403, IllegalAction("no_seat"))
    tables = _tables(request)
    request.app.state.limits.check("commands", f"{live.id} {live.online.seats[me].key}")
    tables.touch(live, me)
    refusal, status = "", 200
    try:
        thinking: Thinking = request.app.state.thinking
        await thinking.ready(request, live.online.terms.rules, bots, max(2, players))
        live = await tables.command(live, lambda table: command(table, me))
        request.app.state.metrics.action()
    except CinqMilleError as error:
        request.app.state.metrics.action(error.code)
        stale = error.code == "stale"  # what another window did already is shown, not scolded
        refusal, status = "" if stale else words.error(error), 200 if stale else status_of(error)
    if is_part(request) or refusal:
        template = "_far.html" if is_part(request) else "far.html"
        return render(
            request, template, status=status, **await shown(request, live, refusal, chosen if refusal else ())
        )
    return RedirectResponse(f"/t/{live.id}#turn", status_code=303)


async def play(request: Request, live: Far) -> Response:
    """What a player does in the own turn; ``link`` is the next one of the seat's chain."""
    fields = await form(request)
    values = dict(fields)
    seen = number(values.get("seen", ""))

    def played(table: OnlineTable, me: int) -> Change:
        if seen != table.number or table.table is None:
            raise IllegalAction("stale", seen=seen, number=table.number)
        actions = tuple(commands(table.table.position, fields))
        rolls = any(isinstance(action, RollOn | TakeOver | Announce) for action in actions)
        link = values.get("link") or None
        return table.act(me, actions, seen=seen, link=link if rolls else None, now=time.time())

    chosen = tuple(place for place in (number(value) for name, value in fields if name == "die") if place >= 0)
    return await acted(request, live, played, chosen=chosen)


async def again(request: Request, live: Far) -> Response:
    """The rematch: whoever asks first opens its table, the others come to it and sit where they sat, one place on."""
    words, me, online = words_of(request), me_at(request, live), live.online
    if me is None:
        raise Refused(403, IllegalAction("no_seat"))
    if online.stage != "over":
        return RedirectResponse(f"/t/{live.id}", status_code=303)
    tables, device = _tables(request), request.state.device
    name = online.seats[me].name
    async with live.lock:
        new = await tables.rematch_of(live)
        if new is None:
            request.app.state.limits.check("tables", request)
            names = tuple(one.name for one in online.seats)
            terms = replace(online.terms, order=(*names[1:], names[0]), date=today(), seats=len(names))
            bots = [seats_bot(one.bot, one.name) for one in online.seats if one.bot]
            new = await open_table(request, terms, name, bots)
            await tables.store.remember(f"table-{live.id}", "rematch", new.id)
            live.wake()  # everybody who still looks at the game that is over learns of it
    key = key_of(device_token(device, new.id))
    try:
        await tables.command(new, lambda table: table.join(name, key, time.time()), holder=device)
    except CinqMilleError as error:
        # The secret of the new seat is another device's of the same person: only its code brings it here.
        if any(one.key and one.name == name for one in new.online.seats):
            refusal = words.say(
                "{name} sits at the rematch already, on another device. Play there, or bring the code of that seat "
                "here.",
                name=name,
            )
            return render(request, "rejoin.html", status=409, id=new.id, refusal=refusal)
        return render(request, "far.html", status=status_of(error), **await shown(request, new, words.error(error)))
    return RedirectResponse(f"/t/{new.id}", status_code=303)


def seats_bot(spec: str, name: str) -> Callable[[OnlineTable], Change]:
    """Return the command that gives a seat to a bot, as the host does."""
    return lambda table: table.seat_bot(table.host or 0, spec, name, time.time())


async def open_table(
    request: Request, terms: Terms, name: str, bots: Sequence[Callable[[OnlineTable], Change]] = ()
) -> Far:
    """Open an online table whose first seat is this device's, with ``bots`` seated; raise what stands in the way."""
    id, device = new_id(), request.state.device
    key = key_of(device_token(device, id))
    return await _tables(request).open_far(device, terms, new_secret(), name, key, id, bots)


async def _far(request: Request, id: str) -> Far:
    live = await _tables(request).get(id)
    if not isinstance(live, Far):
        # A page that still shows the table is loaded anew, and says so.
        raise Refused(404, IllegalAction("no_table"), {"HX-Refresh": "true"} if is_part(request) else None)
    return live


@router.post("/join")
async def join(request: Request, id: str) -> Response:
    """Take a seat with a name; whoever has one keeps it."""
    live = await _far(request, id)
    request.app.state.limits.check("seats", request)
    fields = dict(await form(request))
    words, device = words_of(request), request.state.device
    key = key_of(device_token(device, id))
    if me_at(request, live) is not None:
        return RedirectResponse(f"/t/{id}", status_code=303)
    try:
        await _tables(request).command(
            live, lambda table: table.join(fields.get("name", ""), key, time.time()), holder=device
        )
    except CinqMilleError as error:
        page = "_far.html" if is_part(request) else "far.html"
        return render(request, page, status=status_of(error), **await shown(request, live, words.error(error)))
    return RedirectResponse(f"/t/{id}", status_code=303)


@router.post("/seats")
async def seats(request: Request, id: str) -> Response:
    """Seat a bot (``bot``, ``name``), or free a seat (``free``, its number from 0)."""
    live = await _far(request, id)
    fields = dict(await form(request))

    def changed(table: OnlineTable, me: int) -> Change:
        now = time.time()
        if "free" in fields:
            return table.leave(me, number(fields["free"]), now)
        return table.seat_bot(me, fields.get("bot", "")[:80], fields.get("name", ""), now)

    bots = [] if "free" in fields else [fields.get("bot", "")[:80]]
    return await acted(request, live, changed, bots=bots, players=len(live.online.seats) + 1)


@router.post("/share")
async def share(request: Request, id: str) -> Response:
    """The anchor of this device's chain (``anchor``), or once all are there its opening (``link``)."""
    live = await _far(request, id)
    fields = dict(await form(request))

    def shared(table: OnlineTable, me: int) -> Change | None:
        now = time.time()
        if "anchor" in fields:
            return table.share(me, fields["anchor"], now)
        return table.open_chain(me, fields.get("link", ""), now)

    return await acted(request, live, shared)


@router.post("/start")
async def start(request: Request, id: str) -> Response:
    """Close the seats; the game begins when every device has opened its chain, or (``begin``) without those that do
    not. Starting twice, with two windows or a finger that slipped, is starting once."""
    live = await _far(request, id)
    without = "begin" in dict(await form(request))
    host = live.online.host
    away = host is not None and not live.here(host)

    def started(table: OnlineTable, me: int) -> Change | None:
        return table.begin(me, time.time()) if without else table.start(me, time.time(), host_away=away)

    bots = [one.bot for one in live.online.seats if one.bot]
    return await acted(request, live, started, bots=bots, players=len(live.online.seats))


@router.post("/absent")
async def absent(request: Request, id: str) -> Response:
    """Let a bot play on for a seat that is away, skip its turn, or remove it (``then``, ``seat``, ``seen``)."""
    live = await _far(request, id)
    fields = dict(await form(request))
    seat = number(fields.get("seat", ""))

    def decided(table: OnlineTable, me: int) -> Change:
        since = live.last_seen(seat) if 0 <= seat < len(table.seats) else 0.0
        way = fields.get("then", "") if fields.get("then") in WAYS else ""
        return table.act_for(
            me, seat, way, seen=number(fields.get("seen", "")), since=since, now=time.time()
        )  # fmt: skip

    return await acted(request, live, decided)


@router.post("/back")
async def back(request: Request, id: str) -> Response:
    """Take the own seat over again."""
    live = await _far(request, id)
    return await acted(request, live, lambda table, me: table.come_back(me, time.time()))


@router.get("/seat")
async def seat(request: Request, id: str) -> Response:
    """The link with which another device of the same person plays on, for the owner of a seat alone."""
    live = await _far(request, id)
    me = me_at(request, live)
    if me is None:
        raise Refused(403, IllegalAction("no_seat"))
    place, code = public_url(request, f"/t/{id}/rejoin"), seat_token(request, id)
    link = f"{place}#{code}"
    qr = qr_svg(link, words_of(request).say("QR code of your seat"))
    name = live.online.seats[me].name
    return render(request, "seat.html", id=id, name=name, place=place, code=code, link=link, qr=qr)


@router.get("/rejoin")
async def ask_rejoin(request: Request, id: str) -> Response:
    """Where a rejoin link leads: the secret after its # is put into the form by the browser, or by hand."""
    await _far(request, id)
    return render(request, "rejoin.html", id=id, refusal="")


@router.post("/rejoin")
async def rejoin(request: Request, id: str) -> Response:
    """Let this device hold a seat too: ``code`` is the secret of a rejoin link."""
    live = await _far(request, id)
    words = words_of(request)
    request.app.state.limits.check("wrong_tokens", request, 0)
    code = dict(await form(request)).get("code", "").strip().partition(".")[0]
    if live.online.seat_of(key_of(code)) is None:
        request.app.state.limits.check("wrong_tokens", request)
        refusal = words.refusal("foreign_secret")
        return render(request, "rejoin.html", status=403, id=id, refusal=refusal)
    await _tables(request).store.hold(id, request.state.device)
    await gamelist.hold(request, id, key_of(code))
    answer = RedirectResponse(f"/t/{id}", status_code=303)
    answer.set_cookie(
        "seat", code, max_age=_YEAR, path=f"/t/{id}", httponly=True, samesite="lax",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    return answer


def number(text: str) -> int:
    """Return a number that a form holds, -1 where it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else -1
