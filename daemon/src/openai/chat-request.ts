// Chat request: `POST /v1/chat/completions`, read.

import type { Message } from "@aos/protocol";
import { z } from "zod";
import { omitUndefined } from "../omit-undefined.ts";
import type { ClientRequest } from "./client-request.ts";
import { chooseTools, modelsCall, readTools } from "./callers-tools.ts";
import { readContent } from "./content.ts";
import {
  effort,
  type FieldTable,
  HARMLESS,
  metadata,
  ownFields,
  readFields,
  fieldRefused,
} from "./fields.ts";
import { ownTerms } from "./own-terms.ts";

const toolCall = z.looseObject({
  id: z.string().min(1),
  type: z.enum(["function", "custom"]).default("function"),
  function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
  custom: z.looseObject({ name: z.string(), input: z.string() }).optional(),
});
const message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: z.unknown().optional(),
  tool_calls: z.array(toolCall).nullish(),
  tool_call_id: z.string().optional(),
});
const format = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({
    type: z.literal("json_schema"),
    json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()) }),
  }),
]);

const FIELDS = {
  honoured: z.object({
    model: z.string().min(1),
    messages: z.array(message).min(1),
    stream: z.boolean().default(false),
    stream_options: z.looseObject({ include_usage: z.boolean().optional() }).optional(),
    tools: z.array(z.unknown()).default([]),
    tool_choice: z.unknown().optional(),
    parallel_tool_calls: z.boolean().default(true),
    max_tokens: z.number().int().positive().optional(),
    max_completion_tokens: z.number().int().positive().optional(),
    temperature: z.number().min(0).max(2).optional(),
    reasoning_effort: effort,
    response_format: format.optional(),
    user: z.string().optional(),
    safety_identifier: z.string().optional(),
    metadata,
    aos: ownFields,
  }),
  harmless: [...HARMLESS, "prediction"],
  only: {
    n: [1],
    store: [false],
    top_p: [1],
    frequency_penalty: [0],
    presence_penalty: [0],
    logprobs: [false],
    top_logprobs: [0],
    logit_bias: [{}],
    stop: [[]],
    modalities: [["text"]],
    verbosity: ["medium"],
    functions: [[]],
    function_call: ["none"],
  },
} as const satisfies FieldTable;

type Body = z.output<typeof FIELDS.honoured>;
type GivenMessage = Body["messages"][number];

export interface ChatRequest extends ClientRequest {
  readonly includesUsage: boolean;
}

export function readChat(body: unknown): ChatRequest {
  const given = readFields(FIELDS, body);
  const { tools, mustCall } = chooseTools(readTools(given.tools), given.tool_choice);
  const words = given.messages.filter(({ role }) => role === "system" || role === "developer");
  const instructions = words.map(({ content }) => readContent(content, "messages").text);
  const limits = [given.max_tokens, given.max_completion_tokens].filter((n) => n !== undefined);
  return {
    model: given.model,
    stream: given.stream,
    includesUsage: given.stream_options?.include_usage === true,
    messages: given.messages.flatMap(readMessage),
    terms: {
      ...(instructions.length === 0 ? {} : { instructions: instructions.join("\n\n") }),
      ...(tools.length === 0 ? {} : { tools: tools.map(({ offer }) => offer) }),
      ...(mustCall ? { mustCall } : {}),
      ...(given.parallel_tool_calls ? {} : { oneCall: true }),
      ...(limits.length === 0 ? {} : { maxTokens: Math.min(...limits) }),
      ...omitUndefined({ temperature: given.temperature, effort: given.reasoning_effort }),
      ...omitUndefined({ schema: schemaOf(given.response_format) }),
    },
    door: {
      api: "chat",
      tools,
      echo: {},
      store: false,
      ...omitUndefined({ user: given.user ?? given.safety_identifier, metadata: given.metadata }),
    },
    ...ownTerms(given.aos),
  };
}

function schemaOf(given: Body["response_format"]): Record<string, unknown> | undefined {
  if (given === undefined || given.type === "text") return undefined;
  return given.type === "json_object" ? { type: "object" } : given.json_schema.schema;
}

function readMessage(given: GivenMessage, index: number): Message[] {
  const param = `messages[${index}]`;
  const { role } = given;
  if (role === "system" || role === "developer") return [];
  const { text, attachments } = readContent(given.content, `${param}.content`);
  const files = attachments.length === 0 ? {} : { attachments: [...attachments] };
  if (role === "tool") {
    if (given.tool_call_id === undefined) throw fieldRefused(`${param}.tool_call_id`, "is missing");
    return [{ role, content: text, toolCallId: given.tool_call_id, ...files }];
  }
  if (role === "user") return [{ role, content: text, ...files }];
  const calls = (given.tool_calls ?? []).map(({ id, type, function: fn, custom }) => {
    const name = (type === "custom" ? custom?.name : fn?.name) ?? "";
    const words = (type === "custom" ? custom?.input : fn?.arguments) ?? "";
    return { id, ...modelsCall({ kind: type, name, text: words }, `${param}.tool_calls`) };
  });
  return [{ role, content: text, ...(calls.length === 0 ? {} : { toolCalls: calls }) }];
}
