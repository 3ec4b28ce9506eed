"""The server half: lists models, creates sessions, reads usage. It holds the API key, so it belongs on a trusted machine."""

import asyncio
import logging
import os
import random
import ssl
import uuid
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx

from .continuous import ContinuousStream
from .errors import SautiError, connection_error, is_passing
from .stream import TIMEOUT_S, open_stream

log = logging.getLogger("sauti")


def safe_for_secrets(url):
    """Plain HTTP would expose the key on the network."""
    parts = urlsplit(url)
    return parts.scheme != "http" or parts.hostname in ("localhost", "127.0.0.1", "::1")


class Sauti:
    """`ca` is a certificate authority to trust besides those of the system; SAUTI_CA by default."""

    def __init__(self, url, api_key=None, ca=None, max_retries=5):
        if api_key and not safe_for_secrets(url):
            raise SautiError("insecure_url", "an API key is only sent over https, or to this machine")
        self._tls = ssl.create_default_context()
        if authority := ca or os.environ.get("SAUTI_CA"):
            self._tls.load_verify_locations(cafile=authority)
        self._url, self._api_key, self._max_retries = url.rstrip("/"), api_key, max_retries

    async def models(self):
        return (await self._call("GET", "/v1/models"))["data"]

    async def usage(self):
        return await self._call("GET", "/v1/usage")

    async def create_session(self, model, max_audio_seconds=60, idempotency_key=None, max_retries=None):
        """Reserves audio time. The answer holds a one-use secret: pass it on, never log it."""
        # Every retry repeats the key, so that a retry never reserves twice.
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        body = {"model": model, "max_audio_seconds": max_audio_seconds}
        return await self._call("POST", "/v1/asr/sessions", max_retries, headers=headers, json=body)

    @asynccontextmanager
    async def stream(self, model, max_audio_seconds=60):
        """One session from its reservation to its end."""
        session = await self.create_session(model, max_audio_seconds)
        async with self.open(session) as live:
            yield live

    def open(self, session):
        """The stream of a session that was created."""
        return open_stream(session, self._tls)

    @asynccontextmanager
    async def continuous(self, model, **options):
        """A stream of any length over any network; see ContinuousStream. Leaving the block waits for the text."""
        stream = ContinuousStream(self, model, **options)
        try:
            yield stream
            await stream.finish()
        finally:
            await stream.abort()

    async def _call(self, method, path, max_retries=None, headers=None, **content):
        limit = self._max_retries if max_retries is None else max_retries
        authorization = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        request = {"headers": {**authorization, **(headers or {})}, **content}
        async with httpx.AsyncClient(verify=self._tls, timeout=TIMEOUT_S) as http:
            for retries in range(limit + 1):
                try:
                    return read_answer(await http.request(method, self._url + path, **request))
                except (httpx.TransportError, OSError) as cause:
                    error = connection_error(self._url, cause)
                except SautiError as refusal:
                    error = refusal
                if retries >= limit or not is_passing(error):
                    raise error
                await self._wait(error, retries)

    async def _wait(self, error, retries):
        # Retry-After is the minimum wait; without it, twice as long each time, spread at random so that clients do not retry together.
        wait = max(error.retry_after or 0, 0.5 * 2**retries) * (1 + 0.25 * random.random())
        if wait >= 1:
            log.warning("waiting %.0f s: %s (%s)", wait, error, error.code)
        await asyncio.sleep(wait)


def read_answer(response):
    try:
        body = response.json()
    except ValueError:
        body = {}
    if response.is_success and body:
        return body
    error = body.get("error") or {"code": "unexpected_answer", "message": f"answered {response.status_code}"}
    retry_after = response.headers.get("Retry-After")
    raise SautiError(
        error["code"],
        error["message"],
        status=response.status_code,
        request_id=error.get("request_id"),
        retry_after=float(retry_after) if retry_after else None,
    )
