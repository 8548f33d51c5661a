// The pages of the calls about the process itself: who it is, time, chance, its life.

import type { Pages } from "./page.ts";

export const ownPages: Pages<
  "self" | "now" | "random" | "sleep" | "checkpoint" | "handle" | "mask" | "exit"
> = {
  self: {
    synopsis: "sys.self(): Promise<{ pid, agent, parent, tenant, capabilities }>",
    description: [
      "Who the process is. `capabilities` are those of its own last block; what is above it in the chain can allow less. The manifest is at `/self/manifest`.",
    ],
    rights: "",
    errors: [],
    limits: [],
    seeAlso: ["read", "check"],
  },
  now: {
    synopsis: "sys.now({ clock? }): Promise<number>",
    description: [
      "The time, in milliseconds since 1970. Recorded: a replay sees the same moment. A program takes the time from here and from nowhere else.",
      "It is the kernel's clock, which never goes back and never jumps: what is measured with it lasted so long, also when somebody sets the machine's clock meanwhile. With `clock: \"wall\"` it is the machine's clock as it is set now: the time of day.",
    ],
    rights: "",
    errors: [],
    limits: [],
    seeAlso: ["sleep", "random"],
  },
  random: {
    synopsis: "sys.random(): Promise<number>",
    description: [
      "A number from 0 up to, and without, 1. Recorded: a replay draws the same. It is in the journal and so no secret: not for keys.",
    ],
    rights: "",
    errors: [],
    limits: [],
    seeAlso: ["now"],
  },
  sleep: {
    synopsis: "sys.sleep(until: number, { clock? }): Promise<void>",
    description: [
      "Waits until a time, in milliseconds since 1970; a time that has passed is no wait. It is a time and not a duration so that a process which was unloaded or restarted meanwhile wakes when it was meant to.",
      "The time is of the kernel's clock, as [now](now.md) tells it. With `clock: \"wall\"` it is a time of day: the machine's clock is looked at again at least once a minute, so that the wait follows it when it is set.",
    ],
    rights: "",
    errors: [],
    limits: ["Timers are set again after 24 days; there is no longest wait."],
    seeAlso: ["now"],
  },
  checkpoint: {
    synopsis: "sys.checkpoint(state: Json): Promise<void>",
    description: [
      "The program can go on from here with this state. When it is started again it gets `state` beside its input, and only what came after is replayed. A long-lived program calls it now and then, so that its replay stays short.",
      "The records before stay in the journal. What the kernel holds for the program is not part of the state: open streams are closed by the call itself, and signal handlers and masks are gone after such a start.",
    ],
    rights: "",
    errors: [["EINVAL", "other calls of this program are under way: await them first"]],
    limits: ["The state: 16 MiB (`limits.argumentBytes`)."],
    seeAlso: ["exit", "handle"],
  },
  handle: {
    synopsis:
      'sys.handle(signal: SignalName, action: SignalHandler | "ignore" | "default"): Promise<void>',
    description: [
      "Says what a signal does to this program: a handler runs, it is ignored, or the default. A handler may make calls. It is told of a signal between two calls, at a place that is recorded, so that a replay runs it at the same place.",
      "Leaves no record of its own: a program that is started again says it again.",
    ],
    rights: "",
    errors: [
      [
        "EINVAL",
        "there is no such signal, or it is SIGKILL, SIGPOLICY or SIGTRUST, which cannot be handled",
      ],
    ],
    limits: [],
    seeAlso: ["mask", "signal"],
  },
  mask: {
    synopsis: "sys.mask(signals: SignalName[]): Promise<void>",
    description: [
      "Holds these signals back, and no others: each call replaces the list. A signal that is held back waits and is delivered when it is no longer masked; none is lost.",
      "Leaves no record of its own: a program that is started again says it again.",
    ],
    rights: "",
    errors: [
      [
        "EINVAL",
        "there is no such signal, or it is SIGKILL, SIGPOLICY or SIGTRUST, which cannot be masked",
      ],
    ],
    limits: [],
    seeAlso: ["handle", "signal"],
  },
  exit: {
    synopsis: "sys.exit(code: number, output?: Json, reason?: string): Promise<never>",
    description: [
      "Ends the process with a code and an output. 0 is success and makes it `completed`; any other code makes it `failed`, and the manifest's `restart` may start it again. To return from the program's function is the same as `exit(0, what it returned)`.",
      "`reason` is what people are told of a code that is not 0.",
      "Leaves no record of its own: the end is the last record of the journal. Children that still run are ended.",
    ],
    rights: "",
    errors: [],
    limits: ["Codes are 0 to 255. 96 and up, except 130, leave a core dump."],
    seeAlso: ["spawn", "wait"],
    alsoKnownAs: "SYS_EXIT",
  },
};
