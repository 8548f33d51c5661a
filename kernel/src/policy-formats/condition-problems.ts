// Problems of a condition that its types do not reveal: an unknown function, a loop whose time is quadratic in the
// arguments of a call, a text that can never be equal. conditions.ts has the rules; this walks the parsed expression.

import type { ASTNode } from "@marcbachmann/cel-js";
import { colours, integrities, secrecies, sinks, syscalls } from "@aos/protocol";
import { KINDS } from "../capability/kinds.ts";
import { nearestHint } from "./problem-list.ts";

export interface ConditionProblem {
  readonly problem: string;
  readonly at: number;
}

const LOOPS = new Set(["all", "exists", "exists_one", "map", "filter"]);

/** Every function of a condition, as `f(x)` or `x.f()`. */
export const FUNCTIONS: ReadonlySet<string> = new Set([
  ...LOOPS,
  ...words("has size int double string bool dyn type indexOf lastIndexOf substring split join"),
  ...words("startsWith endsWith contains containsAny lowerAscii upperAscii trim"),
]);

function words(text: string): readonly string[] {
  return text.split(" ");
}

const TYPE_NAMES = new Set(["string", "bool", "int", "double", "map", "list", "null_type", "type"]);

const WORDS: Readonly<Record<string, readonly string[]>> = {
  call: Object.keys(syscalls),
  effect: ["read", "idempotent", "external"],
  "label.integrity": integrities,
  "label.secrecy": secrecies,
  "label.colour": Object.values(colours),
  "resource.kind": Object.keys(KINDS),
  "resource.verb": [...new Set(Object.values(KINDS).flatMap(({ verbs }) => verbs))],
};

/** Lists that are short whatever an agent sends. */
const SHORT: ReadonlySet<string | undefined> = new Set(["sinks", "label.tags"]);

/** What a loop's variable stands for: an element of what there is, of a written list, or of a result. */
type Element = "resource" | "part" | "written" | "computed";

/** The variables of the loops around, by name, the innermost last. */
type Scope = ReadonlyMap<string, Element>;

export function conditionProblems(
  root: ASTNode,
  variables: ReadonlySet<string>,
  tools: ReadonlySet<string>,
): ConditionProblem | undefined {
  return new Walk(variables, tools).node(root, new Map());
}

class Walk {
  readonly #variables: ReadonlySet<string>;
  readonly #tools: ReadonlySet<string>;

  constructor(variables: ReadonlySet<string>, tools: ReadonlySet<string>) {
    this.#variables = variables;
    this.#tools = tools;
  }

  node(node: ASTNode, scope: Scope): ConditionProblem | undefined {
    if (node.op === "value") return undefined;
    if (node.op === "id") return this.#identifier(node.args, node.pos, scope);
    if (node.op === "." || node.op === ".?") return this.node(node.args[0], scope);
    if (node.op === "!_" || node.op === "-_") return this.node(node.args, scope);
    if (node.op === "map") return this.#all(node.args.flat(), scope);
    if (node.op === "call")
      return this.#call(node.args[0], node.pos) ?? this.#all(node.args[1], scope);
    if (node.op === "rcall") return this.#method(node.args, node.pos, scope);
    return this.#compared(node, scope) ?? this.#all(node.args, scope);
  }

