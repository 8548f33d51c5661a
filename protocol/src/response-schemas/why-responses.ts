// The answers of protocol/src/causes.ts: why something came about, and a process as it was.

import { z } from "zod";
import type { CauseLink, CausesReport, MomentReport, PersonsWord } from "../causes.ts";
import { waitKinds } from "../process.ts";
import { whyReport } from "./authority-responses.ts";
import { amount, colour, count, failureCode, failureText, moment, named, seq } from "./fields.ts";
import { budget, processState } from "./process-responses.ts";
import { journalRecord, recordKind } from "./record-responses.ts";

const text = z.string();
const maybe = text.nullable();

const personsWord = named(
  "PersonsWord",
  z
    .strictObject({
      question: text,
      kind: z.enum(["question", "doubt", "policy", "proposal"]),
      rule: maybe.describe("The rule that asks, where one does."),
      askedAt: moment,
      answer: maybe,
      answeredBy: maybe,
      answeredAt: moment.nullable(),
      votes: z.array(z.strictObject({ person: text, choice: text, at: moment, reason: maybe })),
    })
    .describe("What people were asked about a call, and what they said."),
) satisfies z.ZodType<PersonsWord>;

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
      came: maybe.describe("What it came to; null for what has no outcome."),
      code: failureCode.nullable(),
      verdict: maybe,
      label: maybe,
      usd: amount,
      tokens: amount,
      people: z.array(personsWord),
      from: z.array(text).describe("The records, or the people, that made it happen."),
    })
    .describe("One record of the chain."),
) satisfies z.ZodType<CauseLink>;

export const causesReport = named(
  "CausesReport",
  z.strictObject({
    pid: text,
    agent: text,
    state: processState,
    waitingOn: z.enum(waitKinds).nullable(),
    exitCode: z.int().nullable(),
    waitsFor: z.array(personsWord),
    seq,
    summary: text,
    error: failureText.nullable(),
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
      made: z.array(z.strictObject({ seq, label: text, colour, what: text })),
    }),
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
    links: z.array(causeLink).describe("The first is what is explained."),
    leftOut: count.describe("Plain records in the middle that are not told."),
    next: z.array(z.strictObject({ command: text, why: text })),
  }),
) satisfies z.ZodType<CausesReport>;

export const momentReport = named(
  "MomentReport",
  z.strictObject({
    pid: text,
    agent: text,
    seq,
    records: count,
    record: journalRecord,
    call: z.strictObject({ n: count, call: text }).nullable(),
    label: text,
    colour,
    spent: z.strictObject({ usd: amount, tokens: amount }),
    limit: budget,
  }),
) satisfies z.ZodType<MomentReport>;
