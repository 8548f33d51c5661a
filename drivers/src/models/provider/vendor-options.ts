// Vendor options: vendor-specific parts of a request.
//
// VENDOR-OPTIONS-1  A model without effort levels gets none.
// VENDOR-OPTIONS-2  Structured output is strict only where the schema keeps the vendor's rules for strict mode.

import type { Json } from "@aos/protocol";
import { ownThoughts } from "./thoughts.ts";
import type { VendorOptions, VendorRequest } from "./vendors.ts";

const CLAUDE_WITHOUT_THOUGHT = /claude-(instant|v?2|3-opus|3-sonnet|3-haiku|3-5)/;
/** Their thoughts are bound to all that was said before, which compaction changes. */
const CLAUDE_WITH_BOUND_THOUGHT = /claude-[a-z]+-5-[1-9]/;
const GEMINI_WITHOUT_THOUGHT = /gemini-(1|2\.0)|gemma/;
const OLLAMA_THINKERS = /^(qwen3|deepseek-r1|deepseek-v3\.|gpt-oss|magistral|qwq|glm-4|kimi-k2)/;

export function anthropicOptions({ request, model, provider }: VendorRequest): VendorOptions {
  const { effort, toolChoice, messages } = request;
  const isAsked = effort !== undefined && !CLAUDE_WITHOUT_THOUGHT.test(model);
  // Thinking with a tool that must be used is refused, as is beginning to think in the middle of a turn.
  const mayThink = toolChoice !== "required" && !isMidTurnWithoutThought(messages, provider);
  const effortGiven = isAsked && mayThink ? { reasoning: effort } : {};
  if (!CLAUDE_WITH_BOUND_THOUGHT.test(model) || !hasThoughts(messages, provider))
    return effortGiven;
  const blockBinding = { prefixMismatchBehavior: "drop_block" };
  const thinking = isAsked
    ? { type: "adaptive", display: "summarized", blockBinding }
    : { blockBinding };
  return { ...effortGiven, options: { anthropic: { thinking } } };
}

type Messages = VendorRequest["request"]["messages"];

const hasThoughts = (messages: Messages, provider: string): boolean =>
  messages.some(({ reasoning }) => ownThoughts(reasoning, provider).spoken.length > 0);

function isMidTurnWithoutThought(messages: Messages, provider: string): boolean {
  if (messages.at(-1)?.role !== "tool") return false;
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const first = messages.slice(asked + 1).find(({ role }) => role === "assistant");
  return first !== undefined && !hasThoughts([first], provider);
}

export function openaiOptions({ request: { effort, output } }: VendorRequest): VendorOptions {
  const isStrict = output !== undefined && isStrictSchema(output.schema);
  return {
    // Nothing is kept there: thoughts come back sealed, and go back with the next request.
    options: { openai: { store: false, strictJsonSchema: isStrict } },
    ...(effort === undefined ? {} : { reasoning: effort }),
  };
}

/** VENDOR-OPTIONS-2. Every object says all of its fields and no others. */
export function isStrictSchema(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (typeof schema !== "object" || schema === null) return true;
  const { properties, required, additionalProperties } = schema as Record<string, Json>;
  if (properties !== undefined) {
    const names = Object.keys(properties as object);
    const isWhole = Array.isArray(required) && names.every((name) => required.includes(name));
    if (additionalProperties !== false || !isWhole) return false;
  } else if (schema["type"] === "object") return false;
  return Object.values(schema).every(isStrictSchema);
}

export function googleOptions({ request: { effort }, model }: VendorRequest): VendorOptions {
  if (effort === undefined || GEMINI_WITHOUT_THOUGHT.test(model)) return {};
  return {
    reasoning: effort,
    options: { google: { thinkingConfig: { includeThoughts: true } } },
  };
}

/** Its package puts the limit and the temperature where the server does not look. */
export function ollamaOptions({ request, model, maxTokens, window }: VendorRequest): VendorOptions {
  const { temperature, effort } = request;
  const options = {
    num_predict: maxTokens,
    ...(temperature === undefined ? {} : { temperature }),
    // Without it the server cuts off what is beyond a few thousand tokens, and says nothing.
    ...(window === null ? {} : { num_ctx: window }),
  };
  const canThink = effort !== undefined && OLLAMA_THINKERS.test(model);
  return { options: { ollama: { options } }, ...(canThink ? { reasoning: effort } : {}) };
}
