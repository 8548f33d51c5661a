// The process that is killed: carries a run through and says on standard output what it was promised.

import { writeSync } from "node:fs";
import { closeSandbox } from "../helpers/sandbox.ts";
import { bootHost, carryThrough, type Situation } from "./host.ts";

const situation = JSON.parse(process.argv[2]!) as Situation;
const say = (...words: string[]) => void writeSync(1, `${words.join(" ")}\n`);

const kernel = await bootHost(situation, {
  onTrouble: (what, error) => say("trouble", what, String(error)),
});
const ending = await carryThrough(kernel, situation, (what, id) => say(what, id));
say("ended", JSON.stringify(ending));
await kernel.close();
await closeSandbox();
