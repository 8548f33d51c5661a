// Template: a JSON value with `{{expression}}` in its texts. A text that is one expression becomes its value, of any
// type; in other texts the value is put in as words.
//
//   fill({ to: "{{input.city}}", note: "for {{input.name}}" }, scope)
//
// TEMPLATE-1  What is put in is not read again: braces in a value stay braces.
// TEMPLATE-2  A template is a value of its own: keys are never templates.

import type { Json } from "../json.ts";
import { evaluate, type Expression, readExpression, type Scope } from "./expression.ts";

/** No brace is in an expression, so that a long text is read once. */
const HOLE = /\{\{([^{}]*)\}\}/g;

type Piece = string | Expression;

const known = new Map<string, readonly Piece[]>();
const MOST_KNOWN = 1000;

/** The words and expressions of a text, in order. Throws for what is no expression. */
export function piecesOf(text: string): readonly Piece[] {
  const before = known.get(text);
  if (before !== undefined) return before;
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(HOLE)) {
    if (match.index > from) pieces.push(text.slice(from, match.index));
    pieces.push(readExpression(match[1]!));
    from = match.index + match[0].length;
  }
  const rest = text.slice(from);
  if (rest.includes("{{")) throw new Error(`{{ without }} in ${JSON.stringify(text.slice(0, 80))}`);
  if (rest !== "") pieces.push(rest);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, pieces);
  return pieces;
}

/** The one expression that the whole text is. */
export function soleExpression(text: string): Expression | undefined {
  const [piece, ...more] = piecesOf(text);
  return more.length === 0 && typeof piece === "object" ? piece : undefined;
}

/** TEMPLATE-1. */
export function fill(template: Json, scope: Scope): Json {
  if (typeof template === "string") return filledText(template, scope);
  if (Array.isArray(template)) return template.map((one) => fill(one, scope));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, one]) => [key, fill(one, scope)]), // TEMPLATE-2
  );
}

function filledText(text: string, scope: Scope): Json {
  if (!text.includes("{{")) return text;
  const sole = soleExpression(text);
  if (sole !== undefined) return evaluate(sole, scope);
  return piecesOf(text)
    .map((piece) => (typeof piece === "string" ? piece : wordsOf(evaluate(piece, scope))))
    .join("");
}

const wordsOf = (value: Json): string =>
  value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** Every text of it, with its path. */
export function* textsOf(
  template: Json,
  path: readonly (string | number)[] = [],
): Generator<{ readonly text: string; readonly path: readonly (string | number)[] }> {
  if (typeof template === "string") yield { text: template, path };
  else if (typeof template === "object" && template !== null)
    for (const [key, one] of Object.entries(template))
      yield* textsOf(one as Json, [...path, Array.isArray(template) ? Number(key) : key]);
}
