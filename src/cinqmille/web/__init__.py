"""The web app: pages made on the server, the game's state in the page, and a script or two that save a round trip."""

from __future__ import annotations

import socket
import webbrowser

import uvicorn

from cinqmille.store import default_url
from cinqmille.web.app import make_app

__all__ = ["make_app", "serve"]

# Open streams would keep a server from stopping.
_STOP_WITHIN = 2
_TRIES = 20


def serve(host: str, port: int, *, told: bool = True, browser: bool = True, database: str | None = None) -> None:
    """Serve the app until it is stopped; ``told`` prints its address, ``browser`` opens it there.

    The first free port from ``port`` on is taken. Raises OSError where none can be had.
    """
    listening = _bound(host, port)
    shown = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{listening.getsockname()[1]}/"
    if told:
        print(address, flush=True)
    config = uvicorn.Config(
        make_app(database or default_url()), log_level="warning", timeout_graceful_shutdown=_STOP_WITHIN
    )
    if browser:
        webbrowser.open(address)
    with listening:
        uvicorn.Server(config).run(sockets=[listening])


def _bound(host: str, port: int) -> socket.socket:
    problem: OSError | None = None
    for number in range(port, min(port + _TRIES, 65536)) if port else [0]:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
            listening.listen(128)
        except OSError as error:
            listening.close()
            problem = error
            continue
        return listening
    assert problem is not None
    raise problem
