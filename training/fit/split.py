"""Training, dev and test: no speaker in two parts, and no sentence either. Seeded, so that a run can be repeated."""
import collections
import random

SHARES = {"test": 0.1, "dev": 0.05}


def split(recordings, seed=1, most=400):
    """[(speaker, text)] -> {part: [numbers]} and whether the held-out speakers are new to the training.

    At most this many recordings of test and dev are used. Where one speaker has said nearly everything, only sentences are held out."""
    speakers = collections.Counter(speaker for speaker, _ in recordings if speaker)
    by_speaker = choose(speakers, len(recordings), seed)
    held = by_speaker or choose(collections.Counter(text for _, text in recordings), len(recordings), seed)
    of = (lambda r: r[0]) if by_speaker else (lambda r: r[1])
    parts = {part: [i for i, r in enumerate(recordings) if of(r) in names] for part, names in held.items()}
    kept = {i for rows in parts.values() for i in rows}
    known = set(recordings[i][1] for i in kept)
    parts["train"] = [i for i, r in enumerate(recordings) if i not in kept and r[1] not in known]
    for part in SHARES:
        parts[part] = sorted(random.Random(seed).sample(parts[part], min(most, len(parts[part]))))
    return parts, bool(by_speaker)


def choose(counts, total, seed):
    """Names for each held-out part, drawn until the share is reached; {} where the largest names leave too little to choose from."""
    names = sorted(counts)
    random.Random(seed).shuffle(names)
    held, taken = {}, set()
    for part, share in SHARES.items():
        room, here = share * total, set()
        for name in names:
            if name not in taken and counts[name] <= room:
                here.add(name)
                room -= counts[name]
        held[part] = here
        taken |= here
        if not here or room > share * total / 2:
            return {}
    return held
