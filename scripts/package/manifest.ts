// Manifest: the package.json of the package, and the small ones of its rooms.

import { bundledNames, unusedPeers } from "./bundled.ts";
import { readManifest, rooms } from "./contents.ts";

const compiled = (path: string) => path.replace(/\.ts$/, "");

/** What it needs of others: what its rooms need, one version each. */
function dependencies(): Record<string, string> {
  const needed = new Map<string, string>();
  for (const room of rooms)
    for (const [name, version] of Object.entries(readManifest(room).dependencies ?? {})) {
      if (name.startsWith("@aos/") || unusedPeers.includes(name)) continue;
      const before = needed.get(name);
      if (before !== undefined && before !== version)
        throw new Error(`${room} needs ${name} ${version}, and another room ${before}`);
      needed.set(name, version);
    }
  const types = "@types/node";
  needed.set(types, readManifest("").devDependencies![types]!); // DECLARATIONS-1
  return Object.fromEntries([...needed].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** `pages` are the manual pages, which `npm install --global` puts where `man` finds them. */
export function packageManifest(
  entries: Readonly<Record<string, string>>,
  pages: readonly string[],
): object {
  const { name, version, description, license, optionalDependencies } = readManifest("");
  return {
    name,
    version,
    description,
    license,
    keywords: ["agents", "ai", "operating-system", "sandbox", "mcp", "llm"],
    type: "module",
    bin: { aos: "cli/bin/aos" },
    man: pages.map((page) => `./man/${page}`).toSorted(),
    exports: {
      ...Object.fromEntries(
        Object.entries(entries).map(([subpath, path]) => [
          subpath,
          { types: `./${compiled(path)}.d.ts`, default: `./${compiled(path)}.js` },
        ]),
      ),
      "./package.json": "./package.json",
    },
    engines: { node: ">=24" },
    dependencies: dependencies(),
    bundleDependencies: bundledNames,
    optionalDependencies,
  };
}

/** A room's: the sandbox shows it to what runs inside, and the command line reads its version there. */
export function roomManifest(room: string): object {
  const { name, version } = readManifest(room);
  return { name, version, private: true, type: "module" };
}
