// Install bubblewrap: installs the Linux sandbox on a machine without it.
//
//   const outcome = await offerBubblewrap(localSetupHost())
//
// INSTALL-BUBBLEWRAP-1  It never throws: the outcome reports a failure and the caller continues.
// INSTALL-BUBBLEWRAP-2  A command with more rights than the caller runs only after a person at the terminal agreed to
//                       exactly that command. Without a terminal only root installs.
// INSTALL-BUBBLEWRAP-3  The installation command is always printed.

import { existsSync } from "node:fs";
import { findPackageManager, isOnPath, prefixFor } from "./system-packages.ts";
import { runLine, type LineResult } from "./run-line.ts";

/** Where the sandbox looks for it (drivers/src/sandbox/bubblewrap-features.ts). */
const PLACES = ["/usr/bin/bwrap", "/usr/local/bin/bwrap"];

export type BubblewrapOutcome =
  | { readonly kind: "there" }
  | { readonly kind: "not for this system" }
  | { readonly kind: "installed" }
  | { readonly kind: "no package manager" }
  /** A person said no, or there was nobody to ask and we are not root. */
  | { readonly kind: "left out"; readonly line: string }
  | { readonly kind: "failed"; readonly line: string; readonly why: string };

/** What it stands on; a test has others. */
export interface SetupHost {
  readonly platform: NodeJS.Platform;
  readonly path: string;
  readonly isRoot: boolean;
  /** Somebody sits there who can be asked. */
  readonly hasTerminal: boolean;
  readonly isInstalled: () => boolean;
  say(text: string): void;
  /** Whether the person said yes. */
  ask(question: string): Promise<boolean>;
  run(command: readonly string[]): Promise<LineResult>;
}

export async function offerBubblewrap(machine: SetupHost): Promise<BubblewrapOutcome> {
  if (machine.platform !== "linux") return { kind: "not for this system" };
  if (machine.isInstalled()) return { kind: "there" };
  const manager = findPackageManager(machine.path);
  if (manager === undefined) return { kind: "no package manager" };
  const { isRoot, hasTerminal } = machine;
  const prefix = prefixFor(manager, { isRoot, hasTerminal: true, path: machine.path });
  const commands = manager.install("bubblewrap").map((words) => [...prefix, ...words]);
  const line = commands.map((words) => words.join(" ")).join(" && ");
  if (!(await mayRun(machine, line, prefix[0]))) return { kind: "left out", line };
  if (isRoot && !hasTerminal) machine.say(`bubblewrap is not installed; installing it: ${line}`);
  return install(machine, commands, line);
}

/** INSTALL-BUBBLEWRAP-2. */
async function mayRun(
  machine: SetupHost,
  line: string,
  prefix: string | undefined,
): Promise<boolean> {
  const { isRoot, hasTerminal, path } = machine;
  if (!hasTerminal) return isRoot;
  if (prefix !== undefined && !isOnPath(prefix, path)) return false;
  machine.say("The tools of agents run in a sandbox, bubblewrap, which is not installed here:");
  machine.say(`  ${line}`);
  return machine.ask("Run this now? [yes/no] ");
}

async function install(
  machine: SetupHost,
  commands: readonly (readonly string[])[],
  line: string,
): Promise<BubblewrapOutcome> {
  for (const command of commands) {
    const { problem } = await machine.run(command);
    if (problem !== undefined)
      return { kind: "failed", line, why: `${command.join(" ")}: ${problem}` };
  }
  if (machine.isInstalled()) return { kind: "installed" };
  return {
    kind: "failed",
    line,
    why: `it was installed, but was not found at ${PLACES.join(" or ")}`,
  };
}

/** This machine, and whoever sits at it. */
export function localSetupHost(given: Pick<SetupHost, "say" | "ask">): SetupHost {
  const hasTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const path = process.env["PATH"] ?? "";
  return {
    platform: process.platform,
    path,
    isRoot: process.getuid?.() === 0,
    hasTerminal,
    isInstalled: () => PLACES.some((place) => existsSync(place)),
    run: (command) => runLine(command, { isShown: hasTerminal, path }),
    ...given,
  };
}
