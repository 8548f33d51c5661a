// Answers: what every operation answers, as a schema. One line for each row of operations.ts; the OpenAPI
// document is made from them, and tests hold every answer against them.
//
// RESPONSE-SCHEMAS-1  A schema says what its interface says, no less and no more: anything else does not
//     compile.
//
// Of a stream it is what one line is. Neither the client nor the command line loads this.

import { z } from "zod";
import type { OperationAnswer } from "../operations.ts";
import type { OperationName } from "../routes.ts";
import * as authority from "./authority-responses.ts";
import { configReport } from "./config-responses.ts";
import { jsonValue, names, signalName } from "./fields.ts";
import { deadLetter, memoryReport, memorySearchReport } from "./memory-responses.ts";
import * as model from "./model-responses.ts";
import { ending, lane, processDetail, processInfo } from "./process-responses.ts";
import { attached, journalRecord } from "./record-responses.ts";
import * as report from "./report-responses.ts";
import { accessTokenReport, callerReport, newAccessToken } from "./token-responses.ts";
import * as tool from "./tool-responses.ts";
import { trustedReport, trustLook } from "./trust-responses.ts";
import { causesReport, momentReport } from "./why-responses.ts";

export { failureText, namedSchemas, problem } from "./fields.ts";
export { feedEvent } from "./record-responses.ts";
export { callerReport } from "./token-responses.ts";

const text = z.string();
const started = z.strictObject({ pid: text });
const name = z.strictObject({ name: text });

export const answerSchemas = {
  status: report.statusReport,
  shutdown: z.strictObject({ stopping: z.literal(true) }),

  spawn: started,
  list: z.array(processInfo),
  show: processDetail,
  wait: ending,

  journal: z.array(journalRecord),
  watch: journalRecord,
  coreDump: jsonValue,

  signal: z.strictObject({ pid: text, signal: signalName }),
  send: z.strictObject({ id: text }),

  replay: report.replayReport,
  fork: started,
  retry: started,

  verify: report.auditReport,
  storeReport: report.storeReport,
  acceptStore: report.acceptReport,
  collect: report.gcReport,

  questions: z.array(report.question),
  answer: report.answerReport,
  cancelQuestion: z.strictObject({ id: text, alsoWithdrawn: names }),

  power: authority.powerReport,
  grant: z.strictObject({ handle: text, block: text }),
  revoke: authority.revokeReport,
  check: authority.checkReport,
  why: authority.whyReport,
  causes: causesReport,
  moment: momentReport,
  suggest: authority.suggestReport,

  mintToken: z.strictObject({ token: text, ids: names }),
  verifyToken: jsonValue,
  attenuateToken: z.strictObject({ token: text }),

  policy: authority.policyReport,
  checkPolicy: z.strictObject({ ok: z.boolean(), problems: z.array(authority.policyProblem) }),
  testPolicy: z.strictObject({ ok: z.boolean(), cases: z.array(authority.policyTestResult) }),
  reloadPolicy: authority.policyReport,
  backtestPolicy: authority.backtestReport,

  secrets: z.array(authority.secretReport),
  setSecret: name,
  removeSecret: name,

  agents: z.array(tool.agentReport),
  tools: z.array(tool.toolReport),
  tool: tool.toolDetail,
  callTool: started,

  folderProblems: z.array(tool.folderProblem),

  mcpServers: z.array(tool.mcpServerReport),
  addMcpServer: z.strictObject({ name: text, file: text }),
  removeMcpServer: name,
  trustedFolders: z.array(trustedReport),
  lookAtFolder: trustLook,
  trustFolder: trustedReport,
  distrustFolder: trustedReport,
  testMcpServer: tool.mcpTestReport,
  pinMcpServer: tool.mcpServerReport,

  skills: z.array(tool.skillReport),
  skill: tool.skillDetail,
  checkSkill: tool.skillDetail,

  changes: tool.changesReport,
  undo: tool.workspaceActReport,
  commit: tool.workspaceActReport,

  ledger: z.array(authority.ledgerReport),

  tenants: z.array(report.tenantReport),
  tenant: report.tenantReport,
  addTenant: report.tenantReport,
  setTenant: report.tenantReport.extend({ stopped: z.int().nonnegative() }),
  removeTenant: z.strictObject({ name: text, tokens: z.int().nonnegative() }),

  searchMemory: memorySearchReport,
  memory: memoryReport,
  deadLetters: z.array(deadLetter),

  models: z.array(model.modelReport),
  testModel: model.modelTestReport,
  addProvider: z.strictObject({ name: text, file: text, secret: text.nullable() }),
  cost: model.costReport,
  estimateSpawn: model.estimateReport,
  estimateFork: model.estimateReport,
  estimateReplay: model.estimateReport,
  context: model.contextReport,
  exportContext: jsonValue,
  compactContext: started,
  nice: z.strictObject({ pid: text, lane }),
  queue: model.queueReport,
  invoke: model.invokeReport,
  attach: attached,
  runTests: model.agentTestReport,
  recordTest: z.strictObject({ name: text, text, script: text }),

  accessTokens: z.array(accessTokenReport),
  createAccessToken: newAccessToken,
  revokeAccessToken: z.strictObject({ id: text, sessions: z.int().nonnegative() }),
  loginKey: z.strictObject({ key: text, url: text.nullable(), expiresAt: z.iso.datetime() }),
  whoAmI: callerReport,

  config: configReport,
  doctor: report.doctorReport,
  attack: report.attackTried,
} as const satisfies { readonly [Name in OperationName]: z.ZodType<OperationAnswer<Name>> };
