// Call: makes one call of a tool and returns what it gave. What `aos tool call` runs.

import { type Json, type Program, SysError } from "@aos/protocol";

interface CallInput {
  readonly tool: string;
  readonly args: Json;
  readonly timeoutMs?: number;
}

export const callProgram: Program = async (sys, input) => {
  const { tool, args, timeoutMs } = (input ?? {}) as unknown as Partial<CallInput>;
  if (typeof tool !== "string")
    throw new SysError("EINVAL", "the input names no tool", {
      hint: '{"tool": "file.read", "args": {"path": "/work/a"}}',
    });
  return sys.exec(tool, args ?? {}, timeoutMs === undefined ? {} : { timeoutMs });
};
