"""Sauti from Python: reserve a session over HTTP, then stream audio and read text over a WebSocket.

Needs httpx and websockets (Debian: python3-httpx, python3-websockets; pip: httpx, websockets), Python 3.11 or later.

    client = Sauti("https://sauti.example", api_key=os.environ["SAUTI_API_KEY"])
    async with client.stream("svc-asr-kikuyu-v1") as live:
        await live.send(pcm)                # mono 16 kHz signed 16-bit little-endian
        final = await live.flush()
        print(final["text"])

Or from a shell:  python sauti.py svc-asr-kikuyu-v1 recording.wav
"""

import asyncio
import json
import math
import os
import random
import ssl
import sys
import uuid
import wave
from contextlib import asynccontextmanager

import httpx
import websockets

SAMPLE_RATE_HZ = 16_000
MAX_FRAME_BYTES = 65_536
# Both sides answer within this time, or the connection counts as lost.
TIMEOUT_S = 30


class SautiError(Exception):
    """Something was refused or broke. `code` is stable, for programs; the message is for people."""

    def __init__(self, code, message, status=None, request_id=None, retry_after=None, close_code=None):
        super().__init__(message)
        self.code, self.status, self.request_id = code, status, request_id
        self.retry_after, self.close_code = retry_after, close_code


class Sauti:
    """The server half. It holds the API key, so it belongs on a trusted machine."""

    def __init__(self, url, api_key=None, ca=None, max_retries=5):
        self._tls = ssl.create_default_context(cafile=ca)
        self._url, self._api_key, self._max_retries = url.rstrip("/"), api_key, max_retries

    async def models(self):
        return (await self._call("GET", "/v1/models"))["data"]

    async def usage(self):
        return await self._call("GET", "/v1/usage")

    async def create_session(self, model, max_audio_seconds=60):
        """Reserves audio time. The answer holds a one-use secret: pass it on, never log it."""
        # Every retry repeats the key, so that a retry never reserves twice.
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        body = {"model": model, "max_audio_seconds": max_audio_seconds}
        return await self._call("POST", "/v1/asr/sessions", headers=headers, json=body)

    @asynccontextmanager
    async def stream(self, model, max_audio_seconds=60):
        """A session from its reservation to its end."""
        session = await self.create_session(model, max_audio_seconds)
        async with open_stream(session, self._tls) as live:
            yield live

    async def _call(self, method, path, headers=None, **content):
        authorization = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        async with httpx.AsyncClient(verify=self._tls, timeout=TIMEOUT_S) as http:
            for retries in range(self._max_retries + 1):
                try:
                    request = {"headers": {**authorization, **(headers or {})}, **content}
                    return read_answer(await http.request(method, self._url + path, **request))
                except httpx.TransportError as cause:
                    error = SautiError("connection_failed", f"no answer from {self._url}: {cause}")
                except SautiError as refusal:
                    if refusal.status not in (429, 503):
                        raise
                    error = refusal
                if retries < self._max_retries:
                    # Retry-After is the least to wait; without it, twice as long each time, and never all at once.
                    wait = max(error.retry_after or 0, 0.5 * 2**retries)
                    await asyncio.sleep(wait * (1 + 0.25 * random.random()))
        raise error


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


@asynccontextmanager
async def open_stream(session, tls=None):
    """The live half: needs only the answer of create_session, so it can run where no key may be."""
    try:
        # The credential travels as the second subprotocol. Text is small, so there is nothing to compress.
        socket = await websockets.connect(
            session["websocket_url"],
            subprotocols=session["websocket_protocols"],
            ssl=tls,
            compression=None,
            open_timeout=TIMEOUT_S,
            ping_timeout=TIMEOUT_S,
        )
    except (OSError, asyncio.TimeoutError, websockets.WebSocketException) as cause:
        raise SautiError("connection_failed", f"the stream could not be opened: {cause}") from cause
    live = Stream(socket)
    try:
        # Audio may be sent only after `ready`.
        await live.next_event("ready")
        yield live
    finally:
        await live.close()


