// Cut result: shortens the result of a tool for a model and keeps the whole beside it.
//
//   cutResult(text, 32_000)     undefined if it is short enough; else the short text and the digest of the whole
//
// CUT-RESULT-1  The short text says that it is cut, how much is missing and where the whole is.
// CUT-RESULT-2  The whole is the recorded form: scrubbed, as JSON text. It is stored with the record, and only its
//     own process can read it.
// CUT-RESULT-3  The shape stays where possible: long texts inside an object are cut, and the object stays whole.

import { SysError, type Json, type JsonObject } from "@aos/protocol";
import { digestOf } from "../journal/codec.ts";

export const RESULTS = "/self/results/";

export interface CutResult {
  readonly value: Json;
  readonly blob: { readonly digest: string; readonly body: string };
}

/** So much of a text is shown at least, however many texts there are. */
const LEAST_SHOWN = 200;

export function cutResult(text: string, most: number): CutResult | undefined {
  if (text.length <= most) return undefined;
  const digest = digestOf(text);
  const place = `${RESULTS}${digest}`;
  const blob = { digest, body: text };
  const value = JSON.parse(text) as Json;
  for (let share = most; share >= LEAST_SHOWN; share = Math.floor(share / 2)) {
    const short = shorten(value, share, place);
    if (JSON.stringify(short).length <= most) return { value: short, blob };
  }
  return { value: shortText(text, Math.floor(most / 2), place), blob };
}

/** CUT-RESULT-3. */
function shorten(value: Json, most: number, place: string): Json {
  if (typeof value === "string") return shortText(value, most, place);
  if (Array.isArray(value)) return value.map((one) => shorten(one, most, place));
  if (value === null || typeof value !== "object") return value;
  const object: JsonObject = {};
  for (const [name, member] of Object.entries(value)) object[name] = shorten(member, most, place);
  return object;
}

/** CUT-RESULT-1. The beginning and the end: what a program says last is often what matters. */
function shortText(text: string, most: number, place: string): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const head = wholeCharacters(text.slice(0, half));
  const tail = wholeCharacters(text.slice(text.length - half));
  const missing = text.length - head.length - tail.length;
  return `${head}\n[cut: ${missing} of ${text.length} characters are left out here; the whole result is ${place}]\n${tail}`;
}

/** Without half of a pair of surrogates at either end. */
const wholeCharacters = (text: string): string =>
  text.replace(/^[\uDC00-\uDFFF]/, "").replace(/[\uD800-\uDBFF]$/, "");

/** A piece of a whole result, by characters of its text. */
export function pieceOf(body: string, offset: number, length: number): Json {
  if (offset > body.length)
    throw new SysError("EINVAL", `it ends at ${body.length}, before ${offset}`);
  const text = body.slice(offset, offset + length);
  const next = offset + text.length;
  return { text, next: next < body.length ? next : null, of: body.length };
}
