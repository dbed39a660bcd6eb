"""Names and shapes of the tensors of a model folder. Only Python's own library.

usage: shapes.py FOLDER [PART OF A NAME]"""
import json
import pathlib
import struct
import sys


def main():
    data = (pathlib.Path(sys.argv[1]) / "weights.safetensors").read_bytes()
    contents = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
    for name, entry in contents.items():
        if "shape" in entry and (len(sys.argv) < 3 or sys.argv[2] in name):
            print(f"{name:40} {' x '.join(map(str, entry['shape']))}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
