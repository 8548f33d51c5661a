// Install: brings llama.cpp on first use, 85 MB; with a fresh stamp it returns at once.
//
// node-llama-cpp lists ready binaries for every machine and every graphics card as optional packages, 700 MB
// of them. All are left out, and the one for the processor of this machine is asked for by name. No
// package's install script runs.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

const folder = import.meta.dirname;
const stamp = join(folder, "node_modules", ".installed");
const BINARIES = {
  "linux-x64": "linux-x64",
  "linux-arm64": "linux-arm64",
  "darwin-x64": "mac-x64",
  "darwin-arm64": "mac-arm64-metal",
};

export async function install() {
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const platform = `${process.platform}-${process.arch}`;
  const wanted = `${dependencies["node-llama-cpp"]} ${platform}\n`;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;

  const binary = BINARIES[platform];
  if (binary === undefined) throw new Error(`there is no llama.cpp for ${platform}`);
  rmSync(stamp, { force: true });
  await run("npm", [
    "install",
    "--prefix",
    folder,
    "--omit=optional",
    "--no-save",
    "--no-package-lock",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    `@node-llama-cpp/${binary}@${dependencies["node-llama-cpp"]}`,
  ]);
  writeFileSync(stamp, wanted);
}

// Below `npm run`, npm has left settings in the environment that point at the outer package.
function run(command, args) {
  const inherited = Object.entries(process.env).filter(([name]) => !OUTER_NPM.test(name));
  const path = dirname(process.execPath) + delimiter + (process.env.PATH ?? "");
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), PATH: path },
    stdio: ["ignore", 2, 2],
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args[0]} ended with code ${code}`)),
    );
  });
}
const OUTER_NPM =
  /^(npm_(package|lifecycle)_|npm_config_(local_prefix|prefix|workspaces?|global)$|INIT_CWD$)/i;
