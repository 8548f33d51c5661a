// Ask: makes one model request and returns the answer. `aos model test` runs it.

import { type Json, type Program, SysError } from "@aos/protocol";

interface AskInput {
  readonly model: string;
  readonly text: string;
  readonly maxTokens?: number;
  readonly timeoutMs?: number;
}

export const askProgram: Program = async (sys, input) => {
  const { model, text, maxTokens, timeoutMs } = (input ?? {}) as unknown as Partial<AskInput>;
  if (typeof model !== "string" || typeof text !== "string")
    throw new SysError("EINVAL", "the input names no model, or has no text", {
      hint: '{"model": "anthropic/claude-sonnet-4-5", "text": "Say hello."}',
    });
  const { text: said, finish } = await sys.infer({
    model,
    messages: [{ role: "user", content: text }],
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return { text: said, finish } as unknown as Json;
};
