"""Pages on dice: every roll of a game worked out again, and what that shows; records from elsewhere are checked too."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from cinqmille.attested import busts, checked, faces, meaning
from cinqmille.errors import CinqMilleError, InvalidText, RecordError
from cinqmille.fair import Verified, is_link
from cinqmille.fair import verify as worked_out
from cinqmille.tallies import by_seat, together
from cinqmille.web.bodies import form
from cinqmille.web.render import render, spot, words_of
from cinqmille.web.tables import Far, Tables

router = APIRouter()


@router.get("/verify")
async def ask(request: Request) -> Response:
    """The form for a record."""
    return _page(request, text="", noted="")


@router.post("/verify")
async def check(request: Request) -> Response:
    """Work out every roll of a record that was pasted or sent as a file."""
    fields = dict(await form(request))
    text = next((one for name in ("file", "record") if (one := fields.get(name, "")).strip()), "")
    # Whoever copies a record leaves its last line end behind, which the seal counts; nothing else is put right here.
    text = text.rstrip("\r\n") + "\n" if text else text
    noted, seal = (fields.get(name, "").strip().lower() for name in ("commitment", "seal"))
    try:
        found = await run_in_threadpool(_checked, text, noted, seal)
    except CinqMilleError as error:
        return _page(request, text=text, noted=noted, seal=seal, error=error)
    return _page(request, text=text, noted=noted, seal=seal, found=found)


@router.get("/dice")
async def of_server(request: Request) -> Response:
    """The dice of all finished games here, as far as they are counted; and how fair dice work."""
    words, counting = words_of(request), request.app.state.counting
    found = await counting.count()
    told = [*faces(found.dice, words), *busts(found.dice, words)] if found.games else []
    return render(request, "alldice.html", count_of=found, told=told, meaning=meaning(words))


@router.get("/t/{id}/dice")
async def of_game(request: Request, id: str) -> Response:
    """The dice of one game so far, of everybody together and of each."""
    tables: Tables = request.app.state.tables
    live, words = await tables.get(id), words_of(request)
    if live is None or (isinstance(live, Far) and live.online.table is None):
        raise HTTPException(404, words.say("There is no such table. It may have been deleted."))
    game = live.game
    tallies = by_seat(game)
    told = [(name, [*faces(one, words), *busts(one, words)]) for name, one in zip(game.players, tallies, strict=True)]
    whole = together(tallies)
    return render(
        request, "dice.html", id=id, game=game, far=isinstance(live, Far), over=game.position.phase == "over",
        real=live.table.real, whole=[*faces(whole, words), *busts(whole, words)], told=told, meaning=meaning(words),
    )  # fmt: skip


@router.get("/t/{id}/verify")
async def of_table(request: Request, id: str) -> Response:
    """Work out every roll of a game that is over; before, its secret is nobody's."""
    tables: Tables = request.app.state.tables
    live, words = await tables.get(id), words_of(request)
    if not isinstance(live, Far):
        raise HTTPException(404, words.say("There is no such table. It may have been deleted."))
    if live.online.stage != "over":
        return _page(request, text="", noted="", error=InvalidText("secret_not_shown"), id=id, status=409)
    text = live.online.record
    found = await run_in_threadpool(worked_out, text)
    return _page(request, text=text, noted="", found=found, id=id)


def _checked(text: str, noted: str, seal: str) -> Verified:
    for digits, code in ((noted, "bad_commitment"), (seal, "bad_seal")):
        if digits and not is_link(digits):
            raise InvalidText(code, text=digits[:80])
    return worked_out(text, noted or None, seal or None)


def _page(
    request: Request, *, text: str, noted: str, seal: str = "", found: Verified | None = None,
    error: CinqMilleError | None = None, id: str = "", status: int = 422,
) -> Response:  # fmt: skip
    words = words_of(request)
    said = [] if found is None else checked(found, words)
    return render(
        request, "verify.html", status=200 if error is None else status, id=id, text=text, noted=noted, seal=seal,
        found=found, said=said, refusal="" if error is None else words.error(error),
        spot=spot(text, error) if isinstance(error, RecordError) else None,
    )  # fmt: skip
