// Mail: the operations of an operator on messages.

import { SysError, type DeadLetter } from "@aos/protocol";
import type { DeadLetterFilter } from "../api.ts";
import type { KernelParts } from "./kernel-parts.ts";

const USUAL_LIMIT = 100;

export async function deadLettersOf(
  { store, journal, directory, deadLetters }: KernelParts,
  { pid, tenant, before, limit = USUAL_LIMIT }: DeadLetterFilter,
): Promise<DeadLetter[]> {
  const process = pid === undefined ? {} : { process: (await directory.find(pid)).key };
  const of = tenant === undefined ? {} : { tenant: (await store.findTenant(tenant)) ?? -1 };
  await journal.durable();
  const key = before === undefined ? undefined : await store.deadLetterKey(before);
  if (before !== undefined && key === undefined)
    throw new SysError("ENOENT", `unknown dead letter ${before}`, {
      hint: "it may have been removed: start at the first page",
    });
  return deadLetters.list({ limit, before: key, ...process, ...of });
}
