// Feed: the records of all processes as they become durable.
//
//   recorded({after})   the records written after a record, in write order, up to now
//   followAll({after?})    the same, and then new ones, until the signal
//
// FEED-1  A record is delivered once, when it is durable, in write order. A reader that continues after a record
//     misses none and gets none twice, also after a restart.
// FEED-2  Continuing after a removed record is a failure, not a gap.

import { SysError, type FeedEvent, type ProcessId } from "@aos/protocol";
import type { FeedCursor } from "../api.ts";
import { parseRecord } from "../journal/record-text.ts";
import type { Extension } from "../store/contract.ts";
import type { ProcessKey } from "../store/rows.ts";
import type { KernelParts } from "./kernel-parts.ts";
import { whenAborted } from "./hold-open.ts";

const PAGE = 500;
const MOST_KNOWN = 10_000;

type Parts = Pick<KernelParts, "store" | "journal" | "directory" | "table">;

interface Named {
  readonly pid: ProcessId;
  readonly tenant: string;
  readonly tree: ProcessId;
}

/** FEED-1, up to now. */
export async function* recorded(parts: Parts, after: FeedCursor): AsyncGenerator<FeedEvent> {
  const { store, journal, directory } = parts;
  await journal.durable();
  const { key } = await directory.find(after.pid);
  let place = await store.placeOf(key, after.seq);
  if (place === undefined) throw notKept(after);
  const names = new Names(parts);
  for (;;) {
    const page = await store.writtenAfter(place, PAGE);
    for (const { process, text } of page) {
      const named = await names.of(process);
      if (named !== undefined) yield { ...named, record: parseRecord(text) };
    }
    if (page.length < PAGE) return;
    place = page.at(-1)!.place;
  }
}

export async function* followAll(
  parts: Parts,
  { after, signal }: { after?: FeedCursor; signal?: AbortSignal },
): AsyncGenerator<FeedEvent> {
  const fresh: Extension[] = [];
  const names = new Names(parts);
  let wake: () => void = () => {};
  const stop = parts.journal.watchAll((extension) => {
    names.learn(extension.process);
    fresh.push(extension);
    wake();
  });
  const stopListening = whenAborted([signal], () => wake());
  // What is both in the journal and in what came meanwhile is told once.
  const told = new Map<string, number>();
  try {
    if (after !== undefined) {
      for await (const event of recorded(parts, after)) {
        told.set(event.pid, event.record.seq);
        yield event;
      }
      told.set(after.pid, Math.max(after.seq, told.get(after.pid) ?? -1));
    }
    for (;;) {
      for (let next = fresh.shift(); next !== undefined; next = fresh.shift()) {
        const named = await names.of(next.process);
        for (const [nth, { text }] of next.records.entries()) {
          if (named === undefined || next.firstSeq + nth <= (told.get(next.pid) ?? -1)) continue;
          yield { ...named, record: parseRecord(text) };
        }
      }
      if (signal?.aborted === true) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (fresh.length > 0 || signal?.aborted === true) resolve();
      });
    }
  } finally {
    stop();
    stopListening();
  }
}

/** Whose record it is; of each process it is looked up once. */
class Names {
  readonly #parts: Parts;
  #known = new Map<ProcessKey, Named>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Without the store, as long as it is in memory. */
  learn(key: ProcessKey): void {
    if (this.#known.has(key)) return;
    const { table } = this.#parts;
    const loaded = table.get(key);
    const tree = loaded === undefined ? undefined : table.get(loaded.row.root)?.pid;
    if (loaded === undefined || tree === undefined) return;
    this.#remember(key, { pid: loaded.pid, tenant: loaded.tenantName, tree });
  }

  #remember(key: ProcessKey, named: Named): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(key, named);
  }

  async of(key: ProcessKey): Promise<Named | undefined> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { store } = this.#parts;
    const row = await store.processByKey(key);
    if (row === undefined) return undefined;
    const root = row.root === key ? row : await store.processByKey(row.root);
    const named = {
      pid: row.pid as ProcessId,
      tenant: await store.tenantName(row.tenant),
      tree: (root?.pid ?? row.pid) as ProcessId,
    };
    this.#remember(key, named);
    return named;
  }
}

/** FEED-2. */
const notKept = ({ pid, seq }: FeedCursor): SysError =>
  new SysError("ENOENT", `record ${seq} of ${pid} is not kept`, {
    hint: "read the present state, and follow from now on",
  });
