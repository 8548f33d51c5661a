// Store integrity: which processes are held because the store has lost data, and how they are released.
//
// STORE-INTEGRITY-1  A tree with lost records does not run until an operator has accepted the loss.
// STORE-INTEGRITY-2  Lost external effects are then in doubt: a person is asked about every external call of the tree
//     that takes a sequence number used before, and about as many more as are known to be lost.
// STORE-INTEGRITY-3  The acceptance, with the person, is in the ledger and in the signed log. Until it is in both,
//     the tree is held.

import { SysError, type ProcessInfo, type StoreReport } from "@aos/protocol";
import { hexOf } from "../journal/chain.ts";
import type { Journal } from "../journal/journal.ts";
import { readLedgerEntry, type Ledger } from "../journal/ledger.ts";
import type { LoggedIntent } from "./intent-log.ts";
import type { Process } from "../process/process.ts";
import type { StoredEnd, Store } from "../store/contract.ts";
import type { ProcessKey, ProcessRow } from "../store/rows.ts";
import type { AuditLog, LoggedHead } from "./audit-log.ts";
import { removedRuns } from "./removed-runs.ts";
import { compareStore, GONE, treesOf, type StoreRollback } from "./store-comparison.ts";

/** A database that is larger is not looked through at a start. */
const QUICK_CHECK_BYTES = 64 * 1024 * 1024;
const MOST_PROBLEMS = 1000;
const ACCEPTED = "store.accept";
const SETTLED = "store.settled";

interface Parts {
  readonly journal: Journal<Store>;
  readonly ledger: Ledger;
  readonly audit: () => AuditLog;
  readonly trouble: (what: string, error: unknown) => void;
  /** A process may go on. */
  readonly wake: (key: ProcessKey) => void;
  /** A loss was accepted: what was in doubt because of it is looked at again. */
  readonly accepted: () => Promise<void>;
}

/** Of one tree. */
interface Loss {
  readonly root: string;
  readonly upTo: ReadonlyMap<string, number>;
  /** External effects that were begun and are not in the store. */
  intents: number;
}

export class StoreIntegrity {
  readonly #parts: Parts;
  #heads = 0;
  #setbacks: readonly StoreRollback[] = [];
  #trees = new Map<ProcessKey, readonly StoreRollback[]>();
  #noted: ReadonlyMap<string, readonly LoggedIntent[]> = new Map();
  /** By process: why it does not run. */
  readonly #held = new Map<ProcessKey, { readonly pid: string; readonly why: string }>();
  readonly #losses = new Map<ProcessKey, Loss>();
  #damage: string[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** At boot, before anything is claimed or logged. */
  async begin(
    bundles: AsyncIterable<readonly LoggedHead[]>,
    noted: ReadonlyMap<string, readonly LoggedIntent[]>,
  ): Promise<void> {
    const { store } = this.#parts.journal;
    this.#noted = noted;
    await this.#mustBeWhole();
    await this.#readLosses();
    try {
      const { pids } = await removedRuns(store, this.#parts.audit());
      const { heads, setbacks } = await compareStore(store, bundles, noted, pids);
      this.#heads = heads;
      this.#setbacks = setbacks;
    } catch (error) {
      this.#damage.push(`the signed log cannot be read: ${(error as Error).message}`);
    }
    const ends = this.#setbacks.length === 0 ? [] : await store.chainEnds();
    this.#trees = treesOf(this.#setbacks, noted, ends);
    this.#hold(ends);
    await this.#holdIncomplete();
    if (this.isSound) return;
    this.#parts.trouble(
      this.summary!,
      new SysError("ECORRUPT", "the store went backwards", {
        hint: "run `aos store` to see what is missing and what to do",
      }),
    );
  }

  get isSound(): boolean {
    return this.#setbacks.length === 0 && this.#held.size === 0 && this.#damage.length === 0;
  }

