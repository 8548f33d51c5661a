// Attach: follows a process live: its records as they become durable and, in between, its streamed output.
//
// ATTACH-1  A record is delivered once, when it is durable, in journal order.
// ATTACH-3  Records of other nodes are delivered too: where there may be other nodes, the store is polled, at most
//     MAX_LOOK_MS apart.
// ATTACH-2  Streamed output is provisional. For a slow reader it is merged into larger pieces instead of being
//     buffered in small ones.

import { isEnded, type JournalRecord } from "@aos/protocol";
import type { LiveProgress } from "../bus/live-feed.ts";
import { parseRecord } from "../journal/record-text.ts";
import type { ProcessKey } from "../store/rows.ts";
import type { KernelParts } from "./kernel-parts.ts";
import { whenAborted } from "./hold-open.ts";

export type AttachEvent = { readonly record: JournalRecord } | { readonly progress: LiveProgress };

const FIRST_LOOK_MS = 25;
const MAX_LOOK_MS = 400;

export interface AttachOptions {
  readonly after?: number;
  readonly signal?: AbortSignal;
}

export async function* attach(
  { store, journal, live, table }: Pick<KernelParts, "store" | "journal" | "live" | "table">,
  key: ProcessKey,
  { after = -1, signal, isQuiet = false }: AttachOptions & { readonly isQuiet?: boolean },
): AsyncGenerator<AttachEvent> {
  const fresh: AttachEvent[] = [];
  let wake: () => void = () => {};
  const tell = (happening: AttachEvent) => {
    fresh.push(happening);
    wake();
  };
  /** ATTACH-3. While it is in memory here, no other node writes its records. */
  const isElsewhere = () => store.kind === "postgres" && table.get(key) === undefined;
  const stops = [
    journal.watch(key, (records) => {
      for (const { text } of records) tell({ record: parseRecord(text) });
    }),
    isQuiet
      ? () => {}
      : live.watch(key, (progress) => {
          if (!joined(fresh, progress)) tell({ progress: progress });
        }),
  ];
  stops.push(whenAborted([signal], () => wake()));
  try {
    let seen = after;
    let lookMs = FIRST_LOOK_MS;
    const unseen = async () => {
      const written = (await store.records(key, { after: seen })).map(({ text }) =>
        parseRecord(text),
      );
      seen = written.at(-1)?.seq ?? seen;
      lookMs = written.length > 0 ? FIRST_LOOK_MS : Math.min(lookMs * 2, MAX_LOOK_MS);
      return written.map((record) => ({ record }));
    };
    yield* await unseen();
    for (;;) {
      if (isElsewhere()) yield* await unseen();
      for (let next = fresh.shift(); next !== undefined; next = fresh.shift()) {
        if ("record" in next && next.record.seq <= seen) continue; // ATTACH-1
        if ("record" in next && next.record.seq > seen + 1) {
          yield* await unseen(); // it came here from another node, with what that has written
          continue;
        }
        if ("record" in next) seen = next.record.seq;
        yield next;
      }
      const isOver =
        signal?.aborted === true || isEnded((await store.processByKey(key))?.state ?? "completed");
      if (fresh.length > 0) continue;
      if (isOver && isElsewhere()) yield* await unseen();
      if (isOver) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (fresh.length > 0 || signal?.aborted === true) resolve();
        else if (isElsewhere()) timer = setTimeout(resolve, lookMs);
      });
      clearTimeout(timer);
    }
  } finally {
    for (const stop of stops) stop();
  }
}

/** ATTACH-2. Puts a piece to the one before it, where that waits and is of the same words. */
function joined(waiting: AttachEvent[], { n, kind, text }: LiveProgress): boolean {
  const last = waiting.at(-1);
  if (last === undefined || !("progress" in last)) return false;
  const { progress } = last;
  if (progress.n !== n || progress.kind !== kind) return false;
  waiting[waiting.length - 1] = { progress: { ...progress, text: progress.text + text } };
  return true;
}
