// Operations: the rows of the HTTP API: what may be given to each route, and what it answers. The
// daemon's routes and the types of the client's methods are made from them; how each is answered is
// in daemon/src/gateway/handlers.ts.
//
// OPERATIONS-1  An unknown field is refused, wherever it travels.
// OPERATIONS-2  A failure is `application/problem+json` with the code of the failures table, whose status
//     it has.

import { z } from "zod";
import type {
  BacktestReport,
  CheckReport,
  LedgerReport,
  PolicyReport,
  PowerReport,
  RevokeReport,
  SecretReport,
  SuggestReport,
  WhyReport,
} from "./authority.ts";
import type { ConfigReport } from "./config-report.ts";
import type { AttackTried, DoctorReport } from "./doctor.ts";
import type { FailureCode } from "./failures.ts";
import type { Json } from "./json.ts";
import {
  attackBody,
  byId,
  byName,
  byPid,
  count,
  durationMs,
  folder,
  fromFolder,
  grantBody,
  holder,
  json,
  label,
  listQuery,
  mcpServerBody,
  person,
  questionQuery,
  secretBody,
  seq,
  signalBody,
  spawnBody,
  tenant,
  textFile,
  token,
  tokenBody,
  toolCallBody,
  words,
} from "./operation-fields.ts";
import type { PolicyProblem, PolicyTestResult } from "./policy-reports.ts";
import type { Ending, ProcessDetail, ProcessInfo } from "./process.ts";
import type { JournalRecord } from "./record.ts";
import type {
  AnswerReport,
  AuditReport,
  GcReport,
  Question,
  ReplayReport,
  StatusReport,
  StoreReport,
} from "./reports.ts";
import { memoryOperations } from "./memory-operations.ts";
import { modelOperations } from "./model-operations.ts";
import { takes, type Operation } from "./operation-row.ts";
import type { OperationName } from "./routes.ts";
import type { SignalName } from "./signals.ts";
import { tenantOperations } from "./tenant-operations.ts";
import { tokenOperations } from "./token-operations.ts";
import { trustOperations } from "./trust-operations.ts";
import { whyOperations } from "./why-operations.ts";
import type {
  AgentReport,
  ChangesReport,
  FolderProblem,
  McpServerReport,
  McpTestReport,
  SkillDetail,
  SkillReport,
  ToolDetail,
  ToolReport,
  WorkspaceActReport,
} from "./tool-reports.ts";

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
    body: z.strictObject({
      body: json,
      type: z.string().min(1).max(100).optional(),
      label: label.optional(),
    }),
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
  storeReport: takes().answers<StoreReport>(),
  acceptStore: takes({
    body: z.strictObject({ pids: z.array(z.string()).max(10_000).optional() }),
  }).answers<StoreReport & { released: number }>(),
  collect: takes({
    body: z.strictObject({ dryRun: z.boolean().optional() }),
  }).answers<GcReport>(),

  questions: takes({ query: questionQuery }).answers<Question[]>(),
  answer: takes({
    params: byId,
    body: z.strictObject({
      choice: z.string().min(1).max(1000),
      text: words.optional(),
      /** Whose word it is; the owner of the socket's unless said. */
      by: person.optional(),
      always: z.boolean().optional(),
    }),
  }).answers<AnswerReport>(),
  cancelQuestion: takes({
    params: byId,
    body: z.strictObject({ text: words.optional(), by: person.optional() }),
  }).answers<{ id: string; alsoWithdrawn: string[] }>(),

  power: takes({ query: z.strictObject(holder) }).answers<PowerReport>(),
  grant: takes({ body: grantBody }).answers<{ handle: string; block: string }>(),
  revoke: takes({
    body: z.strictObject({ id: z.string().min(1).max(200) }),
  }).answers<RevokeReport>(),
  check: takes({
    params: byPid,
    body: z.strictObject({ call: z.string().min(1).max(100), args: json.optional() }),
  }).answers<CheckReport>(),
  why: takes({
    params: byPid,
    query: z.strictObject({ seq: count.optional() }),
  }).answers<WhyReport>(),
  suggest: takes({
    query: z.strictObject({ ...holder, widen: z.enum(["none", "folder"]).optional() }),
  }).answers<SuggestReport>(),

  mintToken: takes({
    body: tokenBody.extend({ signed: z.boolean().optional() }),
  }).answers<{ token: string; ids: readonly string[] }>(),
  verifyToken: takes({ body: z.strictObject({ token }) }).answers<Json>(),
  attenuateToken: takes({ body: tokenBody.extend({ token }) }).answers<{ token: string }>(),

  policy: takes().answers<PolicyReport>(),
  checkPolicy: takes({
    body: z.strictObject({ files: z.array(textFile).min(1).max(1000) }),
  }).answers<{ ok: boolean; problems: PolicyProblem[] }>(),
  testPolicy: takes({
    body: z.strictObject({ policy: textFile, tests: textFile }),
  }).answers<{ ok: boolean; cases: PolicyTestResult[] }>(),
  reloadPolicy: takes().answers<PolicyReport>(),
  backtestPolicy: takes({
    body: z.strictObject({ policy: textFile, sinceMs: durationMs }),
  }).answers<BacktestReport>(),

  secrets: takes().answers<SecretReport[]>(),
  setSecret: takes({ body: secretBody }).answers<{ name: string }>(),
  removeSecret: takes({
    params: z.strictObject({ name: z.string().min(1).max(200) }),
    body: z.strictObject({ tenant: tenant.optional() }),
  }).answers<{ name: string }>(),

  agents: takes({ query: fromFolder }).answers<AgentReport[]>(),
  tools: takes({
    query: fromFolder.extend({ search: words.optional() }),
  }).answers<ToolReport[]>(),
  tool: takes({ params: byName, query: fromFolder }).answers<ToolDetail>(),
  callTool: takes({ params: byName, body: toolCallBody }).answers<{ pid: string }>(),

  folderProblems: takes({
    query: fromFolder.extend({ folder: folder.optional() }),
  }).answers<FolderProblem[]>(),

  mcpServers: takes({ query: fromFolder }).answers<McpServerReport[]>(),
  addMcpServer: takes({ body: mcpServerBody }).answers<{ name: string; file: string }>(),
  removeMcpServer: takes({ params: byName }).answers<{ name: string }>(),
  testMcpServer: takes({ params: byName, body: fromFolder }).answers<McpTestReport>(),
  pinMcpServer: takes({ params: byName, body: fromFolder }).answers<McpServerReport>(),

  skills: takes({ query: fromFolder }).answers<SkillReport[]>(),
  skill: takes({ params: byName, query: fromFolder }).answers<SkillDetail>(),
  checkSkill: takes({ body: z.strictObject({ folder }) }).answers<SkillDetail>(),

  changes: takes({
    params: byPid,
    query: z.strictObject({ text: z.stringbool().optional() }),
  }).answers<ChangesReport>(),
  undo: takes({
    params: byPid,
    body: z.strictObject({ force: z.boolean().optional() }),
  }).answers<WorkspaceActReport>(),
  commit: takes({
    params: byPid,
    body: z.strictObject({ force: z.boolean().optional() }),
  }).answers<WorkspaceActReport>(),

  ledger: takes({
    query: z.strictObject({ limit: count.min(1).max(100_000).optional() }),
  }).answers<LedgerReport[]>(),

  ...memoryOperations,
  ...modelOperations,
  ...tenantOperations,
  ...tokenOperations,
  ...trustOperations,
  ...whyOperations,

  config: takes().answers<ConfigReport>(),
  doctor: takes().answers<DoctorReport>(),
  attack: takes({ body: attackBody }).answers<AttackTried>(),
} as const satisfies Record<OperationName, Operation>;

type Operations = typeof operations;
type TypesOf<Row> =
  Row extends Operation<infer Args, infer Answer> ? { args: Args; answer: Answer } : never;

export type OperationArgs<Name extends OperationName> = TypesOf<Operations[Name]>["args"];
export type OperationAnswer<Name extends OperationName> = TypesOf<Operations[Name]>["answer"];
