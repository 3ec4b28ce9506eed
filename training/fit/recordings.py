"""Recordings as people have them: their layouts are read into one list. A row that cannot be used is named with its reason, never fatal.

Common Voice            validated.tsv (or train, dev and test.tsv) with client_id, path, sentence; the audio in clips/
African Next Voices     any depth of folders with files/transcripts.csv beside audios/ (Parquet or audio files); also Parquet files that hold their text
manifest.tsv            a header with path (or file) and text; speaker where it is known
Kaldi                   any depth of folders with wav.scp, text and utt2spk, which may have a prefix (train_wav.scp, train_text, train_utt2spk)
Festvox                 txt.done.data beside wav/
texts                   a text file beside each audio file; the speaker is what the name has before its first underscore
audio                   audio files and no text: for speech that is written down by heard.py, never seen from the folder alone
"""
import collections
import csv
import functools
import glob
import os
import re

# audio: the path of a file, or a function that gives the file's bytes. No speaker: "".
Recording = collections.namedtuple("Recording", "name audio text speaker")
TEXT_ENDINGS = (".txt", ".lab", ".mb.cleaned")  # the last: Mboshi beside its translation
FESTVOX_LINE = re.compile(r'\(\s*(\S+)\s+"(.*)"\s*\)')
AUDIO = (".wav", ".mp3", ".ogg", ".opus", ".flac", ".m4a", ".webm")

# The names that columns have had in published files.
FILE_COLUMNS = ("path", "file", "filename", "file_name", "audio_path", "audio")
TEXT_COLUMNS = ("text", "sentence", "transcription", "transcript", "actualSentence")
SPEAKER_COLUMNS = ("speaker", "client_id", "recorder_uuid", "speaker_id", "participantId")

csv.field_size_limit(1 << 24)


class LayoutError(Exception):
    """What the folder lacks, for the person who gave it."""


def read(folder, layout=None):
    """Returns [Recording], {reason: [names]}."""
    layout = layout or detect(folder)
    problems = collections.defaultdict(list)
    return list(READERS[layout](folder, problems)), problems


def detect(folder):
    if os.path.isfile(os.path.join(folder, "manifest.tsv")):
        return "manifest"
    if os.path.isdir(os.path.join(folder, "clips")) and glob.glob(os.path.join(folder, "*.tsv")):
        return "common-voice"
    if find(folder, "transcripts.csv") or find(folder, "*.parquet"):
        return "next-voices"
    if find(folder, "*wav.scp"):
        return "kaldi"
    if find(folder, "txt.done.data"):
        return "festvox"
    raise LayoutError(f"{folder} has neither manifest.tsv, nor clips/ with *.tsv (Common Voice), nor transcripts.csv or *.parquet (African Next Voices), nor wav.scp (Kaldi)")


def find(folder, pattern):
    return sorted(glob.glob(os.path.join(glob.escape(folder), "**", pattern), recursive=True))


def find_audio(folder):
    return [path for path in find(folder, "*") if path.lower().endswith(AUDIO)]


def read_table(path, delimiter):
    quoting = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
    with open(path, encoding="utf-8-sig", newline="") as file:
        yield from csv.DictReader(file, delimiter=delimiter, quoting=quoting)


def value(row, columns):
    return next((row[c].strip() for c in columns if isinstance(row.get(c), str) and row[c].strip()), "")


def checked(row, name, audio, problems):
    """The recording of a table's row, or nothing where it has no text or no audio."""
    said = value(row, TEXT_COLUMNS)
    if not said:
        problems["no text"].append(name or "?")
    elif audio is None:
        problems["no audio file"].append(name or "?")
    else:
        yield Recording(name, audio, said, value(row, SPEAKER_COLUMNS))


def read_manifest(folder, problems):
    for row in read_table(os.path.join(folder, "manifest.tsv"), "\t"):
        name = value(row, FILE_COLUMNS)
        yield from checked(row, name, existing(folder, name), problems)


def read_common_voice(folder, problems):
    parts = [p for p in ("validated", "train", "dev", "test") if os.path.isfile(os.path.join(folder, f"{p}.tsv"))]
    if not parts:
        raise LayoutError(f"{folder} has none of validated.tsv, train.tsv, dev.tsv, test.tsv")
    clips = os.path.join(folder, "clips")
    for part in parts[:1] if parts[0] == "validated" else parts:  # the parts are chosen from what is validated
        for row in read_table(os.path.join(folder, f"{part}.tsv"), "\t"):
            name = value(row, ("path",))
            yield from checked(row, name, existing(clips, name) or existing(clips, f"{name}.mp3"), problems)


