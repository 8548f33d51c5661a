// Install folder: brings the packages of a folder that the root install leaves out; with a fresh stamp it
// returns at once. No package's install script runs: some of them report to their makers.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/**
 * @param {string} folder
 * @param {string} what what is brought, for whoever waits
 * @param {() => Promise<void>} [finish] what is still to be done once they are there
 */
export async function installFolder(folder, what, finish = async () => {}) {
  const stamp = join(folder, "node_modules", ".installed");
  const wanted = fingerprint(folder);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;

  console.error(`installing ${what}, once …`);
  rmSync(stamp, { force: true });
  await run(
    "npm",
    ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"],
    folder,
  );
  await finish();
  writeFileSync(stamp, wanted);
}

// The lock file is left out: npm may rewrite it per platform, the versions above it are exact.
function fingerprint(folder) {
  const manifest = readFileSync(join(folder, "package.json"));
  return `${createHash("sha256").update(manifest).digest("hex")} ${process.platform}-${process.arch}\n`;
}

/**
 * Everything a child prints goes to stderr. Below `npm run`, npm has left settings in the environment that
 * point at the outer package; they must not reach the inner npm.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export function run(command, args, cwd) {
  const inherited = Object.entries(process.env).filter(([name]) => !OUTER_NPM.test(name));
  const path = dirname(process.execPath) + delimiter + (process.env.PATH ?? "");
  const child = spawn(command, args, {
    cwd,
    env: { ...Object.fromEntries(inherited), PATH: path },
    stdio: ["ignore", 2, 2],
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0
        ? resolve(undefined)
        : reject(new Error(`${command} ${args[0]} ended with code ${code}`)),
    );
  });
}
const OUTER_NPM =
  /^(npm_(package|lifecycle)_|npm_config_(local_prefix|prefix|workspaces?|global)$|INIT_CWD$)/i;
