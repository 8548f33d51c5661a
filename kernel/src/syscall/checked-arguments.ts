// Checked arguments: the two calls that are made most are validated without their whole schema: of `infer` only what
// is new, of `exec` the plain form.
//
// CHECKED-REQUEST-1  A message or list of tools of an earlier valid request is not checked again. It is identified as
//     an object, which nobody changes: the kernel parsed it itself (journal/model-request.ts).
// CHECKED-REQUEST-2  An invalid request is checked whole, so that its error is the same.
// PLAIN-EXEC-1  Arguments that are plain here are accepted unchanged by the schema of `exec`; all others are left to
//     the schema. A test compares the two.

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

/** As in the schema. */
const LONGEST_NAME = 200;

/** Whether it is an object with a tool's name and its arguments, and with nothing else. */
export function isPlainExec(given: Json): boolean {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return false;
  const { tool, args } = given;
  if (typeof tool !== "string" || tool.length === 0 || tool.length > LONGEST_NAME) return false;
  if (args === undefined) return false;
  let members = 0;
  for (const _ in given) members++;
  return members === 2;
}
