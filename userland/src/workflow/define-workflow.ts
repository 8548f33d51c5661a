// Define workflow: the same steps, said by the code of a library.
//
//   const trip = defineWorkflow({ name: "trip", run: async (flow, input) => flow.tool("book", "book_hotel", input) });
//   const kernel = await createKernel({ programs: { trip } });
//
// DEFINE-WORKFLOW-1  The code decides by what the steps give it and by nothing else; what it does beside them is done
//     again at every replay.
// DEFINE-WORKFLOW-2  A step has a name that no other step of its scope has; `parallel` and `map` make scopes.

import {
  type Json,
  type JsonObject,
  type Program,
  type StepRetry,
  type Sys,
  SysError,
  type ToolContract,
  type UndoCall,
} from "@aos/protocol";
import { USUAL } from "./attempts.ts";
import type { ChildStep, Flow, FlowListener } from "./flow.ts";
import { newRun, type NextRun, runWorkflow, type WorkflowState } from "./run-workflow.ts";

interface FlowStepOptions {
  /** What is not said is as usual: 3 attempts, 1 s × 2, at most 60 s. */
  readonly retry?: Partial<StepRetry>;
  readonly timeoutMs?: number;
  /** `args` is a template of `{{args.…}}` and `{{result.…}}`. */
  readonly undo?: { readonly tool: string; readonly args?: Json };
  /** JSON Schema of the result. */
  readonly schema?: JsonObject;
}

export interface FlowToolOptions extends FlowStepOptions {
  readonly onDoubt?: "fail" | "retry" | "ask";
}

export interface FlowChildOptions extends FlowStepOptions {
  readonly capabilities?: readonly string[];
  readonly budget?: ChildStep["budget"];
}

/** The steps of a workflow, as code says them. The first argument is the name of the step. */
export interface WorkflowFlow {
  tool(step: string, tool: string, args: Json, options?: FlowToolOptions): Promise<Json>;
  agent(step: string, agent: string, input: Json, options?: FlowChildOptions): Promise<Json>;
  workflow(step: string, workflow: string, input: Json, options?: FlowChildOptions): Promise<Json>;
  /** The next message of the type `signal` that fits the schema. */
  wait(
    step: string,
    signal: string,
    options?: { readonly schema?: JsonObject; readonly timeoutMs?: number },
  ): Promise<Json>;
  ask(
    step: string,
    question: string,
    options?: {
      readonly choices?: readonly string[];
      readonly channel?: string;
      readonly timeoutMs?: number;
    },
  ): Promise<string>;
  /** A duration in milliseconds, or until a time. */
  sleep(step: string, until: number | { readonly at: number }): Promise<void>;
  parallel<Branches extends Readonly<Record<string, (flow: WorkflowFlow) => Promise<Json>>>>(
    step: string,
    branches: Branches,
  ): Promise<{ [Name in keyof Branches]: Json }>;
  map<Item>(
    step: string,
    items: readonly Item[],
    each: (flow: WorkflowFlow, item: Item, index: number) => Promise<Json>,
    options?: { readonly limit?: number },
  ): Promise<Json[]>;
  /** A value that people read while the workflow runs. */
  show(name: string, value: Json): void;
  now(): Promise<number>;
  random(): Promise<number>;
  /** `return flow.again(input)`: goes on as a new run of the same process, with an empty history. */
  again(input: Json): Json;
}

export interface WorkflowProgramDefinition {
  readonly name: string;
  readonly input?: JsonObject;
  readonly output?: JsonObject;
  /** Tools that have to be there before anything runs. */
  readonly tools?: readonly string[];
  run(flow: WorkflowFlow, input: Json): Promise<Json>;
}

const observed = new WeakMap<Program, (listener: FlowListener) => Program>();

/** The same program, with somebody who looks on; undefined of one that is no workflow. */
export const observedProgram = (
  program: Program,
): ((listener: FlowListener) => Program) | undefined => observed.get(program);

export function defineWorkflow(code: WorkflowProgramDefinition): Program {
  const withListener =
    (listener: FlowListener): Program =>
    async (sys, input, saved) => {
      const begun = saved === undefined ? newRun(input) : (saved as unknown as WorkflowState);
      return runWorkflow(sys, async () => bodyOf(code), begun, listener);
    };
  const program = withListener({});
  observed.set(program, withListener);
  return program;
}

const bodyOf = (code: WorkflowProgramDefinition) => ({
  name: code.name,
  inputSchema: code.input,
  outputSchema: code.output,
  check: async (sys: Sys) => {
    const contracts = new Map<string, ToolContract>();
    const faults: string[] = [];
    for (const tool of code.tools ?? []) {
      try {
        const path = `/tools/${tool}/contract`;
        contracts.set(tool, (await sys.read(path)) as unknown as ToolContract);
      } catch (error) {
        if (!(error instanceof SysError) || error.code !== "ENOENT") throw error;
        faults.push(`there is no tool ${tool}`);
      }
    }
    return { contracts, faults };
  },
  run: async (flow: Flow, input: Json): Promise<{ readonly result: Json } | NextRun> => {
    const next: { again?: Json } = {};
    const result = await code.run(new CodeFlow(flow, "", next), input);
    return "again" in next ? { again: next.again! } : { result: result ?? null };
  },
});

