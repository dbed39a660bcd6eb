// The npm package as somebody installs it, built into a folder.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// Tests run in web/.
export function buildPackage(folder: string, engine: string): void {
  execFileSync(process.execPath, ["package/build.mjs", folder, engine], { stdio: "inherit" });
}

export const inNode = (folder: string): Promise<typeof import("../package/index")> => import(pathToFileURL(join(folder, "node.js")).href);
