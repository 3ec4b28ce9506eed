"""What people of other languages said, in our phones: espeak-ng reads their sentences, and each of its sounds becomes the nearest of ours.

    python ipa.py --folder rsample-100-cv-corpus --out many            Common Voice, a folder for each language: writes many/manifest.tsv, for codec.py --language ipa
    python ipa.py --folder Accent_Classification/Data --voice en-us --out english

For speech that only teaches voices, microphones and single sounds. Languages that espeak-ng does not speak are left out, and so are sentences with a sound that is named nowhere here.
"""
import argparse
import concurrent.futures
import functools
import os
import re
import subprocess
import unicodedata

from fit import recordings
from sounds import LABEL

ESPEAK = {c: c for c in "ar as ca cs cv cy de el eo es et eu fa fi hi hu ia id it ka ky lt lv mt nl or pl pt ro ru sl ta th tr tt uk vi".split()} | {
    "en": "en-us", "fr": "fr-fr", "ga-IE": "ga", "pa-IN": "pa", "sv-SE": "sv"}
NEAREST = {"ɪ": "i", "y": "i", "ʏ": "i", "ɨ": "i", "ᵻ": "i", "ɘ": "e", "ø": "e", "œ": "ɛ", "æ": "a", "ɜ": "ɛ", "ɚ": "a ɾ", "ɝ": "a ɾ", "ə": "a", "ɐ": "a", "ʌ": "a", "ɑ": "a", "ɒ": "ɔ", "ɤ": "o", "ɵ": "o",
           "ʊ": "u", "ɯ": "u", "ʉ": "u", "ɡ": "g", "q": "k", "c": "tʃ", "ɟ": "dʒ", "ʈ": "t", "ɖ": "d", "ɗ": "d", "ɓ": "b", "ɱ": "m", "ɳ": "n", "r": "ɾ", "ɹ": "ɾ", "ɻ": "ɾ", "ɽ": "ɾ", "ʁ": "ɣ", "ʀ": "ɾ", "ɺ": "l",
           "ɫ": "l", "ɭ": "l", "ʎ": "l j", "ɬ": "l", "ɮ": "l", "ɕ": "ʃ", "ʂ": "ʃ", "ʒ": "dʒ", "ʑ": "dʒ", "ʐ": "dʒ", "ç": "h", "x": "h", "χ": "h", "ħ": "h", "ɦ": "h", "ʕ": "", "ʔ": "", "ʋ": "v", "ɸ": "f",
           "ɥ": "w", "ʍ": "w", "ɰ": "ɣ", "tɕ": "tʃ", "dʑ": "dʒ", "ʈʂ": "tʃ", "ɖʐ": "dʒ", "ts": "t s", "dz": "d z"}
SOUND = re.compile("tʃ|dʒ|tɕ|dʑ|ʈʂ|ɖʐ|.")
SILENT = set("ːˑˈˌ͡‿|ʰʲˤˠʷˀʼ-.ʲ0123456789'")
LETTERS = re.compile(r"[^\w\s'’]|_")


def phones(ipa):
    """[[phone, ...] of each word], or None where a sound has no name here."""
    plain = "".join(c for c in unicodedata.normalize("NFD", re.sub(r"\(.*?\)", "", ipa)) if c not in SILENT and not unicodedata.combining(c))
    words = [[NEAREST.get(s, s) for s in SOUND.findall(word)] for word in plain.split()]
    said = [" ".join(word).split() for word in words]
    return [word for word in said if word] if all(p in LABEL for word in said for p in word) else None


def read_aloud(voice, sentence):
    """What espeak-ng would say; languages that it switches to are said like the first one."""
    spoken = subprocess.run(["espeak-ng", "-q", "--ipa", "-v", voice, LETTERS.sub(" ", sentence)], capture_output=True, text=True, check=True).stdout
    return " ".join(spoken.split())


def languages(folder, voice):
    """(folder of Common Voice, voice of espeak-ng)"""
    if voice:
        return [(folder, voice)]
    return [(os.path.join(folder, name), ESPEAK[name]) for name in sorted(os.listdir(folder)) if name in ESPEAK]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--folder", required=True)
    ap.add_argument("--voice", help="of espeak-ng, where the folder has one language")
    ap.add_argument("--out", required=True)
    args = ap.parse_args()
    os.makedirs(args.out, exist_ok=True)
    with open(os.path.join(args.out, "manifest.tsv"), "w", encoding="utf-8") as out, concurrent.futures.ThreadPoolExecutor() as pool:
        print("path", "speaker", "text", sep="\t", file=out)
        for folder, voice in languages(args.folder, args.voice):
            found = recordings.read(folder)[0]
            ipas = list(pool.map(functools.partial(read_aloud, voice), (r.text for r in found)))
            kept = [(r, ipa) for r, ipa in zip(found, ipas) if phones(ipa)]
            for recording, ipa in kept:
                print(os.path.abspath(recording.audio), recording.speaker, ipa, sep="\t", file=out)
            print(f"{voice}: {len(kept)} of {len(found)}", flush=True)


if __name__ == "__main__":
    main()
