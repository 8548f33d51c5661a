// Expression: what a workflow says between `{{` and `}}`, and after `if` and `until`.
//
//   steps.flight.price < 500 && input.kind != "test"
//   paths (a.b, a[0], a["b c"], a[index]), literals, ==, !=, <, <=, >, >=, &&, ||, !, ( ), size(x)
//
// EXPRESSION-1  It is read once, when the workflow is declared; a value is never read as an expression.
// EXPRESSION-2  A path that leads nowhere is null. It never leads to what is not the value's own.
// EXPRESSION-3  It takes at most the time of its own length: there is no loop and no call but `size`.

import { canonicalText, type Json, type JsonObject } from "../json.ts";

export type Expression =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "path"; readonly root: string; readonly steps: readonly Expression[] }
  | { readonly kind: "not" | "size"; readonly of: Expression }
  | { readonly kind: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: "compare";
      readonly operator: Comparison;
      readonly left: Expression;
      readonly right: Expression;
    };

type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";

const MOST_CHARS = 500;
const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?)|("(?:[^"\\]|\\.)*")|'([^'\\]*)'|([A-Za-z_][A-Za-z0-9_-]*)|(==|!=|<=|>=|&&|\|\||[<>!().[\]-]))/y;

type Token =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "name"; readonly value: string }
  | { readonly kind: "sign"; readonly value: string };

/** Throws an Error whose message says what is wrong, and where. */
export function readExpression(text: string): Expression {
  if (text.length > MOST_CHARS)
    throw new Error(`an expression has at most ${MOST_CHARS} characters`);
  const reader = new Reader(tokensOf(text), text.trim());
  return reader.whole();
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim() !== "") {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null)
      throw new Error(`unreadable at ${JSON.stringify(text.slice(from, from + 12).trim())}`);
    const [, number, double, single, name, sign] = match;
    if (number !== undefined) tokens.push({ kind: "number", value: Number(number) });
    else if (double !== undefined) tokens.push({ kind: "text", value: textOf(double) });
    else if (single !== undefined) tokens.push({ kind: "text", value: single });
    else if (name !== undefined) tokens.push({ kind: "name", value: name });
    else tokens.push({ kind: "sign", value: sign! });
  }
  return tokens;
}

function textOf(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new Error(`${quoted} is no text`);
  }
}

const literals: Readonly<Record<string, Json>> = { true: true, false: false, null: null };
const comparisons: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);

class Reader {
  readonly #tokens: readonly Token[];
  readonly #text: string;
  #at = 0;

  constructor(tokens: readonly Token[], text: string) {
    this.#tokens = tokens;
    this.#text = text;
  }

