// Process check: the full check of one process: its records, its end, and its logged heads.

import type { AuditFinding } from "../api.ts";
import { CHAIN_START, hexOf } from "../journal/chain.ts";
import { parseRecord } from "../journal/record-text.ts";
import type { ChainRow, ProcessRow, RecordRow } from "../store/rows.ts";
import type { LoggedHead } from "./audit-log.ts";
import type { Erasures } from "./erasures.ts";

/** What is found out about one process. */
export class ProcessCheck {
  readonly row: ProcessRow;
  readonly heads: readonly LoggedHead[];
  readonly findings: AuditFinding[] = [];

  constructor(row: ProcessRow, heads: readonly LoggedHead[]) {
    this.row = row;
    this.heads = heads;
  }

  find(kind: AuditFinding["kind"], seq: number | null, problem: string): void {
    const { pid } = this.row;
    const where = seq === null ? pid : `${pid} record ${seq}`;
    this.findings.push({ kind, pid, seq, message: `${where}: ${problem}` });
  }

  /** The records one by one, the end, and what was logged. False when they cannot be taken for records. */
  chain(rows: readonly RecordRow[], chain: ChainRow, erasures: Erasures): boolean {
    const first = rows[0]?.seq ?? chain.seq + 1;
    if (rows.length === 0 || first > 0) {
      this.find("missing", first - 1, "it is not there, or what leads to it was changed");
      return false;
    }
    let hash = CHAIN_START;
    for (const [index, stored] of rows.entries()) {
      if (stored.seq !== index) {
        this.find("missing", index, "it is not there");
        return false;
      }
      const known = hexOf(stored.hash);
      hash = erasures.link(hash, stored.text, known);
      if (hash !== known) {
        this.find("changed", index, "it is not what was written");
        return false;
      }
      const { seq } = parseRecord(stored.text);
      if (seq !== index) {
        this.find("reordered", index, `what stands there is record ${seq}`);
        return false;
      }
      if (stored.tenant !== this.row.tenant)
        this.find("changed", index, "it carries another tenant");
    }
    if (rows.length - 1 !== chain.seq || hash !== hexOf(chain.hash))
      this.find("truncated", rows.length, "the chain's end is not where the chain ends");
    this.#checkLogged(rows);
    return true;
  }

  #checkLogged(rows: readonly RecordRow[]): void {
    for (const head of this.heads) {
      const record = rows[head.seq];
      if (record === undefined)
        this.find("truncated", head.seq, "it was logged, and is not there any more");
      else if (hexOf(record.hash) !== head.hash)
        this.find("changed", head.seq, "another one was logged");
    }
  }
}
