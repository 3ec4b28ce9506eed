"""What every frame says by itself, whatever was said before it: the head for pieces that helps in the training (CTC). A sequence of pieces is as likely by the frames as all ways together
to say it: each frame says one piece or nothing, and a piece may last several frames. As the server does it (`server/src/recogniser/engine/search/frame-scores.ts`)."""
import numpy as np

BEFORE = 3  # frames before the one at which the search says a piece that may have said it already; the two seldom differ by more than one
AFTER = 4  # frames after it that may still begin to say it
IMPOSSIBLE = -1e30


class SaidInFrames:
    """A sequence of pieces, and how likely it is by the frames so far. scores [frames, symbols]: log probabilities, the blank last."""

    def __init__(self, scores, piece=None, before=None, first=0):
        self.scores, self.piece, self.before, self.first = scores, piece, before, first
        self.silent, self.speaking, self.further = [], [], {}

    def say(self, piece, frame):
        """One more piece, which the search says at this frame."""
        if piece not in self.further:
            self.further[piece] = SaidInFrames(self.scores, piece, self, max(0, frame - BEFORE))
        return self.further[piece]

    def likelihood(self, frame):
        """The logarithm of its probability by all frames up to this one."""
        return np.logaddexp(*self.after(frame))

    def after(self, frame):
        """After a frame: all ways that end in nothing, and those that end in the piece."""
        if frame < 0 and self.piece is None:
            return 0.0, IMPOSSIBLE
        if frame < self.first:
            return IMPOSSIBLE, IMPOSSIBLE
        while len(self.silent) <= frame - self.first:
            self.hear(self.first + len(self.silent))
        return self.silent[frame - self.first], self.speaking[frame - self.first]

    def hear(self, frame):
        silent, speaking = self.after(frame - 1)
        self.silent.append(np.logaddexp(silent, speaking) + self.scores[frame, -1])
        if self.piece is None:
            self.speaking.append(IMPOSSIBLE)
            return
        late = frame > self.first + BEFORE + AFTER
        begins = IMPOSSIBLE if late else self.before.ends_before(frame, self.piece)
        self.speaking.append(np.logaddexp(speaking, begins) + self.scores[frame, self.piece])

    def ends_before(self, frame, piece):
        """How likely it is that this was said before the frame and a piece begins there. The same piece again needs a silent frame between."""
        silent, speaking = self.after(frame - 1)
        return silent if piece == self.piece else np.logaddexp(silent, speaking)
