"""CTranslate2 ready built, from the npm package `ctranslate2`, for the benchmark and for comparing translations.

usage: ct2_install.py FOLDER

The package is built for glibc 2.38, of which it uses three functions: C23's strtol, strtoll and strtoull. On an
older system (Debian 12) its copy in FOLDER is changed to take those of glibc 2.2.5, which read no "0b101" and are
the same otherwise.
"""
import pathlib
import struct
import subprocess
import sys

PACKAGE = "ctranslate2@1.0.0"
NEW, OLD, PRESENT = "GLIBC_2.38", "GLIBC_2.2.5", "GLIBC_2.34"
PREFIX = "__isoc23_"
DYNSYM, VERNEED, VERSYM = 11, 0x6FFFFFFE, 0x6FFFFFFF  # types of sections


def for_older_glibc(binary):
    """The shared library with what it wants of glibc 2.38 renamed, as the ELF specification lays it out."""
    data = bytearray(binary)
    table, = struct.unpack_from("<Q", data, 40)
    entry, count, _ = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * entry) for i in range(count)]
    of_type = {section[1]: section for section in sections}
    symbols, needs, versions = of_type[DYNSYM], of_type[VERNEED], of_type[VERSYM]
    names = sections[symbols[6]][4]

    def text(at):
        return data[names + at:data.index(0, names + at)].decode()

    wanted = {}  # version of libc: where it stands
    at = needs[4]
    while True:
        _, count, file, first, step = struct.unpack_from("<HHIII", data, at)
        version = at + first
        for _ in range(count):
            _, _, _, name, next_version = struct.unpack_from("<IHHII", data, version)
            if text(file) == "libc.so.6":
                wanted[text(name)] = version
            version += next_version
        if step == 0:
            break
        at += step
    if NEW not in wanted:
        return bytes(data)
    number_of = {name: struct.unpack_from("<H", data, at + 6)[0] for name, at in wanted.items()}
    hash_, _, _, name, _ = struct.unpack_from("<IHHII", data, wanted[PRESENT])
    struct.pack_into("<I", data, wanted[NEW], hash_)
    struct.pack_into("<I", data, wanted[NEW] + 8, name)
    for i in range(symbols[5] // 24):
        symbol, version = symbols[4] + 24 * i, versions[4] + 2 * i
        if struct.unpack_from("<H", data, version)[0] != number_of[NEW]:
            continue
        name, = struct.unpack_from("<I", data, symbol)
        assert text(name).startswith(PREFIX), text(name)
        struct.pack_into("<I", data, symbol, name + len(PREFIX))
        struct.pack_into("<H", data, version, number_of[OLD])
    return bytes(data)


def loads(folder):
    return subprocess.run(["node", "-e", "require('ctranslate2')"], cwd=folder, capture_output=True).returncode == 0


def install(folder):
    """Returns why it cannot be had, or None."""
    folder = pathlib.Path(folder)
    library = folder / "node_modules/ctranslate2/ct2.linux-x64-gnu.node"
    if not library.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        try:
            done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", PACKAGE], cwd=folder,
                                  capture_output=True, text=True)
        except FileNotFoundError:
            return "npm is missing (Debian's package npm)"
        if done.returncode != 0:
            return f"npm install {PACKAGE} failed: {done.stderr.strip().splitlines()[-1]}"
    if not loads(folder):
        library.write_bytes(for_older_glibc(library.read_bytes()))
    return None if loads(folder) else f"{library} cannot be loaded"


if __name__ == "__main__":
    sys.exit(install(sys.argv[1]))
