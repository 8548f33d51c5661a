// Checked request: the arguments of `infer`, checked as far as they are new.
//
// CHECKED-REQUEST-1  A message, or a list of tools, that was in a request that fitted its row is not
//     looked at again. It is known by being the same object, which nobody changes: the kernel read it
//     itself (journal/model-request.ts).
// CHECKED-REQUEST-2  What does not fit is looked at whole, so that what is said of it is the same.

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
