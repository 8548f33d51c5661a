// Cause words: one line of text for a record, for `aos why`.
//
//   describeRecord(record, fetch)   `exec shell.run {"command":"ls"}`
//   resultWords(record, fetch)   its result; null for a record without one

import type { InferReply, JournalRecord, Json, JsonObject } from "@aos/protocol";
import { argumentsOf, decodeValue, type FetchBlob } from "../journal/codec.ts";

const MOST_CHARS = 160;

/** In the room that there is, and never half a character. */
export function truncateLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS - 1).toWellFormed()}…` : line;
}

const said = (value: Json): string =>
  truncateLine(typeof value === "string" ? value : JSON.stringify(value));

export async function describeRecord(record: JournalRecord, fetch: FetchBlob): Promise<string> {
  switch (record.kind) {
    case "start":
      return `start ${record.program.name} ${said(await decodeValue(record.input, fetch))}`;
    case "call":
    case "intent":
      return describeCall(record.call, record.args, fetch);
    case "outcome":
      return `outcome of call ${record.n}`;
    case "signal":
      return `${record.signal} ${record.did}`;
    case "restart":
      return `started again after ${record.why}`;
    case "crash":
      return `crash: ${truncateLine(record.reason)}`;
    case "fork":
      return `fork of ${record.from} at ${record.shared}`;
    case "grant":
      return `granted by ${record.by}: ${truncateLine(record.capabilities.join(" "))}`;
    case "revoke":
      return `revoked by ${record.by}: ${record.handle}`;
    case "end":
      return `${record.state} with exit code ${record.code}`;
  }
}

/** Of a model request, the model and the size of the request: the context is shown elsewhere. */
export async function describeCall(call: string, args: Json, fetch: FetchBlob): Promise<string> {
  if (call === "infer") {
    const { model, messages } = (args ?? {}) as JsonObject;
    const count = (messages as { count?: number } | undefined)?.count;
    const name = said(await decodeValue(model, fetch));
    return `infer ${name}${count === undefined ? "" : `, ${count} messages`}`;
  }
  const whole = await argumentsOf({ call, args }, fetch);
  if (call === "exec" && whole !== null && typeof whole === "object" && "tool" in whole)
    return `exec ${said(whole["tool"]!)} ${said(whole["args"] ?? null)}`;
  return `${call} ${said(whole)}`;
}

export async function resultWords(record: JournalRecord, fetch: FetchBlob): Promise<string | null> {
  if (record.kind === "end") {
    if (record.error !== undefined)
      return `${record.error.code}: ${truncateLine(record.error.message)}`;
    return said(await decodeValue(record.output, fetch));
  }
  if (record.kind !== "call" && record.kind !== "outcome") return null;
  if (record.err !== undefined) return `${record.err.code}: ${truncateLine(record.err.message)}`;
  const ok = await decodeValue(record.ok, fetch);
  return record.kind === "call" && record.call === "infer" ? sayReply(ok) : said(ok);
}

/** What a model said; where it called for tools, which. */
function sayReply(reply: Json): string {
  const { text = "", toolCalls = [] } = (reply ?? {}) as unknown as Partial<InferReply>;
  const calls = toolCalls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`);
  return truncateLine(
    [...(text === "" ? [] : [text]), ...calls.map((one) => `calls ${one}`)].join(" · "),
  );
}
