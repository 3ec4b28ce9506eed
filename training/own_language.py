"""Step 4b: strangers heard with a language model of their own language. The bundled models know what people write in Kikuyu and Dholuo, and Kikuyu and Dholuo speakers will be heard with
that knowledge; but all strangers whom we can measure with speak other languages, for which it is the wrong knowledge. So what the search makes of text is measured with theirs."""
import language_model
import sounds
from languages import SPOKEN

SEEN = 2  # there is less text than of our languages


def read(paths):
    """["rw=kinyarwanda.txt", ...], a sentence in each line -> {language: [sentence]}"""
    named = (path.split("=", 1) for path in paths)
    return {language: open(path, encoding="utf-8").read().splitlines() for language, path in named}


def models(texts, heard, tokens):
    """{(language, prompt): model}, learned from what is not heard in the measure, written in our letters."""
    return {(language, prompt): learn(language, sentences, heard, prompt, tokens) for language, sentences in texts.items() for prompt in SPOKEN}


def learn(language, sentences, heard, prompt, tokens):
    written = (sounds.transliterate(sentence, language, prompt) for sentence in sentences)
    pieces = (tokens.encode(sentence) for sentence in written if sentence and sentence not in heard)
    return language_model.learn([p for p in pieces if p], tokens.blank, SEEN)
