"""What every encoder has in common with the stream: the mel frames before a window, the quietest sound, and what a frame may see."""
import functools
import math

import torch

HISTORY = 9  # mel frames of pre-encode history before every window
FLOOR = math.log(1e-5)  # below it there is only the noise of the recording chain


@functools.lru_cache(maxsize=256)
def chunk_mask(frames, look_ahead, left, device):
    """True where frame i may look at frame j."""
    at = torch.arange(frames, device=device)
    start = at // (look_ahead + 1) * (look_ahead + 1)
    return (at[None] >= start[:, None] - left) & (at[None] < start[:, None] + look_ahead + 1)
