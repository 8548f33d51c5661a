// Ledger: the actions of people that are in no journal, as one chain of entries for each node.
//
//   add(entry)       durable with the next commit
//   takeGrown()      its durable end, if it grew since the last call
//
// LEDGER-1  The hash of an entry covers its text and the entry before it; the text has the node and the position.
// LEDGER-2  The end of the chain is in the signed log like that of a process (`ledger:<node>`), so that a cut tail is
//     detected.
// LEDGER-3  Entries are never edited. A mistake is corrected by a later entry.

import type { Json } from "@aos/protocol";
import type { Platform } from "../platform/clock.ts";
import type { LedgerRow, TenantKey } from "../store/rows.ts";
import { bytesOfHex, CHAIN_START, hexOf, linkHash } from "./chain.ts";
import type { Journal } from "./journal.ts";

export type Sign = (text: string) => string | null;

export interface LedgerAction {
  readonly by: string;
  /** `question.answer`, `question.cancel`, `policy.load`, `grant`, `revoke`, `secret.set` … */
  readonly what: string;
  readonly detail: Json;
  /** 0, unless said: what concerns all tenants. */
  readonly tenant?: TenantKey;
}

/** An entry without its signature: what is signed. */
interface Entry extends Required<LedgerAction> {
  readonly node: string;
  readonly seq: number;
  /** In milliseconds since 1970. */
  readonly at: number;
}

interface End {
  readonly seq: number;
  /** In hex. */
  readonly hash: string;
}

export const entryText = ({ node, seq, tenant, at, by, what, detail }: Entry): string =>
  JSON.stringify({ node, seq, tenant, at, by, what, detail });

export const ledgerPid = (node: string): string => `ledger:${node}`;

export class Ledger {
  readonly #journal: Journal;
  readonly #platform: Platform;
  readonly #node: string;
  #sign: Sign = () => null;
  /** Undefined until it is opened. */
  #end: End | undefined;
  #grown: End | undefined;

  constructor({ journal, platform, node }: { journal: Journal; platform: Platform; node: string }) {
    this.#journal = journal;
    this.#platform = platform;
    this.#node = node;
  }

  async open(sign: Sign): Promise<void> {
    this.#sign = sign;
    const last = await this.#journal.store.ledgerEnd(this.#node);
    this.#end =
      last === undefined
        ? { seq: -1, hash: CHAIN_START }
        : { seq: last.seq, hash: hexOf(last.hash) };
  }

  add({ by, what, detail, tenant = 0 }: LedgerAction): void {
    if (this.#end === undefined) throw new Error("the ledger is not open");
    const node = this.#node;
    const seq = this.#end.seq + 1;
    const at = this.#platform.now();
    const plain = entryText({ node, seq, tenant, at, by, what, detail });
    const signature = this.#sign(plain);
    const entry = signature === null ? plain : withSignature(plain, signature);
    const end = { seq, hash: linkHash(this.#end.hash, entry) };
    this.#end = end;
    const row = { node, seq, tenant, at, entry, hash: bytesOfHex(end.hash) };
    this.#journal.write({ op: "ledger.add", row });
    this.#journal.afterCommit(() => (this.#grown = end));
  }

  takeGrown(): { readonly pid: string; readonly seq: number; readonly hash: string }[] {
    const grown = this.#grown;
    this.#grown = undefined;
    return grown === undefined ? [] : [{ pid: ledgerPid(this.#node), ...grown }];
  }
}

const withSignature = (plain: string, signature: string): string =>
  `${plain.slice(0, -1)},"signature":${JSON.stringify(signature)}}`;

export interface LedgerEntry extends Entry {
  readonly signature?: string;
}

export const readLedgerEntry = ({ entry }: Pick<LedgerRow, "entry">): LedgerEntry =>
  JSON.parse(entry) as LedgerEntry;
