import type { Program } from "@aos/protocol";
import { agentProgram } from "./agent/agent.ts";
import { askProgram } from "./ask/ask.ts";
import { callProgram } from "./call/call.ts";
import { converseProgram } from "./converse/converse.ts";
import { filesProgram } from "./files/files.ts";
import { writeFilesProgram } from "./files/write-files.ts";
import { ingestProgram } from "./ingest/ingest.ts";

import { agent1 } from "./earlier/agent-1/agent.ts";
import { agent2 } from "./earlier/agent-2/agent.ts";
import { agent3 } from "./earlier/agent-3/agent.ts";
import { converse1 } from "./earlier/converse-1/converse.ts";
import { pipe1 } from "./earlier/pipe-1/pipe.ts";
import { recall1 } from "./earlier/recall-1/recall.ts";

export type { Turn, TurnResult } from "./converse/turn.ts";
import { evalProgram } from "./eval/eval.ts";
import { fetcherProgram } from "./fetcher/fetcher.ts";
import { pipeProgram } from "./pipe/pipe.ts";
import { planProgram } from "./plan/plan.ts";
import { recallProgram } from "./recall/recall.ts";
import { retrieveProgram } from "./retrieve/retrieve.ts";
import { takeBackProgram } from "./workflow/take-back.ts";
import { workflowProgram } from "./workflow/workflow.ts";

export { agentsNamedBy, checkWorkflow, toolsNamedBy } from "./workflow/check-workflow.ts";
export { compareRuns, type ComparedEval } from "./eval/comparison.ts";
export { judgeManifest, verdictOfJudge } from "./eval/judge.ts";
export { compileRegex } from "./eval/linear-regex.ts";
export { thresholdsOf, variantReports } from "./eval/report.ts";
export { caseScope, scoreCell } from "./eval/score.ts";
export {
  defineWorkflow,
  observedProgram,
  type FlowChildOptions,
  type FlowToolOptions,
  type WorkflowProgramDefinition,
  type WorkflowFlow,
} from "./workflow/define-workflow.ts";
export type { FlowEvent, FlowListener } from "./workflow/flow.ts";
export { definitionOf, observedWorkflow } from "./workflow/workflow.ts";

/**
 * The programs that come with the system. A version changes when a program asks for other things, and the
 * one before stays, frozen, below earlier/: what began under it is continued and replayed by it
 * (CONTRIBUTING.md has the steps).
 */
export const programs: Readonly<
  Record<
    string,
    {
      readonly version: string;
      readonly run: Program;
      readonly earlier: Readonly<Record<string, Program>>;
    }
  >
> = {
  agent: { version: "4", run: agentProgram, earlier: { "1": agent1, "2": agent2, "3": agent3 } },
  ask: { version: "1", run: askProgram, earlier: {} },
  call: { version: "1", run: callProgram, earlier: {} },
  converse: { version: "2", run: converseProgram, earlier: { "1": converse1 } },
  eval: { version: "1", run: evalProgram, earlier: {} },
  fetcher: { version: "1", run: fetcherProgram, earlier: {} },
  files: { version: "1", run: filesProgram, earlier: {} },
  ingest: { version: "1", run: ingestProgram, earlier: {} },
  pipe: { version: "2", run: pipeProgram, earlier: { "1": pipe1 } },
  plan: { version: "1", run: planProgram, earlier: {} },
  recall: { version: "2", run: recallProgram, earlier: { "1": recall1 } },
  "write-files": { version: "1", run: writeFilesProgram, earlier: {} },
  "take-back": { version: "1", run: takeBackProgram, earlier: {} },
  workflow: { version: "1", run: workflowProgram, earlier: {} },
  retrieve: { version: "1", run: retrieveProgram, earlier: {} },
};
