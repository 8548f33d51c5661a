// Flow: what a workflow does, whoever says it: the walker of a manifest (walk-steps.ts) or the code of a library
// (define-workflow.ts). Every act is a system call; here is how often, how long, and what takes it back.
//
// FLOW-1  A step has a path that no other step of the run has. Its calls carry it: as the key of a tool call, which is
//     the same for every attempt, and as the step of a spawn.
// FLOW-2  What takes a step back is armed when the step has ended, or when nobody knows whether it was done. A step
//     that surely failed is not taken back.
// FLOW-3  Once a step has failed, or somebody cancelled, nothing begins: waits end, children are asked to end, and a
//     tool that runs comes to its end first, so that it is known what was done.
// FLOW-4  An external act of unknown outcome is not tried again, unless the step says `onDoubt: retry`.

import {
  type ArmedCall,
  bodyMismatch,
  type Ending,
  fill,
  type Json,
  type JsonObject,
  type LastingCall,
  type Scope,
  type SpawnedAgent,
  type StepRetry,
  type StepState,
  type Sys,
  SysError,
  type ToolContract,
  type UndoCall,
  type WorkflowOutcome,
} from "@aos/protocol";
import { attempts, ONCE, USUAL } from "./attempts.ts";
import { failureOfEnding, spawnWhenRoom } from "./child-run.ts";
import { shortened } from "./fingerprint.ts";

export interface FlowEvent {
  readonly step: string;
  readonly state: StepState;
  readonly attempt?: number;
  readonly pid?: string;
  /** What a person is asked. */
  readonly question?: string;
  readonly result?: Json;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Who looks on: a query runs the program again on what is recorded, and listens. */
export interface FlowListener {
  step?(event: FlowEvent): void;
  /** What names stand for, as the run goes on. */
  scope?(scope: Scope): void;
  value?(name: string, value: Json): void;
  generation?(nth: number): void;
  /** What would take the run back: the list grows as it goes on. */
  armed?(calls: readonly ArmedCall[]): void;
}

/** What is handed on from one generation of a run to the next. */
export interface CarriedState {
  readonly armed: readonly ArmedCall[];
  readonly lasting: readonly LastingCall[];
}

/** A step that failed; the run is over. */
export class StepFailure extends Error {
  readonly step: string;
  readonly code: string;

  constructor(step: string, code: string, message: string) {
    super(message);
    this.step = step;
    this.code = code;
  }
}

interface StepTerms {
  readonly retry?: StepRetry | undefined;
  readonly timeoutMs?: number | undefined;
  readonly undo?: UndoCall | undefined;
  readonly schema?: JsonObject | undefined;
  /** For the templates of its undo. */
  readonly scope?: Scope | undefined;
}

export interface ToolStep extends StepTerms {
  readonly tool: string;
  readonly args: Json;
  readonly onDoubt?: "fail" | "retry" | "ask" | undefined;
}

export interface ChildStep extends StepTerms {
  readonly agent: SpawnedAgent;
  readonly input: Json;
  readonly isWorkflow?: boolean;
  readonly capabilities?: readonly string[] | undefined;
  readonly budget?: NonNullable<Parameters<Sys["spawn"]>[2]>["budget"];
}

const MOST_KEY = 150;
const MOST_STEP = 100;

const UNKNOWN: ReadonlySet<string> = new Set(["EINDOUBT", "ETIMEDOUT", "EINTR"]);

export class Flow {
  readonly sys: Sys;
  readonly armed: ArmedCall[];
  readonly lasting: LastingCall[];
  readonly contracts: Map<string, ToolContract>;
  readonly #prefix: string;
  readonly #observer: FlowListener;
  readonly #halted = Promise.withResolvers<never>();
  readonly #paths = new Set<string>();
  readonly #failed = new Set<string>();
  readonly #running = new Set<Promise<unknown>>();
  #failure: StepFailure | undefined;

  constructor(
    sys: Sys,
    run: {
      readonly pid: string;
      readonly generation: number;
      readonly contracts: ReadonlyMap<string, ToolContract>;
      readonly carried: CarriedState;
      readonly observer: FlowListener;
    },
  ) {
    const { pid, generation, contracts, carried, observer } = run;
    this.sys = sys;
    this.#prefix = generation === 0 ? `${pid}/` : `${pid}/${generation}/`;
    this.contracts = new Map(contracts);
    this.armed = [...carried.armed];
    this.lasting = [...carried.lasting];
    this.#observer = observer;
    this.#halted.promise.catch(() => {}); // most runs are never halted
  }

  /** The first failure: what came of it after that is told by the steps. */
  get failure(): StepFailure | undefined {
    return this.#failure;
  }

  get isOver(): boolean {
    return this.#failure !== undefined;
  }

  /** FLOW-3. */
  halt(failure: StepFailure): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#halted.reject(failure);
  }

  tell(event: FlowEvent): void {
    this.#observer.step?.(event);
  }

  show(scope: Scope): void {
    this.#observer.scope?.(scope);
  }

