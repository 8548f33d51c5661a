// The answers of protocol/src/reports.ts and doctor.ts.

import { z } from "zod";
import { sandboxParts, type AttackTried, type DoctorReport } from "../doctor.ts";
import type {
  AnswerReport,
  AuditReport,
  GcReport,
  Question,
  ReplayReport,
  RunIdentity,
  StatusReport,
  StoreReport,
  TenantReport,
} from "../reports.ts";
import { amount, colour, count, moment, named, names, pid, seq } from "./fields.ts";
import { budgetReport } from "./model-responses.ts";
import { processState, spend } from "./process-responses.ts";

export const replayReport = named(
  "ReplayReport",
  z.strictObject({
    pid,
    records: count,
    identical: z.boolean(),
    difference: z
      .strictObject({ seq, recorded: z.string(), replayed: z.string() })
      .nullable()
      .describe("The first difference, where there is one."),
  }),
) satisfies z.ZodType<ReplayReport>;

export const auditReport = named(
  "AuditReport",
  z.strictObject({
    ok: z.boolean(),
    processes: count,
    records: count,
    logged: count.describe("The number of chain heads under the signed tree head."),
    findings: z.array(
      z.strictObject({
        kind: z.enum(["changed", "missing", "reordered", "truncated", "log", "blob"]),
        pid: z.string().nullable(),
        seq: count.nullable(),
        message: z.string(),
      }),
    ),
  }),
) satisfies z.ZodType<AuditReport>;

const storeFields = {
  ok: z.boolean(),
  store: z.string(),
  heads: count.describe("How many signed heads it was compared with."),
  summary: z.string().nullable(),
  held: z
    .array(z.strictObject({ pid: z.string(), why: z.string() }))
    .describe("Processes that do not run, and why."),
  lost: z
    .array(
      z.strictObject({
        pid: z.string(),
        known: z.int().describe("The last record that is known to have been written."),
        stored: z.int().describe("The last that is there; -1 where nothing is."),
        kind: z.enum(["behind", "different", "missing"]),
      }),
    )
    .describe("What was written and is not there."),
  damage: z.array(z.string()),
};

export const storeReport = named(
  "StoreReport",
  z.strictObject(storeFields),
) satisfies z.ZodType<StoreReport>;

export const acceptReport = named(
  "AcceptReport",
  z.strictObject({ ...storeFields, released: count.describe("How many processes go on.") }),
) satisfies z.ZodType<StoreReport & { released: number }>;

export const gcReport = named(
  "GcReport",
  z.strictObject({
    dryRun: z.boolean(),
    compacted: count,
    recordsRemoved: count,
    bytesFreed: amount,
    kept: count,
    resultsRemoved: count,
  }),
) satisfies z.ZodType<GcReport>;

const runIdentity = named(
  "RunIdentity",
  z
    .strictObject({
      tool: z
        .strictObject({
          name: z.string(),
          version: z.string(),
          digest: z.string().nullable().describe("Of the code or definition behind the name."),
        })
        .nullable(),
      program: z.string(),
      programVersion: z.string(),
      manifest: z.string(),
      project: z.string().nullable(),
      workspace: z.strictObject({
        kind: z.enum(["private", "direct", "copy"]),
        folder: z.string().nullable(),
      }),
      files: z
        .array(z.strictObject({ path: z.string(), digest: z.string(), bytes: count }))
        .describe("The files that the arguments name."),
      reach: names.describe("What the running call may reach beside what it touches."),
    })
    .describe("What would run after a yes, and where."),
) satisfies z.ZodType<RunIdentity>;

export const question = named(
  "Question",
  z
    .strictObject({
      id: z.string(),
      pid,
      kind: z.enum(["question", "doubt", "policy", "proposal"]),
      question: z.string(),
      choices: names,
      digest: z.string(),
      askedAt: moment,
      expiresAt: moment.nullable(),
      channel: z
        .string()
        .nullable()
        .describe("The group of people that is asked; null for whoever may answer at all."),
      people: names.nullable(),
      quorum: count.describe("How many must say yes."),
      votes: z.array(z.strictObject({ person: z.string(), choice: z.string(), at: moment })),
      count: count.describe("How many calls wait for this one answer."),
      pids: z.array(pid),
      about: z
        .strictObject({
          agent: z.string(),
          call: z.string(),
          tool: z.string().nullable(),
          args: z.string().describe("JSON text, whole."),
          touches: z.array(z.string()).describe("`kind:resource:verb`"),
          effect: z.string().nullable(),
          sinks: names,
          label: z.string(),
          colour,
          rule: z.string().nullable(),
          everyTime: z.boolean().describe("A standing answer is not taken."),
          cover: names.describe('What "always", or the yes to a proposal, gives.'),
          difference: names.exactOptional(),
          runs: runIdentity.exactOptional(),
        })
        .nullable(),
    })
    .describe("Something that a process waits for a person to answer."),
) satisfies z.ZodType<Question>;

export const answerReport = named(
  "AnswerReport",
  z
    .strictObject({
      id: z.string(),
      settled: z.boolean(),
      answer: z.string().nullable(),
      votes: count,
      needed: count,
      alsoAnswered: names,
      given: z.strictObject({ handle: z.string(), capabilities: names }).exactOptional(),
    })
    .describe("What came of a person's word."),
) satisfies z.ZodType<AnswerReport>;

export const statusReport = named(
  "StatusReport",
  z.strictObject({
    daemon: z.strictObject({ pid: count, version: z.string(), startedAt: moment }),
    url: z.string().nullable().describe("Null while it listens on its socket only."),
    socket: z.string(),
    home: z.string(),
    store: z.string(),
    node: z.string(),
    loaded: count.describe("Processes in memory; the others are rows."),
    states: z.partialRecord(processState, count),
    trouble: z.string().exactOptional().describe("What is wrong with the store."),
  }),
) satisfies z.ZodType<StatusReport>;

export const tenantReport = named(
  "TenantReport",
  z.strictObject({
    name: z.string(),
    states: z.partialRecord(processState, count).describe("How many processes it has in each."),
    spent: spend.describe("Since ever."),
    budgets: z.array(budgetReport).describe("Those of all its runs together."),
    ceiling: z
      .strictObject({
        source: z.enum(["default", "config", "operator"]),
        capabilities: names.nullable().describe("Null: there is none."),
        problem: z.string().nullable().describe("What is wrong with what is stored."),
      })
      .describe("The most that anybody of it may hold."),
  }),
) satisfies z.ZodType<TenantReport>;

const part = z.enum(sandboxParts);

export const doctorReport = named(
  "DoctorReport",
  z.strictObject({
    ok: z.boolean(),
    checks: z.array(
      z.strictObject({
        name: z.string(),
        ok: z.boolean(),
        detail: z.string(),
        hint: z.string().exactOptional(),
      }),
    ),
    sandbox: z.record(part, z.enum(["enforced", "advisory", "absent"])),
    mechanisms: z.record(part, z.string()),
  }),
) satisfies z.ZodType<DoctorReport>;

export const attackTried = named(
  "AttackTried",
  z.strictObject({
    attack: z.strictObject({
      id: z.string(),
      name: z.string(),
      group: z.string(),
      outcome: z.enum(["stopped", "got-through", "skipped"]),
      detail: z.string(),
    }),
    number: count,
    of: count,
  }),
) satisfies z.ZodType<AttackTried>;
