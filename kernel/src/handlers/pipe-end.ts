// Pipe end: how the items of a pipe, and its end, are told from other messages.
//
// PIPE-END-1  Nobody but the kernel sends an item (pipes.ts), and nobody but the parent of a stage says that there
//     are no more.

import { SysError, type Json, type PipeRead } from "@aos/protocol";
import { streamOf } from "../bus/mailbox.ts";
import type { Process } from "../process/process.ts";
import type { MessageRow } from "../store/rows.ts";
import type { CallContext } from "../syscall/syscall-handler.ts";

/** The stream that the items of a stage are parts of. */
export const PIPE_STREAM = "pipe:in";

export const isItem = (message: MessageRow): boolean => {
  const stream = streamOf(message);
  return stream?.id === PIPE_STREAM && stream.end !== true;
};

/** PIPE-END-1. */
export function refuseUnlessEnd(
  { process, action }: CallContext,
  stream: { readonly end?: boolean | undefined },
): void {
  if (stream.end === true && action.target?.parent === process.key) return;
  throw new SysError("EINVAL", `send: the stream ${PIPE_STREAM} is that of a pipe`, {
    hint: "a stage gives an item by a write to /ipc/pipes/out",
  });
}

/** Of a stage that has read to the end: what it is told again. */
const ends = new WeakMap<Process, PipeRead>();

export const knownEnd = (process: Process): PipeRead | undefined => ends.get(process);

/** Also while it lives through its journal. */
export function rememberEnd(process: Process, answer: Json): void {
  if (answer !== null && typeof answer === "object" && "end" in answer)
    ends.set(process, answer as unknown as PipeRead);
}
