"""Arrays as NumPy writes them, for the readers of .npy and .npz.

usage: arrays.py FOLDER

Element i of each array, counted in row-major order, is i % 7 - 3 (as unsigned numbers and bytes: i % 7).
"""
import pathlib
import sys

import numpy

SHAPES = {"scalar": (), "vector": (5,), "matrix": (3, 4), "empty": (0, 4), "cube": (2, 3, 2)}


def numbers(shape, dtype):
    i = numpy.arange(int(numpy.prod(shape)), dtype="i8") % 7
    return (i if numpy.dtype(dtype).kind == "u" else i - 3).astype(dtype).reshape(shape)


def main(folder):
    arrays = {f"{name}.{dtype}": numbers(shape, dtype) for name, shape in SHAPES.items()
              for dtype in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")}
    arrays["straße/fortran"] = numpy.asfortranarray(numbers((2, 3, 2), "f4"))
    arrays["truth"] = numpy.array([True, False])
    arrays["text"] = numpy.frombuffer("größe: 3\n\0".encode(), dtype="u1")
    numpy.savez(folder / "stored.npz", **arrays)
    numpy.savez_compressed(folder / "deflated.npz", **arrays)
    numpy.save(folder / "matrix.npy", numbers((3, 4), "f4"))
    numpy.save(folder / "big_endian.npy", numbers((3, 4), ">f4"))
    numpy.save(folder / "records.npy", numpy.zeros(2, dtype=[("a", "f4"), ("b", "i4")]))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
