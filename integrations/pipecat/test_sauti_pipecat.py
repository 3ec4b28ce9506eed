"""Pipecat's real package with our service in a pipeline, against a running Sauti service whose address and keys are in the environment."""

import asyncio
import json
import os
import time
import unittest
import wave

from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    MetricsFrame,
    TranscriptionFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.metrics.metrics import STTUsageMetricsData
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.workers.runner import WorkerRunner

from sauti_pipecat import SautiSTTService
from sauti_pipecat.replay import Replay

RATE_HZ = 16_000
FRAME_BYTES = 640
PATIENCE_S = 60
CLIPS = json.loads(os.environ.get("SAUTI_TEST_CLIPS", "[]"))


class Collector(FrameProcessor):
    """Keeps every frame that passes, and notifies those that wait."""

    def __init__(self):
        super().__init__(enable_direct_mode=True)
        self.frames = []
        self._change = asyncio.Condition()

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        async with self._change:
            self.frames.append(frame)
            self._change.notify_all()
        await self.push_frame(frame, direction)

    def all(self, kind):
        return [frame for frame in self.frames if isinstance(frame, kind)]

    async def first(self, kind, is_wanted=lambda frame: True):
        def find():
            return next((frame for frame in self.all(kind) if is_wanted(frame)), None)

        async with self._change:
            await asyncio.wait_for(self._change.wait_for(lambda: find() is not None), PATIENCE_S)
        return find()


class Call:
    """A pipeline with nothing but the service in it."""

    def __init__(self, **options):
        options.setdefault("settings", SautiSTTService.Settings(model=CLIPS[0]["model"]))
        self.stt = SautiSTTService(**options)
        self.up, self.down = Collector(), Collector()
        params = PipelineParams(audio_in_sample_rate=RATE_HZ, enable_metrics=True, enable_usage_metrics=True)
        pipeline = Pipeline([self.up, self.stt, self.down])
        self._worker = PipelineWorker(pipeline, cancel_on_idle_timeout=False, enable_rtvi=False, params=params)

    async def __aenter__(self):
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(self._worker)
        self._running = asyncio.create_task(runner.run())
        return self

    async def __aexit__(self, *failure):
        await self._worker.queue_frame(EndFrame())
        await asyncio.wait_for(self._running, PATIENCE_S)

    async def put(self, frame):
        await self._worker.queue_frame(frame)

    async def speak(self, pcm):
        for at in range(0, len(pcm), FRAME_BYTES):
            await self.put(InputAudioRawFrame(pcm[at : at + FRAME_BYTES], RATE_HZ, 1))

    async def stop_speaking(self):
        # The VAD's frames overtake audio, so they are sent when the audio has gone through.
        await self.put(VADUserStoppedSpeakingFrame(stop_secs=0.2, timestamp=time.time()))

    async def passed(self, pcm):
        frames = len(pcm) // FRAME_BYTES
        await self.down.first(InputAudioRawFrame, lambda _: len(self.down.all(InputAudioRawFrame)) >= frames)


def read(clip):
    with wave.open(clip["path"], "rb") as file:
        return file.readframes(file.getnframes())


def word_errors(heard, said):
    heard, said = heard.split(), said.split()
    row = list(range(len(said) + 1))
    for i, word in enumerate(heard, 1):
        next_row = [i]
        for j, other in enumerate(said, 1):
            next_row.append(min(row[j] + 1, next_row[-1] + 1, row[j - 1] + (word != other)))
        row = next_row
    return row[-1]


