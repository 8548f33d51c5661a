// Subject and verdict: the input and the result of a policy decision.
//
// SUBJECT-1  A subject is a value with everything that a rule can refer to, so that it can be judged again in the
//     same way (policy tests, backtests, the reference oracle).

import type { Effect, Json, Label, Sink, Touch } from "@aos/protocol";

export interface Cost {
  readonly usd: number;
  readonly tokens: number;
  readonly toolCalls: number;
}

export interface Subject {
  readonly call: string;
  /** For `exec` the tool's arguments; else the call's. */
  readonly args: Json;
  readonly agent: string;
  readonly tenant: string;
  readonly pid: string;
  readonly depth: number;
  readonly tool: string | undefined;
  readonly model: string | undefined;
  /** The process that a message, a signal or a wait is for. */
  readonly target: { readonly pid: string; readonly agent: string } | undefined;
  /** Where it passes a value from stage to stage: `PIPE/FROM/TO`. */
  readonly edge?: string | undefined;
  readonly touches: readonly Touch[];
  readonly label: Label;
  readonly effect: Effect;
  readonly sinks: readonly Sink[];
  /** A trusted pin fixed arguments of this call. */
  readonly pinned: boolean;
  /** A spawn whose child would have kinds of power that this process lacks. */
  readonly morePower: boolean;
  /** What it does can be taken back afterwards. */
  readonly undoable: boolean;
  /** The most that this call can cost, and what the process has spent. */
  readonly cost: Cost;
  readonly spent: Cost;
  readonly atMs: number;
  /** It was begun before and counted then: no rate is asked again. */
  readonly isBegun?: boolean;
}

export type RuleEffect = "allow" | "ask" | "deny" | "kill";

/** The stronger wins, in a layer and over layers. */
export const STRENGTH = { allow: 0, ask: 1, deny: 2, kill: 3 } as const satisfies Record<
  RuleEffect,
  number
>;

/** What people have to be asked, of all rules that ask. */
export interface ApprovalDemand {
  /** Every rule that asks, separated by a comma and a space. */
  readonly rule: string;
  /** Each of these groups has to agree, with `quorum` of its people; none: whoever may approve. */
  readonly channels: readonly string[];
  /** The largest of all rules. */
  readonly quorum: number;
  /** The shortest of all rules. */
  readonly expiresMs: number | undefined;
  /** Not even a standing answer ("always") replaces asking. */
  readonly everyTime: boolean;
}

/** One use of a rate, to be charged in the same turn. */
export interface RateUse {
  /** `rate:<layer>/<rule>/<tenant>/<agent>`, with each part escaped. */
  readonly key: string;
  readonly count: number;
  readonly perMs: number;
}

export interface Verdict {
  readonly effect: RuleEffect;
  /** `layer/rule-id`, or `layer/(nothing allows it)`; it says when a condition failed. */
  readonly rule: string;
  readonly say: string | undefined;
  readonly ask: ApprovalDemand | undefined;
  /** `layer/rule would deny`. */
  readonly shadows: readonly string[];
  /** Violations that were let pass (permissive, audit), and uses that a rule wants logged. */
  readonly notes: readonly string[];
  /** The marks that this call puts on the process when it is done. */
  readonly tags: readonly string[];
  /** Obligations: the strictest of all rules that allow it. */
  readonly timeoutMs: number | undefined;
  readonly maxBytes: number | undefined;
  readonly dryRun: boolean;
  readonly rates: readonly RateUse[];
  /** For a used-up rate: when the same call may succeed. */
  readonly retryAfterMs: number | undefined;
}
