// Causes: why something came about, as people are told it: a record, what led to it, who decided and what
// it cost.
//
// PROTOCOL-CAUSES-1  A record is named `PID#SEQ`. `from` of a link names what made it happen: other
//     records and, where it was nobody's record, who it was (`operator`, `operator:NAME`, `the time to
//     live`).
// PROTOCOL-CAUSES-2  The first link is what is explained. Of a long run the plain ones in the middle may
//     be left out, and then it is said how many.

import type { WhyReport } from "./authority.ts";
import type { FailureCode, FailureText } from "./failures.ts";
import type { colours } from "./label.ts";
import type { Budget, ProcessState, WaitKind } from "./process.ts";
import type { JournalRecord } from "./record.ts";

export type Colour = (typeof colours)[keyof typeof colours];

/** What people were asked about a call, and what they said. */
export interface PersonsWord {
  readonly question: string;
  readonly kind: "question" | "doubt" | "policy" | "proposal";
  /** The rule that asks, where one does. */
  readonly rule: string | null;
  /** ISO 8601. */
  readonly askedAt: string;
  /** Null while nobody has answered, and where it was withdrawn. */
  readonly answer: string | null;
  readonly answeredBy: string | null;
  readonly answeredAt: string | null;
  readonly votes: readonly {
    readonly person: string;
    readonly choice: string;
    readonly at: string;
    readonly reason: string | null;
  }[];
}

/** One record of the chain. */
export interface CauseLink {
  /** PROTOCOL-CAUSES-1. */
  readonly id: string;
  readonly pid: string;
  readonly agent: string;
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly kind: JournalRecord["kind"];
  /** In a line; long values are cut. */
  readonly what: string;
  /** What it came to; null for what has no outcome. */
  readonly came: string | null;
  readonly code: FailureCode | null;
  readonly verdict: string | null;
  /** What had been read from here on, where this changed it. */
  readonly label: string | null;
  readonly usd: number;
  readonly tokens: number;
  readonly people: readonly PersonsWord[];
  /** PROTOCOL-CAUSES-1. */
  readonly from: readonly string[];
}

/** A capability that let a call pass, and where the process has it from. */
export interface GrantUsed {
  readonly block: string;
  readonly capability: string | null;
  /** `birth`, or the handle under which it was granted. */
  readonly handle: string;
  readonly by: string;
  /** ISO 8601. */
  readonly givenAt: string;
  readonly reason: string | null;
}

/** One call of a model or a tool, and what it cost. */
export interface CostOfCall {
  readonly seq: number;
  /** `infer lab/large`, `exec shell.run`, `end` for what was stopped. */
  readonly what: string;
  readonly usd: number;
  readonly tokens: number;
  /** As its model counted; null for what is no model's. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** A command that may help, and what for. */
export interface NextStep {
  readonly command: string;
  readonly why: string;
}

export interface CausesReport {
  readonly pid: string;
  readonly agent: string;
  readonly state: ProcessState;
  readonly waitingOn: WaitKind | null;
  readonly exitCode: number | null;
  /** What it waits for people to answer now. */
  readonly waitsFor: readonly PersonsWord[];
  /** The record that is explained. */
  readonly seq: number;
  /** In a sentence. */
  readonly summary: string;
  readonly error: FailureText | null;
  /** How the gate saw the call that is explained; of all else, the last one until then that it refused. */
  readonly decision: WhyReport | null;
  readonly grants: readonly GrantUsed[];
  readonly label: {
    readonly text: string;
    readonly colour: Colour;
    /** What was read that made it so, the first read first. */
    readonly made: readonly {
      readonly seq: number;
      readonly label: string;
      readonly colour: Colour;
      readonly what: string;
    }[];
  };
  /** What it had cost by then, the dearest calls first; a fork pays for what comes after the fork. */
  readonly cost: {
    readonly usd: number;
    readonly tokens: number;
    readonly calls: readonly CostOfCall[];
    readonly leftOut: number;
  };
  /** PROTOCOL-CAUSES-2. */
  readonly links: readonly CauseLink[];
  readonly leftOut: number;
  readonly next: readonly NextStep[];
}

/** A record that only led on: nothing was refused, decided, asked, read for the first time or said from outside. */
export const isPlain = ({ kind, code, verdict, label, people, from, pid }: CauseLink): boolean =>
  (kind === "call" || kind === "intent" || kind === "outcome") &&
  code === null &&
  verdict === null &&
  label === null &&
  people.length === 0 &&
  from.every((one) => one.startsWith(`${pid}#`));

/** A process at one of its records. */
export interface MomentReport {
  readonly pid: string;
  readonly agent: string;
  readonly seq: number;
  /** How many records it has now. */
  readonly records: number;
  /** With every value whole, wherever it is kept. */
  readonly record: JournalRecord;
  /** The call that the record is about, where it is about one. */
  readonly call: { readonly n: number; readonly call: string } | null;
  readonly label: string;
  readonly colour: Colour;
  /** Until and with this record. */
  readonly spent: { readonly usd: number; readonly tokens: number };
  readonly limit: Budget;
}

/** What is known without knowing who asks, and with what. */
export type Causes = Omit<CausesReport, "next">;

/** Who can be asked why. */
export interface CauseReader {
  /** What led to a record; without one, to its end, or to where it is now. */
  causes(pid: string, seq?: number): Promise<Causes>;
  /** A process at one of its records (default: the last). */
  moment(pid: string, seq?: number): Promise<MomentReport>;
}
