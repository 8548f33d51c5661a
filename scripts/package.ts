// `npm run package`: the npm package, as a folder and as the tarball that would be published.
//
//   npm run package                dist/agent-os-VERSION.tgz, and what is in it in dist/agent-os
//   npm run package -- --preview   the list of its files, by `npm pack --dry-run`
//   npm run package -- --to DIR    the same in another folder than dist/
//
// PACKAGE-1  File by file: every module keeps its place, so that threads, workers and assets are found
//     beside it as they are in the source. Only the command line is bundled (package/command-bundle.ts).
// PACKAGE-2  The same source gives the same bytes: no time, user or path of the machine is in it.
// PACKAGE-3  On a Node that is too old, an import of the library ends in one sentence, and not in a syntax error.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildDashboard } from "./build-dashboard.ts";
import { buildDocs } from "./build-docs.ts";
import { bundledFiles } from "./package/bundled.ts";
import { bundleStart, commandBundle } from "./package/command-bundle.ts";
import {
  assets,
  programEntries,
  publicEntries,
  readManifest,
  repository,
  rooms,
} from "./package/contents.ts";
import { manualPages } from "./man/manual.ts";
import { declarationsOf } from "./package/declarations.ts";
import { guardedEntry, LIBRARY } from "./package/guarded-entry.ts";
import { packageManifest, roomManifest } from "./package/manifest.ts";
import { reachableFrom } from "./package/reach.ts";
import { withPackageNames } from "./package/specifiers.ts";
import { transpile } from "./package/transpile.ts";

const { values } = parseArgs({
  options: {
    preview: { type: "boolean", default: false },
    to: { type: "string", default: "dist" },
  },
});
const { name } = readManifest("");
const dist = resolve(repository, values.to);
const folder = join(dist, name);

const write = (path: string, text: string) => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

async function build(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  buildDashboard();
  buildDocs();
  const entries = publicEntries();
  for (const [file, source] of reachableFrom([...Object.values(entries), ...programEntries])) {
    if (!file.endsWith(".ts")) {
      write(file, source);
      continue;
    }
    const { path, code, map } = transpile(file, source, file === entries["."] ? LIBRARY : file);
    write(path, code);
    write(`${path}.map`, map);
  }
  write("index.js", await guardedEntry(join(repository, entries["."]!))); // PACKAGE-3
  for (const [path, text] of declarationsOf(Object.values(entries))) write(path, text);
  for (const [path, text] of bundledFiles()) write(path, text);
  for (const [path, text] of await commandBundle()) write(path, text);
  for (const asset of assets)
    cpSync(join(repository, asset), join(folder, asset), { recursive: true });
  for (const main of ["daemon/bin/daemon.mjs"])
    write(main, withPackageNames(main, readFileSync(join(repository, main), "utf8")));
  write("cli/bin/aos.mjs", bundleStart);
  for (const room of rooms)
    write(`${room}/package.json`, `${JSON.stringify(roomManifest(room), null, 2)}\n`);
  const pages = manualPages();
  for (const [page, text] of pages) write(`man/${page}`, text);
  const readme = readFileSync(join(repository, "packaging/npm/README.md"), "utf8");
  write("README.md", readme.replaceAll("](../../", "](")); // it is at the top of the package
  write(
    "package.json",
    `${JSON.stringify(packageManifest(entries, [...pages.keys()]), null, 2)}\n`,
  );
  settle(folder);
}

/** PACKAGE-2: modes and times. */
function settle(path: string): void {
  const at = new Date("2026-01-01T00:00:00Z");
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const file = join(path, entry.name);
    if (entry.isDirectory()) settle(file);
    else
      chmodSync(
        file,
        file.endsWith("/bin/aos") || (statSync(file).mode & 0o100) !== 0 ? 0o755 : 0o644,
      );
    utimesSync(file, at, at);
  }
  chmodSync(path, 0o755);
}

await build();
const packed = spawnSync(
  "npm",
  [
    "pack",
    "--silent",
    "--pack-destination",
    dist,
    ...(values.preview ? ["--dry-run", "--json"] : []),
  ],
  { cwd: folder, encoding: "utf8" },
);
if (packed.status !== 0) throw new Error(`npm pack failed:\n${packed.stderr}`);
if (values.preview) {
  const [{ files }] = JSON.parse(packed.stdout) as [{ files: { path: string; size: number }[] }];
  for (const { path, size } of files) console.log(`${String(size).padStart(8)}  ${path}`);
} else console.log(join(values.to, packed.stdout.trim()));
