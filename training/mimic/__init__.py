"""Our sentences in the voices of strangers.

Synthetic voices teach a network the sounds and words of Kikuyu and Dholuo, and recordings of other languages teach it how people sound, but only recordings of Kikuyu and Dholuo
speakers would teach it both. There are none. So a second network learns from the recordings of strangers to go on speaking as somebody began: same voice, same microphone, same room,
with the sounds that it is told (flow matching, as in Voicebox). Then it is told ours.

    sound.py      speech as log-mel frames, and back
    network.py    the network
    examples.py   recordings of strangers, and what they are asked to say
    learn.py      the training
    speak.py      shards of what it says
"""
