// Launch: starts what a driver has prepared.
//
// LAUNCH-1  The program has only the descriptors that it is given, none of the daemon's.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { SysError } from "@aos/protocol";
import { inheritedDescriptors } from "./inherited.ts";
import type { NotStarted, RunRequest } from "./sandbox.ts";

export interface Launch {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Descriptors from 3 up. */
  readonly more?: readonly (number | "pipe" | "ignore")[];
  /** Folders of the machine that it may write to. */
  readonly writable: readonly string[];
  /** Tells the driver what to do, as soon as it is there. */
  instruct?(child: ChildProcess): void;
  /**
   * The process that becomes the program's first, when it is there and waits; undefined when it never
   * comes. Where there is none, the child is the program.
   */
  inner?(child: ChildProcess): Promise<number | undefined>;
  /** Lets it go, once it is in its group. */
  release?(child: ChildProcess): void;
  /** Orphaned processes of the driver. Looked up where `inner` never came. */
  strays?(): readonly number[];
  /** What the driver's exit code says about the program's. */
  translate?(code: number, stderr: string): TranslatedExit;
  /** Removes what was made for the run. */
  cleanUp?(): void;
}

export interface TranslatedExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly notStarted?: NotStarted;
  readonly stderr?: string;
}

let inherited: readonly number[] | undefined;

type Stdio = ("pipe" | "ignore" | number)[];

/** What the program has open. What the daemon was started with is covered by `nothing`. */
function stdioOf(launch: Launch, request: RunRequest, nothing: number): Stdio {
  const hasInput = request.input !== undefined || request.output === "stream";
  const stdio: Stdio = [hasInput ? "pipe" : "ignore", "pipe", "pipe", ...(launch.more ?? [])];
  inherited ??= inheritedDescriptors();
  for (const fd of inherited) {
    while (stdio.length < fd) stdio.push("ignore");
    if (stdio[fd] === undefined || stdio[fd] === "ignore") stdio[fd] = nothing;
  }
  return stdio;
}

export async function spawnProgram(launch: Launch, request: RunRequest): Promise<ChildProcess> {
  const failed = (error: unknown): SysError => {
    const { code, message } = error as NodeJS.ErrnoException;
    const isForNow = ["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"].includes(code ?? "");
    return new SysError(
      isForNow ? "EAGAIN" : "EINVAL",
      `${request.name} could not be started: ${message}`,
    );
  };
  let child: ChildProcess;
  const nothing = openSync("/dev/null", "r");
  try {
    child = spawn(launch.command[0]!, launch.command.slice(1), {
      stdio: stdioOf(launch, request, nothing),
      env: launch.env,
      // A new session: input at the daemon's terminal must not reach it.
      detached: true,
      ...(launch.folder === undefined ? {} : { cwd: launch.folder }),
      ...launch.user,
    });
  } catch (error) {
    throw failed(error);
  } finally {
    closeSync(nothing);
  }
  if (child.pid !== undefined) return child;
  const [error] = (await once(child, "error")) as [Error];
  throw failed(error);
}
