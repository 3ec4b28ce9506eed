"""Hears clips through the running service, as any client does: a session over HTTP, then audio over the WebSocket.

One session takes many clips, each followed by a flush, because sessions are counted and limited. Needs `websockets`.
"""
import json
import ssl
import time
import urllib.error
import urllib.request

from websockets.sync.client import connect

from languages import LANGUAGES
from shards import RATE

FRAME_BYTES = 32768
SESSION_SECONDS = 300


def transcribe(address, key, clips, look_ahead, ca=None, model=None, silence_ms=None):
    """[clip with .wave and .language] -> [text]. address: https://host:port; ca: certificate of a local authority; model: instead of the language's own;
    silence_ms: the service ends an utterance after so much silence, and the clip's text is that of all its utterances."""
    trust = ssl.create_default_context(cafile=ca) if address.startswith("https") else None
    texts = [None] * len(clips)
    for language in sorted({c.language for c in clips}):
        waiting = [i for i, c in enumerate(clips) if c.language == language]
        while waiting:
            with open_stream(address, key, model or LANGUAGES[language]["id"], trust) as socket:
                left = await_event(socket, "ready")["max_audio_seconds"]
                socket.send(json.dumps({"type": "config", "context": [56, look_ahead]} | ({"endpointing": {"silence_ms": silence_ms}} if silence_ms else {})))
                await_event(socket, "config_ack")
                while waiting and (seconds := len(clips[waiting[0]].wave) / RATE) < left:
                    left -= seconds
                    i = waiting.pop(0)
                    texts[i] = say(socket, clips[i].wave)
    return texts


def open_stream(address, key, model, trust):
    body = json.dumps({"model": model, "max_audio_seconds": SESSION_SECONDS}).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    for _ in range(20):
        try:
            request = urllib.request.Request(f"{address}/v1/asr/sessions", body, headers)
            session = json.load(urllib.request.urlopen(request, context=trust))
            return connect(session["websocket_url"], subprotocols=session["websocket_protocols"], ssl=trust, compression=None)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise RuntimeError(error.read().decode()) from error
            time.sleep(int(error.headers.get("Retry-After", 2)))  # the last session is still being settled
    raise RuntimeError("no session could be had")


def say(socket, wave):
    data = wave.astype("<i2").tobytes()
    for start in range(0, len(data), FRAME_BYTES):
        socket.send(data[start:start + FRAME_BYTES])
    socket.send(json.dumps({"type": "flush"}))
    finals = [await_event(socket, "final")]
    while finals[-1].get("cause") == "endpoint":
        finals.append(await_event(socket, "final"))
    return " ".join(f["text"] for f in finals if f["text"])


def await_event(socket, wanted):
    while True:
        event = json.loads(socket.recv(timeout=60))
        if event["type"] == wanted:
            return event
        if event["type"] == "error":
            raise RuntimeError(event["message"])
