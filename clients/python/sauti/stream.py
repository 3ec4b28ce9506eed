"""One session, open: audio and questions go out, events come back."""

import asyncio
import json
from contextlib import asynccontextmanager

import websockets

from .errors import SautiError, connection_error

MAX_FRAME_BYTES = 65_536
# Both sides answer within this time, or the connection counts as lost.
TIMEOUT_S = 30


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
        raise connection_error("the stream", cause) from cause
    live = Stream(socket)
    try:
        # Audio may be sent only after `ready`.
        await live.next_event("ready")
        yield live
    finally:
        await live.close()


class Stream:
    """One session, open. `on_delta` is called with every `delta`: the unfinished utterance as it grows. Where `configure` was given
    `silence_ms`, `on_final` is called with the `final` of every utterance that silence has ended, and `on_speech` with `speech_started` and
    `speech_ended`."""

    def __init__(self, socket):
        self.on_delta = self.on_final = self.on_speech = lambda event: None
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

    async def configure(self, language=None, look_ahead=None, phrases=None, silence_ms=None):
        """Between utterances. Look-ahead and phrases share one field, so they go in two messages. `silence_ms` (200 to 5,000): the
        service ends an utterance when words are followed by this much silence; False leaves that to `flush`."""
        config = {"type": "config"} | ({"language": language} if language else {})
        if silence_ms is not None:
            config["endpointing"] = {"silence_ms": silence_ms} if silence_ms else False
        contexts = ([[56, look_ahead]] if look_ahead is not None else []) + ([phrases] if phrases else [])
        for message in [config | {"context": context} for context in contexts] or [config]:
            await self._send(json.dumps(message))
            acknowledgement = await self.next_event("config_ack")
        return acknowledgement

    async def wait_closed(self):
        """Returns when the session has ended, for whatever reason."""
        await asyncio.shield(self._reader)

    async def close(self):
        await self._socket.close()
        await self._reader

    async def next_event(self, wanted):
        """The next event of a type. Raises what was refused, or what has ended the session."""
        while True:
            event = await self._events.get()
            if isinstance(event, Exception):
                self._events.put_nowait(event)  # The next caller must get it, too.
                raise event
            if event["type"] == "error":
                raise SautiError(event["code"], event["message"])
            if event["type"] == wanted:
                return event

    async def _send(self, content):
        try:
            if not self._reader.done():
                return await self._socket.send(content)
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
                elif event["type"] in ("speech_started", "speech_ended"):
                    self.on_speech(event)
                elif event["type"] == "final" and event.get("cause") == "endpoint":
                    self.on_final(event)  # Nobody has asked for it.
                elif event["type"] == "error" and event["fatal"]:
                    last_error = event
                else:
                    self._events.put_nowait(event)
        except websockets.ConnectionClosed as closed:
            close_code = closed.rcvd.code if closed.rcvd else None
        except Exception as error:  # A callback has failed: whoever waits for an answer gets its error.
            self._events.put_nowait(error)
            return
        reason = last_error or {"code": "network_lost", "message": "the connection to the service broke"}
        self._events.put_nowait(SautiError(reason["code"], reason["message"], close_code=close_code))
