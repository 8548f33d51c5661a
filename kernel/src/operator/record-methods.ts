// The kernel's methods about records: the journal of a process, and what all processes do.

import type { FeedEvent, JournalRecord, OperationAnswer } from "@aos/protocol";
import type { FeedCursor } from "../api.ts";
import { parseRecord } from "../journal/record-text.ts";
import { attach } from "./attach.ts";
import { followAll, recorded } from "./feed.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { OpenKernel } from "./open-kernel.ts";
import { followProcess } from "./watch.ts";

type Following = { readonly after?: number; readonly signal?: AbortSignal };

export interface RecordMethods {
  journal(pid: string, options?: { after?: number; limit?: number }): Promise<JournalRecord[]>;
  /** The records as they become durable, to the end of the process. */
  watch(pid: string, options?: Following): AsyncIterable<JournalRecord>;
  /** The same and, between them, what is being said: that is provisional, and is kept nowhere. */
  attach(pid: string, options?: Following): AsyncIterable<OperationAnswer<"attach">>;
  /** What all processes did after a record, in the order in which it was written, to now. */
  recorded(after: FeedCursor): AsyncIterable<FeedEvent>;
  /** The same, and then what they do, as it becomes durable; from now on where no record is given. */
  follow(options?: { after?: FeedCursor; signal?: AbortSignal }): AsyncIterable<FeedEvent>;
}

export const recordReach = {
  journal: "process",
  watch: "stream",
  attach: "stream",
  recorded: "own",
  follow: "own",
} as const satisfies Record<keyof RecordMethods, MethodReach>;

export function recordMethods(parts: KernelParts, open: OpenKernel): RecordMethods {
  return {
    async journal(pid, { after = -1, limit = Infinity } = {}) {
      const { key } = await open.find(pid);
      const rows = await parts.store.records(key, { after, upTo: after + limit });
      return rows.map((row) => parseRecord(row.text));
    },
    async *watch(pid, options = {}) {
      yield* followProcess(parts, (await open.find(pid)).key, options);
    },
    async *attach(pid, options = {}) {
      yield* attach(parts, (await open.find(pid)).key, options);
    },
    recorded: (after) => recorded(parts, after),
    follow: (options = {}) => followAll(parts, options),
  };
}
