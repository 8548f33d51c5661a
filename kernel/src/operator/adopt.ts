// Adopt: starts a fork as a tree of the operator; it is pending until it is admitted.

import type { ProcessId } from "@aos/protocol";
import type { ProcessRow } from "../store/rows.ts";
import type { ForkResult } from "./fork.ts";
import type { KernelParts } from "./kernel-parts.ts";

export async function adopt(
  { journal, dormancy, admission }: KernelParts,
  origin: ProcessRow,
  fork: () => Promise<ForkResult>,
): Promise<ProcessId> {
  const ticket = admission.enter(origin.tenant);
  try {
    const forked = await fork();
    await journal.durable();
    if (ticket.isQueued) admission.add(forked.row);
    else await dormancy.wake(forked.key, "turn");
    return forked.pid;
  } finally {
    ticket.giveBack();
  }
}
