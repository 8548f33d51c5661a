// The switch: runs before each test file of a mutation run. `$mutant(key)` says whether that mutant is on,
// and notes that the place was reached.

import { appendFileSync, writeFileSync } from "node:fs";
import { afterAll, inject } from "vitest";

const { key, reachedFile } = inject("mutation" as never) as { key: string; reachedFile: string };
const reached = new Set<string>();
writeFileSync(`${reachedFile}-pid`, String(process.pid)); // a mutant may never return

(globalThis as unknown as { $mutant: (one: string) => boolean }).$mutant = (one) => {
  if (key === "") reached.add(one);
  return one === key;
};

afterAll(() => {
  if (key === "") appendFileSync(reachedFile, `${[...reached].join("\n")}\n`);
});
