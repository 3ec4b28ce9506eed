"""The network that tells the service when somebody speaks: Silero's VAD (version 5, MIT), taught further on speech in noise, rooms and telephones.

Read in this order: `network` (Silero's layers in torch), `labels` (where somebody speaks in a clean recording), `sources` (what is
learned from), `tracks` (speech and noise of 41 s), `scenes` (both together, on the device), `learn` (the training), `graph` (the file that the server loads). `__main__.py` runs them.
"""
