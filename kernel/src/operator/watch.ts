// Watch: waits for an end, and follows a journal as it becomes durable.

import { isEnded, SysError, type Ending, type JournalRecord } from "@aos/protocol";
import type { Store } from "../store/contract.ts";
import type { ProcessKey, ProcessRow } from "../store/rows.ts";
import { endingOf } from "../handlers/processes.ts";
import { attach, type AttachOptions } from "./attach.ts";
import type { KernelParts } from "./kernel-parts.ts";
import { holdNode, whenAborted } from "./hold-open.ts";

export async function waitForProcessEnd(
  { store, journal, endings, table }: KernelParts,
  key: ProcessKey,
  options: { timeoutMs?: number; signals: readonly (AbortSignal | undefined)[] },
): Promise<Ending> {
  const { promise: over, resolve } = Promise.withResolvers<Ending | undefined>();
  const stop = () => resolve(undefined);
  const stops = [endings.whenEnded(key, resolve), whenAborted(options.signals, stop), holdNode()];
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(stop, options.timeoutMs);
  let told: Ending | undefined;
  try {
    // It is asked after the waiting has begun: an end in between is not missed. Of one in memory it is told.
    if (table.get(key) !== undefined || !isEnded((await rowOf(store, key)).state))
      told = await over;
  } finally {
    for (const stop of stops) stop();
    clearTimeout(timer);
  }
  if (told !== undefined) return told; // ENDINGS-2: it is on the disk
  if (journal.failure !== undefined) throw journal.failure;
  const row = await rowOf(store, key);
  const visible = table.get(key)?.visibleState ?? row.state;
  // An end that is not on the disk yet has no result to show, and is none yet.
  return { ...endingOf(row), state: isEnded(row.state) || isEnded(visible) ? row.state : visible };
}

async function rowOf(store: Store, key: ProcessKey): Promise<ProcessRow> {
  const row = await store.processByKey(key);
  if (row === undefined) throw new SysError("ENOENT", "its result was removed meanwhile");
  return row;
}

export async function* followProcess(
  parts: KernelParts,
  key: ProcessKey,
  options: AttachOptions,
): AsyncGenerator<JournalRecord> {
  for await (const told of attach(parts, key, { ...options, isQuiet: true }))
    if ("record" in told) yield told.record;
}
