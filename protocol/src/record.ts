// Records: the rows of a journal. One per system call; two (intent, outcome) for an external effect;
// and one for every event that a program must see again at the same place when it is replayed.
//
// RECORD-1  `seq` counts the records of one process from 0 without a gap; the order is the order in which
//     the program was told.
// RECORD-2  `n` counts the calls of a process from 1, in the order in which the program made them.
// RECORD-3  `cause` is the record that made this one happen: a number is a record of the same process.
// RECORD-4  A record never says how a later version would write it: `schema` in `start` says how to read
//     it.

import type { FailureText } from "./failures.ts";
import type { ProcessId } from "./ids.ts";
import type { Json } from "./json.ts";
import type { EndState } from "./process.ts";
import type { SignalName } from "./signals.ts";

/** 2 added `grant` and `revoke`; whoever reads 2 reads 1. */
export const RECORD_SCHEMA = 2;

/** `7` in the same process, `agt_…#7` in another, `operator` for a person at the command line. */
export type Cause = number | string;

interface Common {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly cause: Cause;
}

/** A record, and whose it is: what those are told who follow all processes. */
export interface FeedEvent {
  readonly pid: ProcessId;
  readonly tenant: string;
  /** The first of its tree. */
  readonly tree: ProcessId;
  readonly record: JournalRecord;
}

/** What a call came to. Exactly one of `ok` and `err` is there. */
export interface Outcome {
  readonly ok?: Json;
  readonly err?: FailureText;
}

/** What a call cost and what it did to the label; absent where nothing. */
interface Settlement {
  readonly usd?: number;
  readonly tokens?: number;
  readonly label?: string;
  /** The rule or check that decided, where it was not simply allowed. */
  readonly verdict?: string;
  /** The label of the row that a `write` left, where that is not `trusted/public`. */
  readonly stored?: string;
  /** What it turned out to touch while it ran: kind, resource, verb. */
  readonly also?: readonly (readonly [string, string, string])[];
  /** What held the tool while it ran. */
  readonly heldBy?: string;
  /** All that holds its tools from here on, where that changed or replay may begin here. */
  readonly narrowing?: Narrowing;
  /** What its driver reported beyond what was reserved for it: owed, and in no sum. */
  readonly over?: { readonly usd?: number; readonly tokens?: number };
}

/** The tools that skills which it has read leave it: only those that are in every list. */
export type Narrowing = readonly { readonly skill: string; readonly tools: readonly string[] }[];

export interface StartRecord extends Common {
  readonly kind: "start";
  readonly schema: number;
  readonly program: { readonly name: string; readonly version: string };
  readonly manifest: string;
  readonly capabilities: readonly string[];
  /** The digest of what its row says of it that never changes. */
  readonly birth: string;
  readonly input: Json;
}
export interface CallRecord extends Common, Outcome, Settlement {
  readonly kind: "call";
  readonly n: number;
  readonly call: string;
  readonly args: Json;
}
export interface IntentRecord extends Common {
  readonly kind: "intent";
  readonly n: number;
  readonly call: string;
  readonly args: Json;
  /** What a tool can pass on so that the far side does it once. */
  readonly key: string;
  readonly attempt: number;
}
export interface OutcomeRecord extends Common, Outcome, Settlement {
  readonly kind: "outcome";
  readonly n: number;
}
export interface SignalRecord extends Common {
  readonly kind: "signal";
  readonly signal: SignalName;
  /** How many calls the program had made when it was told. */
  readonly issued: number;
  readonly did:
    | "handler"
    | "ignored"
    | "stopped"
    | "continued"
    | "finishing"
    | "ended"
    | "checkpoint"
    | "noted";
}
/** The program was started again: from its input, or from the last checkpoint. */
export interface RestartRecord extends Common {
  readonly kind: "restart";
  readonly why: "error" | "crash" | "checkpoint";
  /** The number of calls made before; the new start counts on from here. */
  readonly issued: number;
  /** The checkpoint's seq; absent when it begins from its input. */
  readonly from?: number;
  /** When it was started again before, as far as that still counts. */
  readonly earlier?: readonly number[];
  /** What it had read until then stays read. */
  readonly label?: string;
  readonly narrowing?: Narrowing;
  /** What was stopped with its first life may have cost this much. */
  readonly usd?: number;
  readonly tokens?: number;
}
/** The program's own process went away without an end; it is started again and goes on by replay. */
export interface CrashRecord extends Common {
  readonly kind: "crash";
  readonly reason: string;
}
/** The records before this one are those of another process, shared and not copied. */
export interface ForkRecord extends Common {
  readonly kind: "fork";
  readonly from: string;
  /** The last shared seq. */
  readonly shared: number;
  /** As in `start`, of the new process. */
  readonly birth: string;
}
/** Power was given to the process after its birth. A program is not told: it may ask who it is. */
export interface GrantRecord extends Common {
  readonly kind: "grant";
  readonly handle: string;
  readonly by: string;
  /** The last block of the chain: what it adds at most. */
  readonly capabilities: readonly string[];
  readonly expiresAt?: number;
  /** The rule that a person answered with "always", and the digest of what would have run then. */
  readonly standing?: string;
  readonly runs?: string;
  /** The label of the capabilities' text: what whoever wrote them had read. Absent where that is nothing. */
  readonly words?: string;
}
/** Power was taken from it: a handle of `grant`, or a block that it was born with. */
export interface RevokeRecord extends Common {
  readonly kind: "revoke";
  readonly handle: string;
  readonly by: string;
}
export interface EndRecord extends Common {
  readonly kind: "end";
  readonly state: EndState;
  readonly code: number;
  readonly output?: Json;
  readonly error?: FailureText;
  /** What was stopped with it may have cost this much. */
  readonly usd?: number;
  readonly tokens?: number;
}

export type JournalRecord =
  | StartRecord
  | CallRecord
  | IntentRecord
  | OutcomeRecord
  | SignalRecord
  | RestartRecord
  | CrashRecord
  | ForkRecord
  | GrantRecord
  | RevokeRecord
  | EndRecord;
