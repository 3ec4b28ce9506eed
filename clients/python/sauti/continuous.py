"""A stream of any length over any network: as many sessions as it takes, one after the other. Text counts only when its `final`
has come: after any break the audio is sent again from the last one, so no word is lost and none is repeated."""

import asyncio
import logging
import math
import time
import uuid

from .errors import SautiError, is_passing
from .pauses import FRAME_SAMPLES, PauseFinder, find_cut
from .tape import Tape

log = logging.getLogger("sauti")

RATE_HZ = 16_000
LONGEST_UTTERANCE_S = {"live": 30, "recording": 60}
HOLD_BACK_SAMPLES = {"live": int(0.3 * RATE_HZ), "recording": 24 * RATE_HZ}
PIECE_SAMPLES = 5 * FRAME_SAMPLES
# A credential lasts 60 seconds; near its end it is not used any more.
CREDENTIAL_GOOD_S = 45
# A session is settled just after it was closed: shortly after one of ours, a refusal may only mean that it is not settled yet.
SETTLING_S = 2
LONGEST_WAIT_S = 8
# The service lists its last 20 sessions, so we ask before one of ours is among the older ones.
ASK_AFTER_SESSIONS = 8


class ContinuousStream:
    """`on_delta`, `on_final` and `on_waiting` are called with what happens; all times count from the first sample of the stream. With
    `silence_ms` among the settings the service ends utterances, and `on_speech` is called with `speech_started` and `speech_ended`."""

    def __init__(self, client, model, settings=None, kind="live", session_seconds=300, patience=300):
        self.on_delta = self.on_final = self.on_speech = lambda event: None
        self.on_waiting = self._tell_waiting
        self._client, self._model, self._settings = client, model, settings or {}
        self._kind, self._session_seconds, self._patience = kind, session_seconds, patience
        self._tape = Tape()
        self._half = b""
        self._confirmed = 0
        self._bill, self._unsettled = {}, set()
        self._kept = None
        self._key = str(uuid.uuid4())
        self._last_end = -math.inf
        self._progress = asyncio.Event()
        self._work = asyncio.create_task(self._run())

    @property
    def billed_ms(self):
        """What was billed so far, at most; exact after finish(), where the service could be asked."""
        return sum(self._bill.values())

    async def send(self, pcm):
        """Bytes of mono 16 kHz PCM16, cut anywhere. Waits where the service is far behind."""
        if self._work.done():
            self._work.result()
            raise SautiError("closed_by_caller", "the stream was closed")
        whole = self._half + bytes(pcm)
        even = len(whole) // 2 * 2
        self._half = whole[even:]
        writing = asyncio.create_task(self._tape.write(whole[:even]))
        await asyncio.wait([writing, self._work], return_when=asyncio.FIRST_COMPLETED)
        if not writing.done():
            writing.cancel()
            self._work.result()

    async def flush(self):
        """Ends the utterance here, and waits for its text."""
        await self._tape.mark()
        end = self._tape.end
        while self._confirmed < end and not self._work.done():
            self._progress.clear()
            progress = asyncio.create_task(self._progress.wait())
            await asyncio.wait([progress, self._work], return_when=asyncio.FIRST_COMPLETED)
            progress.cancel()
        if self._confirmed < end:
            self._work.result()

    async def finish(self):
        """No more audio will come. Gives `audio_ms` and `billed_ms` when all text has come."""
        await self._tape.close()
        await self._work
        await self._settle()
        cost = {"billed_ms": self.billed_ms, "is_exact": not self._unsettled, "sessions": len(self._bill)}
        return {"audio_ms": self._confirmed // 16, **cost}

    async def abort(self):
        """Ends at once, without the text that is still to come."""
        self._work.cancel()
        await asyncio.gather(self._work, return_exceptions=True)

    async def _run(self):
        failures, since = 0, time.monotonic()
        # No session is reserved before there is something to send.
        while await self._tape.fill(self._confirmed + 1) > self._confirmed:
            before = self._confirmed
            try:
                await self._run_session()
            except SautiError as error:
                if self._confirmed > before:
                    failures, since = 0, time.monotonic()
                if not is_passing(error) or time.monotonic() - since > self._patience:
                    raise
                await self._wait(error, failures)
                failures += 1

    async def _wait(self, error, failures):
        is_settling = time.monotonic() - self._last_end < SETTLING_S
        asked = 0 if error.code == "concurrency_limit_exceeded" and is_settling else error.retry_after or 0
        delay = max(asked, min(0.25 * 2**failures, LONGEST_WAIT_S))
        self.on_waiting({"code": error.code, "message": str(error), "delay_ms": round(delay * 1000)})
        await asyncio.sleep(delay)

    def _tell_waiting(self, event):
        if event["delay_ms"] >= 1000:
            log.warning("waiting %.0f s: %s", event["delay_ms"] / 1000, event["message"])

    async def _run_session(self):
        session, until = await self._reserve()
        # A reservation whose connection was never opened is used again: its credential is still valid.
        self._kept = (session, until)
        try:
            async with self._client.open(session) as live:
                self._kept = None
                self._unsettled.add(session["id"])
                await SpokenSession(live, session, self).speak()
                self._unsettled.discard(session["id"])
        except SautiError as error:
            if error.code != "connection_failed":
                self._kept = None
            raise
        finally:
            self._last_end = time.monotonic()

    async def _reserve(self):
        kept, self._kept = self._kept, None
        if kept and time.monotonic() < kept[1]:
            return kept
        if len(self._unsettled) >= ASK_AFTER_SESSIONS:
            await self._ask()
        # The key stays until a session was created with it: a lost answer is asked for again and not paid for twice.
        session = await self._client.create_session(
            self._model, self._session_seconds, idempotency_key=self._key, max_retries=0
        )
        self._key = str(uuid.uuid4())
        return session, time.monotonic() + CREDENTIAL_GOOD_S

    def _confirm(self, final, end):
        self._confirmed = end
        self._tape.forget(end)
        self.on_final(final)
        self._progress.set()

    async def _settle(self):
        """A broken session is settled a moment after the service has noticed; waits for that, up to a limit."""
        for tries in range(8):
            if not self._unsettled:
                return
            await asyncio.sleep(0.25 if tries else 0)
            await self._ask()

    async def _ask(self):
        """Only the service knows what a session that broke off costs. Without its answer the bill stays an estimate."""
        try:
            usage = await self._client.usage()
        except SautiError:
            return
        for session in usage["recent_sessions"]:
            if session["id"] in self._unsettled and session["status"] not in ("reserved", "active"):
                self._bill[session["id"]] = session["billable_ms"]
                self._unsettled.discard(session["id"])


class SpokenSession:
    """One session: utterance after utterance from the tape, until it has no room for another one, or the audio has ended."""

    def __init__(self, live, session, stream):
        self._live, self._stream, self._id = live, stream, session["id"]
        self._limit = int(session["audio"]["max_audio_seconds"]) * RATE_HZ
        self._is_short = session["audio"]["max_audio_seconds"] < stream._session_seconds
        self._longest = int(min(LONGEST_UTTERANCE_S[stream._kind], stream._session_seconds / 2) * RATE_HZ)
        self._start = stream._confirmed
        self._has_endpointing = bool(stream._settings.get("silence_ms"))
        live.on_delta, live.on_speech, live.on_final = self._tell_delta, self._tell_speech, self._tell_endpoint

    async def speak(self):
        if self._stream._settings:
            await self._live.configure(**self._stream._settings)
        is_last = False
        # For a whole utterance of any length: then where it is cut does not depend on the session it happens to be in.
        while not is_last and self._rest >= max(1, self._limit * 0.05 if self._is_short else self._longest):
            is_last = await self._speak_utterance()

    @property
    def _rest(self):
        return self._limit - (self._stream._confirmed - self._start)

    async def _speak_utterance(self):
        tape, start = self._stream._tape, self._stream._confirmed
        finder, sent, seen = PauseFinder(), start, start
        farthest = start + (self._rest if self._has_endpointing else min(self._longest, self._rest))
        while True:
            limit = min(seen + FRAME_SAMPLES, farthest)
            known_already = tape.end >= limit
            filled = await (tape.fill(limit) if known_already else self._unless_closed(tape.fill(limit, start)))
            mark = tape.mark_after(start)
            known = min(filled, limit, mark or limit)
            finder.push(tape.samples(seen, known))
            is_last = known < limit and known != mark
            is_cut = is_last or known == mark
            progress = (start, sent, known, self._longest, farthest, self._has_endpointing)
            cut = known if is_cut else find_cut(finder, *progress)
            sendable = known - HOLD_BACK_SAMPLES[self._stream._kind] if cut is None else cut
            if sendable - sent >= (PIECE_SAMPLES if cut is None else 1):
                await self._send(tape.bytes(sent, sendable), sendable)
                sent = sendable
            if cut is not None:
                if cut > start:
                    self._confirm(await self._live.flush(), cut)
                return is_last
            seen = known

    async def _send(self, pcm, end):
        # At most: whether it arrives is known when the `final` comes.
        self._stream._bill[self._id] = math.ceil((end - self._start) / RATE_HZ) * 1000
        await self._live.send(pcm)

    async def _unless_closed(self, filling):
        """A session that ends while nothing is said must be noticed then, and not with the next word."""
        task = asyncio.ensure_future(filling)
        closed = asyncio.ensure_future(self._live.wait_closed())
        try:
            await asyncio.wait([task, closed], return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                await self._live.next_event("the reason of the end")
            return task.result()
        finally:
            task.cancel()
            closed.cancel()

    def _confirm(self, final, end):
        # A service that restarts sends a last `final` without a flush, for the audio that it had heard by then.
        if final["audio_ms"] < (end - self._start) // 16:
            raise SautiError("incomplete_final", "the service ended before it had heard everything")
        self._stream._bill[self._id] = final["billable_ms"]
        self._tell(final, end)

    def _tell_endpoint(self, final):
        self._tell(final, self._start + final["audio_ms"] * 16)

    def _tell(self, final, end):
        """Everything up to `end` has its text: by our flush, or because the service ended the utterance there."""
        shift = self._start // 16
        words = [{**w, "start_ms": w["start_ms"] + shift, "end_ms": w["end_ms"] + shift} for w in final["words"]]
        times = {"start_ms": self._stream._confirmed // 16, "end_ms": end // 16}
        self._stream._confirm({"text": final["text"], "words": words, **times}, end)

    def _tell_speech(self, event):
        self._stream.on_speech({"type": event["type"], "audio_ms": self._start // 16 + event["audio_ms"]})

    def _tell_delta(self, event):
        start_ms = self._stream._confirmed // 16
        audio_ms = self._start // 16 + event["audio_ms"]
        self._stream.on_delta({"text": event["text"], "start_ms": start_ms, "audio_ms": audio_ms})
