// A host that carries a run through, signs its log, says so, and waits to be killed.

import { writeSync } from "node:fs";
import { bootHost, carryThrough, type Situation } from "./host.ts";

const situation = JSON.parse(process.argv[2]!) as Situation;
const kernel = await bootHost(situation);
await carryThrough(kernel, situation, () => {});
await kernel.verify();
writeSync(1, "signed\n");
setInterval(() => {}, 1000);
