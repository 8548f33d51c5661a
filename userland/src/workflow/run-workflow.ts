// Run workflow: the frame around the steps of a workflow, whoever says them. It begins with what was carried over, ends
// with an outcome, and takes back what was done where the run failed.
//
// RUN-WORKFLOW-1  Nothing runs before the whole workflow was checked against the tools of the system.
// RUN-WORKFLOW-2  SIGTERM and SIGINT cancel: what was done is taken back. SIGKILL does not ask anybody.
// RUN-WORKFLOW-3  A run that goes on as a new one keeps its pid, its unread messages, what it spent and what would take
//     back the part before; its history begins anew (checkpoint).

import {
  exitCodes,
  type Json,
  type JsonObject,
  bodyMismatch,
  type LastingCall,
  type Sys,
  SysError,
  type ToolContract,
  type WorkflowOutcome,
} from "@aos/protocol";
import { compensate } from "./compensate.ts";
import { type CarriedState, Flow, type FlowListener, StepFailure } from "./flow.ts";

/** All that a run is begun again from. */
export interface WorkflowState extends CarriedState {
  readonly generation: number;
  readonly input: Json;
}

export interface WorkflowBody {
  readonly name: string;
  readonly inputSchema?: JsonObject | undefined;
  readonly outputSchema?: JsonObject | undefined;
  /** What is wrong with it on this system, and what is known of its tools. */
  check(sys: Sys): Promise<{
    readonly faults: readonly string[];
    readonly contracts: ReadonlyMap<string, ToolContract>;
  }>;
  /** Its result, or the input that it begins again with. */
  run(flow: Flow, input: Json, generation: number): Promise<{ readonly result: Json } | NextRun>;
}

export interface NextRun {
  readonly again: Json;
}

/** `bodyOf` is asked in every generation: one that a restart begins from its checkpoint makes the same calls. */
export async function runWorkflow(
  sys: Sys,
  bodyOf: () => Promise<WorkflowBody>,
  begun: WorkflowState,
  observer: FlowListener = {},
): Promise<Json> {
  let state = begun;
  for (;;) {
    observer.generation?.(state.generation);
    const next = await generation(sys, await bodyOf(), state, observer);
    if (!("generation" in next)) return next.output;
    state = next;
    await sys.checkpoint(state as unknown as Json); // RUN-WORKFLOW-3
  }
}

export const newRun = (input: Json): WorkflowState => ({
  generation: 0,
  input,
  armed: [],
  lasting: [],
});

async function generation(
  sys: Sys,
  body: WorkflowBody,
  state: WorkflowState,
  observer: FlowListener,
): Promise<WorkflowState | { readonly output: Json }> {
  const { pid } = await sys.self();
  const { faults, contracts } = await body.check(sys);
  const misfit = inputFault(body, state.input);
  const all = misfit === undefined ? faults : [misfit, ...faults];
  if (all.length > 0) return { output: await refuse(sys, body, all) };
  const flow = new Flow(sys, { ...state, pid, contracts, carried: state, observer });
  observer.armed?.(flow.armed);
  const cancel = () => flow.halt(new StepFailure("", "EINTR", "cancelled"));
  await sys.handle("SIGTERM", cancel); // RUN-WORKFLOW-2
  await sys.handle("SIGINT", cancel);
  try {
    const ended = await body.run(flow, state.input, state.generation);
    await flow.settled();
    if (flow.failure !== undefined) throw flow.failure;
    const { armed, lasting } = flow;
    if ("again" in ended)
      return { generation: state.generation + 1, input: ended.again, armed, lasting };
    const { result } = ended;
    const wrong =
      body.outputSchema === undefined
        ? undefined
        : bodyMismatch(body.outputSchema, result, "the result");
    if (wrong !== undefined) throw new StepFailure("", "EINVAL", wrong);
    return { output: outcome({ status: "completed", result, armed, lasting }) };
  } catch (error) {
    const failure = flow.failure ?? failureOf(error);
    flow.halt(failure);
    await flow.settled();
    return { output: await takeBackAll(sys, flow, failure) };
  }
}

function failureOf(error: unknown): StepFailure {
  if (error instanceof StepFailure) return error;
  if (error instanceof SysError) return new StepFailure("", error.code, error.message);
  throw error;
}

function inputFault({ inputSchema }: WorkflowBody, input: Json): string | undefined {
  return inputSchema === undefined ? undefined : bodyMismatch(inputSchema, input, "the input");
}

async function takeBackAll(
  sys: Sys,
  flow: Flow,
  { step, code, message }: StepFailure,
): Promise<Json> {
  const { undone, lasting, left } = await compensate(sys, flow.armed, (event) => flow.tell(event));
  const isCancelled = step === "" && code === "EINTR";
  const all: LastingCall[] = [...flow.lasting, ...lasting];
  const output = outcome({
    status: isCancelled ? "cancelled" : "failed",
    failed: isCancelled ? null : { step, code, message },
    undone,
    lasting: all,
    armed: left,
  });
  const where = step === "" ? "" : `${step}: `;
  const reason = [
    isCancelled ? "cancelled" : `${where}${code}: ${message}`,
    ...(undone.length > 0 ? [`taken back: ${undone.join(", ")}`] : []),
    ...(all.length > 0 ? [`not taken back: ${all.map((one) => one.step).join(", ")}`] : []),
  ].join("; ");
  return sys.exit(isCancelled ? exitCodes.interrupted : exitCodes.failed, output, short(reason));
}

const refuse = (sys: Sys, { name }: WorkflowBody, faults: readonly string[]): Promise<Json> =>
  sys.exit(
    exitCodes.badInput,
    outcome({ status: "refused", faults }),
    short(`the workflow ${name} is refused, and nothing ran: ${faults.join("; ")}`),
  );

const MOST_REASON = 1000;
const short = (text: string): string =>
  text.length <= MOST_REASON ? text : `${text.slice(0, MOST_REASON - 1)}…`;

const outcome = (said: Partial<WorkflowOutcome> & Pick<WorkflowOutcome, "status">): Json =>
  ({
    result: null,
    failed: null,
    undone: [],
    lasting: [],
    armed: [],
    faults: [],
    ...said,
  }) as unknown as Json;
