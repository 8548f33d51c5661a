// OperationHandlers: the handlers of all operations, one file for each family of rows in protocol/src/operations.

import type { operations } from "@aos/protocol";
import { accessHandlers } from "./access.ts";
import { agentTestHandlers } from "./agent-test.ts";
import { archiveHandlers } from "./archive.ts";
import { authorityHandlers } from "./authority.ts";
import { backupHandlers } from "./backup.ts";
import { collectionHandlers } from "./collection.ts";
import { contextHandlers } from "./context.ts";
import { costHandlers } from "./cost.ts";
import { daemonHandlers } from "./daemon.ts";
import { evalHandlers } from "./eval.ts";
import { fileHandlers } from "./file.ts";
import { forgetHandlers } from "./forget.ts";
import { goalHandlers } from "./goal.ts";
import { journalHandlers } from "./journal.ts";
import { mcpServerHandlers } from "./mcp-server.ts";
import { memoryHandlers } from "./memory.ts";
import { memoryRecordHandlers } from "./memory-record.ts";
import { messageHandlers } from "./message.ts";
import { modelHandlers } from "./model.ts";
import { notifyHandlers } from "./notify.ts";
import { policyHandlers } from "./policy.ts";
import { processHandlers } from "./process.ts";
import { questionHandlers } from "./question.ts";
import { runSearchHandlers } from "./run-search.ts";
import { fleetHandlers } from "./fleet.ts";
import { scheduleHandlers } from "./schedule.ts";
import { secretHandlers } from "./secret.ts";
import { skillHandlers } from "./skill.ts";
import { skillDraftHandlers } from "./skill-draft.ts";
import { storeHandlers } from "./store.ts";
import { tidyHandlers } from "./tidy.ts";
import { tenantHandlers } from "./tenant.ts";
import { toolHandlers } from "./tool.ts";
import { trustHandlers } from "./trust.ts";
import { whyHandlers } from "./why.ts";
import { workflowHandlers } from "./workflow.ts";
import { workspaceHandlers } from "./workspace.ts";
import type { HandlersOf } from "./handler.ts";

export const operationHandlers: HandlersOf<typeof operations> = {
  ...accessHandlers,
  ...agentTestHandlers,
  ...archiveHandlers,
  ...authorityHandlers,
  ...backupHandlers,
  ...collectionHandlers,
  ...contextHandlers,
  ...costHandlers,
  ...daemonHandlers,
  ...evalHandlers,
  ...fileHandlers,
  ...forgetHandlers,
  ...goalHandlers,
  ...journalHandlers,
  ...mcpServerHandlers,
  ...memoryHandlers,
  ...memoryRecordHandlers,
  ...messageHandlers,
  ...modelHandlers,
  ...notifyHandlers,
  ...policyHandlers,
  ...processHandlers,
  ...questionHandlers,
  ...runSearchHandlers,
  ...scheduleHandlers,
  ...fleetHandlers,
  ...secretHandlers,
  ...skillHandlers,
  ...skillDraftHandlers,
  ...storeHandlers,
  ...tenantHandlers,
  ...tidyHandlers,
  ...toolHandlers,
  ...trustHandlers,
  ...whyHandlers,
  ...workflowHandlers,
  ...workspaceHandlers,
};
