"""Pages on dice: every roll of a game worked out again, and what that shows; records from elsewhere are checked too."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from cinqmille.attested import checked
from cinqmille.errors import CinqMilleError, InvalidText, RecordError
from cinqmille.fair import Verified, is_link
from cinqmille.fair import verify as worked_out
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
    text = fields.get("file", "").strip("\r\n") or fields.get("record", "")
    noted = fields.get("commitment", "").strip().lower()
    try:
        found = await run_in_threadpool(_checked, text, noted)
    except CinqMilleError as error:
        return _page(request, text=text, noted=noted, error=error)
    return _page(request, text=text, noted=noted, found=found)


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


def _checked(text: str, noted: str) -> Verified:
    if noted and not is_link(noted):
        raise InvalidText("bad_commitment", text=noted[:80])
    found = worked_out(text)
    if noted and found.commitment is None:
        raise InvalidText("no_commitment")
    if noted and noted != found.commitment:
        raise InvalidText("commitment_differs", noted=noted, found=found.commitment)
    return found


def _page(
    request: Request, *, text: str, noted: str, found: Verified | None = None, error: CinqMilleError | None = None,
    id: str = "", status: int = 422,
) -> Response:  # fmt: skip
    words = words_of(request)
    said = [] if found is None else checked(found, words, noted=bool(noted))
    return render(
        request, "verify.html", status=200 if error is None else status, id=id, text=text, noted=noted, found=found,
        said=said, refusal="" if error is None else words.error(error),
        spot=spot(text, error) if isinstance(error, RecordError) else None,
    )  # fmt: skip
