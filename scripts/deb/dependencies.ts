// Dependencies: the packages of others that the npm package needs when it runs, as they are installed in this
// repository, with the place that each has below the package.
//
// DEB-DEPENDENCIES-1  A package that is resolved here is the one that is resolved there: nested ones keep their place.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readManifest, repository, rooms } from "../package/contents.ts";

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Below the repository, and below the package: `node_modules/zod`. */
  readonly place: string;
  /** Where its files are now. */
  readonly folder: string;
}

const read = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** `packed` is the folder of the npm package: what it carries along itself is taken from there. */
export function runtimePackages(packed: string): InstalledPackage[] {
  const wanted = new Set(Object.keys(read(packed).dependencies ?? {}));
  const found = new Map<string, InstalledPackage>();
  const take = (name: string, from: string): void => {
    const place = relative(repository, resolveFrom(from, name));
    if (found.has(place)) return;
    const own = join(packed, place);
    const folder = existsSync(join(own, "package.json")) ? own : join(repository, place);
    const manifest = read(folder);
    found.set(place, {
      name,
      version: manifest.version ?? "0",
      license: manifest.license ?? "see its licence file",
      place,
      folder,
    });
    for (const needed of neededBy(manifest)) take(needed, join(repository, place));
  };
  for (const room of rooms)
    for (const name of Object.keys(readManifest(room).dependencies ?? {}))
      if (wanted.has(name)) take(name, join(repository, room));
  return [...found.values()].toSorted((a, b) => (a.place < b.place ? -1 : 1));
}

function neededBy({ dependencies, peerDependencies, peerDependenciesMeta }: Manifest): string[] {
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [...Object.keys(dependencies ?? {}), ...peers];
}

/** The folder that Node would find, from a folder upwards. */
function resolveFrom(from: string, name: string): string {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (existsSync(join(folder, "package.json"))) return folder;
    if (at === repository || at === dirname(at))
      throw new Error(`${name}, which ${relative(repository, from)} needs, is not installed`);
  }
}