class TranscriptsTest(unittest.IsolatedAsyncioTestCase):
    async def test_interim_and_finalized_frames_with_usage_in_both_languages(self):
        for clip in CLIPS:
            with self.subTest(clip["model"]):
                pcm = read(clip)
                async with Call(settings=SautiSTTService.Settings(model=clip["model"], silence_ms=5000)) as call:
                    await call.put(VADUserStartedSpeakingFrame(start_secs=0.2))
                    await call.speak(pcm)
                    await call.passed(pcm)
                    await call.stop_speaking()
                    final = await call.down.first(TranscriptionFrame)
                self.assertTrue(final.finalized)
                self.assertLessEqual(word_errors(final.text, clip["text"]), 2)
                self.assertTrue(call.down.all(InterimTranscriptionFrame))
                data = [one for frame in call.down.all(MetricsFrame) for one in frame.data]
                heard = sum(one.value.audio_seconds for one in data if isinstance(one, STTUsageMetricsData))
                self.assertAlmostEqual(heard, len(pcm) / 2 / RATE_HZ, places=1)
                self.assertEqual(call.up.all(ErrorFrame), [])

    async def test_the_service_tells_the_turns_itself(self):
        pcm = read(CLIPS[0]) + bytes(RATE_HZ * 4)
        async with Call(detects_turns=True) as call:
            await call.speak(pcm)
            await call.down.first(UserStoppedSpeakingFrame)
        kinds = [type(f) for f in call.down.frames if isinstance(f, (UserStartedSpeakingFrame, TranscriptionFrame, UserStoppedSpeakingFrame))]
        self.assertEqual(kinds[:3], [UserStartedSpeakingFrame, TranscriptionFrame, UserStoppedSpeakingFrame])

    async def test_a_broken_connection_loses_no_word(self):
        clip = CLIPS[0]
        pcm = read(clip)
        async with Call(settings=SautiSTTService.Settings(model=clip["model"], silence_ms=5000)) as call:
            await call.speak(pcm[: len(pcm) // 2])
            await call.down.first(InterimTranscriptionFrame)
            broken = call.stt._websocket
            broken.transport.abort()
            await call.speak(pcm[len(pcm) // 2 :])
            await call.passed(pcm)
            while call.stt._websocket in (broken, None):
                await asyncio.sleep(0.05)
            await call.stop_speaking()
            final = await call.down.first(TranscriptionFrame)
        self.assertLessEqual(word_errors(final.text, clip["text"]), 2)

    async def test_silence_is_kept_alive_without_a_bill(self):
        async with Call(keepalive_timeout=0.1, keepalive_interval=0.1) as call:
            await call.speak(bytes(FRAME_BYTES))
            await call.passed(bytes(FRAME_BYTES))
            said = []
            socket = call.stt._websocket
            send = socket.send

            async def note(message):
                said.append(message)
                await send(message)

            socket.send = note
            while len(said) < 3:
                await asyncio.sleep(0.05)
            self.assertEqual({json.loads(message)["type"] for message in said}, {"KeepAlive"})
        data = [one for frame in call.down.all(MetricsFrame) for one in frame.data]
        self.assertLess(sum(one.value.audio_seconds for one in data if isinstance(one, STTUsageMetricsData)), 0.1)


class RefusalsTest(unittest.IsolatedAsyncioTestCase):
    async def test_a_wrong_key_no_credit_and_a_wrong_model_are_told_once(self):
        other = SautiSTTService.Settings(model="another")
        poor = os.environ["SAUTI_TEST_POOR_KEY"]
        for options, status in [({"api_key": "svc_live_v1_wrong"}, "401"), ({"api_key": poor}, "402"), ({"settings": other}, "404")]:
            with self.subTest(status):
                async with Call(**options) as call:
                    error = await call.up.first(ErrorFrame)
                    await call.speak(bytes(FRAME_BYTES * 5))
                    await call.passed(bytes(FRAME_BYTES * 5))
                self.assertIn(status, error.error)
                self.assertEqual(len(call.up.all(ErrorFrame)), 1)


class ReplayTest(unittest.TestCase):
    def test_sends_again_what_no_final_has_covered(self):
        replay = Replay(max_seconds=10)
        replay.begin(100)
        replay.add(bytes(range(200)))
        self.assertEqual(replay.take(), bytes(range(200)))
        self.assertEqual(replay.take(), b"")
        replay.cover(0.5)
        replay.begin(100)
        self.assertEqual(replay.take(), bytes(range(100, 200)))
        replay.cover(0.25)
        replay.begin(100)
        self.assertEqual(replay.take(), bytes(range(150, 200)))

    def test_keeps_the_newest(self):
        replay = Replay(max_seconds=1)
        replay.begin(100)
        replay.add(bytes(150))
        replay.take()
        replay.add(bytes([1] * 100))
        self.assertEqual(replay.take(), bytes([1] * 100))
        replay.cover(1.25)
        replay.begin(100)
        self.assertEqual(len(replay.take()), 0)


if __name__ == "__main__":
    unittest.main()
