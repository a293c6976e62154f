"""What the operator's programs ask: whether the server can work, and how much it does."""

from __future__ import annotations

import asyncio
import logging

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from cinqmille.errors import InvalidText
from cinqmille.web.metrics import Metrics, may_read
from cinqmille.web.refusals import Refused
from cinqmille.web.tables import Tables

router = APIRouter(include_in_schema=False)
_log = logging.getLogger("cinqmille")

# A database that has not answered for so long does not answer players either.
_PATIENCE = 5.0


@router.get("/health")
async def health(request: Request) -> Response:
    """Whether the database can be reached: 200, or 503."""
    tables: Tables = request.app.state.tables
    try:
        async with asyncio.timeout(_PATIENCE):
            await tables.store.alive()
    except Exception as error:
        # What a database says may hold its address and its user.
        _log.warning("The database cannot be reached (%s).", type(error).__name__)
        return JSONResponse({"status": "no database"}, 503)
    return JSONResponse({"status": "ok"})


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """The numbers, for those who may know them; for everybody else there is nothing here."""
    if not may_read(request):
        raise Refused(404, InvalidText("not_found"))
    found: Metrics = request.app.state.metrics
    text, kind = found.text()
    return Response(text, media_type=kind)
