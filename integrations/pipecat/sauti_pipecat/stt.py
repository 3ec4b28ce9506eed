"""The service: audio goes out on one WebSocket, transcripts come back as frames.

It uses the service's `/v1/listen`, which takes the API key itself, reserves credit a minute at a time and has no limit of length."""

import asyncio
import json
import os
import time
from dataclasses import dataclass, field

from loguru import logger
from pipecat.frames.frames import (
    InterimTranscriptionFrame,
    TranscriptionFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.services.settings import STTSettings
from pipecat.services.stt_service import WebsocketSTTService
from pipecat.transcriptions.language import Language
from pipecat.turns.user_turn_strategies import ExternalUserTurnStrategies
from pipecat.utils.time import time_now_iso8601
from pipecat.utils.tracing.service_decorators import traced_stt
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.protocol import State

from .connecting import PASSING_STATUSES, address_of, refusal_text, tls_for, wait_of
from .replay import Replay

DEFAULT_URL = "https://localhost:8443"
DEFAULT_MODEL = "svc-asr-kikuyu-v1"
SILENCE_MS = 300
LANGUAGE_OF = {"svc-asr-kikuyu-v1": "ki", "svc-asr-dholuo-v1": "luo"}
# From the end of speech to the final transcript, with the service's own end of an utterance.
TTFS_P99_S = 1.5
# The service ends a stream without any message after 60 s. Its keep-alive is a text message, which costs nothing.
KEEPALIVE_AFTER_S, KEEPALIVE_EVERY_S = 10, 5
PATIENCE_S = 60
REPLAY_S = 30


@dataclass
class SautiSTTSettings(STTSettings):
    """`keyterms` are names and phrases that are likely to be said; `silence_ms` of silence end an utterance."""

    keyterms: list[str] = field(default_factory=list)
    silence_ms: int = SILENCE_MS


class SautiSTTService(WebsocketSTTService):
    """Interim and final transcripts of what is said in a pipeline.

    With a VAD in the pipeline, the end of speech that it finds ends the utterance at once. With `detects_turns` the service itself tells
    when the user starts and stops speaking, and the pipeline needs no VAD.
    """

    Settings = SautiSTTSettings

    def __init__(
        self,
        *,
        url=None,
        api_key=None,
        ca=None,
        detects_turns=False,
        should_interrupt=True,
        settings=None,
        **kwargs,
    ):
        """`url`, `api_key` and `ca` (a PEM file of an authority to trust) are SAUTI_URL, SAUTI_API_KEY and SAUTI_CA if not given."""
        kept = self.Settings(model=DEFAULT_MODEL, language=None)
        if settings is not None:
            kept.apply_update(settings)
        options = {"keepalive_timeout": KEEPALIVE_AFTER_S, "keepalive_interval": KEEPALIVE_EVERY_S, "ttfs_p99_latency": TTFS_P99_S}
        super().__init__(settings=kept, **(options | kwargs))
        self._url = url or os.environ.get("SAUTI_URL") or DEFAULT_URL
        self._api_key = api_key or os.environ.get("SAUTI_API_KEY") or ""
        self._tls = tls_for(self._url, ca or os.environ.get("SAUTI_CA"))
        self._detects_turns, self._should_interrupt = detects_turns, should_interrupt
        self._replay = Replay(REPLAY_S)
        self._receive_task = None
        # The service refused for a reason that stays: a wrong key, no credit, a wrong setting.
        self._refused = False
        self._in_turn = False

    def can_generate_metrics(self):
        return True

    def service_metadata_frame(self):
        frame = super().service_metadata_frame()
        if self._detects_turns:
            frame.user_turn_strategies = ExternalUserTurnStrategies()
        return frame

    async def start(self, frame):
        await super().start(frame)
        await self._connect()

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, VADUserStoppedSpeakingFrame) and self._is_open:
            self.request_finalize()
            await self._say("Finalize")

    async def run_stt(self, audio):
        self._replay.add(audio)
        await self._send_audio()
        yield None

    async def _update_settings(self, delta):
        changed = await super()._update_settings(delta)
        if changed:
            self._refused = False
            await self._request_reconnect()
        return changed

    # ---- the connection

    @property
    def _is_open(self):
        return self._websocket is not None and self._websocket.state is State.OPEN

    async def _connect(self):
        await super()._connect()
        self._reconnect_on_error = True
        try:
            await self._connect_websocket()
        except Exception as error:
            await self._tell_failure(error)
            return
        self._receive_task = self.create_task(self._receive_task_handler(self._report_error))

    async def _disconnect(self):
        await super()._disconnect()
        if self._receive_task:
            await self.cancel_task(self._receive_task)
            self._receive_task = None
        await self._disconnect_websocket()

    async def _connect_websocket(self):
        """Raises where the service refuses. Waits where it says that trying again helps."""
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                self._websocket = await self._websocket_connect(
                    address_of(self._url, self._settings, self.sample_rate),
                    additional_headers={"Authorization": f"Token {self._api_key}"},
                    ssl=self._tls,
                    compression=None,
                )
                break
            except InvalidStatus as refusal:
                status = refusal.response.status_code
                if status not in PASSING_STATUSES or time.monotonic() > until:
                    self._refused = status not in PASSING_STATUSES
                    # No more attempts: they would all end like this one.
                    self._reconnect_on_error = not self._refused
                    raise
                await asyncio.sleep(wait_of(refusal))
        self._replay.begin(self.sample_rate)
        await self._call_event_handler("on_connected")
        await self._send_audio()

    async def _disconnect_websocket(self):
        socket, self._websocket = self._websocket, None
        if socket is None:
            return
        await socket.close()
        await self._call_event_handler("on_disconnected")

    async def _try_reconnect(self, *args, **kwargs):
        return False if self._refused else await super()._try_reconnect(*args, **kwargs)

    async def _tell_failure(self, error):
        message = refusal_text(error)
        await self._call_event_handler("on_connection_error", message)
        await self.push_error(error_msg=f"Sauti: {message}", exception=error)

    async def _send_audio(self):
        """What cannot be sent is kept: the next connection begins with it."""
        try:
            while self._is_open and (piece := self._replay.take()):
                await self._websocket.send(piece)
        except WebSocketException as error:
            logger.debug(f"{self} audio waits for the next connection: {error}")

    async def _say(self, kind):
        try:
            await self._websocket.send(json.dumps({"type": kind}))
        except WebSocketException as error:
            logger.debug(f"{self} {kind} was not sent: {error}")

    async def _send_keepalive(self, silence):
        await self._say("KeepAlive")

    # ---- what the service says

    async def _receive_messages(self):
        async for text in self._websocket:
            message = json.loads(text)
            if message["type"] == "Results":
                await self._take_results(message)
            elif message["type"] == "Error":
                await self.push_error(error_msg=f"Sauti: {message['description']}")

    async def _take_results(self, message):
        text = message["channel"]["alternatives"][0]["transcript"]
        if text:
            await self._begin_turn()
        if message["is_final"]:
            await self._take_final(message, text)
        elif text:
            await self.push_frame(InterimTranscriptionFrame(text, *self._about(message)))

    async def _take_final(self, message, text):
        self._replay.cover(message["start"] + message["duration"])
        if message["from_finalize"]:
            self.confirm_finalize()
        if text:
            # Before the transcript, so that it belongs to the span that the transcript closes.
            await self.emit_stt_usage_metrics()
            await self.push_frame(TranscriptionFrame(text, *self._about(message)))
            await self._handle_transcription(text, True, self._language)
            await self._end_turn()
        elif message["from_finalize"]:
            # Silence had ended the utterance before; there is nothing more to wait for.
            await self.stop_ttfb_metrics()
            await self._cancel_ttfb_timeout()

    def _about(self, message):
        return self._user_id, time_now_iso8601(), self._language, message

    @property
    def _language(self):
        """Pipecat's list has no Kikuyu."""
        try:
            return Language(self._settings.language or LANGUAGE_OF.get(self._settings.model, ""))
        except ValueError:
            return None

    async def _begin_turn(self):
        if not self._detects_turns or self._in_turn:
            return
        self._in_turn = True
        await self.broadcast_frame(UserStartedSpeakingFrame)
        if self._should_interrupt:
            await self.broadcast_interruption()

    async def _end_turn(self):
        if self._in_turn:
            self._in_turn = False
            await self.broadcast_frame(UserStoppedSpeakingFrame)

    @traced_stt
    async def _handle_transcription(self, transcript, is_final, language=None):
        """Only for tracing."""
