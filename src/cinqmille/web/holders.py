"""Whose seat it is: the secret that comes with a request, and what is stored of it.

A browser shows the cookie ``seat`` of a table, which a rejoin link sets, or else a secret that follows from the cookie
of its device, another one for every table. A program shows ``Authorization: Bearer``. Stored is only the SHA-256.
"""

from __future__ import annotations

import hashlib
import hmac

from fastapi import Request


def device_token(device: str, id: str) -> str:
    """Return the secret that a device has for its seat at a table."""
    return hmac.digest(device.encode(), f"seat {id}".encode(), "sha256").hex()


def seat_token(request: Request, id: str) -> str:
    """Return the secret that a browser shows for a table."""
    return request.cookies.get("seat", "") or device_token(request.state.device, id)


def key_of(token: str) -> str:
    """Return what is stored of a secret; empty for an empty one."""
    return hashlib.sha256(token.encode()).hexdigest() if token else ""
