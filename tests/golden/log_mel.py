"""The log-mel spectrum of a chirp by NumPy, for src/vectors/sound_test.cpp: writes log_mel.json."""
import json
import pathlib

import numpy

RATE, BANDS, WINDOW, STEP = 8000, 12, 200, 80


def chirp():
    t = numpy.arange(1000) / RATE
    wave = 0.5 * numpy.sin(2 * numpy.pi * (200 * t + 8000 * t * t)) + t * numpy.cos(2 * numpy.pi * 3000 * t)
    return numpy.round(wave * 32767).astype(int)


def mel(frequency):
    return 2595 * numpy.log10(1 + frequency / 700)


def log_mel(samples):
    wave = samples / 32768
    hann = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(WINDOW) / WINDOW)
    frames = numpy.stack([wave[i:i + WINDOW] * hann for i in range(0, len(wave) - WINDOW + 1, STEP)])
    power = numpy.abs(numpy.fft.rfft(frames, 256)) ** 2
    lines = numpy.arange(129) * RATE / 256
    step = mel(RATE / 2) / (BANDS + 1)
    bands = numpy.maximum(0, 1 - numpy.abs(mel(lines)[:, None] / step - numpy.arange(1, BANDS + 1)))
    energies = numpy.log(power @ bands + 1e-10)
    return (energies - energies.mean(0)) / (energies.std(0) + 1e-5)


samples = chirp()
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(
    {"samples": samples.tolist(), "frames": [[round(x, 6) for x in row] for row in log_mel(samples).tolist()]}))
