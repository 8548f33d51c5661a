// The books of a store that no kernel has open, as the kernel's own reports read them: nothing is started,
// taken over or written.

import {
  parseRecord,
  processDetailOf,
  infoOf,
  lastEntries,
  composeKernel,
  pastRunOf,
  powerOfProcess,
} from "@aos/kernel/parts";
import { openStore, type StoreLocation } from "@aos/kernel/store";
import type { LedgerReport } from "@aos/protocol";
import type { Books } from "./history.ts";

export interface StoredBooks extends Books {
  ledger(): Promise<LedgerReport[]>;
  close(): Promise<void>;
}

/** A shell is read for its power only: it seals nothing and opens nothing. */
const NO_SAFE = {
  vault: { scrubber: () => ({ text: (text: string) => text }) },
  keys: [],
  rows: {},
};

export async function openBooks(where: StoreLocation): Promise<StoredBooks> {
  const store = await openStore(where);
  const parts = composeKernel(store, {}, NO_SAFE as never);
  const rowOf = (pid: string) => parts.directory.find(pid);
  return {
    list: async ({ limit = 1000 } = {}) =>
      (await store.processSummaries({ limit })).map((row) => infoOf(row, undefined, undefined)),
    show: async (pid) => processDetailOf(store, await rowOf(pid), undefined),
    journal: async (pid) =>
      (await store.records((await rowOf(pid)).key, { after: -1 })).map(({ text }) =>
        parseRecord(text),
      ),
    pastRun: async (pid) => pastRunOf(store, await rowOf(pid)),
    power: async (of) => powerOfProcess(parts, await rowOf("pid" in of ? of.pid : "")),
    ledger: () => lastEntries(store, 10_000),
    close: () => store.close(),
  };
}
