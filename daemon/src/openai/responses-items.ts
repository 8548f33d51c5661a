// Responses items: the items of a request, as messages of a conversation.
//
// RESPONSES-ITEMS-1  Text and calls of one reply of a model are one message, as models expect it.
// RESPONSES-ITEMS-2  Reasoning items are left out: they came from another model, or from none.

import type { Message } from "@aos/protocol";
import { z } from "zod";
import { modelsCall } from "./callers-tools.ts";
import { readContent } from "./content.ts";
import { fieldRefused } from "./fields.ts";

const item = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("message"),
    role: z.enum(["user", "assistant", "system", "developer"]),
    content: z.unknown().optional(),
  }),
  z.looseObject({
    type: z.literal("function_call"),
    call_id: z.string().min(1),
    name: z.string(),
    namespace: z.string().nullish(),
    arguments: z.string(),
  }),
  z.looseObject({
    type: z.literal("custom_tool_call"),
    call_id: z.string().min(1),
    name: z.string(),
    namespace: z.string().nullish(),
    input: z.string(),
  }),
  z.looseObject({
    type: z.enum(["function_call_output", "custom_tool_call_output"]),
    call_id: z.string().min(1),
    output: z.unknown().optional(),
  }),
  z.looseObject({ type: z.literal("reasoning") }),
]);
type Item = z.output<typeof item>;

export interface InputItems {
  readonly messages: Message[];
  /** Words to the system. */
  readonly instructions: string[];
}

export function readInputItems(input: string | readonly unknown[]): InputItems {
  if (typeof input === "string")
    return { messages: [{ role: "user", content: input }], instructions: [] };
  const messages: Message[] = [];
  const instructions: string[] = [];
  for (const [index, given] of input.entries()) {
    const param = `input[${index}]`;
    const one = readItem(given, param);
    if (one.type === "message" && (one.role === "system" || one.role === "developer"))
      instructions.push(readContent(one.content, param).text);
    else addItem(messages, one, param);
  }
  return { messages, instructions };
}

/** A message may leave its type out. */
function readItem(given: unknown, param: string): Item {
  const typed =
    typeof given === "object" && given !== null && !("type" in given)
      ? { ...given, type: "message" }
      : given;
  const parsed = item.safeParse(typed);
  if (parsed.success) return parsed.data;
  const { type } = (typed ?? {}) as { type?: unknown };
  const issue = parsed.error.issues[0]!;
  throw fieldRefused(
    param,
    issue.path[0] === "type"
      ? `items of type ${JSON.stringify(type)} cannot be taken`
      : `${issue.path.join(".")}: ${issue.message}`,
  );
}

function addItem(messages: Message[], one: Item, param: string): void {
  switch (one.type) {
    case "reasoning":
      return; // RESPONSES-ITEMS-2
    case "message": {
      const { text, attachments } = readContent(one.content, `${param}.content`);
      const role = one.role as "user" | "assistant";
      const files = attachments.length === 0 ? {} : { attachments: [...attachments] };
      messages.push({ role, content: text, ...(role === "user" ? files : {}) });
      return;
    }
    case "function_call":
    case "custom_tool_call": {
      const kind = one.type === "function_call" ? "function" : "custom";
      const text = one.type === "function_call" ? one.arguments : one.input;
      const { name, namespace } = one;
      const called = { kind, name, text, ...(namespace == null ? {} : { namespace }) } as const;
      addCall(messages, { id: one.call_id, ...modelsCall(called, `${param}.arguments`) });
      return;
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const { text, attachments } = readContent(one.output, `${param}.output`);
      const files = attachments.length === 0 ? {} : { attachments: [...attachments] };
      messages.push({ role: "tool", content: text, toolCallId: one.call_id, ...files });
    }
  }
}

/** RESPONSES-ITEMS-1. */
function addCall(messages: Message[], call: NonNullable<Message["toolCalls"]>[number]): void {
  const last = messages.at(-1);
  if (last?.role !== "assistant") {
    messages.push({ role: "assistant", content: "", toolCalls: [call] });
    return;
  }
  messages[messages.length - 1] = { ...last, toolCalls: [...(last.toolCalls ?? []), call] };
}
