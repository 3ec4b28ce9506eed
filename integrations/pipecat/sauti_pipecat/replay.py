"""Audio that no final transcript has covered yet. After a break of the connection it is sent again, so that no word is lost."""

BYTES_PER_SAMPLE = 2
# The service takes at most 128 KiB per message.
MAX_MESSAGE_BYTES = 65_536


class Replay:
    """Keeps the newest audio of a connection. Times count from the first audio of the connection."""

    def __init__(self, max_seconds):
        self._max_seconds = max_seconds
        self._kept = bytearray()
        self._rate_hz = 0
        # Bytes that are no longer kept, and how many of the kept ones were sent.
        self._forgotten = 0
        self._sent = 0

    def begin(self, rate_hz):
        """A new connection: everything that is kept is to be sent, as its first audio."""
        self._rate_hz = rate_hz
        self._forgotten = self._sent = 0

    def add(self, audio):
        self._kept += audio
        excess = len(self._kept) - self._max_seconds * self._rate_hz * BYTES_PER_SAMPLE
        if excess > 0:
            self._forget(excess)

    def take(self):
        """The next piece to send, empty where there is none."""
        piece = bytes(self._kept[self._sent : self._sent + MAX_MESSAGE_BYTES])
        self._sent += len(piece)
        return piece

    def cover(self, seconds):
        """A final transcript covers the audio up to this time."""
        end = round(seconds * self._rate_hz) * BYTES_PER_SAMPLE - self._forgotten
        if end > 0:
            self._forget(min(end, self._sent))

    def clear(self):
        self._forget(len(self._kept))

    def _forget(self, count):
        del self._kept[:count]
        self._forgotten += count
        self._sent = max(0, self._sent - count)
