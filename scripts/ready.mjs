// Ready: before any of our TypeScript can run there must be the npm packages, and with them Node 24.
// Runs before `npm test`. Plain JavaScript, because the Node that runs it may be an old one.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const NEEDED = 24;
const top = dirname(dirname(fileURLToPath(import.meta.url)));

const problem = difference();
if (problem !== undefined) {
  console.error(`ready: ${problem}: npm install`);
  // Never `npm ci`: the lock file has only one platform's optional packages, and it refuses that.
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund"], {
    cwd: top,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
}

// The packages bring Node along, and npm puts it first on the PATH of its scripts.
const { stdout } = spawnSync("node", ["--version"], { encoding: "utf8" });
const found = (stdout ?? "").trim();
if (Number(/^v(\d+)\./.exec(found)?.[1] ?? 0) < NEEDED) {
  console.error(`ready: Node ${NEEDED} or newer is needed, and \`node\` is ${found || "missing"}`);
  console.error("hint: run it as `npm test`, or install Node 24; npm packages bring one for Linux");
  process.exit(1);
}

/** How what is installed differs from the lock file; nothing when it does not. */
function difference() {
  const installed = join(top, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return "the npm packages are not installed";
  const has = packagesIn(installed);
  for (const [path, wanted] of Object.entries(packagesIn(join(top, "package-lock.json")))) {
    if (wanted.link && !existsSync(join(top, path))) return `${path} is not linked`;
    if (!path.startsWith("node_modules/") || wanted.link || wanted.optional) continue;
    if (has[path]?.version !== wanted.version) return `${path} is not at ${wanted.version}`;
  }
  return undefined;
}

function packagesIn(file) {
  return JSON.parse(readFileSync(file, "utf8")).packages ?? {};
}
