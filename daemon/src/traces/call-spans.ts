// Call spans: what a model was asked and what a tool did, as spans below the run that asked.

import type { InferReply, Json, Message, Usage } from "@aos/protocol";
import {
  finishReasons,
  modelAttributes,
  type AttributeValue,
  type SpanDraft,
} from "./span-draft.ts";

/** One call that is over. */
export interface CompletedCall {
  readonly call: string;
  readonly args: Json;
  readonly ok: Json | undefined;
  readonly failure: string | undefined;
  readonly usd: number | undefined;
}

type Attributes = Record<string, AttributeValue>;
type Shape = Pick<SpanDraft, "name" | "kind" | "attributes">;

/** Undefined for calls that no convention speaks of. */
export function spanShape(done: CompletedCall): Shape | undefined {
  if (done.call === "infer") return chat(done);
  if (done.call === "exec") return executeTool(done);
  return undefined;
}

function chat({ args, ok, usd }: CompletedCall): Shape {
  const asked = textAt(args, "model");
  const named = modelAttributes(asked);
  const reply = (ok ?? {}) as Partial<InferReply>;
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens } = (reply.usage ??
    {}) as Partial<Usage>;
  const answeredBy = reply.model ?? (ok === undefined ? undefined : asked);
  return {
    name: `chat ${named["gen_ai.request.model"]}`,
    kind: "client",
    attributes: there({
      "gen_ai.operation.name": "chat",
      ...named,
      "gen_ai.response.model":
        answeredBy === undefined ? undefined : answeredBy.slice(answeredBy.indexOf("/") + 1),
      "gen_ai.response.finish_reasons":
        reply.finish === undefined ? undefined : [finishReasons[reply.finish] ?? reply.finish],
      "gen_ai.usage.input_tokens": inputTokens,
      "gen_ai.usage.output_tokens": outputTokens,
      "gen_ai.usage.cache_read.input_tokens": cachedTokens,
      "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens,
      "aos.cost.usd": usd,
    }),
  };
}

function executeTool({ args }: CompletedCall): Shape {
  const tool = textAt(args, "tool");
  return {
    name: `execute_tool ${tool}`,
    kind: "internal",
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.type": "function",
    },
  };
}

/** What was said, for those who asked for it: `shown` is what the model was shown. */
export function contentOf(
  { call, args, ok }: CompletedCall,
  shown: readonly Message[],
): Attributes {
  if (call === "exec")
    return there({
      "gen_ai.tool.call.arguments": JSON.stringify((args as { args?: Json } | null)?.args ?? null),
      "gen_ai.tool.call.result": ok === undefined ? undefined : JSON.stringify(ok),
    });
  const reply = (ok ?? {}) as Partial<InferReply>;
  const part = (content: string) => ({ type: "text", content });
  const said = (message: Message) => ({
    role: message.role,
    parts: [part(typeof message.content === "string" ? message.content : "")],
  });
  const instructions = shown.filter(({ role }) => role === "system");
  const calls = (reply.toolCalls ?? []).map(({ id, tool, args: given }) => ({
    type: "tool_call",
    id,
    name: tool,
    arguments: given,
  }));
  const finish = finishReasons[reply.finish ?? ""] ?? "error";
  return there({
    "gen_ai.system_instructions":
      instructions.length === 0
        ? undefined
        : JSON.stringify(instructions.map(({ content }) => part(content))),
    "gen_ai.input.messages": JSON.stringify(
      shown.filter(({ role }) => role !== "system").map(said),
    ),
    "gen_ai.output.messages":
      ok === undefined
        ? undefined
        : JSON.stringify([
            { role: "assistant", parts: [part(reply.text ?? ""), ...calls], finish_reason: finish },
          ]),
  });
}

function textAt(args: Json, name: string): string {
  const value = (args as Record<string, Json> | null)?.[name];
  return typeof value === "string" ? value : "unknown";
}

const there = (members: Record<string, AttributeValue | undefined>): Attributes =>
  Object.fromEntries(
    Object.entries(members).filter(
      (member): member is [string, AttributeValue] => member[1] !== undefined,
    ),
  );
