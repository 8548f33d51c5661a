// Holes: an attack of the catalogue in a process of its own, whose sources are changed as they are loaded.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { attackRows, type AttackRow } from "@aos/attacks";
import { knownHoles } from "./known-holes.ts";
import { openingOf } from "./openings/index.ts";

const PROGRAM = fileURLToPath(new URL("hole.program.ts", import.meta.url));

/** Each is stopped by lines that it names. */
export const stoppedByLines: readonly AttackRow[] = attackRows.filter((row) => {
  const { lines = [] } = openingOf(row);
  return lines.length > 0 && knownHoles[row.id] === undefined;
});

/** What became of the attack without the lines that stop it. */
export async function runWithoutLines({ id }: AttackRow): Promise<unknown> {
  const { lines, configured = [] } = openingOf({ id });
  const order = JSON.stringify({ id, lines, weak: configured });
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, order]);
  return JSON.parse(stdout) as unknown;
}
