"""Who may talk to the server: the browser that was given the token, on a page of the server itself.

A page on another site must not reach a server on this machine, whatever the browser lets it send: so every request is
checked for its Host (names that are made to point here: DNS rebinding), its Origin and a cookie that only the browser has
that was opened with the token.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping

POLICY = (  # the Content-Security-Policy: nothing but the server's own files, and no script in the page's text
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Doors:
    """What a request must show to be let in."""

    def __init__(self, host: str, port: int) -> None:
        names = {"127.0.0.1", "localhost", "[::1]", host if ":" not in host else f"[{host}]"}
        self._any_host = host in ("0.0.0.0", "::")  # a server that listens everywhere does not know its names
        self._hosts = {f"{name}:{port}" for name in names} | (names if port == 80 else set())
        self.token: str | None = secrets.token_urlsafe(24)  # works once
        self._key = secrets.token_urlsafe(32)
        self.cookie_name = f"novikoff-lab-{port}"

    def use_token(self, given: str) -> bool:
        """Whether this is the token, which is of no use afterwards."""
        right = self.token is not None and hmac.compare_digest(given.encode(), self.token.encode())
        if right:
            self.token = None
        return right

    @property
    def cookie(self) -> str:
        """What the browser is given for the token."""
        return f"{self.cookie_name}={self._key}; Path=/; HttpOnly; SameSite=Strict"

    def known_place(self, headers: Mapping[str, str], must_have_origin: bool) -> bool:
        """Whether the request was sent to this server by its own name, from its own page."""
        host = headers.get("host", "").lower()
        if host not in self._hosts and not self._any_host:
            return False
        origin = headers.get("origin")
        if origin is None:
            return not must_have_origin
        return origin.lower() == f"http://{host}"

    def has_cookie(self, cookies: Mapping[str, str]) -> bool:
        """Whether the browser was opened with the token."""
        return hmac.compare_digest(cookies.get(self.cookie_name, "").encode(), self._key.encode())
