// Plain exec: the arguments that nearly every call of a tool has, seen without the schema.
//
// PLAIN-EXEC-1  What is plain here, the schema of `exec` accepts as it is; whatever else there is to say
//     of arguments, it says. The test holds one against the other.

import type { Json } from "@aos/protocol";

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
