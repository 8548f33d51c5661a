// FROZEN with version 1 of `agent` (see agent.ts beside it).
//
// Tool run: the calls of one reply, made side by side, and what the model is told of each.

import { type Json, type Message, type Sys, SysError, type ToolCall } from "@aos/protocol";

/** The failures that are the model's to deal with. The rest is the kernel's. */
const modelsMatter: ReadonlySet<string> = new Set([
  "EACCES",
  "EPOLICY",
  "EDENIED",
  "EBUDGET",
  "EAGAIN",
  "ERATE",
  "EVELOCITY",
  "ETIMEDOUT",
  "EINVAL",
  "ENOENT",
  "EEXIST",
  "ESTATE",
  "EINDOUBT",
  "EUPSTREAM",
]);

/** One message for each call, in the order of the calls. */
export const runTools = (sys: Sys, calls: readonly ToolCall[]): Promise<Message[]> =>
  Promise.all(
    calls.map(async ({ id, tool, args }) => ({
      role: "tool" as const,
      content: await resultText(sys, tool, args),
      toolCallId: id,
    })),
  );

async function resultText(sys: Sys, tool: string, args: Json): Promise<string> {
  try {
    const result = await sys.exec(tool, args);
    return typeof result === "string" ? result : JSON.stringify(result);
  } catch (error) {
    if (error instanceof SysError && modelsMatter.has(error.code)) return failureText(error);
    throw error;
  }
}

function failureText({ code, message, hint, retryAfter }: SysError): string {
  return [
    `${code}: ${message}`,
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
    ...(retryAfter === undefined ? [] : [`may succeed after ${retryAfter} ms`]),
  ].join("\n");
}
