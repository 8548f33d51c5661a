// Workflow flaws: what is wrong with the steps of a workflow, all of it, before anything runs. What needs the tools of
// a system is said by userland/src/workflow/check-workflow.ts.
//
// WORKFLOW-FLAWS-1  Ids are unique in the whole workflow; `after` names steps of the same list, without a circle.
// WORKFLOW-FLAWS-2  An expression names only what is there when it is read: the input, signals that were declared, and
//     steps that have ended by then.
// WORKFLOW-FLAWS-3  There is nothing without a bound: a loop has a maximum, nesting a depth.

import { nameOf, pathsOf, readExpression, type Expression } from "./expression.ts";
import { type WorkflowStep, workflowLimits } from "./step.ts";
import { piecesOf, textsOf } from "./template.ts";
import type { Json, JsonObject } from "../json.ts";

export type FlawPath = readonly (string | number)[];
export interface WorkflowFlaw {
  readonly path: FlawPath;
  readonly message: string;
}

/** The part of a manifest that is the workflow. */
export interface WorkflowDefinition {
  readonly name: string;
  readonly input?: { readonly schema: JsonObject } | undefined;
  readonly output?: { readonly schema: JsonObject } | undefined;
  readonly steps: readonly WorkflowStep[];
  readonly result?: Json | undefined;
  readonly signals?:
    | Readonly<Record<string, { readonly schema?: JsonObject | undefined }>>
    | undefined;
  readonly queries?: Readonly<Record<string, Json>> | undefined;
  readonly repeat?: { readonly if: string; readonly input: Json } | undefined;
}

/** What an expression may name at its place. */
interface Names {
  readonly roots: ReadonlySet<string>;
  readonly steps: ReadonlySet<string>;
}

export function workflowFlaws(workflow: WorkflowDefinition): WorkflowFlaw[] {
  return new Flaws(workflow).all();
}

class Flaws {
  readonly #workflow: WorkflowDefinition;
  readonly #found: WorkflowFlaw[] = [];
  readonly #ids = new Map<string, FlawPath>();

  constructor(workflow: WorkflowDefinition) {
    this.#workflow = workflow;
  }

  all(): WorkflowFlaw[] {
    const { steps, result, queries = {}, repeat } = this.#workflow;
    const bytes = JSON.stringify(this.#workflow).length;
    if (bytes > workflowLimits.bytes)
      this.#flaw(
        ["steps"],
        `the workflow has ${bytes} bytes; the limit is ${workflowLimits.bytes}`,
      );
    const outside: Names = { roots: new Set(["input", "run"]), steps: new Set() };
    this.#list(steps, ["steps"], outside, 1);
    if (this.#ids.size > workflowLimits.steps)
      this.#flaw(["steps"], `${this.#ids.size} steps; the limit is ${workflowLimits.steps}`);
    const ended: Names = { ...outside, steps: new Set(steps.map(({ id }) => id)) };
    this.#template(result, ["result"], ended);
    for (const [name, query] of Object.entries(queries))
      this.#template(query, ["queries", name], ended);
    this.#expression(repeat?.if, ["repeat", "if"], ended);
    this.#template(repeat?.input, ["repeat", "input"], ended);
    return this.#found;
  }

  #flaw(path: FlawPath, message: string): void {
    this.#found.push({ path, message });
  }

