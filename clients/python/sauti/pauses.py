"""Where speech may be cut without damaging a word: in a pause, found by the energy of 20 ms frames against the quietest and the
loudest of the last ten seconds. The same rules as in the SDK for browsers and Node."""

import math

FRAME_MS = 20
FRAME_SAMPLES = FRAME_MS * 16
REMEMBERED_FRAMES = 10_000 // FRAME_MS
FLOOR_DB, SILENCE_DB = -90, -60
# Loud and quiet must be at least this far apart before "quiet" means anything; quiet is the lowest part of the range between.
LEAST_CONTRAST_DB, QUIET_PART = 9, 0.3
SMOOTHING_FRAMES, RANGE_EVERY_FRAMES = 3, 10
# From this part of the greatest length on, a pause of this many milliseconds is long enough.
ACCEPTED_PAUSES = ((0.7, 120), (0.5, 200), (0.3, 360), (0.15, 600))
# Where nothing is a pause, the quietest place of this last part is taken.
LAST_PART = 0.4
# Where the service ends utterances by itself, only the last one of a session is cut here: in the last part of its room, in such a pause.
LAST_ROOM_PART, LAST_PAUSE_MS = 0.5, 360


class PauseFinder:
    def __init__(self):
        self._levels = []
        self._quiet_frames = 0
        self._quiet_db = SILENCE_DB

    def push(self, frame):
        """One frame of 20 ms after the other, as a sequence of samples."""
        level = level_db(frame)
        self._levels.append(level)
        if len(self._levels) % RANGE_EVERY_FRAMES == 0:
            self._quiet_db = self._find_quiet_db()
        self._quiet_frames = self._quiet_frames + 1 if level <= self._quiet_db else 0

    @property
    def pause_frames(self):
        return self._quiet_frames

    def quietest_frame(self, first):
        """The frame from `first` on that is quietest together with its neighbours."""
        best, best_db = len(self._levels), math.inf
        for frame in range(first, len(self._levels)):
            around = self._levels[max(0, frame - SMOOTHING_FRAMES) : frame + SMOOTHING_FRAMES + 1]
            mean = sum(around) / len(around)
            if mean < best_db:
                best, best_db = frame, mean
        return best

    def _find_quiet_db(self):
        recent = sorted(self._levels[-REMEMBERED_FRAMES:])
        quiet, loud = (recent[int((len(recent) - 1) * part)] for part in (0.1, 0.95))
        if loud - quiet < LEAST_CONTRAST_DB:
            return SILENCE_DB
        return max(SILENCE_DB, quiet + (loud - quiet) * QUIET_PART)


def level_db(frame):
    power = sum(sample * sample for sample in frame)
    return FLOOR_DB if power == 0 else max(FLOOR_DB, 10 * math.log10(power / len(frame) / 32_768**2))


def find_cut(finder, start, sent, seen, longest, farthest, is_ended_elsewhere=False):
    """The position at which the utterance that began at `start` ends, or None while it goes on."""
    if is_ended_elsewhere:
        enough_ms = LAST_PAUSE_MS if farthest - seen < longest * LAST_ROOM_PART else math.inf
    else:
        part = (seen - start) / longest
        enough_ms = next((pause for least, pause in ACCEPTED_PAUSES if part >= least), math.inf)
    if finder.pause_frames * FRAME_MS >= enough_ms:
        return max(sent, seen - finder.pause_frames // 2 * FRAME_SAMPLES)
    if seen < farthest:
        return None
    last_part = min(longest, farthest - start) * LAST_PART
    first = math.ceil((max(sent, farthest - last_part) - start) / FRAME_SAMPLES)
    return min(start + finder.quietest_frame(first) * FRAME_SAMPLES, seen)