  whole(): Expression {
    const read = this.#or();
    if (this.#at < this.#tokens.length) throw this.#unexpected();
    return read;
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#takes("||")) left = { kind: "or", left, right: this.#and() };
    return left;
  }

  #and(): Expression {
    let left = this.#comparison();
    while (this.#takes("&&")) left = { kind: "and", left, right: this.#comparison() };
    return left;
  }

  #comparison(): Expression {
    const left = this.#unary();
    const next = this.#tokens[this.#at];
    if (next?.kind !== "sign" || !comparisons.has(next.value)) return left;
    this.#at++;
    return { kind: "compare", operator: next.value as Comparison, left, right: this.#unary() };
  }

  #unary(): Expression {
    if (this.#takes("!")) return { kind: "not", of: this.#unary() };
    if (this.#takes("(")) return this.#closed(this.#or(), ")");
    const next = this.#tokens[this.#at++];
    if (next?.kind === "sign" && next.value === "-") {
      const number = this.#tokens[this.#at++];
      if (number?.kind !== "number") throw this.#unexpected();
      return { kind: "value", value: -number.value };
    }
    if (next?.kind === "number" || next?.kind === "text")
      return { kind: "value", value: next.value };
    if (next?.kind !== "name") throw this.#unexpected();
    if (Object.hasOwn(literals, next.value)) return { kind: "value", value: literals[next.value]! };
    if (next.value === "size" && this.#takes("("))
      return { kind: "size", of: this.#closed(this.#or(), ")") };
    return { kind: "path", root: next.value, steps: this.#steps() };
  }

  #steps(): Expression[] {
    const steps: Expression[] = [];
    for (;;) {
      if (this.#takes(".")) {
        const name = this.#tokens[this.#at++];
        if (name?.kind !== "name") throw this.#unexpected();
        steps.push({ kind: "value", value: name.value });
      } else if (this.#takes("[")) steps.push(this.#closed(this.#or(), "]"));
      else return steps;
    }
  }

  #takes(sign: string): boolean {
    const next = this.#tokens[this.#at];
    if (next?.kind !== "sign" || next.value !== sign) return false;
    this.#at++;
    return true;
  }

  #closed(read: Expression, sign: string): Expression {
    if (!this.#takes(sign)) throw new Error(`${sign} is missing in ${JSON.stringify(this.#text)}`);
    return read;
  }

  #unexpected(): Error {
    const token = this.#tokens[this.#at - 1] ?? this.#tokens[this.#at];
    const what = this.#at > this.#tokens.length ? "an end" : JSON.stringify(token?.value ?? "");
    return new Error(`unexpected ${what} in ${JSON.stringify(this.#text)}`);
  }
}

/** What names stand for. */
export type Scope = Readonly<Record<string, Json>>;

/** EXPRESSION-2. */
export function evaluate(expression: Expression, scope: Scope): Json {
  switch (expression.kind) {
    case "value":
      return expression.value;
    case "path":
      return expression.steps.reduce<Json>(
        (value, step) => memberOf(value, evaluate(step, scope)),
        memberOf(scope as JsonObject, expression.root),
      );
    case "not":
      return !isTrue(evaluate(expression.of, scope));
    case "size":
      return sizeOf(evaluate(expression.of, scope));
    case "and":
      return isTrue(evaluate(expression.left, scope)) && isTrue(evaluate(expression.right, scope));
    case "or":
      return isTrue(evaluate(expression.left, scope)) || isTrue(evaluate(expression.right, scope));
    case "compare":
      return compare(
        expression.operator,
        evaluate(expression.left, scope),
        evaluate(expression.right, scope),
      );
  }
}

/** Null, false, 0, and what is empty, are not true. */
export const isTrue = (value: Json): boolean =>
  typeof value === "object" && value !== null ? sizeOf(value) > 0 : Boolean(value);

function memberOf(value: Json, step: Json): Json {
  if (Array.isArray(value)) return typeof step === "number" ? (value[step] ?? null) : null;
  if (typeof value !== "object" || value === null) return null;
  const name = nameOf(step);
  return Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

/** What a member is called: only a text or a number names one. */
export const nameOf = (value: Json | undefined): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

function sizeOf(value: Json): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

function compare(operator: Comparison, left: Json, right: Json): boolean {
  if (operator === "==") return canonicalText(left) === canonicalText(right);
  if (operator === "!=") return canonicalText(left) !== canonicalText(right);
  const isOrdered =
    (typeof left === "number" && typeof right === "number") ||
    (typeof left === "string" && typeof right === "string");
  if (!isOrdered) return false; // null is neither less nor more than anything
  if (operator === "<") return left < right;
  if (operator === "<=") return left <= right;
  return operator === ">" ? left > right : left >= right;
}

/** The paths in it, those in brackets too. */
export function pathsOf(expression: Expression): Extract<Expression, { kind: "path" }>[] {
  switch (expression.kind) {
    case "value":
      return [];
    case "path":
      return [expression, ...expression.steps.flatMap(pathsOf)];
    case "not":
    case "size":
      return pathsOf(expression.of);
    case "and":
    case "or":
    case "compare":
      return [...pathsOf(expression.left), ...pathsOf(expression.right)];
  }
}
