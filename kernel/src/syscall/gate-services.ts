// The services of the gate itself, besides the judge and the handlers: the journal, the lookups that describe a call,
// and delivery.

import type { FailureText, Touch } from "@aos/protocol";
import type { Questions } from "../approval/questions.ts";
import type { ThresholdCrossing } from "../budget/accounts.ts";
import type { Journal } from "../journal/journal.ts";
import type { Limits } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { RateUse } from "../policy/index.ts";
import type { Process } from "../process/process.ts";
import type { Write } from "../store/base-contract.ts";
import type { Action } from "./action.ts";
import type { DeviceLookup, FileLookup, FindProcess } from "./lookups.ts";
import type { Inspect } from "./run-identity.ts";

/** How the gate ends a process that broke a rule that ends it. */
interface Killed {
  readonly state: "killed";
  readonly code: number;
  readonly error: FailureText;
}

export interface GateServices {
  readonly journal: Journal;
  readonly platform: Platform;
  readonly devices: DeviceLookup;
  readonly files: FileLookup;
  readonly find: FindProcess;
  readonly questions: Questions;
  readonly limits: Pick<Limits, "denialsPerMinute">;
  readonly endings: { finish(process: Process, end: Killed): void };
  readonly deadLetters: { bury(process: Process): void };
  /** Makes sure that no other node has taken the process; if one has, its calls here are cancelled. */
  readonly confirmOurs: (process: Process) => Promise<void>;
  /** An external call of this process may have been begun before the store lost its record. */
  readonly wasBegun: (process: Process) => boolean;
  /** Tells a process of the tree that a part of one of its limits is spent. */
  readonly tellBudget: (process: Process, crossing: ThresholdCrossing) => void;
  /** Marks what is about to be written with what its writer has read. */
  readonly mark: (process: Process, action: Action, touches: readonly Touch[]) => Promise<void>;
  /** Makes sure that it holds, here and now, all that it was given. */
  readonly hold: (process: Process) => Promise<void>;
  /** What keeps the uses of a rule's rate. */
  readonly rateWrites: (uses: readonly RateUse[]) => Write[];
  /** Takes secrets out of text that is about to be recorded. */
  readonly scrub: (text: string) => string;
  /** Looks at what a call would run, for the question about it. */
  readonly inspect: Inspect;
}
