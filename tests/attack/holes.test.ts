// Each attack that is stopped by a line gets through when the line is another: so no test of the catalogue
// is one that cannot fail. Every attack runs in a process of its own, whose sources are changed as they
// are loaded.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { attackRows } from "../../daemon/src/doctor/attacks/index.ts";
import { knownHoles } from "./known-holes.ts";

const ONE_MS = 60_000;

const byLines = attackRows.filter(
  ({ id, succeedsWhen: { lines = [] } }) => lines.length > 0 && knownHoles[id] === undefined,
);

// Together: as the last file of a run it would leave the machine half idle.
test.concurrent.each(byLines.map((row) => [row.id, row.name, row] as const))(
  "%s gets through without its lines: %s",
  async (id, _name, { succeedsWhen: { lines, configured = [] } }) => {
    const order = JSON.stringify({ id, lines, weak: configured });

    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["tests/attack/hole.program.ts", order],
      { timeout: ONE_MS },
    );

    expect(JSON.parse(stdout)).toMatchObject({ gotThrough: true, unmet: [] });
  },
);
