// Check workflow: a workflow against the tools of a system: tools that there are, arguments that they take, and results
// that fit where they go.
//
// CHECK-WORKFLOW-1  All faults are found at once, before anything runs.
// CHECK-WORKFLOW-2  What is not known is not a fault: a tool without a schema of its result gives anything.

import {
  bodyMismatch,
  eachStep,
  nameOf,
  type Expression,
  type InlineAgent,
  type Json,
  type JsonObject,
  piecesOf,
  readExpression,
  soleExpression,
  type Sys,
  SysError,
  textsOf,
  type ToolContract,
  type WorkflowDefinition,
  type WorkflowFlaw,
  type WorkflowStep,
  stepManifest,
} from "@aos/protocol";

export interface WorkflowContext {
  readonly contracts: ReadonlyMap<string, ToolContract>;
  /** Of agents and workflows by name: the schema of what each gives, and takes. */
  readonly agents?: ReadonlyMap<
    string,
    { readonly input?: JsonObject | undefined; readonly output?: JsonObject | undefined }
  >;
}

/** Schemas by name: what an expression leads to. */
interface KnownTypes {
  readonly roots: Readonly<Record<string, Json | undefined>>;
  readonly steps: Readonly<Record<string, Json | undefined>>;
}

type Path = readonly (string | number)[];

export function checkWorkflow(
  definition: WorkflowDefinition,
  surroundings: WorkflowContext,
): WorkflowFlaw[] {
  return new Check(definition, surroundings).all();
}

/** Every tool that its steps name, once. */
export function toolsNamedBy(steps: readonly WorkflowStep[]): Set<string> {
  return new Set(
    [...eachStep(steps)]
      .flatMap(({ tool, undo }) => [tool, undo?.tool])
      .filter((one) => one !== undefined),
  );
}

export function agentsNamedBy(steps: readonly WorkflowStep[]): Set<string> {
  const started = [...eachStep(steps)].map(
    ({ agent, program, workflow }) => agent ?? program ?? workflow,
  );
  return new Set(started.filter((one) => typeof one === "string"));
}

/** Those that are written in their steps. */
export function inlineAgentsOf(steps: readonly WorkflowStep[]): InlineAgent[] {
  return [...eachStep(steps)].flatMap(({ agent }) => (typeof agent === "object" ? [agent] : []));
}

/** What the system says of the tools and agents that are named; what it does not have, or refuses, is a fault. */
export async function contractsOf(sys: Sys, { steps }: WorkflowDefinition) {
  const contracts = new Map<string, ToolContract>();
  const faults: string[] = [];
  for (const tool of toolsNamedBy(steps)) {
    try {
      const path = `/tools/${tool}/contract`;
      contracts.set(tool, (await sys.read(path)) as unknown as ToolContract);
    } catch (error) {
      if (!(error instanceof SysError) || error.code !== "ENOENT") throw error;
      faults.push(`there is no tool ${tool}`);
    }
  }
  for (const agent of [...agentsNamedBy(steps), ...inlineAgentsOf(steps)]) {
    const would = await mayStart(sys, agent);
    const name = typeof agent === "string" ? agent : agent.name;
    if (!would.allow && ["EACCES", "EPOLICY", "ENOENT", "EINVAL"].includes(would.code ?? ""))
      faults.push(`${name} cannot be started: ${would.reason ?? would.code}`);
  }
  return { contracts, faults };
}

async function mayStart(sys: Sys, agent: string | InlineAgent) {
  const started = typeof agent === "string" ? { agent } : { manifest: stepManifest(agent) };
  try {
    return await sys.check("spawn", { ...started, input: null } as JsonObject);
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    return { allow: false, code: error.code, reason: error.message };
  }
}

class Check {
  readonly #definition: WorkflowDefinition;
  readonly #known: WorkflowContext;
  readonly #found: WorkflowFlaw[] = [];

  constructor(definition: WorkflowDefinition, known: WorkflowContext) {
    this.#definition = definition;
    this.#known = known;
  }

  all(): WorkflowFlaw[] {
    const { steps, input, result, output, repeat } = this.#definition;
    const types: KnownTypes = { roots: { input: input?.schema }, steps: {} };
    const ended = this.#list(steps, ["steps"], types);
    const given = result ?? `{{steps.${steps.at(-1)!.id}}}`;
    this.#fits(given, output?.schema, result === undefined ? ["steps"] : ["result"], ended);
    if (repeat !== undefined) this.#fits(repeat.input, input?.schema, ["repeat", "input"], ended);
    return this.#found;
  }

