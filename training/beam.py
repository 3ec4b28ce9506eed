"""The search with a language model, step by step as the server does it (`server/src/recogniser/engine/search/beam-search.ts`): a few hypotheses side by
side, each scored by the network and by the language model; what is old is decided."""
import collections

import numpy as np

from frame_scores import SaidInFrames

MAX_SYMBOLS = 5
# How many hypotheses are carried on, how much less likely than the best they may be, and for how many frames a decision stays open.
Patience = collections.namedtuple("Patience", "beam margin open_frames")
FOR_LANGUAGE, FOR_FRAMES = Patience(5, 3.0, 4), Patience(8, 5.0, 8)
TRANSDUCER_SHARE, FRAMES_SHARE = 0.7, 0.3  # what the transducer and the frames by themselves count
SILENCE = -1
DOUBT = 3.0  # rather than nothing, words are written that are less likely than silence by less than this

# pieces: what was said; frames: when; score: log probability by the transducer plus gains; prediction: the decoder's output and memory; total: with what the frames say by themselves
Hypothesis = collections.namedtuple("Hypothesis", "pieces frames score context prediction in_frames total")


class Beam:
    """predict(piece, prediction) -> prediction; join(frame, predictions) -> a row of logits for each, the blank last. Frame SILENCE is one in which nothing is heard.
    alone: what each frame says by itself, log probabilities [frames, symbols], where the model knows."""

    def __init__(self, language_model, predict, join, blank, alone=None):
        self.model, self.predict, self.join, self.blank, self.alone = language_model, predict, join, blank, alone
        self.patience, self.share = (FOR_LANGUAGE, 1.0) if alone is None else (FOR_FRAMES, TRANSDUCER_SHARE)
        nothing = None if alone is None else SaidInFrames(alone)
        self.beam = [Hypothesis((), (), 0.0, language_model.start, predict(blank, None), nothing, 0.0)]
        self.gains = {}

    def decode(self, frames):
        for frame in range(frames):
            self.hear(frame)
            self.decide_old(frame - self.patience.open_frames)
        likeliest, words = self.beam[0], next((h for h in self.beam if h.pieces), None)
        return list((words if words and words.total > likeliest.total - DOUBT else likeliest).pieces)

    def hear(self, frame):
        done, hypotheses = {}, self.beam
        for symbols in range(MAX_SYMBOLS + 1):
            candidates = []
            for h, logits in zip(hypotheses, self.join(frame, [h.prediction for h in hypotheses])):
                scores = logits.astype(np.float64)
                total = scores.max() + np.log(np.exp(scores - scores.max()).sum())
                add_way(done, h._replace(score=h.score + self.share * (scores[self.blank] - total)))
                if symbols < MAX_SYMBOLS:
                    candidates += self.candidates(h, scores - total, frame)
            hypotheses = self.extend(self.prune(candidates, done, frame), frame)
            if not hypotheses:
                break
        survivors = self.best(self.rate(h, frame) for h in done.values())
        self.beam = [h for h in survivors if h.total > survivors[0].total - self.patience.margin]

    def rate(self, h, frame):
        return h._replace(total=h.score + (0.0 if h.in_frames is None else FRAMES_SHARE * h.in_frames.likelihood(frame)))

    def candidates(self, h, scores, frame):
        if h.pieces not in self.gains:
            self.gains[h.pieces] = self.model.gains(h.context, self.expected(h.prediction))
        gains = self.gains[h.pieces]
        rated = self.share * scores + (0.0 if self.alone is None else FRAMES_SHARE * self.alone[frame])
        likely = np.flatnonzero(rated[:-1] + gains > rated[self.blank] - self.patience.margin)
        return [self.rate(h._replace(pieces=(*h.pieces, int(p)), score=h.score + self.share * scores[p] + gains[p],
                                     in_frames=h.in_frames and h.in_frames.say(int(p), frame)), frame) for p in likely]

    def expected(self, prediction):
        """Log probabilities of every piece by the network, which has heard nothing."""
        pieces = self.join(SILENCE, [prediction])[0][:self.blank].astype(np.float64)
        return pieces - np.logaddexp.reduce(pieces)

    def extend(self, candidates, frame):
        out = {}
        for c in candidates:
            piece = c.pieces[-1]
            add_way(out, c._replace(frames=(*c.frames, frame), context=self.model.step(c.context, piece), prediction=(piece, c.prediction)))
        return [h._replace(prediction=self.predict(*h.prediction)) for h in out.values()]

    def decide_old(self, oldest):
        """Hypotheses that differ from the best one in what was said before that frame are dropped."""
        first = self.beam[0]
        decided = sum(frame < oldest for frame in first.frames)
        self.beam = [h for h in self.beam if h.pieces[:decided] == first.pieces[:decided]]

    def prune(self, candidates, done, frame):
        finished = self.best(self.rate(h, frame) for h in done.values())
        beam, margin, _ = self.patience
        likeliest = max([finished[0].total, *(c.total for c in candidates)])
        floor = max(likeliest - margin, finished[beam - 1].total if len(finished) == beam else -np.inf)
        return self.best(c for c in candidates if c.total > floor)

    def best(self, rated):
        return sorted(rated, key=lambda h: -h.total)[:self.patience.beam]


def add_way(hypotheses, h):
    """Two ways to say the same, at other frames, are together as likely as both; the times are those of the likelier."""
    other = hypotheses.get(h.pieces)
    hypotheses[h.pieces] = h if other is None else max(h, other, key=lambda way: way.score)._replace(score=np.logaddexp(h.score, other.score))
