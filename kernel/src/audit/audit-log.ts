// AuditLog: the ends of the chains, logged outside the database under signed tree heads. A chain alone does not
// reveal that its tail was cut; the log does, up to the last signature.
//
// AUDIT-LOG-1  Every chain that grew is logged within about a second, and at a clean stop.
// AUDIT-LOG-2  A history is removed only after the log has an entry about it: without the key nobody can disguise a
//     deletion as retention.
// AUDIT-LOG-3  The ledger records the existence of a log once its first head is signed. A log that is then missing is
//     recorded in the ledger too and found by every audit: older data could have been changed.
// AUDIT-LOG-4  Before anything is logged or claimed, the store is compared with the log. Lost data is not logged
//     again: the log continues only after an operator has accepted the loss.

import { verify } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { hexOf } from "../journal/chain.ts";
import type { Journal } from "../journal/journal.ts";
import type { Store } from "../store/contract.ts";
import { ledgerPid, type Ledger } from "../journal/ledger.ts";
import { TransparencyLog } from "../tlog/log.ts";
import { parseVerifierKey, type NoteKey } from "../tlog/signed-note.ts";
import { loadOrCreateSigner, type Signer } from "../tlog/signer.ts";
import { verifyLog, type LogFinding } from "../tlog/verify-log.ts";
import { IntentLog } from "./intent-log.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { StoreIntegrity } from "./store-integrity.ts";

const PUBLISH_EVERY_MS = 1000;
/** Chains that grew so shortly before the last head may have missed it. */
const MARGIN_MS = 10_000;
/** In the ledger: there is a signed log from now on; and, there was one, and it is gone. */
const LOG_KEPT = "log.kept";
export const LOG_LOST = "log.lost";
const LOG_NAME = "agent-os/journal";

export interface LoggedHead {
  readonly pid: string;
  readonly seq: number;
  readonly hash: string;
  /** Its history was removed by retention; this was its end. */
  readonly compacted?: true;
  /** Then the digest of all else that is kept of it. */
  readonly result?: string;
  /** An operator has accepted that it ends here: what was logged of it before counts no more. */
  readonly accepted?: true;
}

interface Parts {
  readonly journal: Journal<Store>;
  readonly ledger: Ledger;
  readonly folder: string | undefined;
  readonly keyFile: string | undefined;
  readonly integrity: StoreIntegrity;
  readonly table: ProcessTable;
  readonly trouble: (what: string, error: unknown) => void;
}

