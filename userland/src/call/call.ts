// Call: calls one tool and returns its result. `aos tool call` runs it.

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
