// Erasures: what was removed from the history on request, as the signed rows say. Such a record keeps its hash, and an
// audit takes the text that it has now for the one that was written.
//
// ERASURES-1  An erasure counts if this kernel's key signed it. Where nodes share a store, signatures of other keys are
//     accepted; without a log every erasure counts.
// ERASURES-2  It accepts one text for a record, and no other.

import { SysError } from "@aos/protocol";
import { linkHash } from "../journal/chain.ts";
import { digestOf } from "../journal/codec.ts";
import type { Store } from "../store/contract.ts";
import { erasureText, type ErasureRow } from "../store/erasure.ts";
import type { ProcessRow, TenantKey } from "../store/rows.ts";
import type { AuditLog } from "./audit-log.ts";

export class Erasures {
  readonly rows: readonly ErasureRow[];
  readonly problems: readonly string[];
  readonly #records = new Map<string, string>();
  readonly #blobs = new Set<string>();
  readonly #results = new Map<string, string>();
  readonly runs: ReadonlySet<string>;

  constructor(rows: readonly ErasureRow[], problems: readonly string[] = []) {
    this.rows = rows;
    this.problems = problems;
    this.runs = new Set(rows.flatMap(({ items }) => items.runs));
    for (const { tenant, items } of rows) {
      for (const [hash, digest] of items.records) this.#records.set(hash, digest);
      for (const digest of items.blobs) this.#blobs.add(`${tenant} ${digest}`);
      for (const [pid, before, after] of items.results)
        this.#results.set(`${pid} ${before}`, after);
    }
  }

  /** The hash of a record after `previous`; another than `stored` where it is not what was written. */
  link(previous: string, text: string, stored: string): string {
    const hash = linkHash(previous, text);
    if (hash === stored || this.#records.size === 0) return hash;
    return this.#records.get(stored) === digestOf(text) ? stored : hash; // ERASURES-2
  }

  hasBlob(tenant: TenantKey, digest: string): boolean {
    return this.#blobs.has(`${tenant} ${digest}`);
  }

  /** What a signed result comes to after the erasures. */
  resultAfter(pid: string, signed: string): string {
    let digest = signed;
    for (let next = this.#results.get(`${pid} ${digest}`); next !== undefined;) {
      digest = next;
      next = this.#results.get(`${pid} ${digest}`);
    }
    return digest;
  }
}

/** ERASURES-1. */
export async function readErasures(
  store: Store,
  log: Pick<AuditLog, "isKept" | "isSigned">,
): Promise<Erasures> {
  const counted: ErasureRow[] = [];
  const problems: string[] = [];
  for (const row of await store.erasures()) {
    const isOurs = row.signature === null ? false : log.isSigned(erasureText(row), row.signature);
    if (!log.isKept || (isOurs ?? store.kind === "postgres")) counted.push(row);
    else problems.push(`the erasure ${row.key} was not signed as it is`);
  }
  return new Erasures(counted, problems);
}

/** Throws what `erasedPart` answers. */
export async function mustBeUnerased(store: Store, row: ProcessRow): Promise<void> {
  const erased = await erasedPart(store, row);
  if (erased !== undefined) throw erased;
}

/** EERASED where a run, or one whose history it shares, has lost a part of it. */
export async function erasedPart(
  store: Store,
  { pid, spec }: ProcessRow,
): Promise<SysError | undefined> {
  const rows = await store.erasures();
  if (rows.length === 0) return undefined;
  const origins = await Promise.all(
    (spec.forkedFrom?.origins ?? []).map((key) => store.processByKey(key)),
  );
  const line = new Set([pid, ...origins.flatMap((row) => row?.pid ?? [])]);
  const erasure = rows.find(({ items }) => items.runs.some((run) => line.has(run)));
  if (erasure === undefined) return undefined;
  const when = new Date(erasure.at).toISOString().slice(0, 10);
  return new SysError(
    "EERASED",
    `a part of the history of ${pid} was erased on ${when} by ${erasure.by}`,
    { hint: "`aos logs` shows what is left; it cannot be replayed, forked, retried or archived" },
  );
}
