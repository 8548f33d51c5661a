// An invariant can be searched for: its id is defined once, and what is cited is defined.

import { expect, test } from "vitest";
import { citations, definitions, shortIds } from "./invariants.ts";
import { readLines, sourceFiles } from "./source-files.ts";

const files = sourceFiles();

test("every invariant has an id of its own", () => {
  const defined = definitions(files);
  const firstAt = new Map<string, string>();
  const repeated = defined.filter(({ id, at }) => {
    const first = firstAt.get(id);
    if (first === undefined) firstAt.set(id, at);
    return first !== undefined;
  });

  expect(defined.length).toBeGreaterThan(1_000);
  expect(repeated).toEqual([]);
  expect(shortIds(files)).toEqual([]);
});

test("every id that a comment or the name of a test cites is defined", () => {
  const ids = new Set(definitions(files).map(({ id }) => id));

  const missing = citations(files).filter(({ id }) => !ids.has(id));

  expect(missing).toEqual([]);
});

test("an id that is defined twice, is short or is not defined is found", () => {
  const one = readLines("a.ts", "// GATE-1  One thing.\n/** GATE-1, GATE-2. */");
  const two = readLines(
    "b.test.ts",
    '// GATE-1  Another.\n// T1  Short.\ntest("NO-\u0053UCH-3: …")',
  );

  expect(definitions([one, two]).map(({ id }) => id)).toEqual(["GATE-1", "GATE-1"]);
  expect(shortIds([one, two])).toEqual(["b.test.ts:2"]);
  expect(citations([one, two]).map(({ id }) => id)).toEqual(
    expect.arrayContaining(["GATE-2", "NO-SUCH-3"]),
  );
});