  publish(name: string, value: Json): void {
    this.#observer.value?.(name, value);
  }

  tool(path: string, step: ToolStep): Promise<Json> {
    return this.#tracked(this.#tool(path, step));
  }

  child(path: string, step: ChildStep): Promise<Json> {
    return this.#tracked(this.#child(path, step));
  }

  /** FLOW-3: once nothing runs any more, also where nobody waited for it. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #tracked<T>(act: Promise<T>): Promise<T> {
    this.#running.add(act);
    void Promise.allSettled([act]).then(() => this.#running.delete(act));
    return act;
  }

  async #tool(path: string, step: ToolStep): Promise<Json> {
    this.begin(path);
    const { tool, args, onDoubt, timeoutMs, retry } = step;
    const { effect } = await this.contract(tool);
    const isSafe = effect !== "external" || onDoubt === "retry";
    const key = this.#keyOf(path);
    const options = {
      key,
      ...(onDoubt === undefined ? {} : { onDoubt }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    };
    try {
      const result = await this.#tried(
        path,
        { retry: retry ?? (effect === "external" ? ONCE : USUAL), isSafe },
        () => this.sys.exec(tool, args, options),
      );
      this.#arm(path, step, { key, effect, result });
      return this.#ended(path, this.#fitting(path, step, result));
    } catch (error) {
      if (error instanceof SysError && effect !== "read" && UNKNOWN.has(error.code))
        this.#arm(path, step, { key, effect, result: null }); // FLOW-2
      throw this.failed(path, error);
    }
  }

  async #child(path: string, step: ChildStep): Promise<Json> {
    this.begin(path);
    const key = this.#keyOf(path);
    try {
      const ending = await this.#tried(path, { retry: step.retry ?? ONCE, isSafe: true }, () =>
        this.#run(path, step),
      );
      const result = step.isWorkflow === true ? this.#taken(path, ending) : ending.output;
      if (step.undo !== undefined)
        this.#armCall(path, step.undo, { key, scope: { ...step.scope, result, args: step.input } });
      return this.#ended(path, this.#fitting(path, step, result));
    } catch (error) {
      throw this.failed(path, error);
    }
  }

  /** The next message of this name that fits its schema. */
  async signal(
    path: string,
    { signal, schema, timeoutMs }: { signal: string; schema?: JsonObject; timeoutMs?: number },
  ): Promise<Json> {
    this.begin(path, "waiting");
    try {
      const until = timeoutMs === undefined ? {} : { until: (await this.sys.now()) + timeoutMs };
      for (;;) {
        const { body } = await this.waiting(this.sys.receive({ type: signal, ...until }));
        if (schema === undefined || bodyMismatch(schema, body) === undefined)
          return this.#ended(path, body);
      }
    } catch (error) {
      throw this.failed(path, error);
    }
  }

  async ask(
    path: string,
    question: string,
    options: { choices?: string[]; channel?: string; timeoutMs?: number } = {},
  ): Promise<string> {
    this.begin(path, "waiting");
    this.tell({ step: path, state: "waiting", question });
    const { timeoutMs, ...said } = options;
    try {
      const until = timeoutMs === undefined ? {} : { until: (await this.sys.now()) + timeoutMs };
      const answer = await this.waiting(this.sys.ask(question, { ...said, ...until }));
      return this.#ended(path, answer) as string;
    } catch (error) {
      throw this.failed(path, error);
    }
  }

  /** A duration from now on, or an instant. */
  async sleep(
    path: string,
    until: { readonly ms: number } | { readonly at: number },
  ): Promise<null> {
    this.begin(path, "waiting");
    try {
      const at = "at" in until ? until.at : (await this.sys.now()) + until.ms;
      await this.waiting(this.sys.sleep(at, "at" in until ? { clock: "wall" } : {}));
      return this.#ended(path, null) as null;
    } catch (error) {
      throw this.failed(path, error);
    }
  }

  /** What a tool says of itself; asked once in a run. */
  async contract(tool: string): Promise<ToolContract> {
    const known = this.contracts.get(tool);
    if (known !== undefined) return known;
    const read = (await this.sys.read(`/tools/${tool}/contract`)) as unknown as ToolContract;
    this.contracts.set(tool, read);
    return read;
  }

