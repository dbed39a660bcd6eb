"""Translates the lines of a file.

    python3 translate_file.py MODEL_FOLDER FILE > TRANSLATIONS
"""
import sys

import attune


def main() -> None:
    model = attune.Model(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        lines = file.read().splitlines()
    for text in model.translate(lines, beam_size=4):
        print(text)


main()
