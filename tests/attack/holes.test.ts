// The lines that stop an attack are where the catalogue says, and it is those lines that stop it: tried
// here for a few attacks, and for every one in holes.deep.test.ts.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runWithoutLines, stoppedByLines } from "./holes.ts";

const ROOT = new URL("../../", import.meta.url);
const SAMPLES = 4;

const every = Math.ceil(stoppedByLines.length / SAMPLES);
const sample = stoppedByLines.filter((_row, index) => index % every === 0);

test.each(sample.map((row) => [row.id, row.name, row] as const))(
  "%s gets through without its lines: %s",
  async (_id, _name, row) => {
    expect(await runWithoutLines(row)).toMatchObject({ gotThrough: true, unmet: [] });
  },
);

test("every line that stops an attack is in the file that the attack names", () => {
  const missing = stoppedByLines.flatMap(({ id, succeedsWhen: { lines = [] } }) =>
    lines
      .filter(({ file, line }) => !readFileSync(new URL(file, ROOT), "utf8").includes(line))
      .map(({ file, line }) => `${id}: ${file} has no line ${line}`),
  );

  expect(missing).toEqual([]);
});
