// Ours: the part of a bench that runs in a process of its own. Prints one line with the result.

import { runCall } from "./call.ts";
import { runDeadlines } from "./deadlines.ts";
import { runDisk } from "./disk.ts";
import { runDormant } from "./dormant.ts";
import { runWatchers } from "./events.ts";
import { runGate } from "./gate.ts";
import { runGuard } from "./guard-figures.ts";
import { runLongRun } from "./page.ts";
import { runPostgresBare } from "./postgres-bare.ts";
import { runMessages } from "./messages.ts";
import { runManyBoot, runManySpawns } from "./many.ts";
import { runManyHome } from "./many-home.ts";
import { runRecovery, runRecoveryHost } from "./recovery.ts";
import { runReplay } from "./replay.ts";
import { runSandbox } from "./sandbox.ts";
import { runScheduler } from "./scheduler.ts";
import { runScrub } from "./scrub.ts";
import { runSearch } from "./search.ts";
import { measureSteps, runSteps } from "./steps.ts";
import { runToolHost } from "./tool-host.ts";
import { runTurn } from "./turn.ts";

const [bench, text] = process.argv.slice(2);
const options = JSON.parse(text ?? "{}") as never;

const runs: Record<string, () => Promise<unknown>> = {
  steps: () => runSteps(options),
  call: () => runCall(options),
  "steps-and-cpu": () => measureSteps(options),
  "page-run": () => runLongRun(options),
  "postgres-bare": () => runPostgresBare(options),
  messages: () => runMessages(options),
  disk: () => runDisk(options),
  gate: () => runGate(),
  guard: () => runGuard(options),
  replay: () => runReplay(options),
  dormant: () => runDormant(options),
  "many-home": () => runManyHome(options),
  "many-spawns": () => runManySpawns(options),
  "many-boot": () => runManyBoot(options),
  recovery: () => runRecovery(options),
  "recovery-host": () => runRecoveryHost(options),
  scrub: () => runScrub(options),
  search: () => runSearch(options),
  sandbox: () => runSandbox(options),
  "tool-host": () => runToolHost(options),
  scheduler: () => runScheduler(),
  deadlines: () => runDeadlines(),
  turn: () => runTurn(options),
  events: () => runWatchers(options),
};

const run = runs[bench ?? ""];
if (run === undefined) throw new Error(`no bench ${bench}`);
console.log(JSON.stringify({ result: await run() }));
