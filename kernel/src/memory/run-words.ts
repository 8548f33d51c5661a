// Run words: what was said in a run, read from its records: what it was asked, what it and others said, what its tools
// answered, and how it ended.
//
//   await runWordsIn(record, { agent, toolOf, fetch })
//
// RUN-WORDS-1  The same record has the same words.
// RUN-WORDS-2  Of a tool's answer only the beginning counts: it may be a whole file, and no person said it.

import type { Json, JournalRecord } from "@aos/protocol";
import { argumentsOf, decodeValue, type FetchBlob } from "../journal/codec.ts";
import { flatText } from "./content.ts";

export interface RunWords {
  /** The agent, `operator`, a pid, or a tool. */
  readonly speaker: string;
  readonly text: string;
  readonly isToolResult: boolean;
}

export interface RunWordsSource {
  readonly agent: string;
  /** Of an outcome: the tool of the call that it ends, where that is known. */
  readonly toolOf: (n: number) => string | undefined;
  readonly fetch: FetchBlob;
}

/** In characters. */
const MOST_SAID = 64_000;
const MOST_ANSWERED = 2000;

/** Parts of the text of a record that may have words: what has none of them is not read. */
export const WORDED: readonly (readonly string[])[] = [
  ...["infer", "exec", "receive", "request", "send", "publish", "ask"].map((call) => [
    `"call":"${call}"`,
  ]),
  ...["start", "outcome", "end"].map((kind) => [`"kind":"${kind}"`]),
];

export async function runWordsIn(
  record: JournalRecord,
  source: RunWordsSource,
): Promise<RunWords | undefined> {
  const { agent, fetch, toolOf } = source;
  if (record.kind === "start")
    return said(senderOf(record.cause), lastAsked(await decodeValue(record.input, fetch)));
  if (record.kind === "end")
    return said(agent, record.error?.message ?? (await decodeValue(record.output, fetch)));
  if (record.kind === "outcome") {
    const tool = toolOf(record.n);
    if (tool === undefined || record.ok === undefined) return undefined;
    return answered(tool, null, await decodeValue(record.ok, fetch));
  }
  if (record.kind !== "call" || record.ok === undefined) return undefined;
  return wordsOfCall(record, source);
}

async function wordsOfCall(
  record: JournalRecord & { readonly kind: "call" },
  { agent, fetch }: RunWordsSource,
): Promise<RunWords | undefined> {
  const value = async () => memberOf(await decodeValue(record.ok, fetch));
  const args = async () => memberOf(await argumentsOf(record, fetch));
  switch (record.call) {
    case "infer":
      return said(agent, (await value())("text"));
    case "exec": {
      const given = await args();
      return answered(textOf(given("tool")), given("args"), await decodeValue(record.ok, fetch));
    }
    case "receive":
    case "request": {
      const message = await value();
      return said(textOf(message("from")) || "message", lastAsked(message("body")));
    }
    case "send":
    case "publish":
      return said(agent, (await args())("body"));
    case "ask": {
      const answer = await decodeValue(record.ok, fetch);
      return said("operator", `${textOf((await args())("question"))}\n${flatText(answer)}`);
    }
    default:
      return undefined;
  }
}

/** The tool of an intent, for the outcome that comes later. */
export async function toolOfIntent(
  record: JournalRecord,
  fetch: FetchBlob,
): Promise<string | undefined> {
  if (record.kind !== "intent" || record.call !== "exec") return undefined;
  return textOf(memberOf(await argumentsOf(record, fetch))("tool")) || undefined;
}

const senderOf = (cause: number | string): string =>
  typeof cause === "string" ? cause.split("#")[0]! : "operator";

const memberOf =
  (value: Json) =>
  (name: string): Json =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? (value[name] ?? null)
      : null;

const textOf = (value: Json): string => (typeof value === "string" ? value : "");

/** Of a conversation that is sent along whole, what was said last: the rest is in earlier runs. */
function lastAsked(value: Json): Json {
  const messages = memberOf(value)("messages");
  if (!Array.isArray(messages)) return value;
  const last = messages.findLast((one) => textOf(memberOf(one)("role")) === "user");
  return last === undefined ? null : memberOf(last)("content");
}

function said(speaker: string, value: Json): RunWords | undefined {
  const text = value === null ? "" : flatText(value).trim();
  return text === "" ? undefined : { speaker, text: text.slice(0, MOST_SAID), isToolResult: false };
}

/** RUN-WORDS-2. */
function answered(tool: string, args: Json, value: Json): RunWords | undefined {
  const given = args === null ? "" : flatText(args).slice(0, MOST_ANSWERED / 4);
  const text = `${given}\n${flatText(value).slice(0, MOST_ANSWERED)}`.trim();
  return text === "" ? undefined : { speaker: tool || "tool", text, isToolResult: true };
}
