// Runs one attack on a system in which some lines of the enforcement are others: what it is given is the
// opening of the attack (openings/). Prints whether it got through.
//
//   node tests/attack/hole.program.ts '{"id": "B1", "lines": [...], "weak": [...]}'

import { registerHooks } from "node:module";
import type { Line } from "./openings/opening.ts";

interface Order {
  readonly id: string;
  readonly lines: readonly Line[];
  readonly weak: readonly never[];
}

const { id, lines, weak } = JSON.parse(process.argv[2]!) as Order;
const changed = new Set<Line>();

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const here = lines.filter(({ file }) => url.endsWith(`/${file}`));
    if (here.length === 0) return loaded;
    let source = Buffer.from(loaded.source as Uint8Array).toString();
    for (const line of here) {
      if (!source.includes(line.line)) throw new Error(`${line.file} has no line ${line.line}`);
      source = source.replaceAll(line.line, () => line.becomes);
      changed.add(line);
    }
    return { ...loaded, source };
  },
});

const { attackRows, Range } = await import("@aos/attacks");
const { DEFAULT_POLICY } = await import("@aos/kernel");

const row = attackRows.find((one) => one.id === id)!;
await using range = await Range.open({ policy: [DEFAULT_POLICY] }, { ...row.mode, weak });
const tried = await row.run(range);
const unmet = lines.filter((line) => !changed.has(line)).map(({ file }) => file);
process.stdout.write(`${JSON.stringify({ ...tried, unmet })}\n`);