  /** A list of steps: each with what has ended before it. */
  #list(
    steps: readonly WorkflowStep[],
    path: FlawPath,
    outer: Names,
    depth: number,
    atOnce = false,
  ) {
    if (depth > workflowLimits.depth)
      return this.#flaw(
        path,
        `steps are nested ${depth} deep; the limit is ${workflowLimits.depth}`,
      );
    for (const [nth, { id }] of steps.entries()) {
      if (this.#ids.has(id)) this.#flaw([...path, nth, "id"], `another step is called ${id}`);
      this.#ids.set(id, path);
    }
    const before = this.#order(steps, path, atOnce);
    for (const [nth, step] of steps.entries()) {
      const names = { ...outer, steps: new Set([...outer.steps, ...before(step.id)]) };
      this.#step(step, [...path, nth], names, depth);
    }
  }

  /** WORKFLOW-FLAWS-1. For an id: all that have ended when it begins. */
  #order(steps: readonly WorkflowStep[], path: FlawPath, atOnce: boolean) {
    const ids = new Set(steps.map(({ id }) => id));
    const direct = new Map<string, readonly string[]>();
    for (const [nth, step] of steps.entries()) {
      if (atOnce && step.after !== undefined)
        this.#flaw([...path, nth, "after"], "steps of `parallel` begin at once");
      for (const other of step.after ?? [])
        if (!ids.has(other))
          this.#flaw([...path, nth, "after"], `${other} is no step of the same list`);
      direct.set(
        step.id,
        dependenciesOf(steps, nth, atOnce).filter((other) => ids.has(other)),
      );
    }
    const circle = circleIn(direct);
    if (circle !== undefined) {
      const nth = steps.findIndex(({ id }) => id === circle[0]);
      this.#flaw([...path, nth, "after"], `the steps wait for each other: ${circle.join(" → ")}`);
    }
    return (id: string): ReadonlySet<string> => {
      const all = new Set<string>();
      const add = (one: string) => {
        for (const other of direct.get(one) ?? [])
          if (!all.has(other)) {
            all.add(other);
            add(other);
          }
      };
      add(id);
      return all;
    };
  }

  #step(step: WorkflowStep, path: FlawPath, names: Names, depth: number): void {
    const { map, branch, loop, wait, sleep, undo } = step;
    this.#expression(step.if, [...path, "if"], names);
    this.#template(step.args, [...path, "args"], names);
    this.#template(step.input, [...path, "input"], names);
    this.#template(step.ask?.question, [...path, "ask", "question"], names);
    if (typeof sleep === "object") this.#template(sleep.until, [...path, "sleep", "until"], names);
    const taken = { ...names, roots: new Set([...names.roots, "result", "args"]) };
    this.#template(undo?.args, [...path, "undo", "args"], taken);
    if (wait !== undefined && !Object.hasOwn(this.#workflow.signals ?? {}, wait.signal))
      this.#flaw([...path, "wait", "signal"], `${wait.signal} is not declared in \`signals\``);
    if (step.steps !== undefined) this.#list(step.steps, [...path, "steps"], names, depth + 1);
    if (step.parallel !== undefined)
      this.#list(step.parallel, [...path, "parallel"], names, depth + 1, true);
    if (map !== undefined) {
      this.#template(map.over, [...path, "map", "over"], names);
      const each = { ...names, roots: new Set([...names.roots, "item", "index"]) };
      this.#list(map.steps, [...path, "map", "steps"], each, depth + 1);
    }
    if (loop !== undefined) {
      const each = { ...names, roots: new Set([...names.roots, "index", "last"]) };
      this.#list(loop.steps, [...path, "loop", "steps"], each, depth + 1);
      const inside = new Set([...names.steps, ...loop.steps.map(({ id }) => id)]);
      this.#expression(loop.until, [...path, "loop", "until"], { ...each, steps: inside });
    }
    for (const [nth, way] of (branch ?? []).entries()) {
      const at = [...path, "branch", nth];
      this.#expression(way.if, [...at, "if"], names);
      if (way.if === undefined && nth !== branch!.length - 1)
        this.#flaw(at, "only the last way of a branch is without `if`");
      this.#list(way.steps, [...at, "steps"], names, depth + 1);
    }
  }

  #template(template: Json | undefined, path: FlawPath, names: Names): void {
    if (template === undefined) return;
    for (const { text, path: inner } of textsOf(template)) {
      try {
        for (const piece of piecesOf(text))
          if (typeof piece !== "string") this.#names(piece, [...path, ...inner], names);
      } catch (error) {
        this.#flaw([...path, ...inner], (error as Error).message);
      }
    }
  }

  #expression(text: string | undefined, path: FlawPath, names: Names): void {
    if (text === undefined) return;
    try {
      this.#names(readExpression(text), path, names);
    } catch (error) {
      this.#flaw(path, (error as Error).message);
    }
  }

  /** WORKFLOW-FLAWS-2. */
  #names(expression: Expression, path: FlawPath, { roots, steps }: Names): void {
    for (const { root, steps: rest } of pathsOf(expression)) {
      if (root !== "steps") {
        if (!roots.has(root))
          this.#flaw(path, `${root} is nothing here: there is ${[...roots, "steps"].join(", ")}`);
        continue;
      }
      const [first] = rest;
      const id = first?.kind === "value" ? nameOf(first.value) : undefined;
      if (id === undefined) this.#flaw(path, "steps is followed by the id of a step: steps.ID");
      else if (!steps.has(id))
        this.#flaw(path, `steps.${id}: no step ${id} has ended before this is read`);
    }
  }
}

/** By default a step follows the one before it in its list. */
export function dependenciesOf(
  steps: readonly WorkflowStep[],
  nth: number,
  atOnce = false,
): readonly string[] {
  if (atOnce) return [];
  const { after } = steps[nth]!;
  return after ?? (nth === 0 ? [] : [steps[nth - 1]!.id]);
}

function circleIn(direct: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const sound = new Set<string>();
  const walk = (id: string, above: readonly string[]): readonly string[] | undefined => {
    if (above.includes(id)) return [...above.slice(above.indexOf(id)), id];
    if (sound.has(id)) return undefined;
    for (const other of direct.get(id) ?? []) {
      const circle = walk(other, [...above, id]);
      if (circle !== undefined) return circle;
    }
    sound.add(id);
    return undefined;
  };
  for (const id of direct.keys()) {
    const circle = walk(id, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

const FIELDS = ["steps", "input", "result", "signals", "queries", "repeat"] as const;
const NOT_ITS_OWN = ["program", "command", "system", "model", "persistent", "tools", "stages"];

/** A workflow is its steps; other kinds have none. */
export function* workflowManifestFlaws(
  manifest: { readonly kind: string } & Readonly<Record<string, unknown>>,
): Generator<WorkflowFlaw> {
  if (manifest.kind !== "Workflow") {
    for (const field of FIELDS)
      if (manifest[field] !== undefined)
        yield { path: [field], message: "is for `kind: Workflow`" };
    return;
  }
  for (const field of NOT_ITS_OWN) {
    const value = manifest[field];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0))
      yield { path: [field], message: "is not for `kind: Workflow`: its steps have it" };
  }
  if (manifest["steps"] === undefined)
    return yield { path: ["steps"], message: "a Workflow needs steps" };
  yield* workflowFlaws(manifest as unknown as WorkflowDefinition);
}
