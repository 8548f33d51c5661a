// Wire call: parses one line of a foreign program. Invalid lines are explained. Accepted ones are safe: the text is
// UTF-8, ids are returned unchanged, and the nesting is limited, so that walking a value cannot overflow the stack.

import { isUtf8 } from "node:buffer";
import type { Json } from "@aos/protocol";

/** How deep the objects and lists of one line may be nested. */
export const MAX_NESTING = 256;

export type WireCallResult =
  | { readonly id: number | string; readonly name: string; readonly args: Json }
  | { readonly problem: string };

export function readWireCall(line: Buffer): WireCallResult {
  const because = (what: string) => ({ problem: `${what}: ${excerpt(line)}` });

  if (!isUtf8(line)) return because("a line is not UTF-8");
  if (isNestedDeeper(line, MAX_NESTING))
    return because(`a line is nested deeper than ${MAX_NESTING}`);

  let message: unknown;
  try {
    message = JSON.parse(line.toString("utf8"));
  } catch {
    return because("a line is not JSON");
  }
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    return because("a line is not a JSON object");
  }

  const { jsonrpc, id, method, params } = message as Record<string, Json | undefined>;
  if (jsonrpc !== "2.0") return because('a line has no "jsonrpc": "2.0"');
  if (typeof method !== "string") return because("a line has no method");
  if (id === undefined) return because("a call has no id");
  if (typeof id !== "string" && !Number.isSafeInteger(id)) {
    return because("the id of a call is neither a string nor a whole number below 2^53");
  }
  return { id: id as number | string, name: method, args: params ?? {} };
}

/** Counts brackets outside of strings, so that a deep line is refused before it is built. */
function isNestedDeeper(line: Buffer, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at];
    if (inString) {
      if (byte === 0x5c /* \ */) at += 1;
      else if (byte === 0x22 /* " */) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x5b /* [ */ || byte === 0x7b /* { */) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === 0x5d /* ] */ || byte === 0x7d /* } */) depth -= 1;
  }
  return false;
}

function excerpt(line: Buffer): string {
  const text = line.subarray(0, 200).toString("utf8");
  return JSON.stringify(line.length > 200 ? `${text}…` : text);
}
