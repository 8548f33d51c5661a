// Responses request: `POST /v1/responses`, read.

import type { Json } from "@aos/protocol";
import { z } from "zod";
import { omitUndefined } from "../omit-undefined.ts";
import type { ClientRequest } from "./client-request.ts";
import { chooseTools, readTools } from "./callers-tools.ts";
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
import { readInputItems } from "./responses-items.ts";

const format = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({ type: z.literal("json_schema"), schema: z.record(z.string(), z.unknown()) }),
]);

const FIELDS = {
  honoured: z.object({
    model: z.string().min(1),
    input: z.union([z.string(), z.array(z.unknown())]),
    instructions: z.string().optional(),
    stream: z.boolean().default(false),
    background: z.boolean().default(false),
    store: z.boolean().default(true),
    previous_response_id: z.string().optional(),
    tools: z.array(z.unknown()).default([]),
    tool_choice: z.unknown().optional(),
    parallel_tool_calls: z.boolean().default(true),
    max_output_tokens: z.number().int().positive().optional(),
    max_tool_calls: z.number().int().nonnegative().optional(),
    temperature: z.number().min(0).max(2).optional(),
    /** A summary of thoughts is only ever an extra. */
    reasoning: z.looseObject({ effort: effort.nullish() }).optional(),
    text: z
      .strictObject({ format: format.optional(), verbosity: z.literal("medium").nullish() })
      .optional(),
    user: z.string().optional(),
    safety_identifier: z.string().optional(),
    metadata,
    aos: ownFields,
  }),
  harmless: [...HARMLESS, "client_metadata", "include", "stream_options", "truncation"],
  only: {
    top_p: [1],
    top_logprobs: [0],
    conversation: [],
    prompt: [],
    context_management: [[]],
  },
} as const satisfies FieldTable;

type Body = z.output<typeof FIELDS.honoured>;

export interface ResponseRequest extends ClientRequest {
  readonly background: boolean;
  /** The response that this one goes on from. */
  readonly previous?: string;
}

export function readResponse(body: unknown): ResponseRequest {
  const given = readFields(FIELDS, body);
  const { tools, mustCall } = chooseTools(readTools(given.tools), given.tool_choice);
  const { messages, instructions } = readInputItems(given.input);
  const words = [
    ...(given.instructions === undefined ? [] : [given.instructions]),
    ...instructions,
  ];
  if (given.background && !given.store)
    throw fieldRefused("background", "a background response must be stored", "leave store out");
  return {
    model: given.model,
    stream: given.stream,
    background: given.background,
    messages,
    terms: {
      ...(words.length === 0 ? {} : { instructions: words.join("\n\n") }),
      ...(tools.length === 0 ? {} : { tools: tools.map(({ offer }) => offer) }),
      ...(mustCall ? { mustCall } : {}),
      ...(given.parallel_tool_calls ? {} : { oneCall: true }),
      ...omitUndefined({ maxTokens: given.max_output_tokens, temperature: given.temperature }),
      ...omitUndefined({
        effort: given.reasoning?.effort ?? undefined,
        schema: schemaOf(given.text),
      }),
    },
    door: {
      api: "responses",
      tools,
      echo: echoOf(given),
      store: given.store,
      ...omitUndefined({ user: given.user ?? given.safety_identifier, metadata: given.metadata }),
    },
    ...omitUndefined({ previous: given.previous_response_id }),
    ...termsOf(given),
  };
}

/** `max_tool_calls` is a budget. */
function termsOf({ aos, max_tool_calls: most }: Body): ReturnType<typeof ownTerms> {
  const { budget, ...rest } = ownTerms(aos);
  const limits = [most, budget?.toolCalls].filter((limit) => limit !== undefined);
  const both = { ...budget, ...(limits.length === 0 ? {} : { toolCalls: Math.min(...limits) }) };
  return { ...rest, ...(Object.keys(both).length === 0 ? {} : { budget: both }) };
}

function schemaOf(text: Body["text"]): Record<string, unknown> | undefined {
  const given = text?.format;
  if (given === undefined || given.type === "text") return undefined;
  return given.type === "json_object" ? { type: "object" } : given.schema;
}

const echoOf = (given: Body): Record<string, Json> => ({
  background: given.background,
  instructions: given.instructions ?? null,
  max_output_tokens: given.max_output_tokens ?? null,
  max_tool_calls: given.max_tool_calls ?? null,
  parallel_tool_calls: given.parallel_tool_calls,
  previous_response_id: given.previous_response_id ?? null,
  temperature: given.temperature ?? null,
  text: { format: (given.text?.format ?? { type: "text" }) as Json },
  tool_choice: (given.tool_choice ?? "auto") as Json,
});
