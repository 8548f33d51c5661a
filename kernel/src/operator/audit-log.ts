// AuditLog: the ends of the chains, logged apart from the database under signed tree heads. A chain
// alone does not show that its tail was cut; the log does, for all that it has signed.
//
// L1  Every chain that grew is logged within about a second, and at a clean stop.
// L2  A history is removed only after the log says that it was: nobody without the key can pass a
//     deletion off as retention.
// L3  That there is a log is in the ledger once the first head is signed. A log that is then not there
//     is said in the ledger, too, and found by every audit: what is older could have been changed.

import { verify } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { hexOf } from "../journal/chain.ts";
import type { Journal } from "../journal/journal.ts";
import { ledgerPid, type Ledger } from "../journal/ledger.ts";
import { TransparencyLog } from "../journal/tlog/log.ts";
import { parseVerifierKey, type NoteKey } from "../journal/tlog/signed-note.ts";
import { loadOrCreateSigner, type Signer } from "../journal/tlog/signer.ts";
import { verifyLog, type LogFinding } from "../journal/tlog/verify-log.ts";

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
}

interface Parts {
  readonly journal: Journal;
  readonly ledger: Ledger;
  readonly folder: string | undefined;
  readonly keyFile: string | undefined;
  readonly trouble: (what: string, error: unknown) => void;
}

export class AuditLog {
  readonly #parts: Parts;
  #log: TransparencyLog | undefined;
  #signer: Signer | undefined;
  #key: NoteKey | undefined;
  #timer: NodeJS.Timeout | undefined;
  #publishing: Promise<void> = Promise.resolve();
  /** The ledger has it that there is a log. */
  #isSaid = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async open(): Promise<void> {
    const { folder, journal, ledger } = this.#parts;
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
    journal.keepGrown = true;
    const missed = await journal.store.grownSince(signedAt - MARGIN_MS);
    this.#append(missed.map(({ pid, seq, hash }) => ({ pid, seq, hash: hexOf(hash) })));
    const ledgers = await journal.store.ledgersGrownSince(signedAt - MARGIN_MS);
    this.#append(
      ledgers.map(({ node, seq, hash }) => ({ pid: ledgerPid(node), seq, hash: hexOf(hash) })),
    );
    this.#timer = setInterval(() => {
      this.publish().catch((error: unknown) =>
        this.#parts.trouble("the audit log could not be published", error),
      );
    }, PUBLISH_EVERY_MS);
    this.#timer.unref();
  }

  /** L3. Where nodes share a store each has a log of its own, and a new one has none yet. */
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
    this.#append(grown.map(({ pid, seq, hash }) => ({ pid, seq, hash: hexOf(hash) })));
    this.#append(this.#parts.ledger.takeGrown());
    this.#publishing = this.#publishing
      .catch(() => {})
      .then(() => log.publish())
      .then(() => {
        if (log.size === 0 || this.#isSaid) return;
        this.#isSaid = true;
        this.#say(LOG_KEPT);
      });
    return this.#publishing;
  }

  /** L2: to be awaited before anything is removed. */
  async compacting(
    heads: readonly { pid: string; seq: number; hash: string; result: string }[],
  ): Promise<void> {
    this.#append(
      heads.map(({ pid, seq, hash, result }) => ({ pid, seq, hash, compacted: true, result })),
    );
    await this.publish();
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

  get isKept(): boolean {
    return this.#log !== undefined;
  }

  get size(): number {
    return this.#log?.size ?? 0;
  }

  async *heads(): AsyncGenerator<LoggedHead> {
    if (this.#log === undefined) return;
    for await (const { data } of this.#log.entries())
      yield JSON.parse(Buffer.from(data).toString("utf8")) as LoggedHead;
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

  #append(heads: readonly LoggedHead[]): void {
    this.#log?.append(heads.map((head) => Buffer.from(JSON.stringify(head))));
  }
}