class Stream:
    """One session, open. `on_delta` is called with every `delta`: the unfinished utterance as it grows."""

    def __init__(self, socket):
        self.on_delta = lambda event: None
        self._socket = socket
        self._events = asyncio.Queue()
        # Reads all the time, also while audio is being sent: the service ends a session whose client does not read.
        self._reader = asyncio.create_task(self._read())

    async def send(self, pcm):
        """Bytes of mono 16 kHz PCM16. Waits where the service is behind, so a file can be sent as it is."""
        for start in range(0, len(pcm), MAX_FRAME_BYTES):
            await self._send(bytes(pcm[start : start + MAX_FRAME_BYTES]))

    async def flush(self):
        """Ends the utterance and gives its `final`: text, and words with their times."""
        await self._send(json.dumps({"type": "flush"}))
        return await self.next_event("final")

    async def reset(self):
        """Drops the unfinished utterance."""
        await self._send(json.dumps({"type": "reset"}))
        return await self.next_event("reset_ack")

    async def configure(self, language=None, look_ahead=None, phrases=None):
        """Between utterances. Look-ahead and phrases share one field, so they go in two messages."""
        config = {"type": "config"} | ({"language": language} if language else {})
        contexts = ([[56, look_ahead]] if look_ahead is not None else []) + ([phrases] if phrases else [])
        for message in [config | {"context": context} for context in contexts] or [config]:
            await self._send(json.dumps(message))
            acknowledgement = await self.next_event("config_ack")
        return acknowledgement

    async def close(self):
        await self._socket.close()
        await self._reader

    async def next_event(self, wanted):
        """The next event of a type. Raises what was refused, or what has ended the session."""
        while True:
            event = await self._events.get()
            if isinstance(event, SautiError):
                self._events.put_nowait(event)  # It stays true for whoever asks next.
                raise event
            if event["type"] == "error":
                raise SautiError(event["code"], event["message"])
            if event["type"] == wanted:
                return event

    async def _send(self, content):
        try:
            await self._socket.send(content)
        except websockets.ConnectionClosed:
            await self._reader
            await self.next_event("the reason of the end")

    async def _read(self):
        last_error, close_code = None, None
        try:
            async for text in self._socket:
                event = json.loads(text)
                if event["type"] == "delta":
                    self.on_delta(event)
                elif event["type"] == "error" and event["fatal"]:
                    last_error = event
                else:
                    self._events.put_nowait(event)
        except websockets.ConnectionClosed as closed:
            close_code = closed.rcvd.code if closed.rcvd else None
        reason = last_error or {"code": "network_lost", "message": "the connection to the service broke"}
        self._events.put_nowait(SautiError(reason["code"], reason["message"], close_code=close_code))


async def transcribe(path, model, client, on_delta=lambda event: None):
    """The final event of a WAVE file: mono, 16 kHz, 16 bits, at most 300 seconds."""
    with wave.open(path) as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (SAMPLE_RATE_HZ, 1, 2):
            raise SautiError("invalid_audio", f"{path} must be mono, 16 kHz, 16 bits")
        pcm = file.readframes(file.getnframes())
        seconds = math.ceil(file.getnframes() / SAMPLE_RATE_HZ)
    async with client.stream(model, max_audio_seconds=max(1, seconds)) as live:
        live.on_delta = on_delta
        await live.send(pcm)
        return await live.flush()


async def main(arguments):
    if len(arguments) != 2:
        raise SystemExit("usage: python sauti.py MODEL FILE.wav   (SAUTI_URL, SAUTI_API_KEY, SAUTI_CA)")
    model, path = arguments
    url = os.environ.get("SAUTI_URL", "https://localhost:8443")
    client = Sauti(url, os.environ.get("SAUTI_API_KEY"), ca=os.environ.get("SAUTI_CA"))
    try:
        final = await transcribe(path, model, client)
    except SautiError as error:
        raise SystemExit(f"{error} ({error.code})")
    print(final["text"])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
