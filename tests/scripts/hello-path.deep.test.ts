// ARCHITECTURE.md says how many source files `aos run examples/hello` passes through, and the number stays below 196.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";

// On a busy machine a timer may fall into all four runs.
test(
  "ARCHITECTURE.md has the number of files that `npm run hello-path` counts, below 196",
  { retry: 2 },
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["scripts/hello-path.ts"]);
    const counted = Number.parseInt(stdout, 10);

    const [, said] = /^(\d+), counted by/m.exec(readFileSync("ARCHITECTURE.md", "utf8")) ?? [];

    expect(counted).toBeLessThan(196);
    expect(Number(said)).toBe(counted);
  },
);
