// The answers of protocol/src/record.ts: the rows of a journal, one schema for each kind.

import { z } from "zod";
import { endStates } from "../process.ts";
import type { Progress } from "../ports.ts";
import type { FeedEvent, JournalRecord } from "../record.ts";
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
} from "./fields.ts";

/** What every record begins with. */
const shared = {
  seq,
  at: amount.describe("Milliseconds since 1970."),
  cause: z
    .union([z.number(), z.string()])
    .describe("The record that made this one happen: a number is one of the same process."),
};

const narrowing = z.array(z.strictObject({ skill: z.string(), tools: names }));
const sums = { usd: amount.exactOptional(), tokens: amount.exactOptional() };

/** What a call came to, what it cost and what it did to the label. */
const cameTo = {
  ok: jsonValue.describe("What it answered; or `err` is there.").exactOptional(),
  err: failureText.exactOptional(),
  ...sums,
  label: z.string().exactOptional(),
  verdict: z
    .string()
    .describe("The rule or check that decided, where it was not simply allowed.")
    .exactOptional(),
  stored: z.string().exactOptional(),
  also: z
    .array(z.tuple([z.string(), z.string(), z.string()]))
    .describe("What it turned out to touch while it ran: kind, resource, verb.")
    .exactOptional(),
  heldBy: z.string().describe("What held the tool while it ran.").exactOptional(),
  narrowing: narrowing.exactOptional(),
  over: z
    .strictObject({ usd: amount.exactOptional(), tokens: count.exactOptional() })
    .describe("What was reported beyond what was reserved: owed, and in no sum.")
    .exactOptional(),
};

const kind = <Kind extends JournalRecord["kind"]>(text: Kind) => ({ kind: z.literal(text) });
const nth = count.describe("Calls of a process are counted from 1.");

const start = z.strictObject({
  ...kind("start"),
  ...shared,
  schema: count,
  program: z.strictObject({ name: z.string(), version: z.string() }),
  manifest: z.string(),
  capabilities: names,
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
  key: z.string(),
  attempt: count,
});
const outcome = z.strictObject({ ...kind("outcome"), ...shared, ...cameTo, n: nth });
const signal = z.strictObject({
  ...kind("signal"),
  ...shared,
  signal: signalName,
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
  issued: count,
  from: count.exactOptional(),
  earlier: z.array(z.number()).exactOptional(),
  label: z.string().exactOptional(),
  narrowing: narrowing.exactOptional(),
});
const crash = z.strictObject({ ...kind("crash"), ...shared, reason: z.string() });
const fork = z.strictObject({
  ...kind("fork"),
  ...shared,
  from: z.string(),
  shared: count.describe("The last shared seq."),
  birth: z.string(),
});
const grant = z.strictObject({
  ...kind("grant"),
  ...shared,
  handle: z.string(),
  by: z.string(),
  capabilities: names,
  expiresAt: amount.exactOptional(),
  standing: z.string().exactOptional(),
  runs: z.string().exactOptional(),
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

const kinds = { start, call, intent, outcome, signal, restart, crash, fork, grant, revoke, end };
for (const [name, schema] of Object.entries(kinds))
  named(`${name[0]!.toUpperCase()}${name.slice(1)}Record`, schema);

export const recordKind = z.enum(Object.keys(kinds) as JournalRecord["kind"][]);

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
) satisfies z.ZodType<JournalRecord>;

export const feedEvent = named(
  "FeedEvent",
  z
    .strictObject({ pid, tenant: z.string(), tree: pid, record: journalRecord })
    .describe("A record, and whose it is."),
) satisfies z.ZodType<FeedEvent>;

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
) satisfies z.ZodType<
  { record: JournalRecord } | { progress: Progress & { n: number; at?: number } }
>;
