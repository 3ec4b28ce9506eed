"""The languages, once for all of the training. A test of the protocol checks this table against its list of models."""

LANGUAGES = {  # the prompt slot is the position in this table and must never change
    "ki": {"id": "svc-asr-kikuyu-v1", "language": "Kikuyu"},
    "luo": {"id": "svc-asr-dholuo-v1", "language": "Dholuo"},
    "sw": None, "yo": None,  # heard in training only
}
SPOKEN = tuple(code for code, model in LANGUAGES.items() if model)
