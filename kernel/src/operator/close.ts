// Close: a machine comes to rest. What runs is left where its journal is.

import type { Machine } from "./machine.ts";

/** `stopping` is aborted when nothing is begun any more: who still waits is told how things stand. */
export async function closeMachine(machine: Machine, stopping: AbortController): Promise<void> {
  const { leases, admission, dormancy, retention, table, reaper, journal, audit, store, node } =
    machine;
  leases.close();
  admission.close();
  dormancy.close();
  stopping.abort();
  retention.close();
  const programs = [...table.all()].flatMap(({ program }) => program ?? []);
  for (const process of table.all()) reaper.drop(process);
  await Promise.all(programs.map((program) => program.stop()));
  if (journal.failure === undefined) {
    await journal.durable();
    await audit.close();
    await store.dropNode(node);
  }
  await store.close();
}
