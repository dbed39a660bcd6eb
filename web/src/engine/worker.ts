// The engine's worker: engine.js stands before this program and has defined attuneEngine.
import type { Ask, EngineFile, Told } from "./messages";

interface FileSystem {
  mkdirTree(folder: string): void;
  writeFile(path: string, bytes: Uint8Array): void;
  readFile(path: string): Uint8Array;
  readdir(folder: string): string[];
  stat(path: string): { mode: number };
  isDir(mode: number): boolean;
  analyzePath(path: string): { exists: boolean };
  unlink(path: string): void;
}

interface EngineModule {
  FS: FileSystem;
  call(name: string, json: string): string;
}

declare function attuneEngine(options: object): Promise<EngineModule>;

const scope = globalThis as unknown as { postMessage(told: Told): void; onmessage: (event: { data: Ask & { id: number } }) => void };

let engine: EngineModule | null = null;
let asked = 0; // who gets the parts
let complaint = ""; // what the engine said last, before it gave up

function write(files: EngineFile[]): void {
  for (const { path, bytes } of files) {
    engine!.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")) || "/");
    engine!.FS.writeFile(path, bytes);
  }
}

class Refused extends Error {}

function filesIn(folder: string): EngineFile[] {
  const { FS } = engine!;
  if (!FS.analyzePath(folder).exists) throw new Refused(`${folder} is not there`);
  return FS.readdir(folder).filter((name) => name !== "." && name !== "..").flatMap((name) => {
    const path = `${folder}/${name}`;
    return FS.isDir(FS.stat(path).mode) ? filesIn(path) : [{ path, bytes: FS.readFile(path) }];
  });
}

// The module has been compiled already, so that this takes no time.
async function begin(module: WebAssembly.Module): Promise<void> {
  engine = await attuneEngine({
    instantiateWasm(imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void) {
      const instance = new WebAssembly.Instance(module, imports);
      receive(instance, module);
      return instance.exports;
    },
    onPart: (part: string) => scope.postMessage({ id: asked, part }),
    print: () => undefined,
    printErr: (line: string) => void (complaint = line),
  });
}

function call(name: string, json: string): unknown {
  const answer = JSON.parse(engine!.call(name, json));
  if (typeof answer.error === "string") throw new Refused(answer.error);
  return answer;
}

async function done(ask: Ask): Promise<unknown> {
  if (ask.ask === "call") return call(ask.name, ask.json);
  if (ask.ask === "read") return filesIn(ask.folder);
  if (ask.ask === "remove") return filesIn(ask.folder).forEach(({ path }) => engine!.FS.unlink(path));
  if (ask.ask === "write") return write(ask.files);
  await begin(ask.module);
  write(ask.files);
  return ask.open === null ? null : call("open", ask.open);
}

scope.onmessage = async ({ data }) => {
  asked = data.id;
  try {
    scope.postMessage({ id: data.id, result: await done(data) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const refused = error instanceof Refused;
    scope.postMessage({ id: data.id, error: refused || complaint === "" ? message : `${message} (${complaint})`, dead: !refused });
  }
};
