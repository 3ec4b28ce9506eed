"""Single English words of many speakers (`real/en.npz`): which of the speakers a training may hear. The others measure it."""
HELD_OUT = 300  # clips at the end, one per speaker


def heard(clips):
    return clips[:-HELD_OUT]


def held_out(clips):
    return clips[-HELD_OUT:]
