// Checked request: validates the new parts of the arguments of `infer`.
//
// CHECKED-REQUEST-1  A message or list of tools of an earlier valid request is not checked again. It is identified as
//     an object, which nobody changes: the kernel parsed it itself (journal/model-request.ts).
// CHECKED-REQUEST-2  An invalid request is checked whole, so that its error is the same.

import { type Json, type SyscallArgs, syscalls } from "@aos/protocol";

type Request = SyscallArgs<"infer">;

/** Messages and lists of tools that fitted. */
const fitting = new WeakSet<object>();

/** Whether the arguments fit; what is new among them is then known. */
export function isCheckedRequest(args: Json): boolean {
  if (args === null || typeof args !== "object" || Array.isArray(args)) return false;
  const { messages, tools } = args;
  if (!Array.isArray(messages)) return false;
  const isKnown = (value: Json | undefined): boolean =>
    typeof value === "object" && value !== null && fitting.has(value);
  const asked: Record<string, Json> = {
    ...args,
    messages: messages.filter((message) => !isKnown(message)),
  };
  if (isKnown(tools)) delete asked["tools"];
  if (!syscalls.infer.args.safeParse(asked).success) return false;
  const request = args as unknown as Request;
  for (const message of request.messages) fitting.add(message);
  if (request.tools !== undefined) fitting.add(request.tools);
  return true;
}