export class AuditLog {
  readonly #parts: Parts;
  #log: TransparencyLog | undefined;
  #signer: Signer | undefined;
  #key: NoteKey | undefined;
  #witness: IntentLog | undefined;
  #timer: NodeJS.Timeout | undefined;
  #publishing: Promise<void> = Promise.resolve();
  /** The ledger has it that there is a log. */
  #isSaid = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async open(): Promise<void> {
    const { folder, journal, ledger, integrity } = this.#parts;
    await ledger.open((text) => this.sign(text));
    if (folder === undefined) return;
    const keyFile = this.#parts.keyFile ?? join(folder, "..", "audit.key");
    this.#signer = await loadOrCreateSigner(keyFile, LOG_NAME);
    this.#key = parseVerifierKey(this.#signer.verifierKey);
    const signedAt = await stat(join(folder, "checkpoint")).then(
      (file) => Math.floor(file.mtimeMs),
      () => MARGIN_MS,
    );
    this.#log = await TransparencyLog.open(folder, this.#signer);
    await this.#missTheLost(this.#log);
    this.#witness = new IntentLog(`${folder}.intents`);
    await integrity.begin(headsIn(this.#log.bundlesBackwards()), this.#witness.read());
    journal.keepGrown = true;
    journal.onIntents = (intents) => this.#note(intents);
    const missed = await journal.store.grownSince(signedAt - MARGIN_MS);
    const ledgers = await journal.store.ledgersGrownSince(signedAt - MARGIN_MS);
    const ends = [
      ...missed.map(({ pid, seq, hash }) => ({ pid, seq, hash: hexOf(hash) })),
      ...ledgers.map(({ node, seq, hash }) => ({ pid: ledgerPid(node), seq, hash: hexOf(hash) })),
    ];
    this.#append(ends.filter(({ pid }) => !integrity.isHeldPid(pid))); // AUDIT-LOG-4
    this.#timer = setInterval(() => {
      this.publish().catch((error: unknown) =>
        this.#parts.trouble("the audit log could not be published", error),
      );
    }, PUBLISH_EVERY_MS);
    this.#timer.unref();
  }

  /** For an audit alone: nothing is compared, logged or signed. */
  async openToRead(): Promise<void> {
    const { folder, keyFile } = this.#parts;
    if (folder === undefined) return;
    this.#signer = await loadOrCreateSigner(keyFile ?? join(folder, "..", "audit.key"), LOG_NAME);
    this.#key = parseVerifierKey(this.#signer.verifierKey);
    this.#log = await TransparencyLog.open(folder, this.#signer);
    this.#isSaid = true;
  }

  /** Publishes, and then does something while the files of the log stay as they are. */
  async whileStill(work: () => Promise<void>): Promise<void> {
    await this.publish();
    const still = this.#publishing.catch(() => {}).then(work);
    this.#publishing = still;
    await still;
  }

  /** AUDIT-LOG-3. Where nodes share a store each has a log of its own, and a new one has none yet. */
  async #missTheLost({ size }: TransparencyLog): Promise<void> {
    const { store } = this.#parts.journal;
    this.#isSaid = store.kind !== "sqlite" || (await store.ledgerHas(LOG_KEPT));
    if (size === 0 && this.#isSaid && store.kind === "sqlite") this.#say(LOG_LOST);
  }

  #say(what: string): void {
    this.#parts.ledger.add({ by: "kernel", what, detail: {} });
  }

  /** Signs all that is durable now. */
  publish(): Promise<void> {
    const log = this.#log;
    if (log === undefined) return Promise.resolve();
    const grown = [...this.#parts.journal.takeGrown().values()];
    this.#append(grown);
    this.#append(this.#parts.ledger.takeGrown());
    this.#publishing = this.#publishing
      .catch(() => {})
      .then(() => {
        this.#witness?.sync();
        return log.publish();
      })
      .then(() => {
        if (log.size === 0 || this.#isSaid) return;
        this.#isSaid = true;
        this.#say(LOG_KEPT);
      });
    return this.#publishing;
  }

  /** AUDIT-LOG-2: to be awaited before anything is removed. */
  async compacting(
    heads: readonly { pid: string; seq: number; hash: string; result: string }[],
  ): Promise<void> {
    this.#append(
      heads.map(({ pid, seq, hash, result }) => ({ pid, seq, hash, compacted: true, result })),
    );
    await this.publish();
  }

  /** Ends from which processes go on after the store has lost what came after them. */
  async accepting(ends: readonly { pid: string; seq: number; hash: string }[]): Promise<void> {
    this.#append(ends.map(({ pid, seq, hash }) => ({ pid, seq, hash, accepted: true })));
    await this.publish();
    for (const { pid, seq } of ends) this.#witness?.accepted(pid, seq);
  }

  #note(intents: readonly { key: number; pid: string; seq: number }[]): void {
    const { table } = this.#parts;
    const rootOf = (key: number, pid: string) => {
      const root = table.get(key)?.row.root;
      return (root === undefined ? undefined : table.get(root)?.pid) ?? pid;
    };
    this.#witness?.note(intents.map(({ key, pid, seq }) => ({ pid, seq, root: rootOf(key, pid) })));
  }

  /** The key's id and its signature; null where no log is kept. */
  sign(text: string): string | null {
    if (this.#signer === undefined || this.#key === undefined) return null;
    const signature = Buffer.from(this.#signer.sign(Buffer.from(text))).toString("base64");
    return `${hexOf(this.#key.id)}:${signature}`;
  }

  /** Undefined where another key signed it. */
  isSigned(text: string, signature: string): boolean | undefined {
    const [id, bytes = ""] = signature.split(":");
    if (this.#key === undefined || id !== hexOf(this.#key.id)) return undefined;
    return verify(null, Buffer.from(text), this.#key.publicKey, Buffer.from(bytes, "base64"));
  }

  /** Null where no log is kept. */
  get verifierKey(): string | null {
    return this.#signer?.verifierKey ?? null;
  }

  get isKept(): boolean {
    return this.#log !== undefined;
  }

  get size(): number {
    return this.#log?.size ?? 0;
  }

  /** From this place on. */
  async *heads(from = 0): AsyncGenerator<LoggedHead> {
    if (this.#log === undefined) return;
    for await (const { data } of this.#log.entries(from)) yield headOf(data);
  }

  async findings(): Promise<LogFinding[]> {
    if (this.#signer === undefined || this.#parts.folder === undefined) return [];
    return verifyLog(this.#parts.folder, this.#signer.verifierKey);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.publish();
    await this.#parts.journal.durable();
    await this.#log?.close();
  }

  /**
   * Without a last head: the store has failed, and what is durable is known at the next start. The files
   * are another's from then on. After `close` there is only the file of intents left to close.
   */
  async abandon(): Promise<void> {
    clearInterval(this.#timer);
    this.#parts.journal.onIntents = undefined;
    this.#log = undefined;
    await this.#publishing.catch(() => {});
    try {
      this.#witness?.close();
    } catch (error) {
      this.#parts.trouble("the file of intents could not be closed", error);
    }
    this.#witness = undefined;
  }

  #append(heads: readonly LoggedHead[]): void {
    this.#log?.append(heads.map((head) => Buffer.from(JSON.stringify(head))));
  }
}

const headOf = (data: Uint8Array): LoggedHead =>
  JSON.parse(Buffer.from(data).toString("utf8")) as LoggedHead;

async function* headsIn(bundles: AsyncIterable<Uint8Array[]>): AsyncGenerator<LoggedHead[]> {
  for await (const bundle of bundles) yield bundle.map(headOf);
}
