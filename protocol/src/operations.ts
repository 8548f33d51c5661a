// Operations: the rows of the HTTP API: what may be given to each route, and what it answers. The
// daemon's routes and the types of the client's methods are made from them; how each is answered is
// in daemon/src/gateway/answers.ts.
//
// O1  An unknown field is refused, wherever it travels.
// O2  A failure is `application/problem+json` with the code of the failures table, whose status it has.

import { z } from "zod";
import type { FailureCode } from "./failures.ts";
import type { Json } from "./json.ts";
import { processStates, type Ending, type ProcessDetail, type ProcessInfo } from "./process.ts";
import type { JournalRecord } from "./record.ts";
import type { AuditReport, GcReport, Question, ReplayReport, StatusReport } from "./reports.ts";
import type { OperationName } from "./routes.ts";
import { isSignalName, type SignalName } from "./signals.ts";

/** A failure as HTTP carries it. */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly code: FailureCode;
  readonly message: string;
  readonly hint?: string;
  readonly retryAfter?: number;
  readonly detail?: Json;
}

export interface Operation<Args = unknown, Answer = unknown> {
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodObject;
  /** Types only; never there. */
  readonly types?: { readonly args: Args; readonly answer: Answer };
}

const nothing = z.strictObject({});

type Given = z.ZodObject | undefined;
type Fields<Schema extends Given> = Schema extends z.ZodObject ? z.output<Schema> : unknown;

const takes = <
  Params extends Given = undefined,
  Query extends Given = undefined,
  Body extends Given = undefined,
>(
  given: { params?: Params; query?: Query; body?: Body } = {},
) => ({
  answers: <Answer>(): Operation<Fields<Params> & Fields<Query> & Fields<Body>, Answer> => ({
    params: given.params ?? nothing,
    query: given.query ?? nothing,
    body: given.body ?? nothing,
  }),
});

const json = z.custom<Json>((value) => value !== undefined);
const count = z.coerce.number().int().nonnegative();
const seq = z.number().int().nonnegative();
const tenant = z.string().min(1).max(63);

/** A pid, a unique beginning of one, or `@last`. */
const byPid = z.strictObject({ pid: z.string().min(1).max(200) });
const byId = z.strictObject({ id: z.string().min(1).max(200) });

const spawnBody = z.strictObject({
  /** An agent by name: one of the caller's project, of the home, or built in. */
  agent: z.string().min(1).max(200).optional(),
  /** Or its manifest as it was written, with the name to use for it in complaints. */
  manifest: z.strictObject({ text: z.string(), file: z.string().min(1).max(4096) }).optional(),
  /** Where the manifest's relative commands and scripts are. */
  folder: z.string().startsWith("/").max(4096).optional(),
  /** Where the caller is: its `.agents/` is looked in first. */
  cwd: z.string().startsWith("/").max(4096).optional(),
  input: json.optional(),
  capabilities: z.array(z.string().min(1)).optional(),
  budget: z
    .strictObject({
      usd: z.number().nonnegative().optional(),
      tokens: z.number().int().nonnegative().optional(),
      toolCalls: z.number().int().nonnegative().optional(),
      wallMs: z.number().int().positive().optional(),
    })
    .optional(),
  tenant: tenant.optional(),
});

const listQuery = z.strictObject({
  tenant: tenant.optional(),
  /** Names with commas between them. */
  states: z
    .string()
    .refine(
      (text) =>
        text.split(",").every((name) => (processStates as readonly string[]).includes(name)),
      `states are ${processStates.join(", ")}`,
    )
    .optional(),
  parent: z.string().min(1).max(200).optional(),
  before: z.string().min(1).max(200).optional(),
  limit: count.max(10_000).optional(),
});

const signalBody = z.strictObject({
  signal: z.custom<SignalName>(
    (text) => typeof text === "string" && isSignalName(text),
    "no such signal",
  ),
});

export const operations = {
  status: takes().answers<StatusReport>(),
  shutdown: takes().answers<{ stopping: true }>(),

  spawn: takes({ body: spawnBody }).answers<{ pid: string }>(),
  list: takes({ query: listQuery }).answers<ProcessInfo[]>(),
  show: takes({ params: byPid }).answers<ProcessDetail>(),
  wait: takes({
    params: byPid,
    query: z.strictObject({ timeoutMs: count.optional() }),
  }).answers<Ending>(),

  journal: takes({
    params: byPid,
    query: z.strictObject({ after: count.optional(), limit: count.max(10_000).optional() }),
  }).answers<JournalRecord[]>(),
  watch: takes({
    params: byPid,
    query: z.strictObject({ after: count.optional() }),
  }).answers<JournalRecord>(),
  coreDump: takes({ params: byPid }).answers<Json>(),

  signal: takes({ params: byPid, body: signalBody }).answers<{ pid: string; signal: SignalName }>(),
  send: takes({
    params: byPid,
    body: z.strictObject({ body: json, type: z.string().min(1).max(100).optional() }),
  }).answers<{ id: string }>(),

  replay: takes({ params: byPid }).answers<ReplayReport>(),
  fork: takes({
    params: byPid,
    body: z.strictObject({ at: seq.optional() }),
  }).answers<{ pid: string }>(),
  retry: takes({
    params: byPid,
    body: z.strictObject({ from: seq.optional(), result: json.optional() }),
  }).answers<{ pid: string }>(),

  verify: takes().answers<AuditReport>(),
  collect: takes({
    body: z.strictObject({ dryRun: z.boolean().optional() }),
  }).answers<GcReport>(),

  questions: takes().answers<Question[]>(),
  answer: takes({
    params: byId,
    body: z.strictObject({
      choice: z.string().min(1).max(1000),
      text: z.string().max(10_000).optional(),
    }),
  }).answers<{ id: string }>(),
} as const satisfies Record<OperationName, Operation>;

type Operations = typeof operations;
type TypesOf<Row> =
  Row extends Operation<infer Args, infer Answer> ? { args: Args; answer: Answer } : never;

export type OperationArgs<Name extends OperationName> = TypesOf<Operations[Name]>["args"];
export type OperationAnswer<Name extends OperationName> = TypesOf<Operations[Name]>["answer"];
