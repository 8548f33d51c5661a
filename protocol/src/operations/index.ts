// Operations: the rows of the HTTP API, by name, one file for each family. The file of the same name in
// daemon/src/gateway/handlers has the handlers.
//
// routes.ts, written from the rows, has what a client needs without the schemas.

import { accessOperations } from "./access.ts";
import { agentTestOperations } from "./agent-test.ts";
import { archiveOperations } from "./archive.ts";
import { authorityOperations } from "./authority.ts";
import { backupOperations } from "./backup.ts";
import { collectionOperations } from "./collection.ts";
import { contextOperations } from "./context.ts";
import { costOperations } from "./cost.ts";
import { daemonOperations } from "./daemon.ts";
import { fileOperations } from "./file.ts";
import { tidyOperations } from "./tidy.ts";
import { evalOperations } from "./eval.ts";
import { forgetOperations } from "./forget.ts";
import { goalOperations } from "./goal.ts";
import { journalOperations } from "./journal.ts";
import { mcpServerOperations } from "./mcp-server.ts";
import { memoryOperations } from "./memory.ts";
import { memoryRecordOperations } from "./memory-record.ts";
import { messageOperations } from "./message.ts";
import { modelOperations } from "./model.ts";
import type { ArgsOf, FoundArgsOf, Operation, ResponseOf } from "./operation.ts";
import { notifyOperations } from "./notify.ts";
import { policyOperations } from "./policy.ts";
import { processOperations } from "./process.ts";
import { questionOperations } from "./question.ts";
import { runSearchOperations } from "./run-search.ts";
import { scheduleOperations } from "./schedule.ts";
import { fleetOperations } from "./fleet.ts";
import { secretOperations } from "./secret.ts";
import { skillDraftOperations } from "./skill-draft.ts";
import { skillOperations } from "./skill.ts";
import { storeOperations } from "./store.ts";
import { tenantOperations } from "./tenant.ts";
import { toolOperations } from "./tool.ts";
import { trustOperations } from "./trust.ts";
import { whyOperations } from "./why.ts";
import { workflowOperations } from "./workflow.ts";
import { workspaceOperations } from "./workspace.ts";
import type { OperationName } from "../routes.ts";

export type * from "./access.ts";
export type * from "./agent-test.ts";
export type * from "./archive.ts";
export type * from "./authority.ts";
export type * from "./backup.ts";
export type * from "./collection.ts";
export type * from "./context.ts";
export type * from "./cost.ts";
export type * from "./daemon.ts";
export type * from "./file.ts";
export type * from "./eval.ts";
export type * from "./forget.ts";
export type * from "./tidy.ts";
export type * from "./goal.ts";
export type * from "./journal.ts";
export type * from "./mcp-server.ts";
export type * from "./memory-record.ts";
export type * from "./memory.ts";
export type * from "./message.ts";
export type * from "./model.ts";
export type * from "./operation.ts";
export type * from "./notify.ts";
export type * from "./policy.ts";
export type * from "./process.ts";
export type * from "./question.ts";
export type * from "./record.ts";
export type * from "./run-search.ts";
export type * from "./schedule.ts";
export type * from "./fleet.ts";
export type * from "./secret.ts";
export type * from "./skill-draft.ts";
export type * from "./skill.ts";
export type * from "./store.ts";
export type * from "./tenant.ts";
export type * from "./tool.ts";
export type * from "./trust.ts";
export type * from "./why.ts";
export type * from "./workflow.ts";
export type * from "./workspace.ts";
export type { Problem } from "./response-fields.ts";

export const operations = {
  ...daemonOperations,
  ...processOperations,
  ...goalOperations,
  ...workflowOperations,
  ...scheduleOperations,
  ...fleetOperations,
  ...journalOperations,
  ...whyOperations,
  ...questionOperations,
  ...authorityOperations,
  ...notifyOperations,
  ...policyOperations,
  ...runSearchOperations,
  ...secretOperations,
  ...toolOperations,
  ...mcpServerOperations,
  ...skillOperations,
  ...skillDraftOperations,
  ...trustOperations,
  ...workspaceOperations,
  ...storeOperations,
  ...backupOperations,
  ...archiveOperations,
  ...tenantOperations,
  ...memoryOperations,
  ...memoryRecordOperations,
  ...evalOperations,
  ...forgetOperations,
  ...tidyOperations,
  ...fileOperations,
  ...messageOperations,
  ...modelOperations,
  ...costOperations,
  ...contextOperations,
  ...collectionOperations,
  ...agentTestOperations,
  ...accessOperations,
} as const satisfies Record<OperationName, Operation>;

type Operations = typeof operations;

/** A row whose name is not known while this is written. */
export const operationOf = (name: OperationName): Operation => operations[name];

/** The schemas of the arguments of an operation, wherever they travel. */
export function argumentFields<Name extends OperationName>(name: Name) {
  const { params, query, body } = operationOf(name);
  return { ...params.shape, ...query.shape, ...body.shape } as Operations[Name]["params"]["shape"] &
    Operations[Name]["query"]["shape"] &
    Operations[Name]["body"]["shape"];
}

export type OperationArgs<Name extends OperationName> = ArgsOf<Operations[Name]>;
export type OperationAnswer<Name extends OperationName> = ResponseOf<Operations[Name]>;
/** The arguments as a handler has them: every process that they name is found. */
export type HandlerArgs<Name extends OperationName> = FoundArgsOf<Operations[Name]>;
