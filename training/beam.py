"""The search with a language model, step by step as the server does it (`server/src/recogniser/engine/search/beam-search.ts`): a few hypotheses side by
side, each scored by the network and by the language model; what is old is decided."""
import collections

import numpy as np

BEAM = 5
MAX_SYMBOLS = 5
MARGIN = 3.0
OPEN_FRAMES = 4
SILENCE = -1
DOUBT = 3.0  # rather than nothing, words are written that are less likely than silence by less than this

# pieces: what was said; frames: when; score: log probability plus gains; prediction: the decoder's output and memory
Hypothesis = collections.namedtuple("Hypothesis", "pieces frames score context prediction")


class Beam:
    """predict(piece, prediction) -> prediction; join(frame, predictions) -> a row of logits for each, the blank last. Frame SILENCE is one in which nothing is heard."""

    def __init__(self, language_model, predict, join, blank):
        self.model, self.predict, self.join, self.blank = language_model, predict, join, blank
        self.beam = [Hypothesis((), (), 0.0, language_model.start, predict(blank, None))]
        self.gains = {}

    def decode(self, frames):
        for frame in range(frames):
            self.hear(frame)
            self.decide_old(frame - OPEN_FRAMES)
        likeliest, words = self.beam[0], next((h for h in self.beam if h.pieces), None)
        return list((words if words and words.score > likeliest.score - DOUBT else likeliest).pieces)

    def hear(self, frame):
        done, hypotheses = {}, self.beam
        for symbols in range(MAX_SYMBOLS + 1):
            candidates = []
            for h, logits in zip(hypotheses, self.join(frame, [h.prediction for h in hypotheses])):
                scores = logits.astype(np.float64)
                total = scores.max() + np.log(np.exp(scores - scores.max()).sum())
                add_way(done, h._replace(score=h.score + scores[self.blank] - total))
                if symbols < MAX_SYMBOLS:
                    candidates += self.candidates(h, scores, total)
            hypotheses = self.extend(prune(candidates, done), frame)
            if not hypotheses:
                break
        survivors = best(done.values())
        self.beam = [h for h in survivors if h.score > survivors[0].score - MARGIN]

    def candidates(self, h, scores, total):
        if h.pieces not in self.gains:
            self.gains[h.pieces] = self.model.gains(h.context, self.expected(h.prediction))
        gains = self.gains[h.pieces]
        likely = np.flatnonzero(scores[:-1] + gains > scores[self.blank] - MARGIN)
        return [h._replace(pieces=(*h.pieces, int(p)), score=h.score + scores[p] - total + gains[p]) for p in likely]

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


def add_way(hypotheses, h):
    """Two ways to say the same, at other frames, are together as likely as both; the times are those of the likelier."""
    other = hypotheses.get(h.pieces)
    hypotheses[h.pieces] = h if other is None else max(h, other, key=lambda way: way.score)._replace(score=np.logaddexp(h.score, other.score))


def prune(candidates, done):
    finished = best(done.values())
    likeliest = max([finished[0].score, *(c.score for c in candidates)])
    floor = max(likeliest - MARGIN, finished[BEAM - 1].score if len(finished) == BEAM else -np.inf)
    return best(c for c in candidates if c.score > floor)


def best(scored):
    return sorted(scored, key=lambda h: -h.score)[:BEAM]
