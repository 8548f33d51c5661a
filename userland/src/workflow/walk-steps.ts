// Walk steps: carries out the steps of a workflow manifest on a Flow.
//
// WALK-STEPS-1  A step begins when those that it follows have ended; steps that follow nothing of each other run at once.
// WALK-STEPS-2  A step whose `if` is not true is skipped: its result is null, and what follows it runs.
// WALK-STEPS-3  What ends inside a block is seen inside it only; outside, the block has one result.

import {
  dependenciesOf,
  evaluate,
  fill,
  isTrue,
  type Json,
  readExpression,
  type Scope,
  SysError,
  type WorkflowDefinition,
  type WorkflowStep,
  workflowLimits,
  stepManifest,
} from "@aos/protocol";
import type { Flow } from "./flow.ts";
import { walkGraph } from "./walk-graph.ts";

type Values = Record<string, Json>;

/** What names stand for at some place. */
interface Place {
  readonly scope: Scope;
  /** `each[2]/`; empty outside of blocks. */
  readonly prefix: string;
}

export class StepRunner {
  readonly #flow: Flow;
  readonly #signals: NonNullable<WorkflowDefinition["signals"]>;

  constructor(flow: Flow, { signals = {} }: Pick<WorkflowDefinition, "signals">) {
    this.#flow = flow;
    this.#signals = signals;
  }

