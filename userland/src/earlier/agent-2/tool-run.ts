// FROZEN with version 2 of `agent` (see agent.ts beside it).
//
// Tool run: the calls of one reply, made side by side, and what the model is told of each.

import { type Json, type Message, type Sys, SysError, type ToolCall } from "@aos/protocol";
import { runSyscall } from "./syscall-run.ts";

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

/** Characters of a result that a model is shown; the rest it can ask for. */
const MOST_SHOWN = 32_000;

/** One message for each call, in the order of the calls. `own` are the tools that are system calls. */
export const runTools = (
  sys: Sys,
  calls: readonly ToolCall[],
  own: ReadonlySet<string>,
): Promise<Message[]> =>
  Promise.all(
    calls.map(async ({ id, tool, args }) => ({
      role: "tool" as const,
      content: await resultText(sys, tool, args, own),
      toolCallId: id,
    })),
  );

async function resultText(
  sys: Sys,
  tool: string,
  args: Json,
  own: ReadonlySet<string>,
): Promise<string> {
  try {
    const result = own.has(tool)
      ? await runSyscall(sys, tool, args)
      : await sys.exec(tool, args, { cutAt: MOST_SHOWN });
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
