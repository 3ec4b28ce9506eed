"""Against a real service, named by SAUTI_URL, SAUTI_CA and keys of accounts with and without credit."""

import asyncio
import os
import tempfile
import unittest

from sauti import Sauti, SautiError, transcribe

URL, CA = os.environ["SAUTI_URL"], os.environ.get("SAUTI_CA")
MODEL, CLIP = os.environ["SAUTI_TEST_MODEL"], os.environ["SAUTI_TEST_CLIP"]
SECOND = bytes(32_000)


def client(key="SAUTI_API_KEY", **options):
    return Sauti(URL, os.environ[key], ca=CA, **options)


class SautiTest(unittest.IsolatedAsyncioTestCase):
    async def fails(self, code, awaitable):
        with self.assertRaises(SautiError) as caught:
            await awaitable
        self.assertEqual(caught.exception.code, code)
        return caught.exception

    async def test_models_and_usage(self):
        models = await Sauti(URL, ca=CA).models()
        self.assertIn(MODEL, [model["id"] for model in models])
        self.assertEqual((await client().usage())["unit"], "audio_millisecond")

    async def test_a_clip_becomes_text(self):
        texts = []
        final = await transcribe(CLIP, MODEL, client(), lambda event: texts.append(event["text"]))
        self.assertEqual(" ".join(word["text"] for word in final["words"]), final["text"])
        self.assertEqual((final["is_exact"], final["sessions"]), (True, 1))
        self.assertNotEqual(final["text"], "")
        self.assertEqual(final["text"], os.environ["SAUTI_TEST_TEXT"])
        self.assertTrue(texts)

    async def test_settings_reset_and_several_utterances(self):
        async with client().stream(MODEL) as live:
            acknowledgement = await live.configure(look_ahead=3, phrases=["Kisumu"])
            self.assertEqual((acknowledgement["context"], acknowledgement["phrases"]), ([56, 3], 1))
            await live.send(SECOND)
            await live.reset()
            await live.send(SECOND)
            self.assertEqual((await live.flush())["audio_ms"], 2_000)
            await self.fails("language_mismatch", live.configure(language="sw"))
            self.assertEqual((await live.flush())["text"], "")

    async def test_silence_ends_an_utterance(self):
        finals, speech, ended = [], [], asyncio.Event()
        with open(CLIP, "rb") as file:
            clip = file.read()[44:]
        async with client().stream(MODEL) as live:
            live.on_final = lambda event: (finals.append(event), ended.set())
            live.on_speech = lambda event: speech.append(event["type"])
            acknowledgement = await live.configure(silence_ms=700)
            self.assertEqual(acknowledgement["endpointing"], {"silence_ms": 700})
            await live.send(clip + 2 * SECOND)
            await ended.wait()
            rest = await live.flush()
        self.assertEqual(speech[:2], ["speech_started", "speech_ended"])
        self.assertTrue(finals[0]["text"])
        self.assertNotIn("cause", rest)

    async def test_silence_ends_utterances_of_a_stream_of_any_length(self):
        with open(CLIP, "rb") as file:
            clip = file.read()[44:] + 2 * SECOND
        finals, speech = [], []
        seconds = len(clip) // 32_000 + 2
        async with client().continuous(MODEL, settings={"silence_ms": 700}, session_seconds=seconds) as stream:
            stream.on_final, stream.on_speech = finals.append, speech.append
            await stream.send(clip * 3)
            summary = await stream.finish()
        self.assertEqual((summary["audio_ms"], summary["is_exact"]), (len(clip) * 3 // 32, True))
        self.assertGreater(summary["sessions"], 1)
        self.assertGreaterEqual(len([final for final in finals if final["text"]]), 3)
        self.assertEqual([event["type"] for event in speech[:3]], ["speech_started", "speech_ended", "speech_started"])
        self.assertEqual((finals[0]["start_ms"], finals[-1]["end_ms"]), (0, summary["audio_ms"]))
        for before, after in zip(finals, finals[1:]):
            self.assertEqual(before["end_ms"], after["start_ms"])
        times = [event["audio_ms"] for event in speech]
        self.assertEqual(times, sorted(times))

    async def test_a_stream_rolls_over_and_can_be_flushed(self):
        finals = []
        async with client().continuous(MODEL, session_seconds=4) as stream:
            stream.on_final = finals.append
            await stream.send(SECOND + bytes(3))
            await stream.send(bytes(29))
            await stream.flush()
            self.assertEqual(finals[-1]["end_ms"], 1_001)
            await stream.send(SECOND * 6)
            summary = await stream.finish()
        self.assertEqual((summary["audio_ms"], summary["is_exact"]), (7_001, True))
        self.assertGreater(summary["sessions"], 1)
        for before, after in zip(finals, finals[1:]):
            self.assertEqual(before["end_ms"], after["start_ms"])

    async def test_an_error_in_a_callback_ends_the_session_and_is_raised(self):
        def fail(event):
            raise ValueError(event["type"])

        with open(CLIP, "rb") as file:
            clip = file.read()[44:]
        async with client().stream(MODEL) as live:
            live.on_delta = fail
            with self.assertRaisesRegex(ValueError, "delta"):
                await live.send(clip)
                await live.flush()
        with self.assertRaisesRegex(ValueError, "speech_started"):
            async with client().continuous(MODEL, settings={"silence_ms": 700}) as stream:
                stream.on_speech = fail
                await stream.send(clip + SECOND)

    async def test_what_is_no_wave_file_is_named(self):
        with tempfile.NamedTemporaryFile(suffix=".wav") as file:
            for head, kind in ((b"ID3\x03" + bytes(20), "MP3"), (b"OggS" + bytes(20), "Ogg"), (b"RIFF1234WAVE", "damaged")):
                file.seek(0)
                file.write(head)
                file.flush()
                error = await self.fails("invalid_audio", transcribe(file.name, MODEL, client()))
                self.assertIn(kind, str(error))

    async def test_an_untrusted_certificate_fails_at_once(self):
        ca = os.environ.pop("SAUTI_CA")
        try:
            error = await self.fails("certificate_untrusted", Sauti(URL).models())
        finally:
            os.environ["SAUTI_CA"] = ca
        self.assertIn("SAUTI_CA", str(error))
        self.assertTrue(await Sauti(URL).models())

    async def test_refusals(self):
        error = await self.fails("invalid_api_key", Sauti(URL, "svc_live_v1_no", ca=CA).usage())
        self.assertEqual((error.status, len(error.request_id)), (401, 36))
        await self.fails("insufficient_credits", client("SAUTI_TEST_POOR_KEY").create_session(MODEL))
        await self.fails("model_not_found", client().create_session("svc-asr-klingon-v1"))
        await self.fails("connection_failed", Sauti("https://127.0.0.1:9", max_retries=1).models())

    async def test_a_used_credential_and_a_used_up_reservation(self):
        sauti = client()
        session = await sauti.create_session(MODEL, max_audio_seconds=1)
        async with sauti.open(session) as live:
            with self.assertRaises(SautiError) as caught:
                async with sauti.open(session):
                    self.fail("a credential opens one stream")
            self.assertEqual((caught.exception.code, caught.exception.close_code), ("credential_already_used", 4401))
            await live.send(SECOND + SECOND)
            self.assertEqual((await live.flush())["audio_ms"], 1_000)
            error = await self.fails("audio_limit_reached", live.next_event("anything"))
            self.assertEqual(error.close_code, 4402)
            await self.fails("audio_limit_reached", live.send(SECOND))

    async def test_a_second_session_waits_for_the_first(self):
        sauti = client()
        async with sauti.stream(MODEL):
            await self.fails("concurrency_limit_exceeded", client(max_retries=0).create_session(MODEL))
            with self.assertLogs("sauti", "WARNING") as told:
                waiting = asyncio.create_task(sauti.create_session(MODEL, max_audio_seconds=2))
                await asyncio.sleep(0.5)
            self.assertRegex(told.output[0], r"waiting \d+ s: .*concurrency_limit_exceeded")
        session = await waiting
        async with sauti.open(session) as live:
            await live.send(SECOND)
            await live.flush()


if __name__ == "__main__":
    unittest.main()
