// The kernel's methods about the ledger: what people did, with who did it.

import type { Json, LedgerReport } from "@aos/protocol";
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
      return ledger.list(limit);
    },
  };
}
