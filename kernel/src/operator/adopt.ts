// Adopt: starts a fork as a tree of the operator; it is pending until it is admitted.

import type { ProcessId } from "@aos/protocol";
import type { ProcessRow } from "../store/rows.ts";
import type { ForkResult } from "./fork.ts";
import type { KernelParts } from "./kernel-parts.ts";

export async function adopt(
  { journal, dormancy, admission, retention }: KernelParts,
  origin: ProcessRow,
  fork: () => Promise<ForkResult>,
): Promise<ProcessId> {
  const ticket = admission.enter(origin.tenant);
  try {
    // Nothing of the history that it shares is removed before it is there.
    const forked = await retention.whileItWaits(async () => {
      const result = await fork();
      await journal.durable();
      return result;
    });
    if (ticket.isQueued) admission.add(forked.row);
    else await dormancy.wake(forked.key, "turn");
    return forked.pid;
  } finally {
    ticket.giveBack();
  }
}
