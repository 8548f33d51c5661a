// Signed ledger: which entries of the ledger count, and the last entry about each setting.
//
// SIGNED-LEDGER-1  An entry counts if this kernel's key signed it. Where nodes share a store, signatures of other
//     keys are accepted.
// SIGNED-LEDGER-2  The last entry about a subject decides. If its signature is invalid, the subject is in doubt; an
//     earlier entry does not replace it.
// SIGNED-LEDGER-3  While the ledger does not match the signed log, every subject is in doubt: the last entry may have
//     been removed.
//
// Without a log there is no key, and nothing is compared.

import type { Json } from "@aos/protocol";
import { entryText, readLedgerEntry, type LedgerEntry } from "../journal/ledger.ts";
import type { LatestEntry, LatestEntries } from "../options.ts";
import type { Store } from "../store/contract.ts";
import type { AuditLog } from "./audit-log.ts";

interface Parts {
  readonly store: Store;
  readonly audit: () => Pick<AuditLog, "isKept" | "isSigned">;
  /** Whether every entry of the ledger that was logged is there. */
  readonly isWhole: () => boolean;
}

export class SignedLedger {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isKept(): boolean {
    return this.#parts.audit().isKept;
  }

  /** SIGNED-LEDGER-1. */
  async entries(what: string): Promise<LedgerEntry[]> {
    const entries = (await this.#parts.store.ledgerOf(what)).map(readLedgerEntry);
    return this.isKept ? entries.filter((entry) => this.#counts(entry)) : entries;
  }

  isOurs(text: string, signature: string | null): boolean {
    const { store, audit } = this.#parts;
    if (signature === null) return false;
    return audit().isSigned(text, signature) ?? store.kind === "postgres";
  }

  /** SIGNED-LEDGER-2, SIGNED-LEDGER-3. Of entries of these kinds; undefined where no log is kept. */
  async lastWords(
    kinds: readonly string[],
    subjectOf: (detail: Json) => string,
  ): Promise<LatestEntries | undefined> {
    const { store, isWhole } = this.#parts;
    if (!this.isKept) return undefined;
    const rows = await Promise.all(kinds.map((kind) => store.ledgerOf(kind)));
    const last = new Map<string, LedgerEntry & LatestEntry>();
    for (const entry of rows.flat().map(readLedgerEntry).toSorted(inOrder)) {
      const subject = subjectOf(entry.detail);
      last.set(subject, { ...entry, since: last.get(subject)?.at ?? 0 });
    }
    const isComplete = isWhole();
    return {
      subjects: [...last.keys()],
      of: (subject) => last.get(subject),
      doubtOf: (subject) => {
        if (!isComplete) return "the ledger is not what was signed: see `aos store`";
        const entry = last.get(subject);
        return entry === undefined || this.#counts(entry)
          ? undefined
          : "the last entry of the ledger about it was not signed by this kernel";
      },
    };
  }

  #counts(entry: LedgerEntry): boolean {
    return this.isOurs(entryText(entry), entry.signature ?? null);
  }
}

/** The entries of one node have their own order; those of several go by their times. */
const inOrder = (a: LedgerEntry, b: LedgerEntry): number =>
  a.node === b.node ? a.seq - b.seq : a.at - b.at;
