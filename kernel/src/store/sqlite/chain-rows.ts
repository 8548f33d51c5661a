// ChainRows: moves the ends of chains in the embedded store.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ProcessKey } from "../rows.ts";
import { hasNoCost, type SpendAmounts, type SpendOverrun } from "../spend-row.ts";

/** What records add to the chain of their process. */
export interface ChainExtension extends SpendAmounts, SpendOverrun {
  readonly process: ProcessKey;
  readonly epoch: number;
  /** The chain's last record before them. */
  readonly after: number;
  /** The last of them, and its place. */
  readonly seq: number;
  readonly pos: number;
  readonly at: number;
  readonly bytes: number;
}

const WHERE = "where process = ? and epoch = ? and seq = ?";
const EXTEND = `
  update chain set seq = ?, pos = ?, hash = ?, micro_usd = micro_usd + ?, tokens = tokens + ?, tool_calls = tool_calls + ?,
    over_micro_usd = over_micro_usd + ?, over_tokens = over_tokens + ?, bytes = bytes + ?, grown_at = ? ${WHERE}`;
/** Where nothing was paid, as by most calls: each value that is bound takes its time. */
const EXTEND_UNPAID = `
  update chain set seq = ?, pos = ?, hash = ?, tool_calls = tool_calls + ?, bytes = bytes + ?, grown_at = ? ${WHERE}`;

export class ChainRows {
  readonly #extend: StatementSync;
  readonly #extendUnpaid: StatementSync;

  constructor(db: DatabaseSync) {
    this.#extend = db.prepare(EXTEND);
    this.#extendUnpaid = db.prepare(EXTEND_UNPAID);
  }

  /** False, and nothing is done, where the chain has another epoch or another end (STORE-2). */
  move(move: ChainExtension, hash: Uint8Array): boolean {
    const { process, epoch, after, seq, pos, toolCalls, bytes, at } = move;
    if (hasNoCost(move))
      return (
        this.#extendUnpaid.run(seq, pos, hash, toolCalls, bytes, at, process, epoch, after)
          .changes === 1
      );
    const { microUsd, tokens, overMicroUsd, overTokens } = move;
    const cost = [microUsd, tokens, toolCalls, overMicroUsd, overTokens] as const;
    return (
      this.#extend.run(seq, pos, hash, ...cost, bytes, at, process, epoch, after).changes === 1
    );
  }
}
