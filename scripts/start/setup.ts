// Setup: what a fresh machine lacks for the demo, which is the sandbox. Whatever comes of it, the start goes on.

import { createInterface } from "node:readline/promises";
import {
  localSetupHost,
  offerBubblewrap,
  type BubblewrapOutcome,
} from "../../cli/src/setup/install-bubblewrap.ts";
import { say, sayBeside, yellow } from "./lines.ts";

/** Whether something was installed just now. */
export async function setUp(): Promise<boolean> {
  const outcome = await offerBubblewrap(localSetupHost({ say, ask }));
  tell(outcome);
  return outcome.kind === "installed";
}

function tell(outcome: BubblewrapOutcome): void {
  if (outcome.kind === "there" || outcome.kind === "not for this system") return;
  if (outcome.kind === "installed") {
    say("bubblewrap is installed: the tools of agents run in its sandbox.");
    return say();
  }
  say(yellow("This machine has no sandbox: bubblewrap is not installed."));
  if (outcome.kind === "failed") sayBeside("tried", outcome.why);
  sayBeside("meanwhile", "agents cannot run programs; everything else works");
  // On a line of its own, however long it is: it is there to be copied.
  if (outcome.kind === "no package manager")
    sayBeside("install", "bubblewrap, with whatever installs programs on this machine");
  else say(`  ${outcome.line}`);
  say();
}

/** Yes only when it is said; Ctrl-C, Ctrl-D and an empty line are no. */
async function ask(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const stopped = new AbortController();
  lines.once("SIGINT", () => stopped.abort());
  lines.once("close", () => stopped.abort());
  try {
    const answer = await lines.question(question, { signal: stopped.signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch {
    say();
    return false;
  } finally {
    lines.close();
  }
}
