// Chat chunk: one event of a streamed chat completion, as servers send it.
//
// CHAT-CHUNK-1  The used members have the declared types: a member of another type is a failure here, not a bug
//     later. Unused members may be anything.
// CHAT-CHUNK-2  Token counts are not checked here; an invalid one is recounted (provider.ts).

import { SysError } from "@aos/protocol";

type Maybe<T> = T | null;

export interface ToolCallDelta {
  readonly index?: Maybe<number>;
  readonly id?: Maybe<string>;
  readonly function: { readonly name?: Maybe<string>; readonly arguments?: Maybe<string> };
  /** Where Google's models are behind this wire. */
  readonly extra_content?: Maybe<{
    readonly google?: Maybe<{ readonly thought_signature?: Maybe<string> }>;
  }>;
}

interface ContentPart {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
}

export interface ChatChunk {
  readonly error?: unknown;
  readonly id?: unknown;
  readonly model?: unknown;
  readonly created?: unknown;
  readonly choices: readonly {
    readonly delta?: Maybe<{
      readonly content?: Maybe<string | readonly ContentPart[]>;
      readonly reasoning_content?: Maybe<string>;
      readonly reasoning?: Maybe<string>;
      readonly refusal?: unknown;
      readonly tool_calls?: Maybe<readonly ToolCallDelta[]>;
    }>;
    readonly finish_reason?: Maybe<string>;
  }[];
  readonly usage?: Maybe<{
    readonly prompt_tokens?: Maybe<number>;
    readonly completion_tokens?: Maybe<number>;
    readonly prompt_tokens_details?: Maybe<{ readonly cached_tokens?: Maybe<number> }>;
    readonly completion_tokens_details?: Maybe<{ readonly reasoning_tokens?: Maybe<number> }>;
  }>;
}

/** The chunk that an event's data is; EUPSTREAM for what is none. */
export function readChunk(data: string): ChatChunk {
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch {
    throw malformed("is not JSON");
  }
  if (!isObject(chunk)) throw malformed("is not an object");
  if (chunk["error"] !== undefined && chunk["error"] !== null)
    return { choices: [], error: chunk["error"] };
  const { choices, usage } = chunk;
  if (!Array.isArray(choices)) throw malformed("has no choices");
  if (choices.length > 0) checkChoice(choices[0]);
  if (!isMaybe(usage, isObject)) throw malformed("has a usage that is not an object");
  return chunk as unknown as ChatChunk;
}

function checkChoice(choice: unknown): void {
  if (!isObject(choice)) throw malformed("has a choice that is not an object");
  const { delta, finish_reason: finish } = choice;
  if (!isMaybe(finish, isText)) throw malformed("has a finish reason that is not text");
  if (delta === undefined || delta === null) return;
  if (!isObject(delta)) throw malformed("has a delta that is not an object");
  const { content, reasoning, reasoning_content: thought, tool_calls: calls } = delta;
  if (!isMaybe(content, isContent)) throw malformed("has content that is not text");
  if (!isMaybe(thought, isText) || !isMaybe(reasoning, isText))
    throw malformed("has reasoning that is not text");
  if (!isMaybe(calls, isCalls)) throw malformed("has an invalid tool call");
}

type Members = Record<string, unknown>;
const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const isMaybe = (value: unknown, is: (value: unknown) => boolean): boolean =>
  value === undefined || value === null || is(value);
const isContent = (value: unknown): boolean =>
  isText(value) || (Array.isArray(value) && value.every(isObject));
const isCalls = (value: unknown): boolean => Array.isArray(value) && value.every(isCall);

function isCall(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { index, id, function: called, extra_content: more } = value;
  const google = isObject(more) ? more["google"] : undefined;
  const signature = isObject(google) ? google["thought_signature"] : undefined;
  return (
    isMaybe(index, isNumber) &&
    isMaybe(id, isText) &&
    isObject(called) &&
    isMaybe(called["name"], isText) &&
    isMaybe(called["arguments"], isText) &&
    isMaybe(more, isObject) &&
    isMaybe(google, isObject) &&
    isMaybe(signature, isText)
  );
}

const malformed = (what: string): SysError =>
  new SysError("EUPSTREAM", `a piece of the answer ${what}`, { detail: { transient: true } });
