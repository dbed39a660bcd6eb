// Files as they lie in a page: a length in 4 bytes, a table in JSON, the files.
import type { EngineFile } from "../src/engine/messages";

export function packedFiles(files: EngineFile[]): Buffer {
  const table = Buffer.from(JSON.stringify(files.map(({ path, bytes }) => ({ path, bytes: bytes.length })))), length = Buffer.alloc(4);
  length.writeUInt32LE(table.length);
  return Buffer.concat([length, table, ...files.map(({ bytes }) => bytes)]);
}
