// Mutants: the small changes to a file of which each must make a test fail.
//
//   mutantsOf(file, source)         every mutant, in the order of the text
//   codeOf(file, source)            the text without its comments
//   instrument(source, mutants)     one text with all of them in it, each behind a switch
//
// MUTANTS-1  A mutant's key is made of its file, the text of its line and what it does: it stays the same
//     when lines move, and is another when the line changes.
// MUTANTS-2  Only what runs is changed: types, messages and the conditions of loops are left alone.
// MUTANTS-3  `return undefined` at the end of a function is left alone: without it the function returns the same.

import { createHash } from "node:crypto";
import { parseSync } from "oxc-parser";

export interface Mutant {
  readonly key: string;
  readonly file: string;
  readonly line: number;
  /** `=== becomes !==`. */
  readonly what: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** A statement is left out; an expression is replaced. */
  readonly isStatement: boolean;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [name: string]: unknown;
}

const SWAPPED: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
};
const DROPPED: ReadonlySet<string> = new Set([
  "ExpressionStatement",
  "ThrowStatement",
  "ReturnStatement",
  "ContinueStatement",
]);
const LOOPS: ReadonlySet<string> = new Set(["WhileStatement", "ForStatement", "DoWhileStatement"]);

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

interface Change {
  readonly node: Node;
  readonly what: string;
  readonly replacement: string;
}

function changesAt(node: Node, textOf: (node: Node) => string): Change[] {
  const change = (what: string, replacement: string) => [{ node, what, replacement }];
  const { left, right, operator, test, argument, value, elements } = node as unknown as {
    left: Node;
    right: Node;
    operator: string;
    test: Node;
    argument: Node;
    value: unknown;
    elements: unknown[];
  };
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression": {
      if (operator === "??") return change("?? without its right side", textOf(left));
      const other = SWAPPED[operator];
      const isText = [left, right].some(
        ({ type, value: is }) => type === "TemplateLiteral" || typeof is === "string",
      );
      if (other === undefined || (isText && operator === "+")) return [];
      return change(`${operator} becomes ${other}`, `${textOf(left)} ${other} ${textOf(right)}`);
    }
    case "IfStatement":
    case "ConditionalExpression":
      if (test.type === "BinaryExpression" || test.type === "UnaryExpression") return [];
      return [{ node: test, what: "the condition is negated", replacement: `!(${textOf(test)})` }];
    case "UnaryExpression":
      return operator === "!" ? change("! is left out", textOf(argument)) : [];
    case "Literal":
      if (typeof value === "boolean") return change(`${value} becomes ${!value}`, String(!value));
      return typeof value === "number"
        ? change(`${value} becomes ${value + 1}`, String(value + 1))
        : [];
    case "ArrayExpression":
      return elements.length > 0 ? change("the list is empty", "[]") : [];
    default:
      if (!DROPPED.has(node.type) || typeof node["directive"] === "string") return [];
      return change(`${node.type.replace("Statement", "").toLowerCase()} is left out`, "");
  }
}

/** MUTANTS-3. */
function lastReturnOf(node: Node): Node | undefined {
  const body = node["body"];
  if (!isNode(body) || body.type !== "BlockStatement" || !node.type.includes("Function")) return;
  const last = (body["body"] as Node[]).at(-1);
  const argument = last?.type === "ReturnStatement" ? last["argument"] : undefined;
  return isNode(argument) && argument["name"] === "undefined" ? last : undefined;
}

/** Types hold nothing that runs; a condition of a loop may never end. */
function childrenOf(node: Node): Node[] {
  if (
    node.type.startsWith("TS") &&
    node.type !== "TSAsExpression" &&
    node.type !== "TSNonNullExpression" &&
    node.type !== "TSSatisfiesExpression"
  )
    return [];
  if (node.type === "ImportDeclaration" || node.type === "TemplateElement") return [];
  return Object.entries(node).flatMap(([name, value]) => {
    if (
      name === "typeAnnotation" ||
      name === "returnType" ||
      name === "typeArguments" ||
      name === "typeParameters"
    )
      return [];
    if (LOOPS.has(node.type) && name !== "body") return [];
    if (name === "key" && node["computed"] !== true) return [];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

export function mutantsOf(file: string, source: string): Mutant[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  const lines = source.split("\n");
  const seen = new Map<string, number>();
  const mutants: Mutant[] = [];
  const equivalent = new Set<Node>();
  const visit = (node: Node): void => {
    const last = lastReturnOf(node);
    if (last !== undefined) equivalent.add(last);
    for (const { node: at, what, replacement } of changesAt(node, textOf)) {
      const line = source.slice(0, at.start).split("\n").length;
      const text = `${file}\n${lines[line - 1]!.trim()}\n${what}`;
      const count = (seen.get(text) ?? 0) + 1; // the same twice on one line, or on two equal ones
      seen.set(text, count);
      const key = createHash("sha256").update(`${text}\n${count}`).digest("hex").slice(0, 12);
      if (equivalent.has(at)) continue; // counted: the keys of the others stay
      const isStatement = DROPPED.has(at.type);
      mutants.push({
        key,
        file,
        line,
        what,
        start: at.start,
        end: at.end,
        replacement,
        isStatement,
      });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(program as unknown as Node);
  return mutants;
}

/** A source without its comments: what they say changes no mutant. */
export function codeOf(file: string, source: string): string {
  const { comments } = parseSync(file, source);
  let code = "";
  let at = 0;
  for (const { start, end } of comments) {
    code += source.slice(at, start);
    at = end;
  }
  return (code + source.slice(at)).replaceAll(/\s+/gu, " ");
}

/** All mutants in one text. Where several are in one place, the later ones are inside the earlier. */
export function instrument(source: string, mutants: readonly Mutant[]): string {
  const render = (start: number, end: number, inside: readonly Mutant[]): string => {
    let text = "";
    let at = start;
    for (let i = 0; i < inside.length; i++) {
      const mutant = inside[i]!;
      if (mutant.start < at) continue;
      const within = inside
        .slice(i + 1)
        .filter((one) => one.start >= mutant.start && one.end <= mutant.end);
      const original = render(mutant.start, mutant.end, within);
      const isOn = `globalThis.$mutant("${mutant.key}")`;
      text += source.slice(at, mutant.start);
      // In a block of its own: an `else` that follows must not become that of this `if`.
      text += mutant.isStatement
        ? `{ if (!${isOn}) { ${original} } }`
        : `(${isOn} ? (${mutant.replacement}) : (${original}))`;
      at = mutant.end;
    }
    return text + source.slice(at, end);
  };
  const ordered = mutants.toSorted((a, b) => a.start - b.start || b.end - a.end);
  return render(0, source.length, ordered);
}
