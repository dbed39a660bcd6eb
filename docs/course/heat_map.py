"""The attention of a decoder to its source as a picture for the course.

usage: attune attend -m MODEL --source TEXT --format json | heat_map.py > FILE.svg"""
import json
import sys

from svg import Sheet

SIZE = 26


def main():
    look = json.loads(sys.stdin.readline())
    weights = look["cross_attention"][0][0]
    read, wrote = look["encoder_tokens"], look["decoder_outputs"]
    sheet = Sheet(80 + SIZE * len(read), 60 + SIZE * len(wrote), "attention weights", 0)
    for j, token in enumerate(read):
        sheet.text(64 + SIZE * (j + 0.5), 30, token.replace("</s>", "⏎").replace("▁", "␣"))
    for i, (token, row) in enumerate(zip(wrote, weights)):
        sheet.text(40, 52 + SIZE * (i + 0.5), token.replace("</s>", "⏎").replace("▁", "␣"))
        for j, weight in enumerate(row):
            sheet.cell(64 + SIZE * j, 52 + SIZE * i, SIZE, weight, "hot")
    print(sheet.svg(), end="")


if __name__ == "__main__":
    main()
