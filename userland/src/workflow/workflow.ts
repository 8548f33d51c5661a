// Workflow: a manifest of `kind: Workflow`, as a process. Queue, budget, approval, restart, unloading and replay are the
// kernel's, as for any process.
//
// WORKFLOW-1  The definition is that of the manifest, which is frozen when the process is made: a run ends with the
//     steps that it began with.

import {
  evaluate,
  fill,
  isTrue,
  type Json,
  type Manifest,
  type Program,
  readExpression,
  type Scope,
  type Sys,
  SysError,
  type WorkflowDefinition,
} from "@aos/protocol";
import { checkWorkflow, contractsOf } from "./check-workflow.ts";
import type { Flow, FlowListener } from "./flow.ts";
import { newRun, runWorkflow, type WorkflowBody, type WorkflowState } from "./run-workflow.ts";
import { StepRunner } from "./walk-steps.ts";

export const workflowProgram: Program = (sys, input, saved) =>
  observedWorkflow({})(sys, input, saved);

/** The same program, with somebody who looks on. */
export const observedWorkflow =
  (observer: FlowListener): Program =>
  async (sys, input, saved) => {
    const begun = saved === undefined ? newRun(input) : (saved as unknown as WorkflowState);
    const body = async () =>
      bodyOf(definitionOf((await sys.read("/self/manifest")) as unknown as Manifest));
    return runWorkflow(sys, body, begun, observer);
  };

/** The part of a manifest that is the workflow. */
export function definitionOf(manifest: Manifest): WorkflowDefinition {
  const { steps } = manifest;
  if (steps === undefined) throw new SysError("EINVAL", `${manifest.name} is no workflow`);
  return manifest as unknown as WorkflowDefinition;
}

function bodyOf(definition: WorkflowDefinition): WorkflowBody {
  const { name, input, output, steps, repeat, result } = definition;
  return {
    name,
    inputSchema: input?.schema,
    outputSchema: output?.schema,
    check: async (sys: Sys) => {
      const { contracts, faults } = await contractsOf(sys, definition);
      const flaws = checkWorkflow(definition, { contracts });
      return { contracts, faults: [...faults, ...flaws.map(faultText)] };
    },
    run: async (flow: Flow, given, generation) => {
      const scope: Scope = { input: given, run: { generation }, steps: {} };
      const ended = await new StepRunner(flow, definition).walk(steps, { scope, prefix: "" });
      if (repeat !== undefined && isTrue(evaluate(readExpression(repeat.if), ended)))
        return { again: fill(repeat.input, ended) };
      const values = ended["steps"] as Readonly<Record<string, Json>>;
      return {
        result: result === undefined ? (values[steps.at(-1)!.id] ?? null) : fill(result, ended),
      };
    },
  };
}

const faultText = ({ path, message }: ReturnType<typeof checkWorkflow>[number]): string =>
  `${path.map((step, nth) => (typeof step === "number" ? `[${step}]` : nth === 0 ? step : `.${step}`)).join("")}: ${message}`;
