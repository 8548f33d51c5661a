// The kernel's methods about the ledger: what people did, with who did it.

import type { Json, LedgerReport } from "@aos/protocol";
import { readLedgerEntry } from "../journal/ledger.ts";
import type { Store } from "../store/contract.ts";
import type { LedgerRow } from "../store/rows.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { OpenKernel } from "./open-kernel.ts";

/** Durable when it resolves. */
export type EnterInLedger = (what: string, by: string, detail: Json) => Promise<void>;

export interface LedgerMethods {
  /** Enters an action outside the kernel, e.g. a new access token; durable when it resolves. */
  readonly enter: EnterInLedger;
  /** What people did, newest last. */
  ledger(options?: { limit?: number }): Promise<LedgerReport[]>;
}

export const ledgerReach = {
  enter: "all",
  ledger: "all",
} as const satisfies Record<keyof LedgerMethods, MethodReach>;

/** As people are shown it. */
function shownEntry(row: LedgerRow): LedgerReport {
  const { node, seq, at, by, what, detail } = readLedgerEntry(row);
  return { node, seq, at: new Date(at).toISOString(), by, what, detail };
}

/** The last entries of all nodes, newest last. */
export const lastEntries = async (
  store: Pick<Store, "ledgerTail">,
  limit: number,
): Promise<LedgerReport[]> => (await store.ledgerTail(limit)).map(shownEntry).reverse();

export function ledgerMethods({ ledger, journal }: KernelParts, open: OpenKernel): LedgerMethods {
  return {
    enter: async (what, by, detail) => {
      open.mustBeOpen();
      ledger.add({ what, by, detail });
      await journal.durable();
    },
    async ledger({ limit = 1000 } = {}) {
      open.mustBeOpen();
      await journal.durable();
      return lastEntries(journal.store, limit);
    },
  };
}
