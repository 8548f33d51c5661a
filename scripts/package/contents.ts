// Contents: what the npm package has, as data: its rooms, what people import, and what is copied as it is.
//
// CONTENTS-1  The package's name is said here and in the root package.json, and nowhere else in its build.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../../", import.meta.url));

interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export const readManifest = (folder: string): PackageManifest =>
  JSON.parse(readFileSync(join(repository, folder, "package.json"), "utf8")) as PackageManifest;

/** The rooms that run once they are installed. */
export const rooms = [
  "protocol",
  "kernel",
  "drivers",
  "userland",
  "daemon",
  "client",
  "cli",
  "sdk",
  "attacks",
];

/** What people import: `agent-os` and its subpaths, as the root package.json says. */
export const publicEntries = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(readManifest("").exports ?? {}).map(([name, path]) => [
      name,
      path.replace(/^\.\//, ""),
    ]),
  );

/** What runs and nobody imports: it is found by a path that is made while it runs. */
export const programEntries: readonly string[] = [
  "daemon/src/main.ts",
  "drivers/src/tool-host/inside/host.ts",
  "drivers/src/tool-host/inside/agent-os.ts",
  "drivers/src/tools/define-tool.ts",
  "drivers/src/tools/touch-template.ts",
  "protocol/src/words.ts",
];

/** Files and folders that are taken as they are. */
export const assets: readonly string[] = [
  "cli/bin",
  "cli/completions",
  "cli/templates",
  "daemon/bin",
  "daemon/roles",
  "daemon/skills",
  "dashboard/dist",
  "docs",
  "kernel/src/memory/weights.json",
  "drivers/src/models/prices.yaml",
  "drivers/src/tools/programs/ffmpeg.yaml",
  "drivers/src/tools/programs/gcc.yaml",
  "drivers/src/tools/programs/jq.yaml",
  "drivers/src/tools/programs/pandoc.yaml",
  "drivers/src/tools/programs/ripgrep.yaml",
  "sdk/python/aos.py",
  "sdk/src/client-resolution.mjs",
  "LICENSE",
];
