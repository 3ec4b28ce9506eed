"""The audio of a stream that is written once and can be read again: kept until its text has arrived."""

import asyncio
import sys
from array import array

# How far a writer may be ahead of the reader before it has to wait: 30 seconds.
MAX_AHEAD_SAMPLES = 30 * 16_000


class Tape:
    def __init__(self):
        self._bytes = bytearray()
        self._base = 0
        self._wanted = 0
        self._ended = False
        self._marks = []
        self._changed = asyncio.Condition()

    @property
    def end(self):
        """Up to here the recording is known."""
        return self._base + len(self._bytes) // 2

    async def write(self, pcm):
        """The wait is the back-pressure: it ends when the reader is not far behind."""
        self._bytes += pcm
        async with self._changed:
            self._changed.notify_all()
            await self._changed.wait_for(lambda: self._ended or self.end - self._wanted <= MAX_AHEAD_SAMPLES)

    async def mark(self):
        """What was written until now ends an utterance."""
        async with self._changed:
            if self.end > max(self._marks, default=self._base):
                self._marks.append(self.end)
            self._changed.notify_all()

    def mark_after(self, position):
        return next((mark for mark in self._marks if mark > position), None)

    async def close(self):
        async with self._changed:
            self._ended = True
            self._changed.notify_all()

    async def fill(self, position, start=None):
        """Waits until the recording is known up to `position`, has ended, or has a mark after `start`; says how far it is known."""

        def is_enough():
            marked = start is not None and self.mark_after(start) is not None
            return self.end >= position or self._ended or marked

        async with self._changed:
            self._wanted = max(self._wanted, position)
            self._changed.notify_all()
            await self._changed.wait_for(is_enough)
        return self.end

    def bytes(self, first, last):
        return bytes(self._bytes[(first - self._base) * 2 : (last - self._base) * 2])

    def samples(self, first, last):
        samples = array("h", self.bytes(first, last))
        if sys.byteorder == "big":
            samples.byteswap()
        return samples

    def forget(self, before):
        surplus = min(before, self.end) - self._base
        if surplus > 0:
            del self._bytes[: surplus * 2]
            self._base += surplus
            self._marks = [mark for mark in self._marks if mark > self._base]