  #flaw(path: Path, message: string): void {
    this.#found.push({ path, message });
  }

  /** With what its steps give. Their order is checked elsewhere: here each may name all of its list. */
  #list(steps: readonly WorkflowStep[], path: Path, outer: KnownTypes): KnownTypes {
    const own: Record<string, Json | undefined> = { ...outer.steps };
    const types = { ...outer, steps: own };
    for (const step of steps) own[step.id] = this.#typeOf(step);
    for (const [nth, step] of steps.entries()) {
      const inside = this.#step(step, [...path, nth], types);
      if (inside !== undefined && step.if === undefined) own[step.id] = inside;
    }
    return types;
  }

  /** Of one that may be skipped nothing is known. */
  #typeOf(step: WorkflowStep): Json | undefined {
    const { tool, agent, workflow, output, wait } = step;
    if (step.if !== undefined) return undefined;
    if (output !== undefined) return output.schema;
    if (tool !== undefined) return this.#known.contracts.get(tool)?.output;
    if (wait !== undefined) return this.#definition.signals?.[wait.signal]?.schema;
    if (step.ask !== undefined) return { type: "string" };
    if (step.sleep !== undefined) return { type: "null" };
    if (typeof agent === "object") return agent.output?.schema;
    return this.#known.agents?.get(agent ?? workflow ?? "")?.output;
  }

  /** The schema of a block's result. */
  #step(step: WorkflowStep, path: Path, types: KnownTypes): Json | undefined {
    const { tool, args, undo, map, branch, loop, agent, workflow } = step;
    this.#paths(step.if, [...path, "if"], types);
    const contract = tool === undefined ? undefined : this.#known.contracts.get(tool);
    if (contract !== undefined) this.#fits(args ?? {}, contract.input, [...path, "args"], types);
    const named = typeof agent === "object" ? undefined : (agent ?? workflow);
    const child = this.#known.agents?.get(named ?? "");
    if (child !== undefined) this.#fits(step.input ?? null, child.input, [...path, "input"], types);
    if (undo !== undefined) {
      const result = this.#typeOf(step);
      const scope = { ...types, roots: { ...types.roots, result, args: contract?.input } };
      const taken = this.#known.contracts.get(undo.tool)?.input;
      this.#fits(undo.args, taken, [...path, "undo", "args"], scope);
    }
    if (step.steps !== undefined) return this.#last(step.steps, [...path, "steps"], types);
    if (step.parallel !== undefined) {
      const inside = this.#list(step.parallel, [...path, "parallel"], types);
      const properties = step.parallel.map(({ id }) => [id, inside.steps[id] ?? true] as const);
      return { type: "object", properties: Object.fromEntries(properties) };
    }
    if (map !== undefined) {
      const list = this.#fits(map.over, { type: "array" }, [...path, "map", "over"], types);
      const item = (list as JsonObject | undefined)?.["items"];
      const each = { ...types, roots: { ...types.roots, item, index: { type: "integer" } } };
      const items = this.#last(map.steps, [...path, "map", "steps"], each);
      return { type: "array", ...(items === undefined ? {} : { items }) };
    }
    if (loop !== undefined) {
      const each = {
        ...types,
        roots: { ...types.roots, index: { type: "integer" }, last: undefined },
      };
      const inside = this.#list(loop.steps, [...path, "loop", "steps"], each);
      this.#paths(loop.until, [...path, "loop", "until"], inside);
      return inside.steps[loop.steps.at(-1)!.id];
    }
    for (const [nth, way] of (branch ?? []).entries()) {
      this.#paths(way.if, [...path, "branch", nth, "if"], types);
      this.#list(way.steps, [...path, "branch", nth, "steps"], types);
    }
    return undefined;
  }

  #last(steps: readonly WorkflowStep[], path: Path, types: KnownTypes): Json | undefined {
    return this.#list(steps, path, types).steps[steps.at(-1)!.id];
  }

  /** Whether a template gives what a schema wants; gives the schema of what it leads to, where that is known. */
  #fits(template: Json, wanted: Json | undefined, path: Path, types: KnownTypes): Json | undefined {
    if (typeof template === "string" && template.includes("{{")) {
      const sole = soleExpression(template);
      if (sole === undefined) {
        for (const piece of piecesOf(template))
          if (typeof piece !== "string") this.#lead(piece, path, types);
        return this.#sameType({ type: "string" }, wanted, path);
      }
      return this.#sameType(this.#lead(sole, path, types), wanted, path);
    }
    if (Array.isArray(template)) {
      const items = (wanted as JsonObject | undefined)?.["items"] as Json | undefined;
      for (const [nth, one] of template.entries()) this.#fits(one, items, [...path, nth], types);
    } else if (typeof template === "object" && template !== null)
      this.#object(template, wanted, path, types);
    const isWhole = [...textsOf(template)].every(({ text }) => !text.includes("{{"));
    const misfit =
      isWhole && wanted !== undefined && typeof template !== "object"
        ? bodyMismatch(wanted, template, "it")
        : undefined;
    if (misfit !== undefined) this.#flaw(path, misfit);
    return undefined;
  }

  #object(template: JsonObject, wanted: Json | undefined, path: Path, types: KnownTypes): void {
    const schema = typeof wanted === "object" && wanted !== null ? (wanted as JsonObject) : {};
    const properties = (schema["properties"] ?? {}) as JsonObject;
    const names = namesOf(schema);
    if (names.length > 0 && !names.includes("object"))
      return this.#flaw(path, `an object where ${names.join(" or ")} is wanted`);
    for (const name of (schema["required"] ?? []) as string[])
      if (!Object.hasOwn(template, name)) this.#flaw(path, `${name} is missing`);
    for (const [name, one] of Object.entries(template)) {
      const isKnown = Object.hasOwn(properties, name);
      if (!isKnown && schema["additionalProperties"] === false)
        this.#flaw(
          [...path, name],
          `there is no ${name}: there is ${Object.keys(properties).join(", ") || "nothing"}`,
        );
      this.#fits(
        one as Json,
        isKnown ? (properties[name] as Json) : undefined,
        [...path, name],
        types,
      );
    }
  }

  #sameType(given: Json | undefined, wanted: Json | undefined, path: Path): Json | undefined {
    const [has, takes] = [namesOf(given), namesOf(wanted)];
    const isOne = has.some(
      (name) =>
        takes.includes(name) ||
        (name === "integer" && takes.includes("number")) ||
        (name === "number" && takes.includes("integer")),
    );
    if (has.length > 0 && takes.length > 0 && !isOne)
      this.#flaw(path, `${has.join(" or ")} is given where ${takes.join(" or ")} is wanted`);
    const properties = (given as JsonObject | undefined)?.["properties"] as JsonObject | undefined;
    const required = (wanted as JsonObject | undefined)?.["required"] as string[] | undefined;
    for (const name of properties === undefined ? [] : (required ?? []))
      if (!Object.hasOwn(properties!, name)) this.#flaw(path, `what is given has no ${name}`);
    return given;
  }

  #paths(text: string | undefined, path: Path, types: KnownTypes): void {
    if (text !== undefined) this.#lead(readExpression(text), path, types);
  }

  /** The schema of what an expression gives, undefined where that is not known. */
  #lead(expression: Expression, path: Path, types: KnownTypes): Json | undefined {
    switch (expression.kind) {
      case "value":
        return { const: expression.value, type: typeOf(expression.value) };
      case "size":
        this.#lead(expression.of, path, types);
        return { type: "integer" };
      case "not":
        this.#lead(expression.of, path, types);
        return { type: "boolean" };
      case "path":
        return this.#follow(expression, path, types);
      case "and":
      case "or":
      case "compare":
        this.#lead(expression.left, path, types);
        this.#lead(expression.right, path, types);
        return { type: "boolean" };
    }
  }

  #follow(
    { root, steps }: Extract<Expression, { kind: "path" }>,
    path: Path,
    types: KnownTypes,
  ): Json | undefined {
    const names = steps.map((step) => (step.kind === "value" ? step.value : undefined));
    const isStep = root === "steps";
    let schema = isStep ? types.steps[nameOf(names[0])] : types.roots[root];
    let said = isStep ? `steps.${nameOf(names[0])}` : root;
    for (const name of names.slice(isStep ? 1 : 0)) {
      if (typeof schema !== "object" || schema === null || name === undefined) return undefined;
      const { properties, items, additionalProperties = false } = schema as JsonObject;
      if (typeof name === "number") schema = items as Json | undefined;
      else if (properties === undefined) return undefined;
      else if (Object.hasOwn(properties as JsonObject, nameOf(name)))
        schema = (properties as JsonObject)[nameOf(name)] as Json;
      else {
        if (additionalProperties === false)
          this.#flaw(
            path,
            `${said} has no ${nameOf(name)}: it has ${Object.keys(properties as JsonObject).join(", ")}`,
          );
        return undefined;
      }
      said = `${said}.${nameOf(name)}`;
    }
    return schema;
  }
}

const typeOf = (value: Json): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "array"
      : Number.isInteger(value)
        ? "integer"
        : typeof value;

/** The types that a schema names; none where it does not say. */
function namesOf(schema: Json | undefined): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { type, enum: choices, anyOf } = schema as JsonObject;
  if (type !== undefined) return [type].flat() as string[];
  if (Array.isArray(choices)) return [...new Set(choices.map((one) => typeOf(one)))];
  if (!Array.isArray(anyOf)) return [];
  const each = anyOf.map((one) => namesOf(one));
  return each.some((names) => names.length === 0) ? [] : [...new Set(each.flat())];
}