  /** The scope with the results of the steps. */
  async walk(steps: readonly WorkflowStep[], place: Place, atOnce = false): Promise<Scope> {
    const values: Values = { ...(place.scope["steps"] as Values) };
    const scope: Scope = { ...place.scope, steps: values };
    if (place.prefix === "") this.#flow.show(scope);
    const byId = new Map(steps.map((step) => [step.id, step]));
    const follows = new Map(
      steps.map(({ id }, nth) => [id, dependenciesOf(steps, nth, atOnce)] as const),
    );
    const open = new Set(byId.keys());
    const ended = new Set<string>();
    await walkGraph<{ id: string }>({
      open,
      parallel: workflowLimits.parallel,
      isReady: (id) => !this.#flow.isOver && follows.get(id)!.every((other) => ended.has(other)),
      start: async (id) => {
        try {
          values[id] = await this.#step(byId.get(id)!, { scope, prefix: place.prefix });
          ended.add(id);
        } catch (error) {
          if (!this.#flow.isOver) throw error; // a fault of ours
        }
        return { id };
      },
      ended: () => {},
    });
    if (this.#flow.failure !== undefined) throw this.#flow.failure;
    return scope;
  }

  async #step(step: WorkflowStep, { scope, prefix }: Place): Promise<Json> {
    const path = `${prefix}${step.id}`;
    try {
      if (step.if !== undefined && !isTrue(evaluate(readExpression(step.if), scope))) {
        this.#flow.tell({ step: path, state: "skipped" }); // WALK-STEPS-2
        return null;
      }
      return await this.#act(step, path, scope);
    } catch (error) {
      throw this.#flow.failed(path, error);
    }
  }

  #act(step: WorkflowStep, path: string, scope: Scope): Promise<Json> {
    const { tool, ask, sleep, wait, timeout: timeoutMs } = step;
    const flow = this.#flow;
    const terms = { ...step, timeoutMs, schema: step.output?.schema, scope };
    if (tool !== undefined)
      return flow.tool(path, { ...terms, tool, args: fill(step.args ?? {}, scope) });
    const agent = step.agent ?? step.program ?? step.workflow;
    if (agent !== undefined)
      return flow.child(path, {
        ...terms,
        agent: typeof agent === "string" ? agent : { manifest: stepManifest(agent) },
        input: fill(step.input ?? null, scope),
        isWorkflow: step.workflow !== undefined,
        budget: budgetOf(step),
      });
    if (wait !== undefined) {
      const { schema } = this.#signals[wait.signal] ?? {};
      return flow.signal(path, {
        ...wait,
        ...(schema === undefined ? {} : { schema }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
    }
    if (ask !== undefined) {
      const { question, choices, channel } = ask;
      return flow.ask(path, fill(question, scope) as string, {
        ...(choices === undefined ? {} : { choices }),
        ...(channel === undefined ? {} : { channel }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
    }
    if (typeof sleep === "number") return flow.sleep(path, { ms: sleep });
    if (sleep !== undefined) return flow.sleep(path, { at: instantOf(fill(sleep.until, scope)) });
    return this.#block(step, path, scope);
  }

  async #block(step: WorkflowStep, path: string, scope: Scope): Promise<Json> {
    this.#flow.begin(path);
    const result = await this.#inside(step, path, scope);
    this.#flow.done(path, result);
    return result;
  }

  async #inside(step: WorkflowStep, path: string, scope: Scope): Promise<Json> {
    const { steps, parallel, branch, map, loop } = step;
    if (steps !== undefined) return this.#last(steps, { scope, prefix: `${path}/` });
    if (parallel !== undefined) {
      const inside = await this.walk(parallel, { scope, prefix: `${path}/` }, true);
      const values = inside["steps"] as Values;
      return Object.fromEntries(parallel.map(({ id }) => [id, values[id] ?? null]));
    }
    if (branch !== undefined) {
      const way = branch.find(
        ({ if: test }) => test === undefined || isTrue(evaluate(readExpression(test), scope)),
      );
      return way === undefined ? null : this.#last(way.steps, { scope, prefix: `${path}/` });
    }
    return map === undefined ? this.#loop(loop!, path, scope) : this.#map(map, path, scope);
  }

  async #last(steps: readonly WorkflowStep[], place: Place): Promise<Json> {
    const { steps: values } = await this.walk(steps, place);
    return (values as Values)[steps.at(-1)!.id] ?? null;
  }

  async #map(
    { over, limit, steps }: NonNullable<WorkflowStep["map"]>,
    path: string,
    scope: Scope,
  ): Promise<Json> {
    const items = fill(over, scope);
    if (!Array.isArray(items)) throw new SysError("EINVAL", `${path}: map.over is no list`);
    if (items.length > workflowLimits.items)
      throw new SysError(
        "EINVAL",
        `${path}: ${items.length} items; the limit is ${workflowLimits.items}`,
      );
    const results: Json[] = items.map(() => null);
    await walkGraph<{ id: string }>({
      open: new Set(items.map((_, index) => String(index))),
      parallel: limit,
      isReady: () => !this.#flow.isOver,
      start: async (id) => {
        const index = Number(id);
        const each = { ...scope, item: items[index]!, index };
        try {
          results[index] = await this.#last(steps, {
            scope: each,
            prefix: `${path}[${index}]/`,
          });
        } catch (error) {
          if (!this.#flow.isOver) throw error;
        }
        return { id };
      },
      ended: () => {},
    });
    if (this.#flow.failure !== undefined) throw this.#flow.failure;
    return results;
  }

  async #loop(
    { max, until, steps }: NonNullable<WorkflowStep["loop"]>,
    path: string,
    scope: Scope,
  ): Promise<Json> {
    const test = until === undefined ? undefined : readExpression(until);
    let last: Json = null;
    for (let index = 0; index < max; index++) {
      const each = { ...scope, index, last };
      const inside = await this.walk(steps, { scope: each, prefix: `${path}[${index}]/` });
      last = (inside["steps"] as Values)[steps.at(-1)!.id] ?? null;
      if (test !== undefined && isTrue(evaluate(test, inside))) return last;
    }
    if (test === undefined) return last;
    throw new SysError("ETIMEDOUT", `${path}: ${max} rounds, and not ${until}`);
  }
}

function budgetOf({ budget }: WorkflowStep) {
  if (budget === undefined) return undefined;
  const { wall, ...counts } = budget;
  const said = Object.entries(counts).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(said), ...(wall === undefined ? {} : { wallMs: wall }) };
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since 1970, or a time with its zone: where this runs says nothing. */
function instantOf(value: Json): number {
  if (typeof value === "number") return value;
  if (typeof value === "string" && INSTANT.test(value)) return Date.parse(value);
  throw new SysError(
    "EINVAL",
    `${JSON.stringify(value)} is no time: write 2026-01-31T09:00:00Z, or milliseconds since 1970`,
  );
}
