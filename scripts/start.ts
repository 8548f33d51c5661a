// `npm start`: the system up, one address, and an agent at work that can be looked at, with no key.
//
//   npm start                 the daemon, and the demo if this home has not seen it
//   npm start -- --again      another demo
//   npm start -- --no-setup   nothing is installed, and nobody is asked about it
//
// START-1  One address is printed, the page's. It logs in whoever opens it first, within minutes.
// START-2  It can be called repeatedly: it says where things are, and starts only what does not run.
// START-3  On a machine without a sandbox it offers to install one; the start continues either way.

import { parseArgs } from "node:util";
import type { JournalRecord } from "@aos/protocol";
import { buildDashboard } from "./build-dashboard.ts";
import { buildDocs } from "./build-docs.ts";
import { daemonOfHome, type Daemon } from "./start/daemon.ts";
import { findDemo, follow, seedDemo } from "./start/demo.ts";
import { putFirstAgent } from "./start/first-agent.ts";
import { bold, say, sayBeside, yellow } from "./start/lines.ts";
import { sayNext } from "./start/next.ts";
import { setUp } from "./start/setup.ts";
import { tellEnd, teller, tellQuestion } from "./start/tell.ts";

const flag = { type: "boolean", default: false } as const;
const { values } = parseArgs({ options: { again: flag, "no-setup": flag } });

const isInstalledNow = values["no-setup"] ? false : await setUp();
buildPage();
const daemon = daemonOfHome();
if (daemon === undefined) process.exitCode = 1;
else await show(daemon);

async function show({ client, status, wasUp }: Daemon): Promise<void> {
  say(bold(wasUp ? "Agent OS is up already." : "Agent OS is up."));
  say();
  const { url } = await client.loginKey();
  sayBeside("page", url ?? "none: HTTP is switched off in config.yaml or by AOS_HTTP");
  if (url !== null)
    sayBeside("", "(valid for one login within five minutes; for a new one: npx aos status)");
  sayBeside("home", `${status.home} (daemon pid ${status.daemon.pid})`);
  if (wasUp && isInstalledNow)
    sayBeside("sandbox", "the running daemon does not use it yet: npx aos down, then npm start");
  say();

  putFirstAgent(status.home);
  const found = values.again ? undefined : await findDemo(client, status.home);
  const pid = found ?? (await seedDemo(client, status.home));
  say(found === undefined ? "Starting the demo agent:" : "The demo agent was started before:");
  say();
  sayBeside("agent", `demo, ${pid}`);
  sayBeside("model", "scripted (examples/demo/demo.yaml): needs no key and no network");
  const standing = await follow(client, pid, found === undefined ? teller() : () => {});
  const { process: demo, question, records } = standing;
  if (question === undefined) tellEnd(demo);
  else tellQuestion(question, pid);
  sayMissingSandbox(records);

  say();
  say(
    bold(`${question === undefined ? "" : "The agent waits for your answer. "}What to type next:`),
  );
  sayNext(standing, status);
  if (demo.exitCode) process.exitCode = 1;
}

/** Without the page everything else still works. */
function buildPage(): void {
  try {
    buildDashboard();
    buildDocs();
  } catch (error) {
    process.stderr.write(`npm start: ${(error as Error).message}\n`);
  }
}

/** Without a sandbox no program ran, and the hint says what is missing. */
function sayMissingSandbox(records: readonly JournalRecord[]): void {
  const errors = records.map((record) => ("err" in record ? record.err : undefined));
  const missing = errors.find((err) => Object.hasOwn((err?.detail ?? {}) as object, "notHeld"));
  if (missing === undefined) return;
  say();
  say(yellow("No program was run for the agent: this machine has no sandbox."));
  say();
  sayBeside("why", missing.hint ?? missing.message);
  sayBeside("then", "npx aos down, then npm start -- --again");
  sayBeside("meanwhile", "agents that run no programs work: examples/hello, examples/approval");
}
