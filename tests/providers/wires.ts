// Wires: one short answer in each vendor's wire, in pieces.

import type { ProviderType } from "@aos/protocol";

/** The beginning of an answer in a vendor's wire, and what would end it. */
export function wireOf(type: ProviderType): { head: string[]; text: string; tail: string[] } {
  const sse = (data: object | string, event?: string): string =>
    `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
  const line = (data: object): string => `${JSON.stringify(data)}\n`;
  const typed = (data: { type: string }): string => sse(data, data.type);
  const chat = (delta: object, finish: string | null = null, usage?: object): string =>
    sse({
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...(usage === undefined ? {} : { usage }),
    });
  switch (type) {
    case "anthropic":
      return {
        head: [
          typed({
            type: "message_start",
            message: {
              id: "m",
              type: "message",
              role: "assistant",
              model: "m",
              content: [],
              stop_reason: null,
              stop_sequence: null,
              usage: {
                input_tokens: 10,
                cache_read_input_tokens: 100,
                cache_creation_input_tokens: 20,
                output_tokens: 1,
              },
            },
          } as { type: string }),
          typed({
            type: "content_block_start",
            index: 0,
            content_block: { type: "text", text: "" },
          } as { type: string }),
        ],
        text: typed({
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text: "Hello" },
        } as { type: string }),
        tail: [
          typed({ type: "content_block_stop", index: 0 } as { type: string }),
          typed({
            type: "message_delta",
            delta: { stop_reason: "end_turn", stop_sequence: null },
            usage: { output_tokens: 7 },
          } as { type: string }),
          typed({ type: "message_stop" }),
        ],
      };
    case "openai": {
      const item = {
        id: "i",
        type: "message",
        status: "in_progress",
        role: "assistant",
        content: [],
      };
      const response = {
        id: "r",
        object: "response",
        created_at: 1,
        model: "m",
        output: [],
        status: "in_progress",
      };
      return {
        head: [
          typed({ type: "response.created", response } as { type: string }),
          typed({ type: "response.output_item.added", output_index: 0, item } as { type: string }),
        ],
        text: typed({
          type: "response.output_text.delta",
          item_id: "i",
          output_index: 0,
          content_index: 0,
          delta: "Hello",
        } as { type: string }),
        tail: [
          typed({
            type: "response.output_item.done",
            output_index: 0,
            item: {
              ...item,
              status: "completed",
              content: [{ type: "output_text", text: "Hello", annotations: [] }],
            },
          } as { type: string }),
          typed({
            type: "response.completed",
            response: {
              ...response,
              status: "completed",
              usage: {
                input_tokens: 130,
                input_tokens_details: { cached_tokens: 100 },
                output_tokens: 7,
                output_tokens_details: { reasoning_tokens: 3 },
                total_tokens: 137,
              },
            },
          } as { type: string }),
        ],
      };
    }
    case "openai-chat":
    case "openai-compatible":
      return {
        head: [chat({ role: "assistant", content: "" })],
        text: chat({ content: "Hello" }),
        tail: [
          chat({}, "stop", {
            prompt_tokens: 130,
            completion_tokens: 7,
            total_tokens: 137,
            prompt_tokens_details: { cached_tokens: 100 },
            completion_tokens_details: { reasoning_tokens: 3 },
          }),
          sse("[DONE]"),
        ],
      };
    case "google": {
      const part = (text: string, more: object = {}): string =>
        sse({
          candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
          ...(Object.keys(more).length > 0
            ? {
                usageMetadata: {
                  promptTokenCount: 130,
                  cachedContentTokenCount: 100,
                  candidatesTokenCount: 4,
                  thoughtsTokenCount: 3,
                  totalTokenCount: 137,
                },
              }
            : {}),
        });
      return { head: [], text: part("Hello"), tail: [part("", { finishReason: "STOP" })] };
    }
    case "ollama": {
      const part = (content: string, more: object = {}): string =>
        line({
          model: "m",
          created_at: "2026-01-01T00:00:00Z",
          message: { role: "assistant", content },
          done: false,
          ...more,
        });
      return {
        head: [],
        text: part("Hello"),
        tail: [
          part("", { done: true, done_reason: "stop", prompt_eval_count: 130, eval_count: 7 }),
        ],
      };
    }
  }
}

export const streamHeaders = (type: ProviderType): Record<string, string> => ({
  "content-type": type === "ollama" ? "application/x-ndjson" : "text/event-stream",
});
