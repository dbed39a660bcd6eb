"""Spoken numbers and their spelling, by espeak-ng in many voices: data/{train,valid}.{sounds,text}. The voices of the second are
not among those of the first. Needs espeak-ng (apt-get install espeak-ng).

usage: make_data.py [TIMES]
TIMES: how often each voice says each word (12)"""
import pathlib
import random
import shutil
import subprocess
import sys

DIGITS = "zero one two three four five six seven eight nine".split()
VOICES = ["en", "en-us", "en-gb-scotland", "en-gb-x-rp", "en+m1", "en+m2", "en+m3", "en+m5", "en+m6", "en-us+m7", "en+f1", "en+f2",
          "en-us+f4", "en-us+f5"]
NEW_VOICES = ["en+m4", "en-us+f3"]


def main():
    if not shutil.which("espeak-ng"):
        sys.exit("make_data.py needs espeak-ng: apt-get install espeak-ng")
    rng = random.Random(1)
    here = pathlib.Path(__file__).parent
    (here / "data/sounds").mkdir(parents=True, exist_ok=True)
    often = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    for name, voices, times in (("train", VOICES, often), ("valid", NEW_VOICES, min(often, 8))):
        paths, texts = [], []
        for voice in voices:
            for word in DIGITS:
                for i in range(times):
                    paths.append(f"data/sounds/{name}-{len(paths)}.wav")
                    texts.append(word)
                    speed, pitch = rng.randrange(120, 200), rng.randrange(30, 70)
                    subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "-w", here / paths[-1], word], check=True)
        (here / f"data/{name}.sounds").write_text("".join(f"{path}\n" for path in paths))
        (here / f"data/{name}.text").write_text("".join(f"{text}\n" for text in texts))


if __name__ == "__main__":
    main()
