// Table: what a copy between two databases has in common, whichever they are.
//
// Columns are read from the databases themselves: a table that a later schema adds is copied without a change here.
// Two tables differ between SQLite and PostgreSQL (history.ts of each) and travel in a form that both understand:
//
//   journal   place, process, seq, tenant, record, hash: the row's place among all, and its number in its process
//   chain     as in PostgreSQL: `pos` is the first seq that is the process's own
//
// COPY-1  A fingerprint does not depend on the order of rows: the two databases sort differently.

import { createHash } from "node:crypto";
import { SysError } from "@aos/protocol/failures";
import type { SqlValue } from "../writes.ts";

export type CopiedRow = readonly SqlValue[];

export interface TableShape {
  readonly name: string;
  /** By name; rows have their values in this order. */
  readonly columns: readonly string[];
}

export const JOURNAL: TableShape = {
  name: "journal",
  columns: ["place", "process", "seq", "tenant", "record", "hash"],
};

/** How many rows travel at once at most, and about how many bytes. */
export const ROWS_AT_ONCE = 500;
export const BYTES_AT_ONCE = 4 * 1024 * 1024;

export interface TableSource {
  readonly name: string;
  tables(): Promise<TableShape[]>;
  /** `journal` comes by its place, the first first. */
  rows(table: TableShape): AsyncIterable<CopiedRow[]>;
}

export interface TableTarget extends TableSource {
  insert(table: TableShape, rows: readonly CopiedRow[]): Promise<void>;
  /** After the last row: what could not be said before all were there. */
  finish(): Promise<void>;
}

/** How many rows a table has, and what they come to (COPY-1). */
export class Fingerprint {
  count = 0;
  readonly #sum = Buffer.alloc(32);

  add(row: CopiedRow): void {
    this.count += 1;
    const hash = createHash("sha256");
    for (const value of row) {
      const text = value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
      hash.update(
        `${value instanceof Uint8Array ? "bytes" : typeof value} ${JSON.stringify(text)}\n`,
      );
    }
    const digest = hash.digest();
    for (let at = 0; at < 32; at++) this.#sum[at] = this.#sum[at]! ^ digest[at]!;
  }

  toString(): string {
    return `${this.count} rows ${this.#sum.toString("hex")}`;
  }
}

/** Rows in batches that fit into memory and into one statement. */
export async function* batchesOf(
  rows: Iterable<CopiedRow> | AsyncIterable<CopiedRow>,
): AsyncGenerator<CopiedRow[]> {
  let batch: CopiedRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    batch.push(row);
    for (const value of row)
      if (typeof value === "string" || value instanceof Uint8Array) bytes += value.length;
    if (batch.length < ROWS_AT_ONCE && bytes < BYTES_AT_ONCE) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** The number of a record in its process, which its text says. */
export function seqOf(record: string, place: number): number {
  const [, seq] = /^\{"kind":"[a-z]+","seq":(\d+)[,}]/.exec(record) ?? [];
  if (seq === undefined)
    throw new SysError("ECORRUPT", `the record at place ${place} of the journal cannot be read`, {
      hint: "`aos audit verify` says what was changed",
    });
  return Number(seq);
}