  /** In a sentence; undefined while there is nothing to say. */
  get summary(): string | undefined {
    if (this.isSound) return undefined;
    const missing = this.#setbacks.filter(({ kind }) => kind === "missing").length;
    const parts = [
      this.#held.size === 0 ? [] : [`${this.#held.size} processes are blocked`],
      missing === 0 ? [] : [`${missing} are gone`],
      this.#damage.slice(0, 1),
    ].flat();
    const what = this.#setbacks.length > 0 ? "the store has lost commits" : "the store is damaged";
    return `${what}: ${parts.join(", ")}; see \`aos store\``;
  }

  /** STORE-INTEGRITY-1. Why a process may not be loaded. */
  heldWhy(key: ProcessKey): string | undefined {
    return this.#held.get(key)?.why;
  }

  isHeldPid(pid: string): boolean {
    return this.#setbacks.some((setback) => setback.pid === pid);
  }

  /** STORE-INTEGRITY-2. Whether this external call may have been begun before the store lost it. */
  wasBegun({ pid, seq, row: { root } }: Process): boolean {
    if (this.#losses.size === 0) return false;
    const loss = this.#losses.get(root);
    if (loss === undefined) return false;
    if (seq >= (loss.upTo.get(pid) ?? -1) && loss.intents === 0) return false;
    loss.intents = Math.max(0, loss.intents - 1);
    if (loss.intents === 0)
      this.#parts.ledger.add({ by: "kernel", what: SETTLED, detail: { root: loss.root } });
    return true;
  }

  /** One whose rows are not what its history says stands still as well. */
  async holdUnless({ key, pid, row }: Process, proving: Promise<void>): Promise<void> {
    try {
      await proving;
    } catch (error) {
      if (error instanceof SysError && error.code === "ECORRUPT") {
        this.#members.set(key, row.root);
        this.#held.set(key, { pid, why: error.message });
      }
      throw error;
    }
  }

  /** What a later look has found. */
  damaged(problems: readonly string[]): void {
    const fresh = problems.filter((problem) => !this.#damage.includes(problem));
    this.#damage = [...this.#damage, ...fresh].slice(0, MOST_PROBLEMS);
    for (const problem of fresh)
      this.#parts.trouble(`the store is damaged: ${problem}`, new SysError("ECORRUPT", problem));
  }

  report(): StoreReport {
    const { store } = this.#parts.journal;
    return {
      ok: this.isSound,
      store: store.name,
      heads: this.#heads,
      summary: this.summary ?? null,
      held: [...this.#held.values()].map(({ pid, why }) => ({ pid, why })),
      lost: this.#setbacks.map(({ pid, known, stored, kind }) => ({ pid, known, stored, kind })),
      damage: [...this.#damage],
    };
  }

  /** One that is held stands still, whatever its row says. */
  shown<T extends ProcessInfo>(row: Pick<ProcessRow, "key" | "endedAt">, info: T): T {
    const held = row.endedAt === null ? this.heldWhy(row.key) : undefined;
    return held === undefined ? info : { ...info, state: "paused", waitingOn: null, held };
  }

  /** STORE-INTEGRITY-3. Lets all that is held go on, or the trees of these processes. */
  async accept(
    by: string,
    pids?: readonly string[],
  ): Promise<StoreReport & { readonly released: number }> {
    const { journal, ledger, audit, wake } = this.#parts;
    const isMeant = this.#chosen(pids);
    const going = [...this.#held].filter(([key, { pid }]) => isMeant(key, pid));
    const accepted = new Set(
      this.#setbacks.filter(({ pid, end }) => isMeant(end?.root ?? -1, pid)),
    );
    for (const [root, setbacks] of this.#trees) {
      if (!setbacks.some((setback) => accepted.has(setback))) continue;
      const loss = this.#lossOf(root, setbacks);
      const upTo = Object.fromEntries(loss.upTo);
      const detail = { key: root, root: loss.root, upTo, intents: loss.intents };
      ledger.add({ by, what: ACCEPTED, detail });
      this.#losses.set(root, loss);
    }
    ledger.add({
      by,
      what: "store.accepted",
      detail: { lost: [...accepted].map(({ pid }) => pid) },
    });
    await journal.durable();
    await audit().accepting(
      [...accepted].map(({ pid, end }) =>
        end === undefined ? { pid, ...GONE } : { pid, seq: end.seq, hash: hexOf(end.hash) },
      ),
    );
    this.#setbacks = this.#setbacks.filter((setback) => !accepted.has(setback));
    for (const [key] of going) this.#held.delete(key);
    if (pids === undefined) this.#damage = [];
    await this.#parts.accepted();
    for (const [key] of going) wake(key);
    return { ...this.report(), released: going.length };
  }

  #chosen(pids: readonly string[] | undefined): (key: ProcessKey, pid: string) => boolean {
    if (pids === undefined) return () => true;
    const known = new Set([...this.#held.values(), ...this.#setbacks].map(({ pid }) => pid));
    const stranger = pids.find((pid) => !known.has(pid));
    if (stranger !== undefined) throw new SysError("ENOENT", `${stranger} is not held`);
    const trees = new Set(
      [...this.#held].flatMap(([key, { pid }]) => (pids.includes(pid) ? [key] : [])),
    );
    const roots = new Set(
      [...this.#trees].flatMap(([root, setbacks]) =>
        trees.has(root) || setbacks.some(({ pid }) => pids.includes(pid)) ? [root] : [],
      ),
    );
    const members = new Set(
      [...this.#members].flatMap(([key, root]) => (roots.has(root) ? [key] : [])),
    );
    return (key, pid) => pids.includes(pid) || members.has(key) || roots.has(key);
  }

  /** The tree of each process that is held. */
  readonly #members = new Map<ProcessKey, ProcessKey>();

  #lossOf(root: ProcessKey, setbacks: readonly StoreRollback[]): Loss {
    const lost = setbacks.flatMap(({ pid, stored }) =>
      (this.#noted.get(pid) ?? []).filter(({ seq }) => seq > stored),
    );
    return {
      root: this.#held.get(root)?.pid ?? setbacks[0]!.pid,
      upTo: new Map(setbacks.map(({ pid, known }) => [pid, known])),
      intents: lost.length,
    };
  }

  #hold(ends: readonly StoredEnd[]): void {
    for (const { key, pid, root, isEnded } of ends) {
      const setbacks = this.#trees.get(root);
      if (setbacks === undefined || isEnded) continue;
      const own = setbacks.find((setback) => setback.pid === pid);
      this.#members.set(key, root);
      this.#held.set(key, {
        pid,
        why:
          own === undefined
            ? `the store has lost records of its tree (${setbacks[0]!.pid})`
            : `the store has its records up to ${own.stored}, and record ${own.known} was written`,
      });
    }
  }

  async #holdIncomplete(): Promise<void> {
    const { store } = this.#parts.journal;
    for (const { process, digest } of await store.missingBlobs()) {
      const row = await store.processByKey(process);
      if (row === undefined || this.#held.has(process)) continue;
      this.#members.set(process, row.root);
      this.#held.set(process, { pid: row.pid, why: `the value ${digest} of its journal is gone` });
    }
  }

  /** Damaged pages are no ground to stand on: nothing is started on them. */
  async #mustBeWhole(): Promise<void> {
    const { store } = this.#parts.journal;
    const problems = await store.quickCheck(QUICK_CHECK_BYTES);
    if (problems === undefined || problems.length === 0) return;
    throw new SysError("ESTORE", `${store.name} is damaged: ${problems[0]}`, {
      hint: "restore a backup; readable data can be copied out with `sqlite3 aos.db .recover`",
      detail: problems.join("; "),
    });
  }

  async #readLosses(): Promise<void> {
    const { store } = this.#parts.journal;
    const settled = new Set(
      (await store.ledgerOf(SETTLED)).map(
        (row) => (readLedgerEntry(row).detail as { root: string }).root,
      ),
    );
    for (const row of await store.ledgerOf(ACCEPTED)) {
      const { key, root, upTo, intents } = readLedgerEntry(row).detail as unknown as Accepted;
      this.#losses.set(key, {
        root,
        upTo: new Map(Object.entries(upTo)),
        intents: settled.has(root) ? 0 : intents,
      });
    }
  }
}

interface Accepted {
  readonly key: ProcessKey;
  readonly root: string;
  readonly upTo: Readonly<Record<string, number>>;
  readonly intents: number;
}
