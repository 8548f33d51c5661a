// Close: stops a kernel. Running processes continue from their journals at the next boot.

import type { KernelParts } from "./kernel-parts.ts";

const AT_REST_WITHIN_MS = 5000;

/**
 * `stopping` is aborted when nothing is begun any more: who still waits is told how things stand. After a
 * `failure` nothing more is written, as after a crash.
 */
export async function closeKernel(
  parts: KernelParts,
  stopping: AbortController,
  failure?: unknown,
): Promise<void> {
  const { leases, admission, dormancy, retention, table, reaper, journal, audit, store, node } =
    parts;
  if (failure !== undefined) journal.fail(failure);
  parts.schedules.runner.close();
  parts.fleets.runner.close();
  leases.close();
  admission.close();
  dormancy.close();
  stopping.abort();
  retention.close();
  parts.mailSweep.close();
  parts.tidying.close();
  parts.memory.close();
  parts.runs.close();
  parts.patrol.close();
  const drop = () => {
    const programs = [...table.all()].flatMap(({ program }) => program ?? []);
    for (const process of table.all()) reaper.drop(process);
    return programs.map((program) => program.stop());
  };
  const stops = drop(); // at once: nothing is begun in the time that follows
  // What is being read from the store is read to its end; a database that hangs is not waited for.
  const { states, mailSweep, tidying } = parts;
  const { runner } = parts.schedules;
  const fleets = parts.fleets.runner;
  const resting = [runner, fleets, leases, dormancy, retention, states, mailSweep, tidying];
  const rests = resting.map((part) => part.atRest());
  await within(Promise.all(rests));
  await Promise.all([...stops, ...drop()]);
  try {
    if (journal.failure === undefined) {
      await journal.durable();
      await audit.close();
      await store.dropNode(node);
      await store.notify([]); // others may take what was ours
    }
  } finally {
    await audit.abandon(); // whatever failed, nothing is signed or noted from here on
    parts.hush(); // from here on, whoever still asks the store is told that it is closed
    await store.close();
  }
}

async function within(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, AT_REST_WITHIN_MS);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
