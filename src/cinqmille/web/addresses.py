"""Under which address people reach the server, from the other end of the world or of the sofa, and its QR code."""

from __future__ import annotations

import io
import ipaddress
import re
import socket
from urllib.parse import urlsplit

import segno
from fastapi import Request
from markupsafe import Markup

from cinqmille.errors import InvalidText

# Nobody has these (RFC 5737, RFC 3849); the system only says from which of its addresses it would ask.
_SOMEBODY = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
_BLANK = re.compile(r"\s|[\0-\x1f]")  # which reading an address leaves out without a word
_BORDER = 4  # modules: what the standard asks for
# Black on white in every terminal, dark or light: colours 16 and 231 belong to no theme.
_INK, _PLAIN = "\x1b[38;5;16;48;5;231m", "\x1b[0m"
_HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def checked_public(text: str) -> str:
    """Return a public address without the slash at its end; raises InvalidText for what is none.

    A name with other letters than those of ASCII is written as browsers ask for it.
    """
    try:
        found = urlsplit(text)
        host, port = _host(found.hostname or ""), found.port
    except ValueError:
        raise InvalidText("bad_public", text=text) from None
    more = found.path.strip("/") or found.query or found.fragment or "@" in found.netloc or _BLANK.search(text)
    if found.scheme not in ("http", "https") or not host or port == 0 or more:
        raise InvalidText("bad_public", text=text)
    return f"{found.scheme}://{host}" + ("" if port is None else f":{port}")


def _host(name: str) -> str:
    """Return a host as it stands in an address, "" where it is none; raises ValueError for some of those."""
    if ":" in name:
        return f"[{ipaddress.IPv6Address(name)}]"
    plain = name.encode("idna").decode("ascii").lower()
    return plain if _NAME.fullmatch(plain) else ""


def checked_proxies(text: str) -> list[str]:
    """Return the addresses and networks of a list with commas; raises InvalidText for what is neither."""
    proxies = []
    for one in filter(None, (part.strip() for part in text.split(","))):
        try:
            # A network is often written with the address of somebody in it.
            proxies.append(str(ipaddress.ip_network(one, strict=False) if "/" in one else ipaddress.ip_address(one)))
        except ValueError:
            raise InvalidText("bad_proxy", text=one) from None
    return proxies


def lan_address() -> str:
    """Return this machine's address in the network it is in; nothing is sent. Raises InvalidText without a network."""
    for family, somebody in _SOMEBODY:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as asking:
                asking.connect((somebody, 9))
                found: str = asking.getsockname()[0]
        except OSError:
            continue
        if not ipaddress.ip_address(found).is_loopback:
            return found
    raise InvalidText("no_network")


def base_of(host: str, port: int) -> str:
    """Return the address of a server at a host and port, as one types it, without a slash at its end."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def public_url(request: Request, path: str) -> str:
    """Return the address of a path for other people.

    That is below the server's public address; else, where it was opened to the Wi-Fi and somebody at this machine asks,
    below its address there; else below the one that the request itself came to.
    """
    state = request.app.state
    if state.public:
        return f"{state.public}{path}"
    if state.lan and _is_here(request.url.hostname or ""):
        return f"{state.lan}{path}"
    return f"{request.url.scheme}://{request.url.netloc}{path}"


def within_reach(request: Request) -> bool:
    """Return whether another device can follow a :func:`public_url`, which may lead to this machine alone."""
    state = request.app.state
    return bool(state.public or state.lan) or not _is_here(request.url.hostname or "")


def _is_here(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def qr_svg(url: str, title: str = "") -> Markup:
    """Return the QR code of an address to stand in a page: class ``qr``, as large as its style says, black on white.

    ``title`` is what screen readers say, the address unless given.
    """
    text = io.BytesIO()
    _code(url).save(
        text, kind="svg", xmldecl=False, svgns=False, omitsize=True, nl=False, border=_BORDER, light="#fff",
        svgclass="qr", lineclass=None, title=title or url,
    )  # fmt: skip
    return Markup(text.getvalue().decode().replace("<svg ", '<svg role="img" ', 1))


def qr_terminal(url: str) -> str:
    """Return the QR code of an address for a terminal: two rows of it in a line, black on white in any theme."""
    rows = [[bool(module) for module in row] for row in _code(url).matrix_iter(border=_BORDER)]
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    lines = []
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        halves = "".join(_HALVES[pair] for pair in zip(upper, lower, strict=True))
        lines.append(f"{_INK}{halves}{_PLAIN}")
    return "\n".join(lines)


def _code(url: str) -> segno.QRCode:
    return segno.make_qr(url, error="m")
