// Foreign programs: runs any executable that speaks the syscall protocol (docs/syscall-protocol.md)
// as a program, in a process of its own.
//
//   const programs = createForeignPrograms({ onStderr: (pid, text) => log(pid, text) });
//   programs.start({ pid, input, command: ["python3", "agent.py"], folder }, listener);
//
// How a program's end is told:
//   returned     it called `exit`, said nothing more and ended (or was ended after the grace)
//   crashed      it ended with another status than 0 or by a signal, or closed its output, without
//                `exit`: it may go better the next time
//   misbehaved   it broke the protocol, or ended with status 0 without `exit`, or cannot be started:
//                the next time would go the same way

import { delimiter, dirname } from "node:path";
import { MAX_LINE_BYTES, type ProgramDriver } from "@aos/protocol";
import { ForeignProgram, type Limits } from "./foreign-program.ts";
import { programVersion } from "./program-version.ts";

export interface ForeignProgramOptions extends Partial<Limits> {
  /** Added to the program's environment, which is otherwise empty but for what it cannot do without. */
  readonly env?: Readonly<Record<string, string>>;
  /** What a program says on standard error, as it comes. */
  readonly onStderr?: (pid: string, chunk: string) => void;
}

export function createForeignPrograms(options: ForeignProgramOptions = {}): ProgramDriver {
  const { env, onStderr, ...limits } = options;
  const surroundings = {
    env: { ...cleanEnvironment(), ...env },
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

/** Nothing of the daemon's own environment, where keys live, reaches a program. */
function cleanEnvironment(): Record<string, string> {
  const { PATH = "/usr/local/bin:/usr/bin:/bin", HOME = "/", LANG = "C.UTF-8" } = process.env;
  return {
    // `node` is the one that we run on.
    PATH: [dirname(process.execPath), PATH].join(delimiter),
    HOME,
    LANG,
    // Python would walk a set in another order on every start, and a replay would diverge.
    PYTHONHASHSEED: "0",
  };
}
