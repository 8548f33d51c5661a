// Foreign programs: runs any executable that speaks the syscall protocol (docs/syscall-protocol.md) as a program, in
// its own sandboxed process. The pipe is its only connection.
//
//   const programs = createForeignPrograms({ sandbox, onStderr: (pid, text) => log(pid, text) });
//   programs.start({ pid, input, command: ["python3", "agent.py"], folder }, listener);
//
// The ends of a program:
//   returned     it called `exit`, sent nothing more and ended (or was ended after the grace period)
//   crashed      it ended with a status other than 0, by a signal or at a limit, or closed its output, without
//                `exit`: a restart may help
//   misbehaved   it broke the protocol, ended with status 0 without `exit`, or cannot be started: a restart would not
//                help

import { delimiter, dirname } from "node:path";
import { MAX_LINE_BYTES, type ProgramDriver } from "@aos/protocol";
import type { Mount, RunLimits, Sandbox } from "../sandbox/index.ts";
import { ForeignProgram, type WireLimits } from "./foreign-program.ts";
import { programVersion } from "./program-version.ts";

export interface ForeignProgramOptions extends Partial<WireLimits> {
  /** What they run in, asked for when the first one starts. */
  readonly sandbox: () => Promise<Sandbox>;
  /** Added to the program's environment, which is otherwise empty but for what it cannot do without. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders that every program sees, to read: clients of the protocol. */
  readonly libraries?: readonly string[];
  /** Folders that none sees: where the daemon keeps its own things. */
  readonly private?: readonly string[];
  /** What else programs see of the machine. */
  readonly mounts?: readonly Mount[];
  /** Memory, processes, files; a program has no time limit unless it is set here. */
  readonly runLimits?: RunLimits;
  /** What holds a program, in one line, when it has started. */
  readonly onStarted?: (pid: string, heldBy: string) => void;
  /** What a program says on standard error, as it comes. */
  readonly onStderr?: (pid: string, chunk: string) => void;
}

export function createForeignPrograms(options: ForeignProgramOptions): ProgramDriver {
  const { sandbox, env, onStarted, onStderr, runLimits, ...rest } = options;
  const { libraries = [], private: hidden = [], mounts = [], ...limits } = rest;
  const surroundings = {
    sandbox,
    env: env ?? {},
    places: { path: hostPath(), libraries, private: hidden, mounts },
    runLimits: { wallMs: Infinity, cpuMs: Infinity, ...runLimits },
    onStarted: onStarted ?? (() => {}),
    onStderr: onStderr ?? (() => {}),
    limits: {
      maxLineBytes: MAX_LINE_BYTES,
      maxPendingCalls: 1000,
      maxPendingBytes: 64 * 1024 * 1024,
      maxUndeliveredBytes: 64 * 1024 * 1024,
      exitGraceMs: 2000,
      lastWordsMs: 200,
      ...limits,
    },
  };
  return {
    start: (what, listener) => new ForeignProgram(what, listener, surroundings),
    version: programVersion,
  };
}

/** Where commands are looked for. `node` is the one that we run on. */
function hostPath(): string {
  const { PATH = "/usr/local/bin:/usr/bin:/bin" } = process.env;
  return [dirname(process.execPath), PATH].join(delimiter);
}
