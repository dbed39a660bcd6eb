// A zip file: for each file a header and its bytes, then the directory, then its end (PKWARE's APPNOTE, sections 4.3.7, 4.3.12,
// 4.3.16). Files are stored as they are: the numbers of a model hardly become smaller.
import type { EngineFile } from "../engine/messages";

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; ++bit) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

export function crc32(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = (rest >>> 8) ^ TABLE[(rest ^ byte) & 255]!;
  return (rest ^ 0xffffffff) >>> 0;
}

type Field = [value: number, bytes: 2 | 4];

function packed(fields: Field[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [, size]) => sum + size, 0)), view = new DataView(bytes.buffer);
  let at = 0;
  for (const [value, size] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

const VERSION = 20, UTF8 = 0x0800, STORED = 0, REGULAR = 0o100644;

// Since 1980, in steps of two seconds.
function stamp(date: Date): [Field, Field] {
  const time = (date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1);
  return [[time, 2], [((date.getFullYear() - 1980) << 9) | ((date.getMonth() + 1) << 5) | date.getDate(), 2]];
}

// Paths are relative, with / between folders.
export function zipOf(files: EngineFile[], date = new Date()): Blob {
  const parts: Uint8Array[] = [], directory: Uint8Array[] = [];
  let at = 0;
  for (const { path, bytes } of files) {
    const name = new TextEncoder().encode(path);
    const shared: Field[] = [[VERSION, 2], [UTF8, 2], [STORED, 2], ...stamp(date), [crc32(bytes), 4], [bytes.length, 4], [bytes.length, 4], [name.length, 2], [0, 2]];
    const header = packed([[0x04034b50, 4], ...shared]);
    const madeBy: Field = [(3 << 8) | VERSION, 2]; // Unix, for the mode
    directory.push(packed([[0x02014b50, 4], madeBy, ...shared, [0, 2], [0, 2], [0, 2], [REGULAR * 0x10000, 4], [at, 4]]), name);
    parts.push(header, name, bytes);
    at += header.length + name.length + bytes.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = packed([[0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [at, 4], [0, 2]]);
  return new Blob([...parts, ...directory, end] as BlobPart[], { type: "application/zip" });
}
