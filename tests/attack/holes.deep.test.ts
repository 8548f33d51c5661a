// Each attack that is stopped by a line gets through when the line is another: so no test of the catalogue
// is one that cannot fail. A few of them are in holes.test.ts too.

import { expect, test } from "vitest";
import { runWithoutLines, stoppedByLines } from "./holes.ts";

// Together: as the last file of a run it would leave the machine half idle.
test.concurrent.each(stoppedByLines.map((row) => [row.id, row.name, row] as const))(
  "%s gets through without its lines: %s",
  async (_id, _name, row) => {
    expect(await runWithoutLines(row)).toMatchObject({ gotThrough: true, unmet: [] });
  },
);
