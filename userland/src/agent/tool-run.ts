// Tool run: makes the calls of one reply concurrently and builds the result messages for the model.

import {
  type Attachment,
  type FailureCode,
  type Json,
  type Message,
  type Sys,
  SysError,
  type ToolCall,
} from "@aos/protocol";
import { extractImages } from "./tool-images.ts";
import { runSyscall } from "./syscall-run.ts";

/** Whether a failed call is the model's to deal with. The rest is the kernel's. */
const modelsMatter: Readonly<Record<FailureCode, boolean>> = {
  EACCES: true,
  EPOLICY: true,
  EDENIED: true,
  EBUDGET: true,
  EAGAIN: true,
  ERATE: true,
  EVELOCITY: true,
  ECONTEXT: false,
  ETIMEDOUT: true,
  EINVAL: true,
  ENOENT: true,
  EEXIST: true,
  ESTATE: true,
  EINDOUBT: true,
  EUPSTREAM: true,
  EINTR: false,
  EFENCED: false,
  REPLAY_DIVERGED: false,
  ECORRUPT: false,
  ESTORE: false,
  ESHUTDOWN: false,
  EPROGRAM: false,
  EINTERNAL: false,
};

/** Characters of a result that a model is shown; the rest it can ask for. */
const MOST_SHOWN = 32_000;

/** One message for each call, in the order of the calls. `own` are the tools that are system calls. */
export const runTools = (
  sys: Sys,
  calls: readonly ToolCall[],
  own: ReadonlySet<string>,
): Promise<Message[]> =>
  Promise.all(
    calls.map(async ({ id, tool, args }) => {
      const { text, attachments } = await resultOf(sys, tool, args, own);
      return {
        role: "tool" as const,
        content: text,
        toolCallId: id,
        ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
      };
    }),
  );

interface ToolMessage {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

async function resultOf(
  sys: Sys,
  tool: string,
  args: Json,
  own: ReadonlySet<string>,
): Promise<ToolMessage> {
  try {
    const { value, attachments } = own.has(tool)
      ? { value: await runSyscall(sys, tool, args), attachments: [] }
      : await extractImages(sys, await sys.exec(tool, args, { cutAt: MOST_SHOWN }));
    return { text: typeof value === "string" ? value : JSON.stringify(value), attachments };
  } catch (error) {
    if (!isReportedToModel(error)) throw error;
    return { text: failureText(error), attachments: [] };
  }
}

/** Whether whoever asked can go on after it. */
export const isReportedToModel = (error: unknown): error is SysError =>
  error instanceof SysError && modelsMatter[error.code];

function failureText({ code, message, hint, retryAfter }: SysError): string {
  return [
    `${code}: ${message}`,
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
    ...(retryAfter === undefined ? [] : [`may succeed after ${retryAfter} ms`]),
  ].join("\n");
}
