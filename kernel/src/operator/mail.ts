// Mail: what an operator can ask about messages.

import type { DeadLetter, DeadLetterFilter } from "@aos/protocol";
import type { Machine } from "./machine.ts";

const USUAL_LIMIT = 100;

export async function deadLettersOf(
  { store, journal, directory, deadLetters }: Machine,
  { pid, tenant, limit = USUAL_LIMIT }: DeadLetterFilter,
): Promise<DeadLetter[]> {
  const process = pid === undefined ? {} : { process: (await directory.find(pid)).key };
  const of = tenant === undefined ? {} : { tenant: (await store.findTenant(tenant)) ?? -1 };
  await journal.durable();
  return deadLetters.list({ limit, ...process, ...of });
}
