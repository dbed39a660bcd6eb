// What the page and the engine's worker say to each other.

export interface EngineFile {
  path: string; // in the engine's own file system
  bytes: Uint8Array;
}

// begin: start the engine with these files, and open the models among them (the JSON of `open`; null: none).
// call: one of the engine's functions. read, remove: all files of a folder. write: more files.
export type Ask =
  | { ask: "begin"; module: WebAssembly.Module; files: EngineFile[]; open: string | null }
  | { ask: "call"; name: string; json: string }
  | { ask: "write"; files: EngineFile[] }
  | { ask: "read"; folder: string }
  | { ask: "remove"; folder: string };

// A part of an answer that is still made; then the result, or what went wrong. `dead`: the engine cannot be asked again.
export type Told = { id: number } & ({ part: string } | { result: unknown } | { error: string; dead: boolean });
