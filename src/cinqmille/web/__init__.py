"""The web app: pages made on the server, the game's state in the page, and a script or two that save a round trip."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import re
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import uvicorn

from cinqmille.errors import InvalidText
from cinqmille.store import default_url, prepare
from cinqmille.web.addresses import base_of, checked_proxies, checked_public, lan_address, qr_terminal
from cinqmille.web.app import Options, make_app
from cinqmille.web.connections import protocol
from cinqmille.words import Words

__all__ = ["make_app", "serve"]

# Seconds after which a stop waits for no answer any more; they have been cut short by then (see connections).
_STOP_WITHIN = 1
# Seconds that solving a game may take (see solutions.MOST_SECONDS, which loads more than a server needs to start).
MOST_SECONDS, _SOLVING_FOR_OTHERS, _SOLVING_ALONE = "CINQMILLE_MOST_SECONDS", "30", "600"
_INTERRUPTED = 130
_PORT, _TRIES = 5000, 20
_WAITING = 2048
_EVERYWHERE = ("0.0.0.0", "::", "")
# As many files, and so connections, as a server of thousands of seats can have open.
_FILES = 65_536


def serve(
    host: str | None = None,
    port: int | None = None,
    *,
    told: bool = True,
    browser: bool = True,
    database: str | None = None,
    lan: bool = False,
    public: str = "",
    names: Sequence[str] = (),
    limits: float = 1.0,
    proxy: str = "127.0.0.1",
    words: Words | None = None,
) -> None:
    """Serve the app until it is stopped; ``told`` prints its address, ``browser`` opens it there.

    Without a ``host`` nobody else can come in, or with ``lan`` everybody in the same network, and a QR code of the
    address is printed in a terminal. A ``port`` that is given is taken or refused (0 is any that is free); without one
    it is 5000, or the next one that is free. ``public`` is the address people reach the server under, ``names`` are
    more names it answers to, ``limits`` is the factor of all limits (0 for none), ``proxy`` the addresses and networks
    of proxies that are believed.

    Raises OSError where the port cannot be had, InvalidText for a public address or a proxy that is none or where there
    is no network, and StoreError where the database cannot be used.
    """
    words = words or Words("en")
    public = checked_public(public) if public else ""
    proxies = checked_proxies(proxy)
    at = (lan_address() if host is None or host in _EVERYWHERE else host) if lan else ""
    database = database or default_url()
    most = os.environ.get(MOST_SECONDS, "0")
    if not re.fullmatch("[0-9]{1,9}", most):
        raise InvalidText("bad_number", name=MOST_SECONDS, value=most, low=0, high=999_999_999)
    prepare(database)
    listening = _bound(host if host is not None else ("::" if ":" in at else "0.0.0.0") if lan else "127.0.0.1", port)
    bound, port = listening.getsockname()[:2]
    here = base_of("127.0.0.1" if bound in _EVERYWHERE else bound, port)
    near = base_of(at, port) if lan else ""
    shown = public or near or here
    if told:
        print(f"{shown}/", flush=True)
        if lan:
            _invite(f"{shown}/", words)
    name = urlsplit(public).hostname if public else None
    # Whoever opens the server to others solves no games for them that take long; at home one may wait.
    alone = not (lan or public) and here == base_of("127.0.0.1", port)
    os.environ.setdefault(MOST_SECONDS, _SOLVING_ALONE if alone else _SOLVING_FOR_OTHERS)
    options = Options(public, near, (*names, *([name] if name else [])), limits)
    app = make_app(database, options)
    config = uvicorn.Config(
        app, http=protocol(app.state.limits), ws="none", log_config=_LOG, access_log=False, server_header=False,
        proxy_headers=True, forwarded_allow_ips=proxies, timeout_graceful_shutdown=_STOP_WITHIN, backlog=_WAITING,
    )  # fmt: skip
    _allow_files()
    _collect_seldom()
    if browser:
        webbrowser.open(f"{here}/")
    with listening:
        try:
            uvicorn.Server(config).run(sockets=[listening])
        except KeyboardInterrupt:
            _leave()
            raise


def _leave() -> None:
    """End the process where a thread still solves a game for somebody: Python would wait for it. All is stored."""
    if any(thread is not threading.current_thread() and not thread.daemon for thread in threading.enumerate()):
        sys.stdout.flush()
        os._exit(_INTERRUPTED)


def _invite(address: str, words: Words) -> None:
    """Print how the others come in: a code for their cameras where a terminal can show one, and who they may be."""
    output = sys.stdout
    if output.isatty() and os.environ.get("TERM") != "dumb" and (output.encoding or "").lower().startswith("utf"):
        print(f"\n{qr_terminal(address)}\n")
    print(words.say("Everybody in this Wi-Fi can come in, with this address or the code."), flush=True)


def _bound(host: str, port: int | None) -> socket.socket:
    """Listen at a port, or without one at the first that is free; raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    problem = OSError("no port")
    for number in range(_PORT, _PORT + _TRIES) if port is None else [port]:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
            listening.listen(_WAITING)
        except OSError as error:
            listening.close()
            problem = error
            continue
        return listening
    raise problem


def _allow_files() -> None:
    """Let the process open as many files as the system lets it; every connection is one."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _collect_seldom() -> None:
    """Let the garbage collector look at what is new only: looking at everything holds all tables up for 0.1 s and more.

    What is there now stays; tables are let go of without it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 100)


class _Sane(logging.Filter):
    """Leaves out what strangers could fill a log with, which is answered and counted, and what a stop cuts short."""

    def filter(self, record: logging.LogRecord) -> bool:
        said = str(record.msg)
        if record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError):
            return False
        return not said.startswith(_UNSAID)


_UNSAID = ("Invalid HTTP request", "Unsupported upgrade", "No supported WebSocket", "Cancel %s running task(s)")
# Warnings and failures, with their time; requests are counted and not written down.
_LOG: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "filters": {"sane": {"()": _Sane}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler", "stream": "ext://sys.stderr", "formatter": "plain", "filters": ["sane"],
        }
    },
    "loggers": {
        name: {"handlers": ["stderr"], "level": "WARNING", "propagate": False} for name in ("uvicorn", "cinqmille")
    },
}  # fmt: skip
