// Prose: where code branches on words that are meant for people. A reason that code needs is a type (a union of
// kinds, an error's code or `detail`); its words are made from it, and may change on any day.
//
// PROSE-1  A message, a reason, a hint or what a program printed on standard error is not searched, matched
//          or compared with a text, whatever the variable is called that it went through in its file.
// PROSE-2  Nothing at all is searched for a phrase: words with a space between them.

import { parseSync } from "oxc-parser";
import { proseElsewhere } from "./import-map.ts";
import { isTest, isTypeScript, type SourceFile } from "./source-files.ts";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [name: string]: unknown;
}

/** What holds words for people, by its name. */
const PROSE_NAME =
  /^(message|why|reason|stderr|hint|problem|complaint|flaw|errorText|lastWords)$|(Message|Reason|Stderr|Words)$/;
/** What is made of the words before it is looked at. */
const PASSED_ON = new Set(["toLowerCase", "toUpperCase", "trim", "trimEnd", "slice", "toString"]);
const SEARCHES = new Set([
  "includes",
  "startsWith",
  "endsWith",
  "match",
  "matchAll",
  "search",
  "indexOf",
]);
const BY_EXPRESSION = new Set(["test", "exec"]);
const WRAPPERS = new Set([
  "ParenthesizedExpression",
  "TSNonNullExpression",
  "TSAsExpression",
  "ChainExpression",
  "AwaitExpression",
]);
const PHRASE = /[a-z]{2,}(?: |\\s)\??[a-z]{2,}/;
const ROOMS =
  /^(kernel|drivers|daemon|cli|userland|client|dashboard|protocol|sdk|scripts|attacks)\//;

export const proseTrespasses = (files: readonly SourceFile[]): string[] =>
  files
    .filter((file) => isTypeScript(file) && !isTest(file) && ROOMS.test(file.path))
    .filter(({ path }) => !proseElsewhere.some(({ file }) => file === path))
    .flatMap((file) =>
      proseIn(file).map((line) => `${file.path}:${line}: code must not branch on words for people`),
    );

function proseIn({ path, lines }: SourceFile): number[] {
  const source = lines.join("\n");
  const nodes = nodesOf(parseSync(path, source).program as unknown as Node);
  const values = new Map<string, Node>();
  for (const { type, id, init } of nodes)
    if (type === "VariableDeclarator" && isNode(id) && isNode(init) && id.type === "Identifier")
      values.set(id["name"] as string, init);
  const file = { values };
  return nodes
    .filter((node) => isSearch(node, file) || isComparison(node, file))
    .map(({ start }) => source.slice(0, start).split("\n").length);
}

interface Known {
  /** What each variable of the file was given first. */
  readonly values: ReadonlyMap<string, Node>;
}

function isSearch(node: Node, file: Known): boolean {
  if (node.type !== "CallExpression") return false;
  const callee = unwrapped(node["callee"] as Node);
  if (callee.type !== "MemberExpression") return false;
  const method = (callee["property"] as Node)["name"] as string | undefined;
  const [argument] = node["arguments"] as Node[];
  if (method === undefined || argument === undefined) return false;
  const object = callee["object"] as Node;
  if (BY_EXPRESSION.has(method)) return isProse(argument, file) || isPhrase(object, file);
  if (!SEARCHES.has(method)) return false;
  return (isProse(object, file) && !isList(object, file)) || isPhrase(argument, file);
}

function isComparison(node: Node, file: Known): boolean {
  if (node.type !== "BinaryExpression" || !/^[!=]==?$/.test(node["operator"] as string))
    return false;
  const sides = [node["left"] as Node, node["right"] as Node];
  return sides.some((side, at) => isProse(side, file) && isPhrase(sides[1 - at]!, file));
}

/** PROSE-1. */
function isProse(node: Node, file: Known, depth = 0): boolean {
  const at = unwrapped(node);
  const again = (inner: unknown) => isNode(inner) && depth < 4 && isProse(inner, file, depth + 1);
  switch (at.type) {
    case "Identifier": {
      const name = at["name"] as string;
      return PROSE_NAME.test(name) || again(file.values.get(name));
    }
    case "MemberExpression":
      return !at["computed"] && PROSE_NAME.test((at["property"] as Node)["name"] as string);
    case "CallExpression": {
      const callee = unwrapped(at["callee"] as Node);
      if (callee["name"] === "String") return (at["arguments"] as Node[]).some(isError);
      if (callee.type !== "MemberExpression") return false;
      return (
        PASSED_ON.has((callee["property"] as Node)["name"] as string) && again(callee["object"])
      );
    }
    case "TemplateLiteral":
      return (at["expressions"] as Node[]).some((one) => again(one) || isError(one));
    case "LogicalExpression":
      return again(at["left"]) || again(at["right"]);
    case "ConditionalExpression":
      return again(at["consequent"]) || again(at["alternate"]);
    case "BinaryExpression":
      return at["operator"] === "+" && (again(at["left"]) || again(at["right"]));
    default:
      return false;
  }
}

const isError = (node: Node): boolean =>
  /^(err|error|cause)$/.test(unwrapped(node)["name"] as string);

/** A list has `includes`, too. */
function isList(node: Node, file: Known): boolean {
  const at = unwrapped(node);
  const given = at.type === "Identifier" ? file.values.get(at["name"] as string) : at;
  return given !== undefined && unwrapped(given).type === "ArrayExpression";
}

/** PROSE-2. A text or an expression, written here or under a name of this file. */
function isPhrase(node: Node, file: Known): boolean {
  const at = unwrapped(node);
  if (at.type === "Identifier") {
    const given = file.values.get(at["name"] as string);
    return given !== undefined && unwrapped(given).type !== "Identifier" && isPhrase(given, file);
  }
  if (at.type === "TemplateLiteral")
    return (at["quasis"] as Node[]).some((part) =>
      PHRASE.test((part["value"] as { raw: string }).raw),
    );
  if (at.type === "NewExpression")
    return (at["arguments"] as Node[]).some((one) => isPhrase(one, file));
  if (at.type !== "Literal") return false;
  const { pattern } = (at["regex"] ?? {}) as { pattern?: string };
  return PHRASE.test(pattern ?? (typeof at["value"] === "string" ? at["value"] : ""));
}

function unwrapped(node: Node): Node {
  let at = node;
  while (WRAPPERS.has(at.type)) at = (at["expression"] ?? at["argument"]) as Node;
  return at;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

function nodesOf(root: Node): Node[] {
  const found: Node[] = [root];
  for (let at = 0; at < found.length; at++)
    for (const value of Object.values(found[at]!))
      found.push(...(Array.isArray(value) ? value : [value]).filter(isNode));
  return found;
}
