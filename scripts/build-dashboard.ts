// The page, built if it is not, or is older than what it is made of. Takes two seconds, and no network.
//
//   node scripts/build-dashboard.ts
//   buildDashboard()                  says whether it had to
//
// BUILD-DASHBOARD-1  A daemon may serve the page meanwhile, and somebody else may build it as well: the
//     new files come beside the old ones, and the page that names them last, in one move.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const top = fileURLToPath(new URL("..", import.meta.url));
const dashboard = join(top, "dashboard");
const dist = join(dashboard, "dist");

const SOURCES = [
  "dashboard/src",
  "dashboard/public",
  "dashboard/index.html",
  "dashboard/vite.config.ts",
  "dashboard/package.json",
  "client/src",
  "protocol/src",
];

export function buildDashboard(): boolean {
  if (isFresh()) return false;
  const made = join(dist, `.new-${process.pid}`);
  try {
    const vite = join(top, "node_modules", "vite", "bin", "vite.js");
    const built = spawnSync(
      process.execPath,
      [vite, "build", "--outDir", made, "--logLevel", "warn"],
      { cwd: dashboard, encoding: "utf8" },
    );
    if (built.status !== 0) {
      throw new Error(`the page could not be built:\n${built.stderr || built.error?.message}`);
    }
    putInPlace(made);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return true;
}

/** BUILD-DASHBOARD-1. */
function putInPlace(made: string): void {
  const assets = readdirSync(join(made, "assets"));
  mkdirSync(join(dist, "assets"), { recursive: true });
  for (const name of assets) renameSync(join(made, "assets", name), join(dist, "assets", name));
  for (const name of readdirSync(join(dashboard, "public")))
    cpSync(join(made, name), join(dist, name));
  renameSync(join(made, "index.html"), join(dist, "index.html"));
  for (const name of readdirSync(join(dist, "assets")))
    if (!assets.includes(name)) rmSync(join(dist, "assets", name), { force: true });
}

function isFresh(): boolean {
  const page = join(dist, "index.html");
  if (!existsSync(page)) return false;
  return SOURCES.every((path) => newestMs(join(top, path)) <= statSync(page).mtimeMs);
}

function newestMs(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

if (import.meta.main) {
  const built = buildDashboard();
  console.log(built ? "the page was built" : "the page is up to date");
}
