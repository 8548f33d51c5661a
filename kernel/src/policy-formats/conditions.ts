// Conditions: reads the `when` of a rule, in CEL. They are type-checked when loaded, except `args`; there is no regular
// expression, no clock and no waiting. policy/condition.ts evaluates them.
//
//   compileCondition('args.amount > 1000', known)      a Condition, or a PolicyError
//
// CONDITIONS-2  Only the functions of FUNCTIONS exist. `matches` is not one of them.
// CONDITIONS-3  A nested loop, or `in` in a loop, runs over a literal list or over a part of the outer element: no
//     loop over all arguments runs once for each of them.
// CONDITIONS-4  A text that can never equal what it is compared with is an error when loaded.

import { Environment, type ParseResult } from "@marcbachmann/cel-js";
import { conditionProblems } from "./condition-problems.ts";
import { conditionOf, type Condition } from "../policy/condition.ts";
import {
  CostView,
  LabelView,
  ResourceView,
  TargetView,
  TimeView,
  type ConditionView,
} from "../policy/condition-view.ts";
import { PolicyError } from "../policy/problem.ts";

const LIMITS = {
  maxAstNodes: 500,
  maxDepth: 32,
  maxListElements: 200,
  maxMapEntries: 50,
  maxCallArguments: 8,
} as const;

const MAX_LENGTH = 8192;

const TYPES = {
  Resource: { ctor: ResourceView, fields: { kind: "string", resource: "string", verb: "string" } },
  Label: {
    ctor: LabelView,
    fields: { integrity: "string", secrecy: "string", colour: "string", tags: "list<string>" },
  },
  Cost: { ctor: CostView, fields: { usd: "double", tokens: "int", toolCalls: "int" } },
  Target: { ctor: TargetView, fields: { pid: "string", agent: "string" } },
  Time: {
    ctor: TimeView,
    fields: { hour: "int", minute: "int", weekday: "int", ms: "int", date: "string" },
  },
} as const;

/** Every variable, and its type. docs/policy.md describes each. */
export const VARIABLES = {
  agent: "string",
  tenant: "string",
  pid: "string",
  depth: "int",
  call: "string",
  tool: "string",
  model: "string",
  edge: "string",
  args: "dyn",
  resources: "list<Resource>",
  paths: "list<string>",
  hosts: "list<string>",
  target: "Target",
  label: "Label",
  effect: "string",
  sinks: "list<string>",
  pinned: "bool",
  morePower: "bool",
  undoable: "bool",
  cost: "Cost",
  spent: "Cost",
  time: "Time",
} as const satisfies Record<keyof ConditionView, string>;

const environment = makeEnvironment();

function makeEnvironment(): Environment {
  const made = new Environment({ limits: LIMITS });
  for (const [name, { ctor, fields }] of Object.entries(TYPES))
    made.registerType(name, { ctor, fields });
  for (const [name, type] of Object.entries(VARIABLES)) made.registerVariable(name, type);
  made.registerFunction("string.containsAny(list<string>): bool", containsAny, { async: false });
  return made;
}

function containsAny(text: string, needles: readonly string[]): boolean {
  for (const needle of needles) if (text.includes(needle)) return true;
  return false;
}

/** Names that a condition may compare `tool` with. */
export interface ConditionNames {
  readonly tools: ReadonlySet<string>;
}

export function compileCondition(text: string, known: ConditionNames): Condition {
  if (text.length > MAX_LENGTH)
    throw new PolicyError([], `a condition has at most ${MAX_LENGTH} characters`);
  const parsed = parse(text);
  const flaw = conditionProblems(parsed.ast, new Set(Object.keys(VARIABLES)), known.tools);
  if (flaw !== undefined) throw new PolicyError([], `${flaw.problem}\n${caret(text, flaw.at)}`);
  const check = parsed.check();
  if (!check.valid) throw new PolicyError([], check.error!.message);
  if (check.type !== "bool" && check.type !== "dyn")
    throw new PolicyError([], `a condition must be a bool, but this is a ${check.type}`);
  return conditionOf(text, parsed);
}

function parse(text: string): ParseResult {
  try {
    return environment.parse(text);
  } catch (error) {
    throw new PolicyError([], error instanceof Error ? error.message : "it cannot be read");
  }
}

/** The line, and a mark under the character, as the library draws it. */
function caret(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  const line = text.split("\n")[before.length - 1]!;
  const indent = " ".repeat(9 + before.at(-1)!.length);
  return `\n> ${String(before.length).padStart(4)} | ${line}\n${indent}^`;
}