const MOST_AT_ONCE = 64;

class CodeFlow implements WorkflowFlow {
  readonly #flow: Flow;
  readonly #prefix: string;
  readonly #next: { again?: Json };

  constructor(flow: Flow, prefix: string, next: { again?: Json }) {
    this.#flow = flow;
    this.#prefix = prefix;
    this.#next = next;
  }

  tool(step: string, tool: string, args: Json, options: FlowToolOptions = {}): Promise<Json> {
    const { retry: _retry, undo: _undo, ...rest } = options;
    return this.#flow.tool(this.#path(step), { ...rest, ...termsOf(options), tool, args });
  }

  agent(step: string, agent: string, input: Json, options: FlowChildOptions = {}): Promise<Json> {
    return this.#child(step, { agent, input }, options);
  }

  workflow(
    step: string,
    agent: string,
    input: Json,
    options: FlowChildOptions = {},
  ): Promise<Json> {
    return this.#child(step, { agent, input, isWorkflow: true }, options);
  }

  wait(
    step: string,
    signal: string,
    options: { readonly schema?: JsonObject; readonly timeoutMs?: number } = {},
  ): Promise<Json> {
    return this.#flow.signal(this.#path(step), { signal, ...options });
  }

  ask(
    step: string,
    question: string,
    {
      choices,
      ...options
    }: {
      readonly choices?: readonly string[];
      readonly channel?: string;
      readonly timeoutMs?: number;
    } = {},
  ): Promise<string> {
    const said = choices === undefined ? {} : { choices: [...choices] };
    return this.#flow.ask(this.#path(step), question, { ...options, ...said });
  }

  async sleep(step: string, until: number | { readonly at: number }): Promise<void> {
    await this.#flow.sleep(this.#path(step), typeof until === "number" ? { ms: until } : until);
  }

  parallel<Branches extends Readonly<Record<string, (flow: WorkflowFlow) => Promise<Json>>>>(
    step: string,
    branches: Branches,
  ): Promise<{ [Name in keyof Branches]: Json }> {
    return this.#block(step, async (path) => {
      const done = Object.entries(branches).map(
        async ([name, branch]) => [name, await branch(this.#inside(`${path}/${name}/`))] as const,
      );
      return Object.fromEntries(await Promise.all(done)) as { [Name in keyof Branches]: Json };
    });
  }

  map<Item>(
    step: string,
    items: readonly Item[],
    each: (flow: WorkflowFlow, item: Item, index: number) => Promise<Json>,
    { limit = 4 }: { readonly limit?: number } = {},
  ): Promise<Json[]> {
    return this.#block(step, async (path) => {
      const results: Json[] = items.map(() => null);
      let next = 0;
      const worker = async () => {
        while (next < items.length && !this.#flow.isOver) {
          const index = next++;
          results[index] = await each(this.#inside(`${path}[${index}]/`), items[index]!, index);
        }
      };
      const workers = Math.max(1, Math.min(limit, items.length, MOST_AT_ONCE));
      await Promise.all(Array.from({ length: workers }, worker));
      return results;
    });
  }

  show(name: string, value: Json): void {
    this.#flow.publish(name, value);
  }

  now = (): Promise<number> => this.#flow.sys.now();
  random = (): Promise<number> => this.#flow.sys.random();

  again(input: Json): Json {
    this.#next.again = input;
    return null;
  }

  /** DEFINE-WORKFLOW-2. */
  #path(step: string): string {
    if (!/^[A-Za-z_][A-Za-z0-9_-]{0,39}$/.test(step))
      throw new SysError("EINVAL", `${step} is no name of a step: letters, digits, _ and -`);
    return `${this.#prefix}${step}`;
  }

  #child(
    step: string,
    child: Pick<ChildStep, "agent" | "input" | "isWorkflow">,
    options: FlowChildOptions,
  ): Promise<Json> {
    const { retry: _retry, undo: _undo, ...rest } = options;
    return this.#flow.child(this.#path(step), { ...rest, ...termsOf(options), ...child });
  }

  #inside = (prefix: string): CodeFlow => new CodeFlow(this.#flow, prefix, this.#next);

  async #block<T>(step: string, act: (path: string) => Promise<T>): Promise<T> {
    const path = this.#path(step);
    this.#flow.begin(path);
    try {
      const result = await act(path);
      this.#flow.done(path, result as Json);
      return result;
    } catch (error) {
      throw this.#flow.failed(path, error);
    }
  }
}

function termsOf({ retry, undo }: FlowStepOptions): {
  readonly retry?: StepRetry;
  readonly undo?: UndoCall;
} {
  return {
    ...(retry === undefined ? {} : { retry: { ...USUAL, ...retry } }),
    ...(undo === undefined ? {} : { undo: { tool: undo.tool, args: undo.args ?? {} } }),
  };
}