def existing(folder, name):
    path = os.path.join(folder, name)
    return path if name and os.path.isfile(path) else None


def read_next_voices(folder, problems):
    """Audio and text lie apart and are joined by the file's name, without folder and ending."""
    for table in find(folder, "transcripts.csv"):
        group = os.path.dirname(os.path.dirname(table))
        audio = {key(p): (p, {}) for p in find_audio(group)}
        audio |= {key(name): (load, row) for name, load, row in parquet_rows(find(group, "*.parquet"))}
        for row in read_table(table, ","):
            name = value(row, FILE_COLUMNS)
            found, beside = audio.get(key(name), (None, {}))
            yield from checked({**beside, **{k: v for k, v in row.items() if v}}, name, found, problems)
    if not find(folder, "transcripts.csv"):
        for name, load, row in parquet_rows(find(folder, "*.parquet")):
            yield from checked(row, name, load, problems)


def key(name):
    return os.path.splitext(os.path.basename(name))[0].lower()


def parquet_rows(paths):
    """(name, function that gives the audio's bytes, other columns) of every row."""
    for path in paths:
        file = open_parquet(path)
        others = [c for c in file.schema_arrow.names if c != "audio"]
        for group in range(file.num_row_groups):
            for at, row in enumerate(file.read_row_group(group, columns=others).to_pylist()):
                name = value(row, ("filename", "file_name", "path")) or f"{key(path)}-{group}-{at}"
                yield name, functools.partial(parquet_audio, path, group, at), row


def open_parquet(path):
    try:
        import pyarrow.parquet
    except ImportError:
        raise LayoutError(f"{path} is a Parquet file: pip install pyarrow") from None
    return pyarrow.parquet.ParquetFile(path)


@functools.lru_cache(maxsize=2)
def audio_column(path, group):
    return open_parquet(path).read_row_group(group, columns=["audio"])["audio"]


def parquet_audio(path, group, at):
    return audio_column(path, group)[at].as_py()["bytes"]


def read_kaldi(folder, problems):
    for table in find(folder, "*wav.scp"):
        texts, speakers = (kaldi_table(table.removesuffix("wav.scp") + name) for name in ("text", "utt2spk"))
        for name, path in kaldi_table(table).items():
            yield from checked({"text": texts.get(name), "speaker": speakers.get(name)}, name, moved(folder, path), problems)


def kaldi_table(path):
    """{name: the rest of its line}"""
    with open(path, encoding="utf-8") as file:
        return {line.split(maxsplit=1)[0]: line.split(maxsplit=1)[-1].strip() for line in file if line.strip()}


def moved(folder, path):
    """Where a file is now that lay under another folder when its path was written down, or None."""
    parts = path.split("/")
    return next((found for i in range(len(parts)) if (found := existing(folder, os.path.join(*parts[i:])))), None)


def read_festvox(folder, problems):
    for table in find(folder, "txt.done.data"):
        for name, said in FESTVOX_LINE.findall(open(table, encoding="utf-8").read()):
            yield from checked({"text": said}, name, existing(os.path.join(os.path.dirname(table), "wav"), f"{name}.wav"), problems)


def read_texts(folder, problems):
    for path in find_audio(folder):
        beside = next((p for ending in TEXT_ENDINGS if os.path.isfile(p := os.path.splitext(path)[0] + ending)), None)
        said = open(beside, encoding="utf-8").read() if beside else ""
        yield from checked({"text": said, "speaker": key(path).split("_")[0]}, os.path.relpath(path, folder), path, problems)


def read_audio(folder, problems):
    for path in find_audio(folder):
        yield Recording(os.path.relpath(path, folder), path, "", "")


READERS = {"common-voice": read_common_voice, "next-voices": read_next_voices, "manifest": read_manifest, "kaldi": read_kaldi, "festvox": read_festvox,
           "texts": read_texts, "audio": read_audio}
LAYOUTS = tuple(READERS)
WITH_TEXT = tuple(layout for layout in LAYOUTS if layout != "audio")