  /** FLOW-1. */
  begin(path: string, state: StepState = "running"): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#paths.has(path))
      throw new SysError("EINVAL", `two steps of this run are called ${path}`);
    this.#paths.add(path);
    this.tell({ step: path, state });
  }

  /** A wait that ends when the run is over. */
  async waiting<T>(call: Promise<T>): Promise<T> {
    call.catch(() => {}); // where the run is over, nobody waits for it any more
    return Promise.race([call, this.#halted.promise]);
  }

  #ended(path: string, result: Json): Json {
    this.tell({ step: path, state: "done", result });
    return result;
  }

  done(path: string, result: Json): void {
    this.#ended(path, result);
  }

  /** The failure of the run: this one, or the one that came before it. */
  failed(path: string, error: unknown): unknown {
    if (!(error instanceof SysError || error instanceof StepFailure)) return error;
    const isCut = error instanceof StepFailure;
    const { code, message } = isCut ? { code: "EINTR", message: "the run is over" } : error;
    if (!this.#failed.has(path))
      this.tell({ step: path, state: "failed", error: { code, message } });
    this.#failed.add(path);
    if (isCut) return error;
    const failure = new StepFailure(path, code, message);
    this.halt(failure);
    return failure;
  }

  #tried<T>(
    path: string,
    { retry, isSafe }: { retry: StepRetry; isSafe: boolean },
    act: () => Promise<T>,
  ): Promise<T> {
    return attempts(
      this.sys,
      {
        retry,
        mayRetry: ({ code }) => isSafe || !UNKNOWN.has(code), // FLOW-4
        isOver: () => this.isOver,
        halted: this.#halted.promise,
        onFailed: ({ code, message }, attempt) =>
          this.tell({
            step: path,
            state: "running",
            attempt: attempt + 1,
            error: { code, message },
          }),
      },
      act,
    );
  }

  async #run(path: string, step: ChildStep): Promise<Ending> {
    const { agent, input, capabilities, budget, timeoutMs } = step;
    const pid = await spawnWhenRoom(this.sys, agent, input, {
      step: shortened(path, MOST_STEP),
      ...(capabilities === undefined ? {} : { capabilities: [...capabilities] }),
      ...(budget === undefined ? {} : { budget }),
    });
    this.tell({ step: path, state: "running", pid });
    const until = timeoutMs === undefined ? {} : { until: (await this.sys.now()) + timeoutMs };
    const ending = await this.#endOf(pid, this.sys.wait(pid, until));
    const failed = failureOfEnding(ending);
    if (failed === undefined) return ending;
    if (step.isWorkflow === true) this.#notTakenBack(path, ending.output);
    const code = failed.code.startsWith("exit ") ? "EPROGRAM" : failed.code;
    throw new SysError(code as "EPROGRAM", failed.message);
  }

  /** FLOW-3. Who is told to end is waited for. */
  async #endOf(pid: string, call: Promise<Ending>): Promise<Ending> {
    try {
      return await this.waiting(call);
    } catch (error) {
      const isLate = error instanceof SysError && error.code === "ETIMEDOUT";
      if (!isLate && !(error instanceof StepFailure)) throw error;
      await this.sys.signal(pid, "SIGTERM");
      const ending = await (isLate ? this.sys.wait(pid) : call);
      if (isLate || failureOfEnding(ending) !== undefined) throw error;
      return ending; // it had ended by itself
    }
  }

  /** The result of a child workflow; what takes it back is now for this one to do. */
  #taken(path: string, { output }: Ending): Json {
    const { result, armed, lasting } = output as unknown as WorkflowOutcome;
    this.armed.push(...armed.map((one) => ({ ...one, step: `${path}/${one.step}` })));
    this.lasting.push(...lasting.map((one) => ({ ...one, step: `${path}/${one.step}` })));
    return result;
  }

  #notTakenBack(path: string, output: Json): void {
    const { lasting = [] } = (output ?? {}) as unknown as Partial<WorkflowOutcome>;
    this.lasting.push(...lasting.map((one) => ({ ...one, step: `${path}/${one.step}` })));
  }

  #fitting(path: string, { schema }: StepTerms, result: Json): Json {
    const misfit = schema === undefined ? undefined : bodyMismatch(schema, result, "the result");
    if (misfit !== undefined) throw new SysError("EINVAL", `${path}: ${misfit}`);
    return result;
  }

  /** FLOW-2. What the step itself says comes before what the tool says. */
  #arm(
    path: string,
    step: ToolStep,
    { key, effect, result }: { key: string; effect: ToolContract["effect"]; result: Json },
  ): void {
    const scope = { ...step.scope, args: step.args, result };
    if (step.undo !== undefined) return this.#armCall(path, step.undo, { key, scope });
    const declared = this.contracts.get(step.tool)?.undo;
    if (declared !== undefined && declared !== "workspace") {
      const call =
        typeof declared === "string"
          ? { tool: declared, args: "{{args}}" }
          : { tool: declared.tool, args: declared.args ?? {} };
      return this.#armCall(path, call, { key, scope: { args: step.args, result } });
    }
    if (effect === "read") return;
    const why = declared === "workspace" ? "it is in the workspace: aos undo" : "it has no undo";
    this.lasting.push({ step: path, tool: step.tool, why });
  }

  #armCall(
    path: string,
    { tool, args, retry, timeout, onDoubt }: UndoCall,
    { key, scope }: { key: string; scope: Scope },
  ): void {
    this.armed.push({
      step: path,
      tool,
      args: fill(args, scope),
      key: `${key}/undo`,
      ...(retry === undefined ? {} : { retry }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout }),
      ...(onDoubt === undefined ? {} : { onDoubt }),
    });
  }

  #keyOf = (path: string): string => `${this.#prefix}${shortened(path, MOST_KEY)}`;
}