  #compared(node: ASTNode, scope: Scope): ConditionProblem | undefined {
    if (node.op === "in") return this.#member(node.args, scope);
    if (node.op !== "==" && node.op !== "!=") return undefined;
    const [left, right] = node.args;
    return this.#equal(left, right, scope) ?? this.#equal(right, left, scope);
  }

  #all(nodes: readonly ASTNode[], scope: Scope): ConditionProblem | undefined {
    return firstOf(nodes, (node) => this.node(node, scope));
  }

  #identifier(name: string, at: number, scope: Scope): ConditionProblem | undefined {
    if (scope.has(name) || this.#variables.has(name) || TYPE_NAMES.has(name)) return undefined;
    return { problem: `Unknown variable: ${name}${nearestHint(name, this.#variables)}`, at };
  }

  #call(name: string, at: number): ConditionProblem | undefined {
    if (FUNCTIONS.has(name)) return undefined;
    const why =
      name === "matches" ? "regular expressions can take forever" : `no function is called ${name}`;
    return { problem: `${name} is not available: ${why}${nearestHint(name, FUNCTIONS)}`, at };
  }

  #method(
    [name, receiver, args]: readonly [string, ASTNode, ASTNode[]],
    at: number,
    scope: Scope,
  ): ConditionProblem | undefined {
    const flaw = this.#call(name, at) ?? this.node(receiver, scope);
    if (flaw !== undefined || !LOOPS.has(name)) return flaw ?? this.#all(args, scope);
    if (scope.size > 0 && !isBounded(receiver, scope)) {
      const problem =
        "a loop in a loop runs over a written list, or over a part of the outer one's";
      return { problem, at: receiver.pos };
    }
    const [variable, ...body] = args;
    if (variable?.op !== "id") return undefined; // the library's own error says it better
    if (this.#variables.has(variable.args) || scope.has(variable.args))
      return { problem: `"${variable.args}" is something else already`, at: variable.pos };
    return this.#all(body, new Map(scope).set(variable.args, elementOf(receiver)));
  }

  #equal(left: ASTNode, right: ASTNode, scope: Scope): ConditionProblem | undefined {
    const what = nameOf(left, scope);
    if (what === undefined || right.op !== "value" || typeof right.args !== "string")
      return undefined;
    return this.#word(what, right.args, right.pos);
  }

  #member([left, right]: readonly [ASTNode, ASTNode], scope: Scope): ConditionProblem | undefined {
    if (left.op === "value" && typeof left.args === "string") {
      const isSinks = right.op === "id" && right.args === "sinks";
      if (isSinks && !(sinks as readonly string[]).includes(left.args))
        return unknown("sink", left.args, left.pos, sinks);
    }
    if (scope.size > 0 && !SHORT.has(nameOf(right, scope)) && !isBounded(right, scope))
      return { problem: `"in" in a loop looks into a written list`, at: right.pos };
    if (right.op !== "list") return undefined;
    return firstOf(right.args, (item) => this.#equal(left, item, scope));
  }

  #word(what: string, word: string, at: number): ConditionProblem | undefined {
    if (what === "tool") {
      const isKnown = word === "" || this.#tools.has(word);
      return isKnown ? undefined : unknown("tool", word, at, this.#tools);
    }
    const words = Object.hasOwn(WORDS, what) ? WORDS[what] : undefined;
    if (words === undefined || words.includes(word)) return undefined;
    return unknown(what, word, at, words);
  }
}

const firstOf = (
  nodes: readonly ASTNode[],
  flawOf: (node: ASTNode) => ConditionProblem | undefined,
): ConditionProblem | undefined => nodes.map(flawOf).find((flaw) => flaw !== undefined);

function unknown(
  what: string,
  word: string,
  at: number,
  words: Iterable<string>,
): ConditionProblem {
  return { problem: `no ${what} is "${word}"${nearestHint(word, words)}`, at };
}

/** `call`, `label.integrity`, `resource.kind`: what an expression is the value of. */
function nameOf(node: ASTNode, scope: Scope): string | undefined {
  if (node.op === "id") return node.args;
  if (node.op !== "." || node.args[0].op !== "id") return undefined;
  const owner = node.args[0].args;
  return `${scope.get(owner) ?? owner}.${node.args[1]}`;
}

/** What the variable of a loop over this stands for. */
function elementOf(receiver: ASTNode): Element {
  if (receiver.op === "list") return "written";
  if (receiver.op === "id" && receiver.args === "resources") return "resource";
  // What map() made may hold the same long list many times.
  return rootOf(receiver).op === "id" ? "part" : "computed";
}

/** A written list, or a field or element of what the nearest loop over anything else is at. */
function isBounded(receiver: ASTNode, scope: Scope): boolean {
  if (receiver.op === "list") return true;
  const root = rootOf(receiver);
  const [name, element] = [...scope].findLast(([, is]) => is !== "written") ?? [];
  return root.op === "id" && root.args === name && element !== "computed";
}

/** `order` of `order.lines[0].price`. */
function rootOf(receiver: ASTNode): ASTNode {
  return receiver.op === "." || receiver.op === "[]" ? rootOf(receiver.args[0]) : receiver;
}
