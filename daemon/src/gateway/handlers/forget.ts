// Handlers of operations about forgetting. Processes that still hold a part of it are ended first, if that was asked for.

import { SysError, type forgetOperations } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import { omitUndefined } from "../../omit-undefined.ts";
import type { HandlersOf } from "./handler.ts";

const END_WITHIN_MS = 60_000;

export const forgetHandlers: HandlersOf<typeof forgetOperations> = {
  async forgetMemory({ kernel }, { stop = false, ...given }, { caller }) {
    const { about, path, pid, writer, dryRun } = given;
    if ([about, path, pid, writer].every((one) => one === undefined))
      throw new SysError("EINVAL", "nothing is named", {
        hint: "pass words, a path, a process or a writer",
      });
    const request = { ...omitUndefined(given), by: caller.name };
    if (stop && dryRun !== true) await endHolders(kernel, request);
    return kernel.forgetMemory(request);
  },
};

async function endHolders(
  kernel: Kernel,
  request: Parameters<Kernel["forgetMemory"]>[0],
): Promise<void> {
  const { left } = await kernel.forgetMemory({ ...request, dryRun: true });
  for (const { because, pid } of left) {
    if (because !== "running" || pid === undefined) continue;
    await kernel.signal(pid, "SIGKILL").catch((error: unknown) => {
      if (!(error instanceof SysError) || error.code !== "ESTATE") throw error; // it has ended
    });
    await kernel.wait(pid, { timeoutMs: END_WITHIN_MS });
  }
}
