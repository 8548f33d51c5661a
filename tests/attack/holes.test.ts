// It is the lines that an attack names that stop it: tried here for a few attacks, and for every one in
// holes.deep.test.ts.

import { expect, test } from "vitest";
import { runWithoutLines, stoppedByLines } from "./holes.ts";

const SAMPLES = 4;

const every = Math.ceil(stoppedByLines.length / SAMPLES);
const sample = stoppedByLines.filter((_row, index) => index % every === 0);

test.each(sample.map((row) => [row.id, row.name, row] as const))(
  "%s gets through without its lines: %s",
  async (_id, _name, row) => {
    expect(await runWithoutLines(row)).toMatchObject({ gotThrough: true, unmet: [] });
  },
);
