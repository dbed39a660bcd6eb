// `attune serve` with the small models, for tests.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { folder, program, train } from "./fixture";

const NUMBERS = ["one", "two", "three", "four", "five", "six", "seven"];
export const TEXT = "three and four";
export const MODELS = ["-m", "en-de=rnn", "-m", "en-de=transformer"];

// Lines without letters are not translated, so these have words.
export function trainNumbers(): void {
  train(Array.from({ length: 200 }, (_, i) => [`${NUMBERS[i % 7]} and ${NUMBERS[i % 5]}`, `${NUMBERS[i % 5]} und ${NUMBERS[i % 7]}`]));
}

export interface Served {
  address: string;
  port: number;
  stop(): Promise<void>; // at once, as when it crashes
  ask(path: string, body?: object): Promise<any>;
}

export async function serve(...args: string[]): Promise<Served> {
  const child = spawn(program, ["serve", "--quiet", "--cpu-threads", "1", "--max-length", "24", ...args], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const port = await listening(child);
  const address = `http://127.0.0.1:${port}`;
  return {
    address,
    port,
    async stop() {
      const ended = once(child, "exit");
      if (child.kill("SIGKILL")) await ended;
    },
    async ask(path, body) {
      const response = await fetch(address + path, body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
      return response.json();
    },
  };
}

function listening(child: ChildProcess): Promise<number> {
  return new Promise((done, fail) => {
    let said = "";
    child.stderr!.on("data", (part) => {
      said += part;
      const found = /listening at http:\/\/[^\n]*:(\d+)\n/.exec(said);
      if (found) done(Number(found[1]));
    });
    child.on("exit", () => fail(new Error(said)));
  });
}
