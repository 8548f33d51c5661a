// Flood: a host that starts processes with large inputs as fast as it can, many at once, and says
// which were acknowledged. It runs until it is killed.

import { writeSync } from "node:fs";
import { bootHost } from "./host.ts";
import { CAPABILITIES } from "./mixed-run.ts";

const kernel = await bootHost({
  folder: process.argv[2]!,
  onDoubt: "retry",
  durability: "visible",
  program: "parent",
  unloadAfterMs: 1000,
});
const flow = async (lane: number) => {
  for (let n = 0; ; n++) {
    const input = { lane, n, text: `${lane}.${n} `.repeat(2000) };
    const pid = await kernel.spawn({ agent: "note", input, capabilities: CAPABILITIES });
    writeSync(1, `${pid}\n`);
  }
};
await Promise.all(Array.from({ length: 16 }, (_, lane) => flow(lane)));
