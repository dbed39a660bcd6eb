// Debian's Firefox, driven by its own protocol (Marionette): lines of JSON with their lengths before them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { eventually, PATIENCE } from "./eventually";

export interface Firefox {
  open(address: string): Promise<void>;
  evaluate(script: string): Promise<any>; // a function's body; what it returns
  close(): Promise<void>;
}

export async function startFirefox(profile: string): Promise<Firefox> {
  mkdirSync(profile, { recursive: true });
  writeFileSync(join(profile, "user.js"), 'user_pref("marionette.port", 0);\nuser_pref("datareporting.policy.dataSubmissionEnabled", false);\nuser_pref("network.proxy.type", 0);\n');
  const child = spawn("firefox-esr", ["--headless", "--marionette", "--no-remote", "--profile", profile], { stdio: "ignore", env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: "1" } });
  let port = 0;
  await eventually(() => (port = Number(readFileSync(join(profile, "MarionetteActivePort"), "utf8"))));
  const socket = createConnection(port, "127.0.0.1");
  const waiting = new Map<number, { done(value: any): void; fail(error: Error): void }>();
  let bytes = Buffer.alloc(0), last = 0;
  socket.on("data", (more) => {
    bytes = Buffer.concat([bytes, more]);
    for (;;) {
      const colon = bytes.indexOf(":"), length = Number(bytes.subarray(0, Math.max(colon, 0)).toString());
      if (colon < 0 || bytes.length < colon + 1 + length) return;
      const message = JSON.parse(bytes.subarray(colon + 1, colon + 1 + length).toString());
      bytes = bytes.subarray(colon + 1 + length);
      if (!Array.isArray(message)) continue; // its greeting
      const [, id, error, result] = message, asked = waiting.get(id);
      if (error) asked?.fail(new Error(error.message));
      else asked?.done(result);
    }
  });
  const send = (command: string, parameters: object = {}) =>
    new Promise<any>((done, fail) => {
      waiting.set(++last, { done, fail });
      const text = JSON.stringify([0, last, command, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  await once(socket, "connect");
  await send("WebDriver:NewSession", { capabilities: { alwaysMatch: { pageLoadStrategy: "normal", timeouts: { pageLoad: PATIENCE, script: PATIENCE } } } });
  return {
    open: (address) => send("WebDriver:Navigate", { url: address }),
    evaluate: async (script) => (await send("WebDriver:ExecuteScript", { script, args: [] })).value,
    async close() {
      const ended = once(child, "exit");
      await send("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => child.kill());
      await ended;
      socket.destroy();
    },
  };
}
