// Records: the entries of a journal, one schema for each kind. One per system call; two (intent, outcome) for an
// external effect; and one for every event that a program must receive at the same place in a replay.
//
// RECORD-1  `seq` counts the records of one process from 0 without a gap, in the order in which the program received
//           them.
// RECORD-2  `n` counts the calls of a process from 1, in the order in which the program made them.
// RECORD-3  `cause` is the record that triggered this one: a number is a record of the same process.
// RECORD-4  The format of a journal is given by `schema` in its `start` record, never by a later record.

import { z } from "zod";
import { endStates } from "../process.ts";
import type { ReportOf } from "./operation.ts";
import {
  amount,
  count,
  failureText,
  jsonValue,
  named,
  names,
  pid,
  seq,
  signalName,
} from "./response-fields.ts";

/** What every record begins with. */
const shared = {
  seq,
  at: amount.describe("Milliseconds since 1970."),
  cause: z
    .union([z.number(), z.string()])
    .describe("The record that made this one happen: a number is one of the same process."),
};

const narrowing = z.array(z.strictObject({ skill: z.string(), tools: names }));

/** The tools that skills which it has read leave it: only those that are in every list. */
export type Narrowing = ReportOf<typeof narrowing>;

const sums = { usd: amount.exactOptional(), tokens: amount.exactOptional() };

/** What a call came to, what it cost and what it did to the label. */
const cameTo = {
  ok: jsonValue.describe("Its result; a failed call has `err` instead.").exactOptional(),
  err: failureText.exactOptional(),
  ...sums,
  label: z.string().exactOptional(),
  verdict: z
    .string()
    .describe("The rule or check that decided, where it was not simply allowed.")
    .exactOptional(),
  /** The label of the row that a `write` left, where that is not `trusted/public`. */
  stored: z.string().exactOptional(),
  also: z
    .array(z.tuple([z.string(), z.string(), z.string()]))
    .describe("The resources that it touched while it ran: kind, resource, verb.")
    .exactOptional(),
  heldBy: z.string().describe("What the sandbox enforced while the tool ran.").exactOptional(),
  /** All that holds its tools from here on, where that changed or replay may begin here. */
  narrowing: narrowing.exactOptional(),
  over: z
    .strictObject({ usd: amount.exactOptional(), tokens: count.exactOptional() })
    .describe("Cost reported beyond the reservation: owed, and in no sum.")
    .exactOptional(),
};

/** What a call came to. Exactly one of `ok` and `err` is there. */
export type Outcome = Pick<CallRecord, "ok" | "err">;

const kind = <Kind extends string>(text: Kind) => ({ kind: z.literal(text) });

const nth = count.describe("Calls of a process are counted from 1.");

const start = z.strictObject({
  ...kind("start"),
  ...shared,
  schema: count,
  program: z.strictObject({ name: z.string(), version: z.string() }),
  manifest: z.string(),
  capabilities: names,
  /** The digest of what its row says of it that never changes. */
  birth: z.string(),
  input: jsonValue,
});

const call = z.strictObject({
  ...kind("call"),
  ...shared,
  ...cameTo,
  n: nth,
  call: z.string(),
  args: jsonValue,
});

const intent = z.strictObject({
  ...kind("intent"),
  ...shared,
  n: nth,
  call: z.string(),
  args: jsonValue,
  /** What a tool can pass on so that the far side does it once. */
  key: z.string(),
  attempt: count,
});

const outcome = z.strictObject({ ...kind("outcome"), ...shared, ...cameTo, n: nth });

const signal = z.strictObject({
  ...kind("signal"),
  ...shared,
  signal: signalName,
  /** How many calls the program had made when it was told. */
  issued: count,
  did: z.enum([
    "handler",
    "ignored",
    "stopped",
    "continued",
    "finishing",
    "ended",
    "checkpoint",
    "noted",
  ]),
});

const restart = z.strictObject({
  ...kind("restart"),
  ...shared,
  ...sums,
  why: z.enum(["error", "crash", "checkpoint"]),
  /** The number of calls made before; the new start counts on from here. */
  issued: count,
  /** The checkpoint's seq; absent when it begins from its input. */
  from: count.exactOptional(),
  /** When it was started again before, as far as that still counts. */
  earlier: z.array(z.number()).exactOptional(),
  /** What it had read until then stays read. */
  label: z.string().exactOptional(),
  narrowing: narrowing.exactOptional(),
});

const crash = z.strictObject({ ...kind("crash"), ...shared, reason: z.string() });

const fork = z.strictObject({
  ...kind("fork"),
  ...shared,
  from: z.string(),
  shared: count.describe("The last shared seq."),
  /** As in `start`, of the new process. */
  birth: z.string(),
});

const grant = z.strictObject({
  ...kind("grant"),
  ...shared,
  handle: z.string(),
  by: z.string(),
  /** The last block of the chain: what it adds at most. */
  capabilities: names,
  expiresAt: amount.exactOptional(),
  /** The rule that a person answered with "always", and the digest of what would have run then. */
  standing: z.string().exactOptional(),
  runs: z.string().exactOptional(),
  /** The label of the capabilities' text: what whoever wrote them had read. Absent where that is nothing. */
  words: z.string().exactOptional(),
});

const revoke = z.strictObject({
  ...kind("revoke"),
  ...shared,
  handle: z.string(),
  by: z.string(),
});

const end = z.strictObject({
  ...kind("end"),
  ...shared,
  ...sums,
  state: z.enum(endStates),
  code: z.int(),
  output: jsonValue.exactOptional(),
  error: failureText.exactOptional(),
});

export type StartRecord = ReportOf<typeof start>;
export type CallRecord = ReportOf<typeof call>;
export type IntentRecord = ReportOf<typeof intent>;
export type OutcomeRecord = ReportOf<typeof outcome>;
export type SignalRecord = ReportOf<typeof signal>;
export type RestartRecord = ReportOf<typeof restart>;
export type CrashRecord = ReportOf<typeof crash>;
export type ForkRecord = ReportOf<typeof fork>;
export type GrantRecord = ReportOf<typeof grant>;
export type RevokeRecord = ReportOf<typeof revoke>;
export type EndRecord = ReportOf<typeof end>;

const kinds = { start, call, intent, outcome, signal, restart, crash, fork, grant, revoke, end };

for (const [name, schema] of Object.entries(kinds))
  named(`${name[0]!.toUpperCase()}${name.slice(1)}Record`, schema);

export const recordKind = z.enum(Object.keys(kinds) as (keyof typeof kinds)[]);

export const journalRecord = named(
  "JournalRecord",
  z
    .discriminatedUnion("kind", [
      start,
      call,
      intent,
      outcome,
      signal,
      restart,
      crash,
      fork,
      grant,
      revoke,
      end,
    ])
    .describe("A row of a journal."),
);
export type JournalRecord = ReportOf<typeof journalRecord>;

export const feedEvent = named(
  "FeedEvent",
  z
    .strictObject({ pid, tenant: z.string(), tree: pid, record: journalRecord })
    .describe("A record, and whose it is."),
);
export type FeedEvent = ReportOf<typeof feedEvent>;

/** What `attach` tells. */
export const attached = named(
  "Attached",
  z.union([
    z.strictObject({ record: journalRecord }),
    z.strictObject({
      progress: z.strictObject({
        n: count,
        kind: z.enum(["text", "reasoning", "restart"]),
        text: z.string(),
        at: count.exactOptional(),
      }),
    }),
  ]),
);
export type Attached = ReportOf<typeof attached>;
