// Signals. They are identified by name; the numbers are used on the wire only and are not POSIX numbers.

interface SignalRow {
  readonly number: number;
  /** What happens where the program has no handler of its own. */
  readonly byDefault:
    | "stop"
    | "continue"
    | "finish"
    | "end"
    | "kill"
    | "checkpoint"
    | "ignore"
    | "budget";
  readonly maskable: boolean;
  readonly meaning: string;
}

export const signals = {
  SIGSTOP: {
    number: 1,
    byDefault: "stop",
    maskable: true,
    meaning: "pause at the next system call",
  },
  SIGCONT: { number: 2, byDefault: "continue", maskable: true, meaning: "continue" },
  SIGINT: {
    number: 3,
    byDefault: "finish",
    maskable: true,
    meaning: "finish the current step, then exit",
  },
  SIGKILL: {
    number: 4,
    byDefault: "kill",
    maskable: false,
    meaning: "end at once, with tools and children; the program is not told",
  },
  SIGTERM: { number: 5, byDefault: "end", maskable: true, meaning: "exit now, cleanly" },
  SIGUSR1: {
    number: 6,
    byDefault: "checkpoint",
    maskable: true,
    meaning: "checkpoint now: write everything to disk",
  },
  SIGUSR2: {
    number: 7,
    byDefault: "ignore",
    maskable: true,
    meaning: "nothing; the program's own",
  },
  SIGPOLICY: {
    number: 8,
    byDefault: "kill",
    maskable: false,
    meaning: "violation: core dump, then killed",
  },
  SIGTRUST: {
    number: 9,
    byDefault: "kill",
    maskable: false,
    meaning: "trust lost: core dump, then killed",
  },
  SIGBUDGET: {
    number: 10,
    byDefault: "budget",
    maskable: true,
    meaning: "budget used up: exit; with `part` (percent of a limit): nothing",
  },
  SIGLOOP: {
    number: 11,
    byDefault: "end",
    maskable: true,
    meaning: "the program repeats itself: exit",
  },
  SIGDRIFT: {
    number: 12,
    byDefault: "ignore",
    maskable: true,
    meaning: "nothing; it drifted from its goal",
  },
  SIGCTX: {
    number: 13,
    byDefault: "ignore",
    maskable: true,
    meaning: "nothing; its context is nearly full",
  },
} as const satisfies Record<string, SignalRow>;

export type SignalName = keyof typeof signals;

export const isSignalName = (text: string): text is SignalName => Object.hasOwn(signals, text);

export const signalNames = Object.keys(signals) as SignalName[];

/** Reads `KILL`, `sigkill` and `SIGKILL`. A number is answered with the name to use. */
export function readSignalName(text: string): SignalName | { readonly problem: string } {
  if (/^\d+$/.test(text)) {
    const named = signalNames.find((name) => signals[name].number === Number(text));
    const advice = named === undefined ? "" : `; ours with this number is ${named}`;
    return { problem: `signals go by name, since the numbers are not POSIX numbers${advice}` };
  }
  const upper = text.toUpperCase();
  const full = upper.startsWith("SIG") ? upper : `SIG${upper}`;
  if (isSignalName(full)) return full;
  return { problem: `there is no signal ${text}; there are ${signalNames.join(", ")}` };
}
