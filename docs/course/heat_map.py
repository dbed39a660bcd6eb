"""Attention as a picture for the course: of a decoder to its source, or of a text to itself; several side by side.

usage: attune attend -m MODEL --source TEXT --format json | heat_map.py > FILE.svg"""
import json
import sys

from svg import Sheet

LETTER, WORD = 26, 46  # cells, in pixels


def seen(look):
    """What looks, what is looked at, the weights of the first head."""
    kind = next(kind for kind in ("cross", "decoder", "encoder") if look[f"{kind}_attention"])
    rows = {"cross": "decoder_outputs", "decoder": "decoder_tokens", "encoder": "encoder_tokens"}[kind]
    columns = "decoder_tokens" if kind == "decoder" else "encoder_tokens"
    return look[rows], look[columns], look[f"{kind}_attention"][0][0]


def label(token):
    return token.replace("</s>", "⏎").replace("▁", "␣")


def main():
    looks = [seen(json.loads(line)) for line in sys.stdin]
    longest = max(len(label(token)) for rows, columns, _ in looks for token in rows + columns)
    size, style = (LETTER, "") if longest == 1 else (WORD, "small")
    width, height = (lambda columns: 80 + size * len(columns)), max(60 + size * len(rows) for rows, _, _ in looks)
    sheet, left = Sheet(sum(width(columns) for _, columns, _ in looks), height, "attention weights", 0), 0
    for rows, columns, weights in looks:
        for j, token in enumerate(columns):
            sheet.text(left + 64 + size * (j + 0.5), 30, label(token), style)
        for i, (token, row) in enumerate(zip(rows, weights)):
            sheet.text(left + 38, 52 + size * (i + 0.5), label(token), style)
            for j, weight in enumerate(row):
                sheet.cell(left + 64 + size * j, 52 + size * i, size, weight, "hot")
        left += width(columns)
    print(sheet.svg(), end="")


if __name__ == "__main__":
    main()
