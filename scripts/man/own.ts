// The pages of the calls about the process itself: who it is, time, chance, its life.

import type { Pages } from "./page.ts";

export const ownPages: Pages<
  "self" | "now" | "random" | "sleep" | "checkpoint" | "handle" | "mask" | "exit"
> = {
  self: {
    synopsis: "sys.self(): Promise<{ pid, agent, parent, tenant, capabilities }>",
    description: [
      "Returns the identity of the process. `capabilities` are those of its own last block; earlier blocks of the chain can allow less. The manifest is at `/self/manifest`.",
    ],
    rights: "",
    errors: [],
    limits: [],
    seeAlso: ["read", "check"],
  },
  now: {
    synopsis: "sys.now({ clock? }): Promise<number>",
    description: [
      "Returns the time in milliseconds since 1970. It is recorded: a replay sees the same value. A program must take the time only from here.",
      "This is the kernel's monotonic clock: it never goes back and never jumps, even if the machine's clock is set. With `clock: \"wall\"` it is the wall clock of the machine.",
    ],
    rights: "",
    errors: [],
    limits: [],
    seeAlso: ["sleep", "random"],
  },
  random: {
    synopsis: "sys.random(): Promise<number>",
    description: [
      "Returns a number from 0 (inclusive) to 1 (exclusive). It is recorded: a replay draws the same number. It is in the journal, so never use it for keys.",
    ],
    rights: "",
    errors: [],
    limits: [],
    seeAlso: ["now"],
  },
  sleep: {
    synopsis: "sys.sleep(until: number, { clock? }): Promise<void>",
    description: [
      "Waits until a time, in milliseconds since 1970; a past time returns at once. It takes a time, not a duration, so that a process that was unloaded or restarted wakes at the intended moment.",
      "The time is of the kernel's clock, as [now](now.md) tells it. With `clock: \"wall\"` it is a time of day: the machine's clock is looked at again at least once a minute, so that the wait follows it when it is set.",
    ],
    rights: "",
    errors: [],
    limits: ["There is no limit on the wait."],
    seeAlso: ["now"],
  },
  checkpoint: {
    synopsis: "sys.checkpoint(state: Json): Promise<void>",
    description: [
      "Records a state from which the program can continue. On a restart the program receives `state` with its input, and only later records are replayed. A long-running program calls it from time to time, so that its replay stays short.",
      "The records before stay in the journal. What the kernel holds for the program is not part of the state: open streams are closed by the call itself, and signal handlers and masks are gone after such a start.",
    ],
    rights: "",
    errors: [["EINVAL", "other calls of this program are still running: await them first"]],
    limits: ["The state: 16 MiB (`limits.argumentBytes`)."],
    seeAlso: ["exit", "handle"],
  },
  handle: {
    synopsis:
      'sys.handle(signal: SignalName, action: SignalHandler | "ignore" | "default"): Promise<void>',
    description: [
      "Sets what a signal does to this program: run a handler, ignore the signal, or the default. A handler may make calls. It runs between two calls, at a recorded position, so that a replay runs it at the same position.",
      "It writes no record: a restarted program calls it again.",
    ],
    rights: "",
    errors: [
      [
        "EINVAL",
        "the signal does not exist, or is SIGKILL, SIGPOLICY or SIGTRUST, which cannot be handled",
      ],
    ],
    limits: [],
    seeAlso: ["mask", "signal"],
  },
  mask: {
    synopsis: "sys.mask(signals: SignalName[]): Promise<void>",
    description: [
      "Masks exactly these signals: each call replaces the list. A masked signal is delivered when it is no longer masked; none is lost.",
      "It writes no record: a restarted program calls it again.",
    ],
    rights: "",
    errors: [
      [
        "EINVAL",
        "the signal does not exist, or is SIGKILL, SIGPOLICY or SIGTRUST, which cannot be masked",
      ],
    ],
    limits: [],
    seeAlso: ["handle", "signal"],
  },
  exit: {
    synopsis: "sys.exit(code: number, output?: Json, reason?: string): Promise<never>",
    description: [
      "Ends the process with a code and an output. 0 is success and makes it `completed`; any other code makes it `failed`, and the manifest's `restart` may start it again. Returning from the program's function is the same as `exit(0, returnValue)`.",
      "`reason` explains a non-zero code to people.",
      "It writes no record of its own: the end is the last record of the journal. Running children are ended.",
    ],
    rights: "",
    errors: [],
    limits: ["Codes are 0 to 255. 96 and up, except 130, leave a core dump."],
    seeAlso: ["spawn", "wait"],
    alsoKnownAs: "SYS_EXIT",
  },
};
