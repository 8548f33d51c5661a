// Operations that explain a record: what led to it, who decided, what it cost; and the state of a process at a
// record.
//
// WHY-1  A record is named `PID#SEQ`. `from` of a link names its causes: records or, where there is none, the actor
//        (`operator`, `operator:NAME`, `the time to live`).
// WHY-2  The first link is the explained record. Plain links in the middle of a long run may be omitted; their number
//        is given.

import { z } from "zod";
import { waitKinds } from "../process.ts";
import { byPid, countArgument } from "./argument-fields.ts";
import { whyReport } from "./authority.ts";
import { operation, type ReportOf } from "./operation.ts";
import { budget, processState } from "./process.ts";
import { journalRecord, recordKind } from "./record.ts";
import {
  amount,
  colour,
  count,
  failureCode,
  failureText,
  moment,
  named,
  seq,
  text,
} from "./response-fields.ts";

const maybe = text.nullable();

const personsWord = named(
  "PersonsWord",
  z
    .strictObject({
      question: text,
      kind: z.enum(["question", "doubt", "policy", "proposal"]),
      rule: maybe.describe("The rule that asks, where one does."),
      askedAt: moment,
      /** Null while nobody has answered, and where it was withdrawn. */
      answer: maybe,
      answeredBy: maybe,
      answeredAt: moment.nullable(),
      votes: z.array(z.strictObject({ person: text, choice: text, at: moment, reason: maybe })),
    })
    .describe("The questions about a call, and their answers."),
);
export type PersonsStatement = ReportOf<typeof personsWord>;

const causeLink = named(
  "CauseLink",
  z
    .strictObject({
      id: text.describe("`PID#SEQ`"),
      pid: text,
      agent: text,
      seq,
      at: moment,
      kind: recordKind,
      what: text.describe("In a line; long values are cut."),
      came: maybe.describe("Its outcome; null if it has none."),
      code: failureCode.nullable(),
      verdict: maybe,
      /** What had been read from here on, where this changed it. */
      label: maybe,
      usd: amount,
      tokens: amount,
      people: z.array(personsWord),
      from: z.array(text).describe("The records, or the people, that made it happen."),
    })
    .describe("One record of the chain."),
);
export type CauseLink = ReportOf<typeof causeLink>;

const causesReport = named(
  "CausesReport",
  z.strictObject({
    pid: text,
    agent: text,
    state: processState,
    waitingOn: z.enum(waitKinds).nullable(),
    exitCode: z.int().nullable(),
    /** What it waits for people to answer now. */
    waitsFor: z.array(personsWord),
    /** The record that is explained. */
    seq,
    /** In a sentence. */
    summary: text,
    error: failureText.nullable(),
    /** How the gate saw the call that is explained; of all else, the last one until then that it refused. */
    decision: whyReport.nullable(),
    grants: z.array(
      z.strictObject({
        block: text,
        capability: maybe,
        handle: text,
        by: text,
        givenAt: moment,
        reason: maybe,
      }),
    ),
    label: z.strictObject({
      text,
      colour,
      /** What was read that made it so, the first read first. */
      made: z.array(z.strictObject({ seq, label: text, colour, what: text })),
    }),
    /** What it had cost by then, the dearest calls first; a fork pays for what comes after the fork. */
    cost: z.strictObject({
      usd: amount,
      tokens: amount,
      calls: z.array(
        z.strictObject({
          seq,
          what: text,
          usd: amount,
          tokens: amount,
          inputTokens: amount.nullable(),
          outputTokens: amount.nullable(),
        }),
      ),
      leftOut: count,
    }),
    links: z.array(causeLink).describe("The first one is the record that is explained."),
    leftOut: count.describe("Number of plain records in the middle that are left out."),
    next: z.array(z.strictObject({ command: text, why: text })),
  }),
);
export type CausesReport = ReportOf<typeof causesReport>;

/** A capability that let a call pass, and where the process has it from. */
export type GrantUsed = CausesReport["grants"][number];
/** One call of a model or a tool, and what it cost. */
export type CostOfCall = CausesReport["cost"]["calls"][number];
/** A command that may help, and what for. */
export type NextStep = CausesReport["next"][number];

/** What is known without knowing who asks, and with what. */
export type Causes = Omit<CausesReport, "next">;

const momentReport = named(
  "MomentReport",
  z.strictObject({
    pid: text,
    agent: text,
    seq,
    /** How many records it has now. */
    records: count,
    /** With every value whole, wherever it is kept. */
    record: journalRecord,
    /** The call that the record is about, where it is about one. */
    call: z.strictObject({ n: count, call: text }).nullable(),
    label: text,
    colour,
    /** Until and with this record. */
    spent: z.strictObject({ usd: amount, tokens: amount }),
    limit: budget,
  }),
);
export type MomentReport = ReportOf<typeof momentReport>;

const atRecord = z.strictObject({ seq: countArgument.optional() });

export const whyOperations = {
  causes: operation({
    method: "GET",
    path: "/processes/:pid/causes",
    summary: "Explain why a process ended, or the causes of a record.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    query: atRecord,
    response: causesReport,
  }),

  moment: operation({
    method: "GET",
    path: "/processes/:pid/moment",
    summary: "Show the state of a process at one of its records.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    query: atRecord,
    response: momentReport,
  }),
} as const;
