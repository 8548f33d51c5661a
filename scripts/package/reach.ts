// Reach: the source files that the package needs: what its entries name, and what those name.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./contents.ts";
import { modulesNamed } from "./specifiers.ts";

/** By path, with their text: modules, and the data that they import. A room's package.json is written anew. */
export function reachableFrom(entries: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file) || !/\.(ts|json)$/.test(file) || file.endsWith("/package.json")) continue;
    const text = readFileSync(join(repository, file), "utf8");
    found.set(file, text);
    if (file.endsWith(".ts")) open.push(...modulesNamed(file, text));
  }
  return found;
}
