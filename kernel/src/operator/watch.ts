// Watch: waiting for an end, and following a journal as it becomes durable.

import { isEnded, type Ending, type JournalRecord } from "@aos/protocol";
import { parseRecord } from "../journal/record-text.ts";
import type { ProcessKey } from "../store/rows.ts";
import { endingOf } from "../syscall/answers/processes.ts";
import type { Machine } from "./machine.ts";

export async function waitForEnd(
  { store, journal, endings, table }: Machine,
  key: ProcessKey,
  options: { timeoutMs?: number; signal?: AbortSignal },
): Promise<Ending> {
  let stop: () => void = () => {};
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<void>((resolve) => {
    stop = endings.whenEnded(key, resolve);
    options.signal?.addEventListener("abort", () => resolve(), { once: true });
    if (options.signal?.aborted === true) resolve();
    if (options.timeoutMs !== undefined) timer = setTimeout(resolve, options.timeoutMs);
  });
  // It is asked after the waiting has begun: an end in between is not missed.
  if (!isEnded((await store.processByKey(key))!.state)) await ended;
  stop();
  clearTimeout(timer);
  if (journal.failure !== undefined) throw journal.failure;
  const row = (await store.processByKey(key))!;
  const visible = table.get(key)?.visibleState ?? row.state;
  // An end that is not on the disk yet has no result to show, and is none yet.
  return { ...endingOf(row), state: isEnded(row.state) || isEnded(visible) ? row.state : visible };
}

export async function* follow(
  { store, journal }: Machine,
  key: ProcessKey,
  { after = -1, signal }: { after?: number; signal?: AbortSignal },
): AsyncGenerator<JournalRecord> {
  const fresh: JournalRecord[] = [];
  let wake: () => void = () => {};
  const stop = journal.watch(key, (records) => {
    for (const record of records) fresh.push(parseRecord(record.text));
    wake();
  });
  signal?.addEventListener("abort", () => wake(), { once: true });
  try {
    let seen = after;
    for (const { text } of await store.records(key, { after })) {
      const record = parseRecord(text);
      seen = record.seq;
      yield record;
    }
    for (;;) {
      for (let record = fresh.shift(); record !== undefined; record = fresh.shift()) {
        if (record.seq <= seen) continue;
        seen = record.seq;
        yield record;
      }
      const isOver = signal?.aborted === true || isEnded((await store.processByKey(key))!.state);
      if (fresh.length > 0) continue;
      if (isOver) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (fresh.length > 0 || signal?.aborted === true) resolve();
      });
    }
  } finally {
    stop();
  }
}
