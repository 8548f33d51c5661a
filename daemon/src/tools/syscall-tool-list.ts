// Syscall tools for people: system calls that models call by the name of a tool, listed beside the tools. There is no
// tool to run: a call by hand is refused with that reason.

import { offerOf, SysError, syscalls, syscallTools, type Tool } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";

type Known = Awaited<ReturnType<Kernel["tools"]>>[number];

export const SYSTEM_CALL = "system call";

export const syscallToolList: readonly Known[] = syscallTools.map((row) => {
  const { name, description, input } = offerOf(row);
  const instead = `this is the system call ${row.call}: only an agent can make it`;
  const tool: Tool = {
    name,
    version: "1",
    description,
    input,
    source: SYSTEM_CALL,
    effect: syscalls[row.call].effect,
    needs: row.needs,
    touches: () => [],
    refuses: () => instead,
    run: async () => {
      throw new SysError("EINVAL", `${name}: ${instead}`);
    },
  };
  const health = { calls: 0, failures: 0, p50Ms: null, p95Ms: null, lastFailure: null };
  return { tool, health };
});
