"""Clicks that are each higher than the one before: whoever hears one knows which one it is."""

import numpy as np

from tests.desktop.soundserver import RATE
from tests.desktop.words import samples

SECONDS = 0.02
"""From click to click."""

LOWEST, STEP = 2000, 150
MOST = 200
"""After these, a click would be higher than 16 bits go."""

WIDTH = 0.006
"""Seconds of each click: long enough to keep its height at a third of the rate."""


def click_train(clicks: int = MOST) -> bytes:
    """16-bit mono PCM of 48 kHz."""
    heights = LOWEST + STEP * np.arange(clicks)
    train = np.zeros((clicks, int(SECONDS * RATE)))
    train[:, : int(WIDTH * RATE)] = heights[:, None]
    return train.astype("<i2").tobytes()


def click_numbers(pcm: bytes, rate: int) -> list[int]:
    """Which clicks are in there, the first being 0."""
    heights = samples(pcm).astype(int)
    loud = np.flatnonzero(heights > LOWEST / 2)
    runs = np.split(loud, np.flatnonzero(np.diff(loud) > 1) + 1)
    return [round((np.median(heights[run]) - LOWEST) / STEP) for run in runs if len(run) > 0.7 * WIDTH * rate]
